#include "support/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int signal) {
  if (received != 0 && received != SIGPIPE) {
    _exit(128 + signal);
  }
  received = signal;
}

// Comes once for each write to it, so that a second one says nothing new.
extern "C" void note_broken_pipe(int signal) {
  if (received == 0) {
    received = signal;
  }
}

}  // namespace

InterruptWatch::InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = signals[i] == SIGPIPE ? note_broken_pipe : note_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signals[i], nullptr, &before_[i]);
    const bool stays_ignored = signals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;  // nohup
    if (!stays_ignored) {
      sigaction(signals[i], &action, nullptr);
    }
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], &before_[i], nullptr);
  }
}

int InterruptWatch::signal() { return received; }
