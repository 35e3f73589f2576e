#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "sampling/tokens/token_call_cuda.h"

namespace papilio::sampling {

// The largest top_k for which the first categories of a row are found by reading it once.
std::int32_t most_first_tokens(std::int64_t rows, std::int64_t categories);

// Queues draws from the rows for which among_few holds; `one_filter`: it holds for all rows or for none.
template <class S>
void draw_first_tokens_on_cuda(const TokenCall& call, bool one_filter, cudaStream_t stream);

// Queues draws from all rows if they have a small top_k and a kernel for that takes them; otherwise returns false. All
// rows have the same filter.
template <class S>
bool draw_bounded_on_cuda(const TokenCall& call, cudaStream_t stream);

// Which rows of a call the kernel in near/ takes. `call.on_chip` is known: rows that are left over are drawn from on
// chip.
NearRows near_rows(const TokenCall& call);

// Queues the draws from those rows. Rows that are left over get the token `left_over`.
template <class S>
void draw_near_tokens_on_cuda(const TokenCall& call, cudaStream_t stream);

}  // namespace papilio::sampling
