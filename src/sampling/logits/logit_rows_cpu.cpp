// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/logits/logit_rows_cpu.h"

#include "sampling/logits/logit_rows_kernel.h"
#include "warp/native_warp.h"

namespace papilio::PAPILIO_TARGET::sampling_kernel {

void weigh_logits(float* row, std::int64_t count, float scale) {
  weigh_logits_by_lanes<warp::NativeWarp<float>>(row, count, scale);
}

}  // namespace papilio::PAPILIO_TARGET::sampling_kernel
