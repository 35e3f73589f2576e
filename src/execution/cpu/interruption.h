#pragma once

#include <atomic>

#include "papilio/interruption.h"

namespace papilio::execution {

// The flag of this thread's innermost InterruptionScope, or of the call that it works for; null if it has none.
const std::atomic<bool>* stop_flag() noexcept;

// Throws Interrupted if that flag is set. Cheap: long loops call it in every step.
void stop_point();

// While it exists, this thread of parallel_for has the flag of the call that it works for.
class StopFlagScope {
 public:
  explicit StopFlagScope(const std::atomic<bool>* flag) noexcept;
  ~StopFlagScope();
  StopFlagScope(const StopFlagScope&) = delete;
  StopFlagScope& operator=(const StopFlagScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

}  // namespace papilio::execution
