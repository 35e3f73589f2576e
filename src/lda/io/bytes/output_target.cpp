#include "lda/io/bytes/output_target.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <system_error>

#include "lda/io/bytes/hash.h"
#include "papilio/error.h"

namespace papilio {
namespace lda {
namespace {

constexpr int most_links = 40;              // as many as the system follows
constexpr std::size_t longest_ending = 40;  // of the files that are written beside a file

std::string_view name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (!real && errno == ENOMEM) throw std::bad_alloc();
  return real ? std::string(real.get()) : "";
}

// The path that the link contains; empty, with errno set, if it cannot be read.
std::string read_link(const std::string& path) {
  std::array<char, PATH_MAX> text;
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  if (length <= 0) return "";
  const std::string named(text.data(), static_cast<std::size_t>(length));
  return named.front() == '/' ? named : folder_of(path) + "/" + named;
}

bool is_in_proc(const std::string& folder) { return real_path(folder).starts_with("/proc/"); }

// The number of this process's open descriptor that the link stands for, or -1.
int descriptor_of(const std::string& folder, std::string_view name) {
  const std::string real = real_path(folder);
  const std::string own = fmt::format("/proc/{}/", ::getpid());
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size() && number >= 0;
  return is_number && real.starts_with(own) && real.ends_with("/fd") ? number : -1;
}

OutputTarget::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return OutputTarget::Kind::file;
  if (S_ISDIR(mode)) return OutputTarget::Kind::folder;
  if (S_ISFIFO(mode)) return OutputTarget::Kind::pipe;
  return S_ISCHR(mode) ? OutputTarget::Kind::device : OutputTarget::Kind::other;
}

// The longest file name in the folder of `path`.
std::size_t longest_name(const std::string& path) {
  const long longest = ::pathconf(folder_of(path).c_str(), _PC_NAME_MAX);
  return longest > 0 ? static_cast<std::size_t>(longest) : NAME_MAX;
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

int find_target(const std::string& path, OutputTarget& target) {
  target = {OutputTarget::Kind::nothing, path, -1};
  if (path.empty()) return ENOENT;
  if (path.size() + longest_ending > PATH_MAX) return ENAMETOOLONG;
  for (int links = 0; links <= most_links; ++links) {
    const std::string folder = folder_of(target.path);
    struct stat found = {};
    if (::lstat(target.path.c_str(), &found) != 0) {
      if (errno != ENOENT) return errno;
      if (target.path.back() == '/') return EISDIR;
      if (is_in_proc(folder)) return EBADF;  // a descriptor that is not open
      struct stat there = {};
      if (::stat(folder.c_str(), &there) != 0) return errno;
      return S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    }
    if (!S_ISLNK(found.st_mode)) {
      target.kind = kind_of(found.st_mode);
      return 0;
    }
    if (is_in_proc(folder)) {  // a link there stands for the open file, whatever its text
      target.descriptor = descriptor_of(folder, name_of(target.path));
      if (target.descriptor < 0) return EACCES;
      target.kind = OutputTarget::Kind::descriptor;
      return 0;
    }
    target.path = read_link(target.path);
    if (target.path.empty()) return errno != 0 ? errno : ENOENT;
  }
  return ELOOP;
}

std::string follow_links(const std::string& path) {
  const std::string real = real_path(path);
  if (!real.empty()) return real;
  OutputTarget target;
  return find_target(path, target) == 0 ? target.path : path;
}

std::string stem_beside(const std::string& path, std::size_t ending_bytes) {
  const std::string name(name_of(path));
  const std::size_t longest = longest_name(path);
  if (name.size() + ending_bytes <= longest) return name;
  const std::string hash = fmt::format("~{:.16}", xxh3_128(std::as_bytes(std::span(name))));
  const std::size_t taken = hash.size() + ending_bytes;
  return name.substr(0, longest > taken ? longest - taken : 0) + hash;
}

std::string path_beside(const std::string& path, std::string_view ending) {
  const std::string_view name = name_of(path);
  return path.substr(0, path.size() - name.size()) + stem_beside(path, ending.size()) + std::string(ending);
}

}  // namespace lda

OutputTarget output_target(const std::string& path) {
  OutputTarget target;
  const int code = lda::find_target(path, target);
  if (code != 0) {
    throw IoError(
        fmt::format("papilio::output_target: cannot create {}: {}", path, std::generic_category().message(code)), code);
  }
  return target;
}

}  // namespace papilio
