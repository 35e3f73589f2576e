#pragma once

#include "sampling/tokens/token_launch_cuda.h"

// Draws from few rows that have top_p and no top_k.

namespace papilio::sampling {

// Whether such rows of a call can be drawn from here.
template <class S>
bool can_be_drawn_by_top_p(const TokenCall& call);

// Queues draws from the rows with TokenWay::top_p. A row with too many logits that are equal, or nearly, at
// the cut gets the token `left_over`.
template <class S>
void draw_by_top_p(const TokenCall& call, Begin begin, cudaStream_t stream);

}  // namespace papilio::sampling
