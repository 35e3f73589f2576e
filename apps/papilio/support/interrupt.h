#pragma once

#include <signal.h>

#include <array>
#include <atomic>

// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE, unless they are ignored, remove unfinished files
// (papilio::remove_unfinished_files) before they end the process.
void remove_unfinished_at_signals();

// While it lives, SIGINT, SIGTERM and SIGHUP are only noted, unless they were ignored,
// and a second one ends the process at once, without leaving unfinished files. SIGPIPE
// is noted too, always: it means that nobody reads the output any more.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // The signal that has arrived, or 0.
  static int signal();

  // Whether one has arrived, for papilio::InterruptionScope.
  static const std::atomic<bool>& flag();

  // From now on the first SIGINT, SIGTERM or SIGHUP ends the process.
  static void end_at_once();

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, signals.size()> before_;
};
