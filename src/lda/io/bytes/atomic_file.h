#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "lda/io/bytes/origin.h"
#include "lda/io/bytes/output_reservation.h"
#include "lda/io/bytes/output_target.h"
#include "lda/io/bytes/unfinished_files.h"

namespace papilio::lda {

// Removes the new files of `path` that killed processes left beside it. A file is ours by its name,
// "FILE.papilio-<16 hexadecimal digits>.tmp" (FILE shortened where it is long), and abandoned when nobody holds the
// lock (flock) that its writer holds until it is renamed: processes of other containers that share the volume count.
// Whatever cannot be removed stays.
void remove_abandoned(const std::string& path) noexcept;

// Renames a new file to `target` unless that exists: false, and the new file stays. Atomic where the file system has
// RENAME_NOREPLACE or hard links; else a file made with O_EXCL keeps the name. Throws nothing; errno says what failed.
enum class Placed { yes, exists, failed };
Placed rename_unless_exists(const std::string& from, const std::string& target) noexcept;

// Opens a new file without a name, to be read and written, on the file system of `path`: it is gone when it is closed.
// Returns -1, and errno, where it cannot.
int open_unnamed_beside(const std::string& path);

// A file that appears whole or not at all.
//
// Writes to a new file beside the target, whose name is random; `commit` syncs it, renames it over the
// target and syncs the folder. Until then, and if it never comes, the target
// keeps what it held and the new file is removed. A target that is a symbolic
// link is followed, also to where nothing is yet. The permissions of a target that is replaced are kept, and its owner
// and group if the process may set them; where it may not, the group gets no more than all others have.
// An OutputReservation of the target may say that nothing is replaced.
//
// What cannot be replaced (a pipe, a device, an open descriptor such as /dev/stdout, "-" for standard output) is
// written directly. All functions throw IoError with `caller` before the message.
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
  void open_directly(const OutputTarget& target);
  void open_beside(const struct stat* replaced);
  void take_after(const struct stat& replaced);
  bool lock_new_file();
  void flush();
  void write_all(const char* data, std::size_t bytes);
  void sync_file();
  void close_file();
  void release_lock();
  void keep_old(const std::string& ending);
  void put_in_place(const std::string& ending_of_the_old);
  [[noreturn]] void put_aside();
  void sync_folder();

  Origin origin_;
  std::string target_;     // the path with symbolic links followed
  std::string temporary_;  // empty: the target is written directly
  UnfinishedFile unfinished_;
  std::shared_ptr<ReservedOutput> reserved_;  // none: the target is replaced
  int file_ = -1;
  int lock_ = -1;  // the same open file once more, so that its lock outlives file_
  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
};

}  // namespace papilio::lda
