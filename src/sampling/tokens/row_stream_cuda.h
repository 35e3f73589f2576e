#pragma once

#include "sampling/rows/device_rows.h"
#include "sampling/tokens/token_call_cuda.h"

namespace papilio::sampling {

// Draws from rows without filters, masks or biases as a stream, on the current device: tokens, status and, unless
// `alone`, log probabilities. False, without a draw, where rows are too few, too long, or not whole lines of 16 bytes.
bool draw_in_stream(Storage storage, const TokenCall& call, bool alone, void* stream);

}  // namespace papilio::sampling
