#include "lda/io/bytes/atomic_file.h"

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
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace papilio::lda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

// Of a new file, FILE.papilio-<16 hexadecimal digits>.tmp, and of the second link to the old one, which has one more
// ending.
constexpr std::string_view new_beginning = ".papilio-";
constexpr std::size_t random_digits = 16;
constexpr std::string_view new_ending = ".tmp";
constexpr std::string_view link_ending = ".old";

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Whether `text`, a name without the target's before it, is that of a new file.
bool is_new_file(std::string_view text) {
  if (text.size() != new_beginning.size() + random_digits + new_ending.size()) return false;
  const std::string_view digits = text.substr(new_beginning.size(), random_digits);
  return text.starts_with(new_beginning) && text.ends_with(new_ending) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// 64 bits that no other process draws too.
std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, GRND_NONBLOCK) == sizeof bits) return bits;
  static std::atomic<std::uint64_t> serial = 0;  // before the system has randomness; O_EXCL tells equal names apart
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_nsec) << 32 ^ static_cast<std::uint64_t>(::getpid()) << 8 ^ serial++;
}

// Removes a new file unless its writer is at work: who holds its lock.
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

std::string follow_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

void remove_abandoned(const std::string& path) noexcept {
  namespace fs = std::filesystem;
  try {
    const std::string target = follow_links(path);
    const std::string target_name = fs::path(target).filename().string();
    std::vector<std::string> links;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(target))) {
      const std::string name = entry.path().filename().string();
      std::string_view rest = name;
      if (!rest.starts_with(target_name)) continue;
      rest.remove_prefix(target_name.size());
      const std::string path_of_new = entry.path().string();
      if (is_new_file(rest)) {
        remove_unless_locked(path_of_new);
      } else if (rest.ends_with(link_ending) && is_new_file(rest.substr(0, rest.size() - link_ending.size()))) {
        links.push_back(path_of_new);
      }
    }
    // A writer at work holds its new file for as long as it has a link.
    for (const std::string& link : links) {
      const std::string of = link.substr(0, link.size() - link_ending.size());
      if (::access(of.c_str(), F_OK) != 0 && errno == ENOENT) ::unlink(link.c_str());
    }
  } catch (const std::exception&) {
    return;
  }
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
  struct stat found = {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) origin_.io_error("create", errno);
  if (exists && S_ISDIR(found.st_mode)) origin_.io_error("create", EISDIR);
  if (exists && !S_ISREG(found.st_mode)) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) origin_.io_error("write to", errno);
    return;
  }
  if (exists) target_ = follow_links(path);
  open_beside(exists ? static_cast<int>(found.st_mode & 07777) : -1);
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  release_lock();
}

// Permissions below 0: those of a new file.
void AtomicFile::open_beside(int permissions) {
  do {
    temporary_ = fmt::format("{}{}{:016x}{}", target_, new_beginning, random_bits(), new_ending);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 ? errno == EEXIST : !lock_new_file());
  if (file_ < 0) {
    const int code = errno;
    temporary_.clear();
    origin_.io_error("create", code);
  }
  if (permissions >= 0 && ::fchmod(file_, static_cast<mode_t>(permissions)) != 0) {
    const int code = errno;
    ::close(file_);
    ::unlink(temporary_.c_str());
    release_lock();
    origin_.io_error("create", code);
  }
}

// Says that this new file's writer is alive; false where somebody took the file for abandoned before that was said.
// File systems without locks go without.
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
  if (!ending_of_the_old.empty()) keep_old(ending_of_the_old);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) origin_.io_error("replace", errno);
  temporary_.clear();
  release_lock();
  sync_folder();
}

void AtomicFile::sync_file() {
  while (::fsync(file_) != 0) {
    if (errno != EINTR) origin_.io_error("sync", errno);
  }
}

// Some network file systems report a full disk only here.
void AtomicFile::close_file() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && errno != EINTR) origin_.io_error("write to", errno);
}

// By a second link, so that the old file keeps its own name too until the new one takes it;
// by a new name where the file system has no links.
void AtomicFile::keep_old(const std::string& ending) {
  const std::string kept = target_ + ending;
  const std::string link = temporary_ + std::string(link_ending);
  const bool linked = ::link(target_.c_str(), link.c_str()) == 0;
  if (!linked && errno == ENOENT) return;
  const bool renamed = ::rename(linked ? link.c_str() : target_.c_str(), kept.c_str()) == 0;
  const int code = errno;
  if (linked) ::unlink(link.c_str());  // still there where both names were one file already
  if (!renamed && code != ENOENT) origin_.io_error("keep the old", code);
}

void AtomicFile::sync_folder() {
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    // A folder that may be written but not read cannot be opened, so not synced either.
    if (errno == EACCES) return;
    origin_.io_error("sync the folder of", errno);
  }
  // EINVAL: this file system cannot sync folders.
  const int code = ::fsync(folder) == 0 || errno == EINVAL ? 0 : errno;
  ::close(folder);
  if (code != 0) origin_.io_error("sync the folder of", code);
}

}  // namespace papilio::lda
