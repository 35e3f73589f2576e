#pragma once

#include <cstdint>
#include <string>

#include "papilio/error.h"
#include "support/exit_code.h"

// Errors of the library as this command's: an input that is not there, an output that cannot be made, or a failure
// midway.
[[noreturn]] void fail_reading(const papilio::IoError& error);
[[noreturn]] void fail_writing(const papilio::IoError& error, const std::string& path, std::int64_t bytes_needed);

template <class Work>
auto reading(Work&& work) {
  try {
    return work();
  } catch (const papilio::IoError& error) {
    fail_reading(error);
  }
}

// `bytes_needed` is roughly the size of the file, reported when the disk is full.
template <class Work>
void writing(const std::string& path, std::int64_t bytes_needed, Work&& work) {
  try {
    work();
  } catch (const papilio::IoError& error) {
    fail_writing(error, path, bytes_needed);
  }
}

// Throws CommandError (cannot_create) unless a file can be made at `path`: its
// folder is there and may be written to, and `path` is not a folder itself.
void require_creatable(const std::string& path);

// Whether there is a regular file, which writing would replace.
bool would_replace(const std::string& path);

// Whether `path` holds a whole papilio model.
bool is_model(const std::string& path);

// A text file that appears under its name only when whole. A device or pipe is written to in place.
class TextFile {
 public:
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void write(const std::string& text);
  void commit();

 private:
  [[noreturn]] void fail(const char* doing) const;
  void flush();

  std::string path_;
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty: written in place, or done
  std::string pending_;
  int file_ = -1;
};
