#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "sampling/tokens/token_call_cuda.h"

namespace papilio::sampling {

// The top_k up to which the first of a row are found by one reading of it.
std::int32_t most_first_tokens(std::int64_t rows, std::int64_t categories);

// Queues draws from the rows whose draw is among_few; `one_filter` is whether that is all rows or none.
template <class S>
void draw_first_tokens_on_cuda(const TokenCall& call, bool one_filter, cudaStream_t stream);

}  // namespace papilio::sampling
