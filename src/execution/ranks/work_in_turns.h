#pragma once

#include <atomic>

#include "base/function_ref.h"
#include "papilio/communicator.h"

namespace papilio::execution {

// Does long work on each rank, on a separate thread. Meanwhile the ranks meet at least once a second,
// so that their deadline catches a rank that hangs, not one that is still working. Collective. What
// the work throws, this function throws at once. If another rank has failed, `is_over` becomes
// true: nobody waits for the work any more, and its stop points (execution/cpu/interruption.h)
// throw. They also throw if this call itself is told to stop; it then throws Interrupted.
void work_in_turns(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work);

// The same for parts of one piece of work, in the order of the ranks. If several parts throw, then only
// the first of these ranks throws what it caught, after all are ready; the other ranks learn of it.
void work_on_parts(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work);

}  // namespace papilio::execution
