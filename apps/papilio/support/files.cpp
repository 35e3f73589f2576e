#include "support/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "papilio/model.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

bool means_denied(int error) {
  constexpr std::array denied = {ENOENT, EACCES, EPERM, EROFS, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG};
  return std::find(denied.begin(), denied.end(), error) != denied.end();
}

}  // namespace

void fail_reading(const papilio::IoError& error) {
  throw CommandError(means_denied(error.code) ? ExitCode::no_input : ExitCode::io_error, error.what());
}

void fail_writing(const papilio::IoError& error, const std::string& path, std::int64_t bytes_needed) {
  std::string message = error.what();
  std::error_code unknown;
  const fs::space_info space = fs::space(folder_of(path), unknown);
  if (error.code == ENOSPC && !unknown) {
    message += fmt::format(" (about {} bytes needed, {} free)", grouped(bytes_needed),
                           grouped(static_cast<std::int64_t>(space.available)));
  }
  throw CommandError(means_denied(error.code) ? ExitCode::cannot_create : ExitCode::io_error, message);
}

void require_creatable(const std::string& path) {
  const fs::path folder = folder_of(path);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw CommandError(ExitCode::cannot_create, fmt::format("cannot create {}: it is a folder", path));
  }
  if (!fs::is_directory(folder, error)) {
    throw CommandError(ExitCode::cannot_create,
                       fmt::format("cannot create {}: folder {} does not exist", path, folder.string()));
  }
  const bool in_place = fs::exists(path, error) && !fs::is_regular_file(path, error);
  if (access(in_place ? path.c_str() : folder.c_str(), in_place ? W_OK : W_OK | X_OK) != 0) {
    throw CommandError(ExitCode::cannot_create, fmt::format("cannot create {}: {}", path, std::strerror(errno)));
  }
}

bool would_replace(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_model(const std::string& path) {
  try {
    papilio::load_model(path);
    return true;
  } catch (const papilio::Error&) {
    return false;
  }
}

TextFile::TextFile(const std::string& path) : path_(path) {
  struct stat found = {};
  const bool exists = stat(path.c_str(), &found) == 0;
  const bool in_place = exists && !S_ISREG(found.st_mode);
  if (!in_place) {
    std::error_code unknown;
    const fs::path real = exists ? fs::canonical(path, unknown) : fs::path(path);
    target_ = unknown ? path : real.string();
    temporary_ = fmt::format("{}.{}.tmp", target_, getpid());
    unlink(temporary_.c_str());  // of a process that had this number and was killed
  }
  file_ = in_place ? open(path.c_str(), O_WRONLY | O_CLOEXEC)
                   : open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) {
    fail("create");
  }
}

TextFile::~TextFile() {
  if (file_ >= 0) {
    close(file_);
  }
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

void TextFile::fail(const char* doing) const {
  const int error = errno;
  throw papilio::IoError(fmt::format("cannot {} {}: {}", doing, path_, std::strerror(error)), error);
}

void TextFile::write(const std::string& text) {
  constexpr std::size_t enough = std::size_t{1} << 16;
  pending_ += text;
  if (pending_.size() >= enough) {
    flush();
  }
}

void TextFile::flush() {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      fail("write");
    }
    rest.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  pending_.clear();
}

void TextFile::commit() {
  flush();
  while (!temporary_.empty() && fsync(file_) != 0) {
    if (errno != EINTR) {
      fail("write");
    }
  }
  // Some network file systems report a full disk only here.
  if (close(std::exchange(file_, -1)) != 0 && errno != EINTR) {
    fail("write");
  }
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail("write");
  }
  temporary_.clear();
}
