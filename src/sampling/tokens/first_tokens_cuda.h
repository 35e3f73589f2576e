#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {

// The largest top_k for which the first categories of a row are found by reading it once.
std::int32_t most_first_tokens(std::int64_t rows, std::int64_t categories);

// Queues draws from the rows with TokenWay::few; `one_filter`: all rows have it, or none.
template <class S>
void draw_first_tokens_on_cuda(const TokenCall& call, bool one_filter, Begin begin, cudaStream_t stream);

// Whether rows of a call can be drawn from by a bound.
template <class S>
bool can_be_bounded(const TokenCall& call);

// Queues draws from the rows with TokenWay::bounded.
template <class S>
void draw_bounded_on_cuda(const TokenCall& call, Begin begin, cudaStream_t stream);

// Which rows of a call are drawn from near the largest logit. `call.on_chip` is known: rows that are left over are
// drawn from on chip.
NearRows near_rows(const TokenCall& call);

// Queues the draws from the rows with TokenWay::near. Rows that are left over get the token `left_over`, or a lower one
// for the kernel for flat rows (flat_tokens_cuda.h), if `call.flat`.
template <class S>
void draw_near_tokens_on_cuda(const TokenCall& call, Begin begin, cudaStream_t stream);

// Queues draws from those rows that are left over and cannot be flat, by larger blocks.
template <class S>
void draw_many_near_tokens_on_cuda(const TokenCall& call, cudaStream_t stream);

}  // namespace papilio::sampling
