#pragma once

#include <cstdint>

#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Turns a row of logits into weights. The weights may overwrite the logits.
void weigh_logits(const float* logits, float* weights, std::int64_t count, float scale);

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
