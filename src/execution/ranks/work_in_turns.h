#pragma once

#include <atomic>

#include "base/function_ref.h"
#include "papilio/communicator.h"

namespace papilio::execution {

// Does long work on each rank, on a separate thread. Meanwhile the ranks meet at least once a second, so that their
// deadline catches a rank that hangs, not one that is still working. Collective. What the work throws, this function
// throws at once. Where another rank has failed, `is_over` becomes true: nobody waits for the work any more, and its
// stop points (execution/cpu/interruption.h) throw. So they do where this call is told to stop, which then throws
// Interrupted.
void work_in_turns(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work);

// The same where each rank's work is a part of one, which has an order: of what several throw, only the first rank's is
// thrown, when all are ready; the others hear of it.
void work_on_parts(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work);

}  // namespace papilio::execution
