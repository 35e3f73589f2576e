#pragma once

#include <cstdint>
#include <string>

#include "papilio/error.h"
#include "papilio/output_file.h"
#include "support/exit_code.h"

// Turns errors of the library into those of this command: an input that
// does not exist, an output that cannot be made, or a failure midway.
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

// `bytes_needed` is the approximate size of the file; it is reported if the disk is full.
template <class Work>
void writing(const std::string& path, std::int64_t bytes_needed, Work&& work) {
  try {
    work();
  } catch (const papilio::IoError& error) {
    fail_writing(error, path, bytes_needed);
  }
}

// Whether an error with this number (errno) means that a file may
// not be opened or made, rather than that work on it failed midway.
bool means_denied(int error);

// "-" for a path that is another name of standard output, such as /dev/stdout; else the path.
std::string dash_for_standard_output(const std::string& path);

// The folder of the file at `path`; "." if the path has none.
std::string folder_of(const std::string& path);

// Whether `path` is a complete papilio model.
bool is_model(const std::string& path);

using TextFile = papilio::OutputFile;
