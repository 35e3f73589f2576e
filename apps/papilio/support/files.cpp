#include "support/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "papilio/model.h"
#include "support/text.h"

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

bool means_denied(int error) {
  constexpr std::array denied = {ENOENT, EACCES, EPERM, EROFS, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, EBUSY};
  return std::find(denied.begin(), denied.end(), error) != denied.end();
}

namespace {

// The exit code for a failed system call; `denied` if the file is missing or may not be used.
ExitCode exit_code(const papilio::IoError& error, ExitCode denied) {
  if (error.code == ENOMEM) return ExitCode::no_memory;
  return means_denied(error.code) ? denied : ExitCode::io_error;
}

}  // namespace

void fail_reading(const papilio::IoError& error) {
  throw CommandError(exit_code(error, ExitCode::no_input), error.what());
}

void fail_writing(const papilio::IoError& error, const std::string& path, std::int64_t bytes_needed) {
  std::string message = error.what();
  std::error_code unknown;
  const fs::space_info space = fs::space(folder_of(path), unknown);
  if (error.code == ENOSPC && !unknown && !fs::is_character_file(path, unknown)) {  // such as /dev/full
    message += fmt::format(" (about {} bytes needed, {} free)", grouped(bytes_needed),
                           grouped(static_cast<std::int64_t>(space.available)));
  }
  throw CommandError(exit_code(error, ExitCode::cannot_create), message);
}

std::string dash_for_standard_output(const std::string& path) {
  try {
    const papilio::OutputTarget target = papilio::output_target(path);
    const bool is_output = target.kind == papilio::OutputTarget::Kind::descriptor && target.descriptor == STDOUT_FILENO;
    return is_output ? "-" : path;
  } catch (const papilio::IoError&) {
    return path;
  }
}

bool is_model(const std::string& path) {
  try {
    papilio::load_model(path);
    return true;
  } catch (const papilio::Error&) {
    return false;
  }
}
