#pragma once

#include <cstdint>

#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Turns a row of logits into weights, in place.
void weigh_logits(float* row, std::int64_t count, float scale);

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
