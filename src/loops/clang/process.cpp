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
#include <cmath>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

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

// Ends the process, unless its end was waited for.
class Child {
 public:
  explicit Child(pid_t id) : id_(id), has_clock_(clock_getcpuclockid(id, &clock_) == 0) {}
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

  // Processor time that it has used, after wait().
  double cpu_seconds() const {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage_.ru_utime) + seconds(usage_.ru_stime);
  }
  long waits() const { return usage_.ru_nvcsw; }

  // Processor time that it has used so far, before wait().
  double cpu_seconds_now() const {
    timespec t = {0, 0};
    if (!has_clock_ || clock_gettime(clock_, &t) != 0) return 0;
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  }

 private:
  pid_t id_;
  clockid_t clock_ = 0;
  bool has_clock_;
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
  const auto whole = static_cast<rlim_t>(std::ceil(limits.cpu_seconds));
  const rlimit seconds = {whole, whole};
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

// Reads what is available into a buffer; returns nothing at the end of the stream.
std::optional<std::size_t> take(const Descriptor& from, std::vector<char>& buffer) {
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  return got <= 0 ? std::nullopt : std::optional(static_cast<std::size_t>(got));
}

// While it lives, blocks SIGPIPE in this thread and swallows one that came: a child that does not read must not end us.
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

class Process::State {
 public:
  State(const std::vector<std::string>& command, std::string_view input, const ProcessLimits& limits)
      : limits_(limits),
        name_(limits.name.empty() ? command[0] : limits.name),
        input_(input),
        child_(spawn(command, limits, to_, from_, messages_)) {
    limit(child_.id(), limits);
    to_.reader.reset();
    from_.writer.reset();
    messages_.writer.reset();
    fcntl(to_.writer.get(), F_SETFL, O_NONBLOCK);
    fcntl(from_.reader.get(), F_SETPIPE_SZ, 4 * static_cast<int>(buffer_.size()));  // fewer turns; it works without
    if (input_.empty()) to_.writer.reset();
  }

  std::string_view read() {
    let_it_write();
    while (from_.reader.get() >= 0 || messages_.reader.get() >= 0) {
      if (!check_time()) break;
      std::array<pollfd, 3> waits = {pollfd{to_.writer.get(), POLLOUT, 0}, pollfd{from_.reader.get(), POLLIN, 0},
                                     pollfd{messages_.reader.get(), POLLIN, 0}};
      if (poll(waits.data(), waits.size(), 50) < 0 && errno != EINTR) {
        throw IoError("poll: " + std::system_category().message(errno), errno);
      }
      if (waits[0].revents != 0) feed();
      if (waits[2].revents != 0) take_messages();
      if (waits[1].revents == 0) continue;
      const auto got = take(from_.reader, buffer_);
      if (!got) from_.reader.reset();
      if (got && *got > 0) return count(*got);
    }
    return {};
  }

  ProcessResult end() {
    while (!read().empty()) {
    }
    result_.status = child_.wait();
    result_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    result_.cpu_seconds = child_.cpu_seconds();
    result_.waits = child_.waits();
    const bool is_killed = result_.status == 128 + SIGXCPU || result_.status == 128 + SIGKILL;
    if (is_killed && !limits_.may_be_killed) fail_by_time();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void fail_by_time() const {
    throw Error(fmt::format("{} took more than {:.3g} seconds of processor time, or too much memory{}", name_,
                            limits_.cpu_seconds, limits_.advice));
  }

  // Returns false if the time is up, and what the process has written still counts.
  bool check_time() {
    const bool is_late = std::chrono::duration<double>(Clock::now() - begin_).count() >= limits_.seconds;
    if (is_late && limits_.may_be_killed) {
      child_.stop();
      return false;
    }
    if (is_late) throw Error(fmt::format("{} did not end within {} seconds{}", name_, limits_.seconds, limits_.advice));
    const double used = child_.cpu_seconds_now();
    if (!limits_.may_be_killed && used > limits_.cpu_seconds) fail_by_time();
    if (limits_.watch) limits_.watch(used);
    return true;
  }

  // A program writes 4 KB at a time, and waking up for each costs both sides more than reading it.
  void let_it_write() const {
    constexpr std::size_t first = 1u << 20, few = 64u << 10;
    if (read_ < first || last_ > few) return;
    const timespec pause = {0, 300'000};
    nanosleep(&pause, nullptr);
  }

  void feed() {
    const ssize_t wrote = write(to_.writer.get(), input_.data() + written_, input_.size() - written_);
    if (wrote > 0) written_ += static_cast<std::size_t>(wrote);
    if ((wrote < 0 && errno != EAGAIN && errno != EINTR) || written_ == input_.size()) to_.writer.reset();
  }

  void take_messages() {
    std::vector<char> part(most_messages);
    const auto got = take(messages_.reader, part);
    if (!got) return messages_.reader.reset();
    result_.messages.append(part.data(), std::min(*got, most_messages - result_.messages.size()));
  }

  std::string_view count(std::size_t got) {
    read_ += got;
    last_ = got;
    if (read_ >= limits_.output_bytes) {
      throw Error(fmt::format("{} wrote more than {} bytes", name_, limits_.output_bytes));
    }
    return {buffer_.data(), got};
  }

  const ProcessLimits limits_;
  const std::string name_;
  const std::string_view input_;
  const Clock::time_point begin_ = Clock::now();
  const NoPipeSignal no_signal_;
  Pipe to_, from_, messages_;
  Child child_;
  std::vector<char> buffer_ = std::vector<char>(256u << 10);
  ProcessResult result_;
  std::size_t written_ = 0, read_ = 0, last_ = 0;
};

Process::Process(const std::vector<std::string>& command, std::string_view input, const ProcessLimits& limits)
    : state_(std::make_unique<State>(command, input, limits)) {}
Process::~Process() = default;
std::string_view Process::read() { return state_->read(); }
ProcessResult Process::end() { return state_->end(); }

ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          const ProcessLimits& limits) {
  Process process(command, input, limits);
  std::string output;
  for (std::string_view part = process.read(); !part.empty(); part = process.read()) output += part;
  ProcessResult result = process.end();
  result.output = std::move(output);
  return result;
}

}  // namespace papilio::loops
