#include "support/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "papilio/output_file.h"

namespace {

volatile std::sig_atomic_t received = 0;
volatile std::sig_atomic_t ends_at_once = 0;
std::atomic<bool> is_received = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set by signal handlers");

// SA_RESETHAND has removed the handler: the signal raised again here ends the process when this function returns.
extern "C" void remove_unfinished(int signal) {
  papilio::remove_unfinished_files();
  raise(signal);
}

extern "C" void note_signal(int signal) {
  if (ends_at_once != 0 || (received != 0 && received != SIGPIPE)) {
    papilio::remove_unfinished_files();
    _exit(128 + signal);
  }
  received = signal;
  is_received = true;
}

// Arrives once per write to the pipe, so a second one says nothing new.
extern "C" void note_broken_pipe(int signal) {
  if (received == 0) {
    received = signal;
    is_received = true;
  }
}

}  // namespace

void remove_unfinished_at_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = remove_unfinished;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

InterruptWatch::InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = signals[i] == SIGPIPE ? note_broken_pipe : note_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signals[i], nullptr, &before_[i]);
    // nohup, or a script's job in the background: the caller says that the signal is not for this process.
    const bool stays_ignored = signals[i] != SIGPIPE && before_[i].sa_handler == SIG_IGN;
    if (!stays_ignored) sigaction(signals[i], &action, nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], &before_[i], nullptr);
  }
}

int InterruptWatch::signal() { return received; }

const std::atomic<bool>& InterruptWatch::flag() { return is_received; }

void InterruptWatch::end_at_once() { ends_at_once = 1; }
