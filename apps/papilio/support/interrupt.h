#pragma once

#include <signal.h>

#include <array>

// While it lives, SIGINT, SIGTERM and SIGHUP (unless it was ignored) are only noted, and a
// second one ends the process at once. SIGPIPE is noted too: nobody reads the output any more.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // The signal that came, or 0.
  static int signal();

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, signals.size()> before_;
};
