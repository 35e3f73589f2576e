// A library to be preloaded (LD_PRELOAD) that makes calls to the system fail, or kills the process in them.
//
// The calls that count are those of open, write, fsync, close, rename (renameat2), link and unlink on
// files that FAULT_PATH names, a list with colons between: "=/a/b" is that path alone, other
// text is a part of a path.
//
//   FAULT_AT     the call, from 1, at which something happens; 0: at none
//   FAULT_FOR    to that many calls from there on (1 unless given)
//   FAULT_DO     an error's number (28): the call fails so; "short": a write writes half;
//                "kill-before", "kill-within" (half of a write), "kill-after": SIGKILL;
//                "pause": makes the file FAULT_PAUSE.here and waits until it is gone;
//                "wait": takes FAULT_MILLISECONDS longer
//   FAULT_LOG    a file that gets a line "NUMBER CALL PATH" for each call that counts
//   FAULT_THROW  "runtime_error", "bad_alloc" or "int": a thread of its own throws that

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr int most_files = 1024;
std::atomic<int> calls = 0;
std::atomic<bool> counts_file[most_files];

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int number(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

bool counts(std::string_view path) {
  for (std::string_view rest = setting("FAULT_PATH"); !rest.empty();) {
    const std::string_view pattern = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), pattern.size() + 1));
    if (pattern.starts_with('=') ? path == pattern.substr(1) : path.find(pattern) != path.npos) return true;
  }
  return false;
}

bool counts(int file) { return file >= 0 && file < most_files && counts_file[file]; }

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

using Write = ssize_t (*)(int, const void*, size_t);
using Open = int (*)(const char*, int, ...);

void log(int call, const char* name, const char* path) {
  const std::string to(setting("FAULT_LOG"));
  if (to.empty()) return;
  const int file = real<Open>("open")(to.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  char line[512];
  const int length = std::snprintf(line, sizeof line, "%d %s %s\n", call, name, path);
  real<Write>("write")(file, line, static_cast<size_t>(length));
  real<int (*)(int)>("close")(file);
}

void pause_here() {
  const std::string here = std::string(setting("FAULT_PAUSE")) + ".here";
  real<int (*)(int)>("close")(real<Open>("open")(here.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  while (access(here.c_str(), F_OK) == 0) usleep(200);
}

// What happens at a call that counts.
struct Fault {
  Fault(const char* name, const char* path) {
    const int call = ++calls;
    log(call, name, path);
    const int at = number("FAULT_AT", 0);
    if (at > 0 && call >= at && call < at + number("FAULT_FOR", 1)) what = setting("FAULT_DO");
    if (what == "kill-before") kill(getpid(), SIGKILL);
    if (what == "pause") pause_here();
    if (what == "wait") usleep(static_cast<useconds_t>(1000 * number("FAULT_MILLISECONDS", 0)));
  }
  // The error that takes the call's place, or 0.
  int error() const { return what.empty() || what.front() > '9' ? 0 : std::atoi(what.data()); }
  bool halves() const { return what == "short" || what == "kill-within"; }
  void after() const {
    if (what == "kill-after" || what == "kill-within") kill(getpid(), SIGKILL);
  }

  std::string_view what;
};

// Calls the function `name` unless a fault takes its place.
template <class Function, class... Arguments>
int call(const char* name, const char* path, Arguments... arguments) {
  const Fault fault(name, path);
  if (fault.error() != 0) {
    errno = fault.error();
    return -1;
  }
  const int result = real<Function>(name)(arguments...);
  fault.after();
  return result;
}

int open_as(const char* name, const char* path, int flags, mode_t mode) {
  if (!counts(path)) return real<Open>(name)(path, flags, mode);
  const int file = call<Open>(name, path, path, flags, mode);
  if (file >= 0 && file < most_files) counts_file[file] = true;
  return file;
}

mode_t mode_of(int flags, va_list more) { return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; }

[[maybe_unused]] const bool throws = [] {
  const std::string_view what = setting("FAULT_THROW");
  if (what.empty()) return false;
  // Not before the program has said what is to happen then: a sanitizer's program takes long to start.
  std::thread([what, first = std::get_terminate()] {
    while (std::get_terminate() == first) usleep(1000);
    usleep(20000);
    if (what == "runtime_error") throw std::runtime_error("thrown by a test");
    if (what == "bad_alloc") throw std::bad_alloc();
    throw 1;
  }).detach();
  return true;
}();

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_as("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_as("open64", path, flags, mode);
}

ssize_t write(int file, const void* data, size_t bytes) {
  if (!counts(file)) return real<Write>("write")(file, data, bytes);
  const Fault fault("write", "");
  if (fault.error() != 0) {
    errno = fault.error();
    return -1;
  }
  const ssize_t written = real<Write>("write")(file, data, fault.halves() ? (bytes + 1) / 2 : bytes);
  fault.after();
  return written;
}

int fsync(int file) {
  using Function = int (*)(int);
  return counts(file) ? call<Function>("fsync", "", file) : real<Function>("fsync")(file);
}

// The file is closed in any case, as Linux does.
int close(int file) {
  using Function = int (*)(int);
  if (!counts(file)) return real<Function>("close")(file);
  counts_file[file] = false;
  const Fault fault("close", "");
  const int result = real<Function>("close")(file);
  fault.after();
  if (fault.error() == 0) return result;
  errno = fault.error();
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  using Function = int (*)(const char*, const char*);
  return counts(from) || counts(to) ? call<Function>("rename", to, from, to) : real<Function>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  using Function = int (*)(int, const char*, int, const char*, unsigned);
  if (!counts(from) && !counts(to)) return real<Function>("renameat2")(from_folder, from, to_folder, to, flags);
  const Fault fault("rename", to);
  if (fault.error() != 0) {
    errno = fault.error();
    return -1;
  }
  const int result = real<Function>("renameat2")(from_folder, from, to_folder, to, flags);
  fault.after();
  return result;
}

int link(const char* from, const char* to) noexcept {
  using Function = int (*)(const char*, const char*);
  return counts(from) || counts(to) ? call<Function>("link", to, from, to) : real<Function>("link")(from, to);
}

int unlink(const char* path) noexcept {
  using Function = int (*)(const char*);
  return counts(path) ? call<Function>("unlink", path, path) : real<Function>("unlink")(path);
}
}
