#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// Where the links that `path` names lead; `path` itself where nothing is there yet.
std::string follow_links(const std::string& path);

// Removes the new files of `path` that killed processes left beside it. A file is ours by its name,
// "FILE.papilio-<16 hexadecimal digits>.tmp", and abandoned when nobody holds the lock (flock) that its writer holds
// until it is renamed: processes of other containers that share the volume count. Whatever cannot be removed stays.
void remove_abandoned(const std::string& path) noexcept;

// A file that appears whole or not at all.
//
// Writes to a new file beside the target, whose name is random; `commit` syncs it, renames it over the
// target and syncs the folder. Until then, and if it never comes, the target
// keeps what it held and the new file is removed. A target that is a symbolic
// link is followed, and an existing target's permissions are kept.
//
// What cannot be replaced (a pipe, a device, "-" for standard output) is written
// directly. All functions throw IoError with `caller` before the message.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, std::string caller = "papilio::AtomicFile");
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  // Once, after the last write. What the target held stays under the target's name with
  // `ending_of_the_old` appended, unless that is empty; at every instant at least one of the two exists.
  void commit(const std::string& ending_of_the_old = {});

 private:
  void open_beside(int permissions);
  bool lock_new_file();
  void flush();
  void write_all(const char* data, std::size_t bytes);
  void sync_file();
  void close_file();
  void release_lock();
  void keep_old(const std::string& ending);
  void sync_folder();

  Origin origin_;
  std::string target_;     // the path with symbolic links followed
  std::string temporary_;  // empty: the target is written directly
  int file_ = -1;
  int lock_ = -1;  // the same open file once more, so that its lock outlives file_
  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
};

}  // namespace papilio::lda
