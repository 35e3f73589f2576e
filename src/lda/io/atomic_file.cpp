#include "lda/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace papilio::lda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where the links that `path` names lead; `path` itself where nothing is there yet.
std::string follow_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

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
}

// Permissions below 0: those of a new file.
void AtomicFile::open_beside(int permissions) {
  static std::atomic<std::uint64_t> serial = 0;
  do {
    temporary_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), serial++);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) {
    const int code = errno;
    temporary_.clear();
    origin_.io_error("create", code);
  }
  if (permissions >= 0 && ::fchmod(file_, static_cast<mode_t>(permissions)) != 0) {
    const int code = errno;
    ::close(file_);
    ::unlink(temporary_.c_str());
    origin_.io_error("create", code);
  }
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
    if (written < 0) origin_.io_error("write to", errno);
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  assert(file_ >= 0);
  flush();
  if (temporary_.empty()) {
    close_file();
    return;
  }
  if (::fsync(file_) != 0) origin_.io_error("sync", errno);
  close_file();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) origin_.io_error("replace", errno);
  temporary_.clear();
  sync_folder();
}

// Some network file systems report a full disk only here.
void AtomicFile::close_file() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && errno != EINTR) origin_.io_error("write to", errno);
}

void AtomicFile::sync_folder() {
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    // A folder that may be written but not read cannot be opened, so not synced either.
    if (errno == EACCES) return;
    origin_.io_error("sync the folder of", errno);
  }
  // EINVAL: this file system knows no syncing of folders.
  const int code = ::fsync(folder) == 0 || errno == EINVAL ? 0 : errno;
  ::close(folder);
  if (code != 0) origin_.io_error("sync the folder of", code);
}

}  // namespace papilio::lda
