#include "support/output.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

#include "support/text.h"

namespace {

[[noreturn]] void fail_output() {
  throw OutputError(errno != 0 ? errno : EIO, std::generic_category(), "cannot write to standard output");
}

// While it lives, this thread's writes raise no SIGPIPE.
class NoBrokenPipe {
 public:
  NoBrokenPipe() noexcept {
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once = {};
    if (!was_pending_) {
      while (sigtimedwait(&broken_pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t broken_pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

bool tells = true;
std::string heading;

}  // namespace

void set_failure_heading(std::string line) noexcept { heading = std::move(line); }

std::string_view failure_heading() noexcept { return heading; }

void leave_telling_to_others() noexcept { tells = false; }

void write_result(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    fail_output();
  }
}

void finish_results() {
  errno = 0;
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 || failed_before || std::fclose(stdout) != 0) {
    fail_output();
  }
}

bool results_reach_terminal() { return isatty(STDOUT_FILENO) != 0; }

void write_message(std::string_view text) noexcept {
  const NoBrokenPipe quiet;
  int patience = 100;  // number of waits of 10 ms, if another program has made the terminal non-blocking
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN && patience > 0) {
      --patience;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } else if (errno != EINTR) {
      return;
    }
  }
}

void tell(std::string_view text) noexcept {
  if (!tells) return;
  try {
    write_message(printable(text, "\n"));
  } catch (...) {  // no memory for the message
    write_message("papilio: warning: a message was lost for lack of memory\n");
  }
}

void hold_standard_files() noexcept {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) {
      // open returns the lowest free number, which is this one. A folder can be neither written nor reopened for
      // writing as /dev/stdout; /dev/null, opened write-only, cannot be read.
      const int held = file == STDIN_FILENO ? open("/dev/null", O_WRONLY) : open("/", O_RDONLY | O_DIRECTORY);
      if (held != file && held >= 0) close(held);
    }
  }
}
