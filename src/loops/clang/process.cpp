#include "loops/clang/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "papilio/error.h"

namespace papilio::loops {
namespace {

constexpr std::size_t most_messages = 64u << 10;

class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  int get() const { return number_; }

 private:
  int number_ = -1;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw IoError("cannot make a pipe: " + std::system_category().message(errno), errno);
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
  Descriptor reader;
  Descriptor writer;
};

// Ends the process if nobody has waited for it.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ > 0) {
      kill(-id_, SIGKILL);
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() const { kill(-id_, SIGKILL); }

  int wait() {
    int status = 0;
    while (wait4(id_, &status, 0, &usage_) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  pid_t id() const { return id_; }

  // What it has used, after wait().
  double cpu_seconds() const {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage_.ru_utime) + seconds(usage_.ru_stime);
  }
  long waits() const { return usage_.ru_nvcsw; }

 private:
  pid_t id_;
  rusage usage_ = {};
};

pid_t spawn(const std::vector<std::string>& command, const ProcessLimits& limits, const Pipe& input, const Pipe& output,
            const Pipe& messages) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (const std::string& value : limits.environment) environment.push_back(const_cast<char*>(value.c_str()));
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.reader.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, output.writer.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, messages.writer.get(), 2);
  if (!limits.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, limits.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t id = -1;
  const int failure = posix_spawnp(&id, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw IoError(fmt::format("cannot start {}: {}", command[0], std::system_category().message(failure)), failure);
  }
  return id;
}

void limit(pid_t id, const ProcessLimits& limits) {
  const rlimit seconds = {limits.cpu_seconds, limits.cpu_seconds};
  const rlimit memory = {limits.memory_bytes, limits.memory_bytes};
  const rlimit no_core = {0, 0};
  prlimit(id, RLIMIT_CPU, &seconds, nullptr);
  const rlimit file = {limits.file_bytes, limits.file_bytes};
  const rlimit processes = {limits.processes, limits.processes};
  if (limits.memory_bytes > 0) prlimit(id, RLIMIT_AS, &memory, nullptr);
  if (limits.processes > 0) prlimit(id, RLIMIT_NPROC, &processes, nullptr);
  prlimit(id, RLIMIT_FSIZE, &file, nullptr);
  prlimit(id, RLIMIT_CORE, &no_core, nullptr);
}

// Appends what is there; false at the end of the stream.
bool take(Descriptor& from, std::string& to, std::size_t most) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  to.append(buffer.data(), std::min(static_cast<std::size_t>(got), most - std::min(most, to.size())));
  return true;
}

// Blocks SIGPIPE in this thread while it lives, and swallows one that came: a child that does not read is no end of us.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now = {0, 0};
    sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          const ProcessLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  Pipe to, from, messages;
  const NoPipeSignal no_signal;
  Child child(spawn(command, limits, to, from, messages));
  limit(child.id(), limits);
  to.reader.reset();
  from.writer.reset();
  messages.writer.reset();
  fcntl(to.writer.get(), F_SETFL, O_NONBLOCK);

  ProcessResult result;
  std::size_t written = 0;
  if (input.empty()) to.writer.reset();
  while (from.reader.get() >= 0 || messages.reader.get() >= 0) {
    std::array<pollfd, 3> waits = {pollfd{to.writer.get(), POLLOUT, 0}, pollfd{from.reader.get(), POLLIN, 0},
                                   pollfd{messages.reader.get(), POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 && limits.may_be_killed) {  // what it has written counts
      child.stop();
      break;
    }
    if (left <= 0) throw Error(fmt::format("{} did not end within {} seconds", command[0], limits.seconds));
    if (poll(waits.data(), waits.size(), static_cast<int>(std::min<long long>(left, 1000))) < 0 && errno != EINTR) {
      throw IoError("poll: " + std::system_category().message(errno), errno);
    }
    if (waits[0].revents != 0) {
      const ssize_t wrote = write(to.writer.get(), input.data() + written, input.size() - written);
      if (wrote > 0) written += static_cast<std::size_t>(wrote);
      if ((wrote < 0 && errno != EAGAIN && errno != EINTR) || written == input.size()) to.writer.reset();
    }
    if (waits[1].revents != 0 && !take(from.reader, result.output, limits.output_bytes)) from.reader.reset();
    if (waits[2].revents != 0 && !take(messages.reader, result.messages, most_messages)) messages.reader.reset();
    if (result.output.size() >= limits.output_bytes) {
      throw Error(fmt::format("{} wrote more than {} bytes", command[0], limits.output_bytes));
    }
  }
  result.status = child.wait();
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  result.cpu_seconds = child.cpu_seconds();
  result.waits = child.waits();
  if (limits.may_be_killed) return result;
  if (result.status == 128 + SIGXCPU || result.status == 128 + SIGKILL) {
    throw Error(fmt::format("{} took more than {} seconds or its memory", command[0], limits.cpu_seconds));
  }
  return result;
}

}  // namespace papilio::loops
