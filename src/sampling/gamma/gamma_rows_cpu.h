#pragma once

#include "sampling/rows/kernels.h"
#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Draws a row of gammas.
void draw_gamma(const papilio::sampling::GammaColumns& columns);

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
