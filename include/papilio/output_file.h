#pragma once

#include <memory>
#include <string>
#include <string_view>

// Writing files: where a path leads, names reserved for one run, files that appear whole or not at all. All files that
// papilio writes follow these rules.

namespace papilio {

// Where writing to a path leads.
struct OutputTarget {
  enum class Kind {
    nothing,     // a file can be made there
    file,        // a regular file, which is replaced
    folder,      //
    pipe,        // written in place, as are devices and descriptors
    device,      // a character device, such as /dev/null
    descriptor,  // one that this process has open: /dev/stdout, /dev/fd/N
    other,       // a socket, a block device: cannot be written
  };
  Kind kind = Kind::nothing;
  std::string path;     // symbolic links followed, even to a file that does not exist yet
  int descriptor = -1;  // of Kind::descriptor
};

// Throws IoError where the path cannot be followed: a folder that is missing or may not be used (ENOENT, ENOTDIR,
// EACCES), a circle of symbolic links (ELOOP), a name that is too long (ENAMETOOLONG).
OutputTarget output_target(const std::string& path);

// Reserves the name of a file for this process as long as the object lives.
//
// The lock (flock) is on a hidden file ".papilio-HASH.lock" beside the target, removed with the reservation. If the
// process is killed, the system releases the lock; the empty file stays and does no harm. The lock holds between
// containers that share a volume. On a file system without locks there is none. Files that killed processes left beside
// the target are removed.
//
// Existing::kept: a file that appears under the name while it is reserved is not replaced. The library then writes its
// own file to the first free name of NAME.1, NAME.2, ..., and throws IoError (EEXIST), which names both. A path that is
// not a file (a pipe, a device, a descriptor) is not reserved.
//
// Throws IoError: EBUSY if another process has reserved the name, else what output_target throws, or why the lock
// cannot be made. Throws InvalidArgument if this process has reserved the name already.
class OutputReservation {
 public:
  enum class Existing { kept, replaced };
  OutputReservation(const std::string& path, Existing existing);
  ~OutputReservation();
  OutputReservation(const OutputReservation&) = delete;
  OutputReservation& operator=(const OutputReservation&) = delete;

 private:
  struct Lock;
  std::unique_ptr<Lock> lock_;  // none: not a file
};

// A file that appears under its name at `commit`, whole, or not at all: it is written beside its name, synced and
// renamed. It gets the permissions and the owner of a file that it replaces, as far as the process may set them.
// "-" is standard output. A pipe, a device or a descriptor is written in place. All functions throw IoError, and
// InvalidArgument after commit.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);

  // Once, after the last write.
  void commit();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Removes the unfinished files and the lock files of this process. For a process that is about to end: it may be called
// in a signal handler, and no file can be committed afterwards.
void remove_unfinished_files() noexcept;

}  // namespace papilio
