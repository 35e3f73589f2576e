#include "lda/io/bytes/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "papilio/error.h"

namespace papilio::lda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

// Names: a new file is FILE.papilio-<16 hexadecimal digits>.tmp,
// and the second link to the old file has one more ending.
constexpr std::string_view new_beginning = ".papilio-";
constexpr std::size_t random_digits = 16;
constexpr std::string_view new_ending = ".tmp";
constexpr std::string_view link_ending = ".old";
constexpr std::size_t longest_ending = new_beginning.size() + random_digits + new_ending.size() + link_ending.size();

// Whether `text`, a name without the target's name at its front, is that of a new file.
bool is_new_file(std::string_view text) {
  if (text.size() != new_beginning.size() + random_digits + new_ending.size()) return false;
  const std::string_view digits = text.substr(new_beginning.size(), random_digits);
  return text.starts_with(new_beginning) && text.ends_with(new_ending) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// 64 bits that no other process draws.
std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, GRND_NONBLOCK) == sizeof bits) return bits;
  static std::atomic<std::uint64_t> serial = 0;  // if the system has no randomness yet; O_EXCL detects equal names
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_nsec) << 32 ^ static_cast<std::uint64_t>(::getpid()) << 8 ^ serial++;
}

// The names in a folder, if it can be read. Does not use std::filesystem: with libstdc++, an allocation that fails in
// the constructor of a directory_iterator ends the process.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const auto close = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> open(::opendir(folder.c_str()), close);
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

// FILE.papilio-<random>.tmp, with room for link_ending after it.
std::string new_path(const std::string& target) {
  const std::string name = stem_beside(target, longest_ending);
  return fmt::format("{}{}{}{:016x}{}", target.substr(0, target.rfind('/') + 1), name, new_beginning, random_bits(),
                     new_ending);
}

// Removes a new file unless its writer, which holds its lock, is running.
void remove_unless_locked(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat found = {};
  if (::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && ::flock(file, LOCK_EX | LOCK_NB) == 0) {
    ::unlink(path.c_str());
  }
  ::close(file);
}

}  // namespace

void remove_abandoned(const std::string& path) noexcept {
  try {
    const std::string target = follow_links(path);
    const std::string target_name = stem_beside(target, longest_ending);
    std::vector<std::string> links;
    for (const std::string& name : names_in(folder_of(target))) {
      std::string_view rest = name;
      if (!rest.starts_with(target_name)) continue;
      rest.remove_prefix(target_name.size());
      const std::string path_of_new = folder_of(target) + "/" + name;
      if (is_new_file(rest)) {
        remove_unless_locked(path_of_new);
      } else if (rest.ends_with(link_ending) && is_new_file(rest.substr(0, rest.size() - link_ending.size()))) {
        links.push_back(path_of_new);
      }
    }
    // A writer at work keeps its new file for as long as the link exists.
    for (const std::string& link : links) {
      const std::string of = link.substr(0, link.size() - link_ending.size());
      if (::access(of.c_str(), F_OK) != 0 && errno == ENOENT) ::unlink(link.c_str());
    }
  } catch (const std::exception&) {
    return;
  }
}

int open_unnamed_beside(const std::string& path) {
  const std::string target = follow_links(path);
#ifdef O_TMPFILE
  const int unnamed = ::open(folder_of(target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
#endif
  const std::string name = new_path(target);
  const UnfinishedFile unfinished(name);
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

Placed rename_unless_exists(const std::string& from, const std::string& target) noexcept {
  const auto done = [](int result) {
    return result == 0 ? Placed::yes : errno == EEXIST ? Placed::exists : Placed::failed;
  };
  const auto is_missing = [](int code) {
    return code == ENOSYS || code == EINVAL || code == EOPNOTSUPP || code == EPERM || code == EMLINK;
  };
#ifdef RENAME_NOREPLACE
  const int renamed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
  if (renamed == 0 || !is_missing(errno)) return done(renamed);
#endif
  const int linked = ::link(from.c_str(), target.c_str());
  if (linked == 0) ::unlink(from.c_str());
  if (linked == 0 || !is_missing(errno)) return done(linked);
  const int kept = ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (kept < 0) return done(kept);
  ::close(kept);
  return done(::rename(from.c_str(), target.c_str()));
}

AtomicFile::AtomicFile(const std::string& path, std::string caller)
    : origin_{std::move(caller), path == "-" ? "(standard output)" : path},
      target_(path),
      buffer_(std::make_unique<char[]>(buffer_bytes)) {
  if (path == "-") {
    file_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (file_ < 0) origin_.io_error("write to", errno);
    return;
  }
  if (path.empty()) origin_.io_error("create a file without a name", ENOENT);
  OutputTarget target;
  const int code = find_target(path, target);
  if (code != 0) origin_.io_error("create", code);
  if (target.kind == OutputTarget::Kind::folder) origin_.io_error("create", EISDIR);
  if (target.kind != OutputTarget::Kind::nothing && target.kind != OutputTarget::Kind::file) {
    open_directly(target);
    return;
  }
  target_ = target.path;
  reserved_ = reserved_output(target);
  struct stat found = {};
  open_beside(::stat(target_.c_str(), &found) == 0 ? &found : nullptr);
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  release_lock();
}

void AtomicFile::open_directly(const OutputTarget& target) {
  if (target.kind == OutputTarget::Kind::other) origin_.io_error("write to", ENXIO);
  file_ = target.kind == OutputTarget::Kind::descriptor ? ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                                                        : ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) origin_.io_error("write to", errno);
}

void AtomicFile::open_beside(const struct stat* replaced) {
  const mode_t mode = replaced == nullptr ? 0666 : replaced->st_mode & 0600;
  do {
    temporary_ = new_path(target_);
    unfinished_ = UnfinishedFile(temporary_);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (file_ < 0 ? errno == EEXIST : !lock_new_file());
  if (file_ < 0) {
    const int code = errno;
    temporary_.clear();
    origin_.io_error("create", code);
  }
  if (replaced != nullptr) take_after(*replaced);
}

// Sets the owner before the permissions, because a change of owner reduces these.
void AtomicFile::take_after(const struct stat& replaced) {
  struct stat made = {};
  if (::fstat(file_, &made) != 0) made = {};
  const bool same = made.st_uid == replaced.st_uid && made.st_gid == replaced.st_gid;
  const bool owned = same || ::fchown(file_, replaced.st_uid, replaced.st_gid) == 0;
  const bool grouped = owned || made.st_gid == replaced.st_gid || ::fchown(file_, made.st_uid, replaced.st_gid) == 0;
  mode_t mode = replaced.st_mode & (owned ? 07777 : 0777);
  if (!grouped) mode &= 0707 | (mode & 0007) << 3;
  if (::fchmod(file_, mode) == 0) return;
  const int code = errno;
  ::close(std::exchange(file_, -1));
  ::unlink(temporary_.c_str());
  release_lock();
  origin_.io_error("create", code);
}

// Tells others that this new file's writer is alive; false if somebody took the file for abandoned before that. On file
// systems without locks it does without.
bool AtomicFile::lock_new_file() {
  struct stat found = {};
  const bool locked = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  const bool taken = locked ? ::fstat(file_, &found) == 0 && found.st_nlink == 0 : errno == EWOULDBLOCK;
  if (taken) {
    ::close(file_);
    file_ = -1;
    return false;
  }
  if (locked) lock_ = ::fcntl(file_, F_DUPFD_CLOEXEC, 0);
  return true;
}

void AtomicFile::release_lock() {
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  assert(file_ >= 0);
  if (bytes > buffer_bytes - buffered_) flush();
  if (bytes > buffer_bytes) {
    write_all(static_cast<const char*>(data), bytes);
  } else if (bytes > 0) {
    std::memcpy(buffer_.get() + buffered_, data, bytes);
    buffered_ += bytes;
  }
}

void AtomicFile::flush() {
  write_all(buffer_.get(), buffered_);
  buffered_ = 0;
}

void AtomicFile::write_all(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(file_, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) origin_.io_error("write to", written < 0 ? errno : EIO);
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit(const std::string& ending_of_the_old) {
  assert(file_ >= 0);
  flush();
  if (temporary_.empty()) {
    close_file();
    return;
  }
  sync_file();
  close_file();
  put_in_place(ending_of_the_old);
  temporary_.clear();
  unfinished_ = {};
  release_lock();
  sync_folder();
}

void AtomicFile::put_in_place(const std::string& ending_of_the_old) {
  if (reserved_ != nullptr && reserved_->keeps_existing) {
    const Placed placed = rename_unless_exists(temporary_, target_);
    if (placed == Placed::failed) origin_.io_error("create", errno);
    if (placed == Placed::exists) put_aside();
    reserved_->keeps_existing = false;  // what is there now is this process's file
    return;
  }
  if (!ending_of_the_old.empty()) keep_old(ending_of_the_old);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) origin_.io_error("replace", errno);
}

// The file is finished and must not be lost: it takes the first free name, and its later versions take the same name.
void AtomicFile::put_aside() {
  std::string& aside = reserved_->aside;
  if (!aside.empty()) {
    if (::rename(temporary_.c_str(), aside.c_str()) != 0) origin_.io_error("create", errno);
  }
  for (int number = 1; aside.empty(); ++number) {
    const std::string free = path_beside(target_, fmt::format(".{}", number));
    const Placed placed = rename_unless_exists(temporary_, free);
    if (placed == Placed::failed) origin_.io_error("create", errno);
    if (placed == Placed::yes) aside = free;
  }
  temporary_.clear();
  unfinished_ = {};
  release_lock();
  sync_folder();
  throw IoError(
      fmt::format("{}: cannot create {}: another file has taken that name in the meantime and is not replaced; "
                  "what was written is in {}",
                  origin_.caller, origin_.path, aside),
      EEXIST);
}

void AtomicFile::sync_file() {
  while (::fsync(file_) != 0) {
    if (errno != EINTR) origin_.io_error("sync", errno);
  }
}

// Some network file systems do not report a full disk before this.
void AtomicFile::close_file() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && errno != EINTR) origin_.io_error("write to", errno);
}

// Uses a second link, so that the old file also keeps its own name until
// the new file takes it; renames it if the file system has no links.
void AtomicFile::keep_old(const std::string& ending) {
  const std::string kept = target_ + ending;
  const std::string link = temporary_ + std::string(link_ending);
  const UnfinishedFile unfinished(link);
  const bool linked = ::link(target_.c_str(), link.c_str()) == 0;
  if (!linked && errno == ENOENT) return;
  const bool renamed = ::rename(linked ? link.c_str() : target_.c_str(), kept.c_str()) == 0;
  const int code = errno;
  if (linked) ::unlink(link.c_str());  // still there if both names already were one file
  if (!renamed && code != ENOENT) origin_.io_error("keep the old", code);
}

void AtomicFile::sync_folder() {
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    // A folder that can be written but not read cannot be opened, and so cannot be synced.
    if (errno == EACCES) return;
    origin_.io_error("sync the folder of", errno);
  }
  // EINVAL: this file system cannot sync folders.
  const int code = ::fsync(folder) == 0 || errno == EINVAL ? 0 : errno;
  ::close(folder);
  if (code != 0) origin_.io_error("sync the folder of", code);
}

}  // namespace papilio::lda
