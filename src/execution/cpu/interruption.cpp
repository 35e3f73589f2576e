#include "execution/cpu/interruption.h"

namespace papilio {
namespace {

thread_local const std::atomic<bool>* flag_of_thread = nullptr;

}  // namespace

Interrupted::Interrupted() : Error("papilio: the call was interrupted") {}

InterruptionScope::InterruptionScope(const std::atomic<bool>& stop) : outer_(flag_of_thread) { flag_of_thread = &stop; }

InterruptionScope::~InterruptionScope() { flag_of_thread = outer_; }

namespace execution {

const std::atomic<bool>* stop_flag() noexcept { return flag_of_thread; }

void stop_point() {
  if (flag_of_thread != nullptr && flag_of_thread->load(std::memory_order_relaxed)) throw Interrupted();
}

StopFlagScope::StopFlagScope(const std::atomic<bool>* flag) noexcept : outer_(flag_of_thread) { flag_of_thread = flag; }

StopFlagScope::~StopFlagScope() { flag_of_thread = outer_; }

}  // namespace execution
}  // namespace papilio
