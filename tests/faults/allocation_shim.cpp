// A library to be preloaded (LD_PRELOAD) that makes allocations fail, and runs the program many times from one process.
//
// The program does not run by itself. Instead, lines are read from the file descriptor ALLOCATION_REQUESTS:
//
//   AT FOR DETAILED FOLDER NAME ARGUMENT ...     (fields and the line end in a zero byte, the list in an empty field)
//
// For each one a child runs the program's main with these arguments in FOLDER, its standard output and error in
// NAME.out and NAME.err, and from allocation AT on (from 1; 0: none) FOR allocations fail, counted from main. Then
// ALLOCATION_REPLIES gets one line, "STATUS CALLS FAILED": what waitpid says, how often memory was asked for, how often
// it was denied. With DETAILED 1, ALLOCATION_TABLE, a file of 64-bit numbers, gets a hash of the calls on the stack of
// each allocation; equal stacks have equal hashes as long as the server lives. With DETAILED 2, standard error gets a
// line "MODULE+OFFSET" for each of the calls on the stack of an allocation that is denied.
//
// An allocation is a call of malloc, calloc, realloc, aligned_alloc, memalign or posix_memalign, which operator new
// goes through, of mmap, or of pthread_create (EAGAIN), by any thread.

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

constexpr std::size_t table_entries = std::size_t{1} << 22;
constexpr unsigned seconds_until_it_hangs = 60;

// Shared by the server and the child that runs.
struct Shared {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> failed;
  std::uint64_t hashes[table_entries];
};

Shared* shared = nullptr;
bool counting = false;
std::string detailed;
std::uint64_t first_to_fail = 0;
std::uint64_t last_to_fail = 0;

// No memory is asked for to find this one.
__attribute__((tls_model("initial-exec"))) thread_local bool inside = false;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& hash = *static_cast<std::uint64_t*>(argument);
  hash = (hash ^ _Unwind_GetIP(context)) * 0x9e3779b97f4a7c15;
  hash ^= hash >> 29;
  return _URC_NO_REASON;
}

_Unwind_Reason_Code show_frame(_Unwind_Context* context, void*) {
  const auto place = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
  Dl_info info = {};
  if (place == 0 || dladdr(reinterpret_cast<void*>(place), &info) == 0) return _URC_NO_REASON;
  dprintf(STDERR_FILENO, "%s+%#lx\n", info.dli_fname,
          static_cast<unsigned long>(place - 1 - reinterpret_cast<std::uintptr_t>(info.dli_fbase)));
  return _URC_NO_REASON;
}

// Whether the allocation that is asked for now is to be denied.
bool denied() {
  if (!counting || inside) return false;
  inside = true;
  const std::uint64_t call = ++shared->calls;
  if (detailed == "1" && call <= table_entries) {
    std::uint64_t hash = 1;
    _Unwind_Backtrace(add_frame, &hash);
    shared->hashes[call - 1] = hash;
  }
  const bool deny = first_to_fail > 0 && first_to_fail <= call && call <= last_to_fail;
  if (deny) ++shared->failed;
  if (deny && detailed == "2") _Unwind_Backtrace(show_frame, nullptr);
  inside = false;
  if (deny) errno = ENOMEM;
  return deny;
}

int descriptor(const char* name) { return std::atoi(std::getenv(name)); }

std::string read_field(FILE* file) {
  std::string field;
  for (int c = std::getc(file); c > 0; c = std::getc(file)) field.push_back(static_cast<char>(c));
  return field;
}

void send_to(const std::string& path, int file) {
  const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(opened, file);
  close(opened);
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

[[noreturn]] void run_child(std::vector<std::string>& arguments, const std::string& folder, const std::string& name,
                            char** environment) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  close(descriptor("ALLOCATION_REQUESTS"));
  close(descriptor("ALLOCATION_REPLIES"));
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(seconds_until_it_hangs);
  send_to(name + ".out", STDOUT_FILENO);
  send_to(name + ".err", STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(126);
  counting = true;
  std::exit(program(count, pointers.data(), environment));
}

int serve(int, char** first_arguments, char** environment) {
  const int table = open(std::getenv("ALLOCATION_TABLE"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (table < 0 || ftruncate(table, sizeof(Shared)) != 0) return 125;
  void* const mapped = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, table, 0);
  if (mapped == MAP_FAILED) return 125;
  shared = static_cast<Shared*>(mapped);
  std::uint64_t unused = 1;
  _Unwind_Backtrace(add_frame, &unused);  // what it prepares once, it prepares here
  FILE* const requests = fdopen(descriptor("ALLOCATION_REQUESTS"), "r");
  unsetenv("LD_PRELOAD");
  for (;;) {
    const std::string at = read_field(requests);
    if (at.empty()) return 0;
    const std::uint64_t span = std::strtoull(read_field(requests).c_str(), nullptr, 10);
    detailed = read_field(requests);
    const std::string folder = read_field(requests);
    const std::string name = read_field(requests);
    std::vector<std::string> arguments = {first_arguments[0]};
    for (std::string field = read_field(requests); !field.empty(); field = read_field(requests)) {
      arguments.push_back(field);
    }
    first_to_fail = std::strtoull(at.c_str(), nullptr, 10);
    last_to_fail = first_to_fail + span - 1;
    shared->calls = 0;
    shared->failed = 0;
    const pid_t child = fork();
    if (child < 0) return 124;
    if (child == 0) run_child(arguments, folder, name, environment);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    char line[96];
    const int length = std::snprintf(line, sizeof line, "%d %llu %llu\n", status,
                                     static_cast<unsigned long long>(shared->calls.load()),
                                     static_cast<unsigned long long>(shared->failed.load()));
    if (write(descriptor("ALLOCATION_REPLIES"), line, static_cast<std::size_t>(length)) != length) return 123;
  }
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(std::getenv("ALLOCATION_REQUESTS") == nullptr ? main : serve, argc, argv, init, fini, rtld_fini,
               stack_end);
}

void* malloc(size_t bytes) { return denied() ? nullptr : __libc_malloc(bytes); }

void* calloc(size_t count, size_t bytes) { return denied() ? nullptr : __libc_calloc(count, bytes); }

void* realloc(void* memory, size_t bytes) { return denied() ? nullptr : __libc_realloc(memory, bytes); }

void* memalign(size_t alignment, size_t bytes) { return denied() ? nullptr : __libc_memalign(alignment, bytes); }

void* aligned_alloc(size_t alignment, size_t bytes) { return denied() ? nullptr : __libc_memalign(alignment, bytes); }

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (denied()) return ENOMEM;
  void* const taken = __libc_memalign(alignment, bytes);
  if (taken == nullptr) return ENOMEM;
  *memory = taken;
  return 0;
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (denied()) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  return mmap(address, bytes, protection, flags, file, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (denied()) return EAGAIN;
  return reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, work, argument);
}
}
