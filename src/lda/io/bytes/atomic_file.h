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

// Removes the new files of `path` that killed processes left beside it. A file is ours by its
// name, "FILE.papilio-<16 hexadecimal digits>.tmp" (a long FILE is shortened), and abandoned
// if nobody holds the lock (flock) that its writer holds until it is renamed; this includes
// processes of other containers that share the volume. Files that cannot be removed stay.
void remove_abandoned(const std::string& path) noexcept;

// Renames a new file to `target` unless that exists; then the new file stays. Atomic if the file system has
// RENAME_NOREPLACE or hard links; else a file made with O_EXCL holds the name. Does not throw; errno has the failure.
enum class Placed { yes, exists, failed };
Placed rename_unless_exists(const std::string& from, const std::string& target) noexcept;

// Opens a new file without a name, for reading and writing, on the file system of `path`. It vanishes when it is
// closed. Returns -1 and sets errno if it cannot.
int open_unnamed_beside(const std::string& path);

// A file that appears completely or not at all.
//
// Writes to a new file with a random name beside the target; `commit` syncs it, renames it over
// the target and syncs the folder. Until then, and without a `commit`, the target keeps its
// content; without one the new file is removed. A target that is a symbolic link is followed,
// even if it leads to nothing yet. The permissions of a replaced target are kept, and its owner
// and group if the process may set them; if it may not, the group gets no more permissions than
// all others have. An OutputReservation of the target may say that nothing is replaced.
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

  // Call it once, after the last write. The target's old content stays under the target's name with `ending_of_the_old`
  // appended, unless that is empty; at every instant at least one of the two exists.
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
  std::shared_ptr<ReservedOutput> reserved_;  // null: the target is replaced
  int file_ = -1;
  int lock_ = -1;  // a duplicate of the descriptor, so that the lock outlives file_
  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
};

}  // namespace papilio::lda
