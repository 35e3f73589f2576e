#include "interrupt.h"

#include <unistd.h>

#include <csignal>

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int signal) {
  if (received != 0) {
    _exit(128 + signal);
  }
  received = signal;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  handle(SIGINT, note_signal);
  handle(SIGTERM, note_signal);
}

InterruptWatch::~InterruptWatch() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

int InterruptWatch::signal() { return received; }
