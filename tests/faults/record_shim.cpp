// A library to be preloaded (LD_PRELOAD) that records what a program asks of the file system, in order.
//
// RECORD_LOG gets one record for each successful call that changes a file or a folder, syncs one or opens one: fields
// that end in a zero byte, the number of bytes of data that follow, a line end, and the data.
//
//   open FD PATH created|unnamed|truncated|opened     write FD OFFSET     truncate FD SIZE     sync FD     close FD
//   rename FROM TO        link FROM TO        unlink PATH        mkdir PATH        rmdir PATH        symlink PATH
//
// Paths are absolute. A write at the file's own position has the offset -1 - FLAGS, 1 of which is O_APPEND.

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

using Write = ssize_t (*)(int, const void*, size_t);
using Open = int (*)(const char*, int, ...);
using Descriptor = int (*)(int);
using TwoPaths = int (*)(const char*, const char*);

// A call and its record come in the order of all others.
struct Turn {
  Turn() { pthread_mutex_lock(&mutex); }
  ~Turn() {
    pthread_mutex_unlock(&mutex);
    errno = code;
  }
  int code = 0;
};

void record(std::initializer_list<std::string> fields, std::string_view data = {}) {
  const int code = errno;
  const char* const log = std::getenv("RECORD_LOG");
  if (log == nullptr) return;
  std::string text;
  for (const std::string& field : fields) (text += field) += '\0';
  (text += std::to_string(data.size())) += '\n';
  text += data;
  const int file = real<Open>("open")(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (real<Write>("write")(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(99);
  real<Descriptor>("close")(file);
  errno = code;
}

std::string absolute(int folder, const char* path) {
  if (path[0] == '/') return path;
  char buffer[4096] = {};
  if (folder == AT_FDCWD) return std::string(getcwd(buffer, sizeof buffer)) + "/" + path;
  const std::string link = "/proc/self/fd/" + std::to_string(folder);
  const ssize_t length = readlink(link.c_str(), buffer, sizeof buffer);
  return std::string(buffer, length > 0 ? static_cast<size_t>(length) : 0) + "/" + path;
}

int opened(int file, const std::string& path, bool existed, int flags) {
  if (file >= 0) {
    const char* how = !existed ? "created" : (flags & O_TRUNC) != 0 ? "truncated" : "opened";
    if ((flags & O_TMPFILE) == O_TMPFILE) how = "unnamed";
    record({"open", std::to_string(file), path, how});
  }
  return file;
}

int open_in(int folder, const char* path, int flags, mode_t mode) {
  Turn turn;
  const std::string full = absolute(folder, path);
  const bool existed = access(full.c_str(), F_OK) == 0;
  errno = 0;
  const int file = opened(real<Open>("open")(full.c_str(), flags, mode), full, existed, flags);
  turn.code = errno;
  return file;
}

mode_t mode_of(int flags, va_list more) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0; }

ssize_t wrote(int file, std::int64_t offset, const void* data, ssize_t bytes) {
  if (bytes > 0) {
    record({"write", std::to_string(file), std::to_string(offset)},
           {static_cast<const char*>(data), static_cast<size_t>(bytes)});
  }
  return bytes;
}

std::int64_t own_position(int file) { return (fcntl(file, F_GETFL) & O_APPEND) != 0 ? -2 : -1; }

// Files and folders only; not standard output, which may be a file too.
bool counts(int file) {
  struct stat found = {};
  return file > STDERR_FILENO && fstat(file, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

int done(int result, std::initializer_list<std::string> fields, Turn& turn) {
  turn.code = errno;
  if (result == 0) record(fields);
  return result;
}

int sync_as(const char* name, int file) {
  Turn turn;
  return done(real<Descriptor>(name)(file), {"sync", std::to_string(file)}, turn);
}

int truncate_to(int file, off_t size) {
  Turn turn;
  const int result = real<int (*)(int, off_t)>("ftruncate")(file, size);
  return done(result, {"truncate", std::to_string(file), std::to_string(size)}, turn);
}

}  // namespace

extern "C" {

#define RECORD_OPEN(name)                        \
  int name(const char* path, int flags, ...) {   \
    va_list more;                                \
    va_start(more, flags);                       \
    const mode_t mode = mode_of(flags, more);    \
    va_end(more);                                \
    return open_in(AT_FDCWD, path, flags, mode); \
  }
RECORD_OPEN(open)
RECORD_OPEN(open64)

#define RECORD_OPENAT(name)                                \
  int name(int folder, const char* path, int flags, ...) { \
    va_list more;                                          \
    va_start(more, flags);                                 \
    const mode_t mode = mode_of(flags, more);              \
    va_end(more);                                          \
    return open_in(folder, path, flags, mode);             \
  }
RECORD_OPENAT(openat)
RECORD_OPENAT(openat64)

int creat(const char* path, mode_t mode) { return open_in(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int mkostemps(char* path, int ending, int flags) {
  Turn turn;
  const int file = real<int (*)(char*, int, int)>("mkostemps")(path, ending, flags);
  turn.code = errno;
  return opened(file, absolute(AT_FDCWD, path), false, 0);
}

ssize_t write(int file, const void* data, size_t bytes) {
  if (!counts(file)) return real<Write>("write")(file, data, bytes);
  Turn turn;
  const std::int64_t position = own_position(file);
  const ssize_t written = real<Write>("write")(file, data, bytes);
  turn.code = errno;
  return wrote(file, position, data, written);
}

ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
  Turn turn;
  const ssize_t written = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(file, data, bytes, offset);
  turn.code = errno;
  return wrote(file, offset, data, written);
}

ssize_t pwrite64(int file, const void* data, size_t bytes, off_t offset) { return pwrite(file, data, bytes, offset); }

ssize_t writev(int file, const iovec* parts, int count) {
  if (!counts(file)) return real<ssize_t (*)(int, const iovec*, int)>("writev")(file, parts, count);
  std::string data;
  for (int i = 0; i < count; ++i) data.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return write(file, data.data(), data.size());
}

int ftruncate(int file, off_t size) noexcept { return truncate_to(file, size); }
int ftruncate64(int file, off_t size) noexcept { return truncate_to(file, size); }
int fsync(int file) { return sync_as("fsync", file); }
int fdatasync(int file) { return sync_as("fdatasync", file); }

int close(int file) {
  Turn turn;
  const int result = real<Descriptor>("close")(file);
  turn.code = errno;
  record({"close", std::to_string(file)});
  return result;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  Turn turn;
  const std::string paths[] = {absolute(from_folder, from), absolute(to_folder, to)};
  using Function = int (*)(int, const char*, int, const char*, unsigned);
  const int result = real<Function>("renameat2")(from_folder, from, to_folder, to, flags);
  return done(result, {"rename", paths[0], paths[1]}, turn);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char* from, const char* to) noexcept { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  Turn turn;
  const std::string paths[] = {absolute(from_folder, from), absolute(to_folder, to)};
  using Function = int (*)(int, const char*, int, const char*, int);
  const int result = real<Function>("linkat")(from_folder, from, to_folder, to, flags);
  return done(result, {"link", paths[0], paths[1]}, turn);
}

int link(const char* from, const char* to) noexcept { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char* path, int flags) noexcept {
  Turn turn;
  const std::string full = absolute(folder, path);
  const int result = real<int (*)(int, const char*, int)>("unlinkat")(folder, path, flags);
  return done(result, {(flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", full}, turn);
}

int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }

int symlink(const char* text, const char* path) noexcept {
  Turn turn;
  return done(real<TwoPaths>("symlink")(text, path), {"symlink", absolute(AT_FDCWD, path)}, turn);
}

int mkdir(const char* path, mode_t mode) noexcept {
  Turn turn;
  return done(real<int (*)(const char*, mode_t)>("mkdir")(path, mode), {"mkdir", absolute(AT_FDCWD, path)}, turn);
}
}
