#pragma once

#include "execution/cuda/check.h"
#include "sampling/tokens/token_call_cuda.h"

// Draws from few rows by one kernel, each in the way of its own filter.

namespace papilio::sampling {

// Queues draws from all rows of a call, on the current device. `call.way` is `top_p` or `on_chip` if all rows have one
// filter. It is `of_filter` if they have their own, and then each is `bounded`, `top_p`, `on_chip` or `any`. No row is
// left over. Returns false if there is no such kernel for the call: above all if it has more rows than the device has
// room for at once.
template <class S>
bool draw_each_way_on_cuda(const TokenCall& call, cudaStream_t stream);

}  // namespace papilio::sampling
