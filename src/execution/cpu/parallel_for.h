#pragma once

#include <cstdint>

#include "base/function_ref.h"

namespace papilio::execution {

// Calls body(begin, end) for disjoint ranges that cover [0, count), on up to
// `threads` threads (0: all; never more than the machine has), each range a
// multiple of `grain` long except the last. Which thread gets which range is not
// fixed: a body's results must not depend on it. The first exception of a body is
// thrown here, after the others have finished. In a process that was forked after its
// parent had run such a loop on several threads, the calling thread does all the work.
void parallel_for(std::int64_t count, std::int64_t grain, int threads,
                  base::FunctionRef<void(std::int64_t begin, std::int64_t end)> body);

// The number of threads that `threads` asks for: itself or, if it is
// 0, one for each processor that this process may use; 1 in a process
// forked as above. Work is divided by it, so that fewer processors take
// the same steps. Throws InvalidArgument if it is negative or above 4096.
int thread_count(int threads);

}  // namespace papilio::execution
