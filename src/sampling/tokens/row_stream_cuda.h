#pragma once

#include "sampling/rows/device_rows.h"
#include "sampling/tokens/token_call_cuda.h"

namespace papilio::sampling {

// Draws from rows without filters, masks or biases as a stream on the current device: tokens, status and, unless
// `alone`, log probabilities. Returns false, without drawing, if the stream is not made for the device or for the
// number, length or alignment of these rows; docs/tokens.md says for which it is.
bool draw_in_stream(Storage storage, const TokenCall& call, bool alone, void* stream);

}  // namespace papilio::sampling
