#pragma once

#include "sampling/tokens/token_launch_cuda.h"

// Draws from rows near whose largest logits there is not enough.

namespace papilio::sampling {

// Whether rows of a call that are left over by the kernel for rows near their largest logits are drawn from here, if
// their filters say so (can_be_flat).
bool has_flat_rows(const TokenCall& call);

// Queues these draws. A row whose cut is not found gets the token `left_over`.
template <class S>
void draw_flat_tokens_on_cuda(const TokenCall& call, cudaStream_t stream);

}  // namespace papilio::sampling
