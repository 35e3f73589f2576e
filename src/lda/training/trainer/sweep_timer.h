#pragma once

#include <chrono>
#include <utility>

#include "lda/training/chain/chain.h"

namespace papilio::lda {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Counts and times the sweeps since the last report, without evaluation.
class SweepTimer {
 public:
  // `seconds` were spent before the first sweep.
  explicit SweepTimer(double seconds) : total_seconds_(seconds) {}

  void sweep(Chain& chain) {
    if (!running_) start_ = Clock::now();
    running_ = true;
    chain.sweep();
    drawn_ += chain.share();
  }
  // Waits for the sweeps that have begun.
  void stop(Chain& chain) {
    chain.wait();
    if (running_) {
      const double seconds = seconds_since(start_);
      seconds_ += seconds;
      total_seconds_ += seconds;
    }
    running_ = false;
  }
  // In sweeps over all tokens.
  double take_drawn_per_second() { return std::exchange(drawn_, 0.0) / std::exchange(seconds_, 0.0); }
  double total_seconds() const { return total_seconds_; }

 private:
  Clock::time_point start_;
  bool running_ = false;
  double drawn_ = 0;
  double seconds_ = 0;
  double total_seconds_;
};

}  // namespace papilio::lda
