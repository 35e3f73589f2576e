// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/logits/logit_rows_cpu.h"

#include "sampling/logits/logit_rows_kernel.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

void weigh_logits(const float* logits, float* weights, std::int64_t count, float scale) {
  using W = warp::NativeWarp<float>;
  weigh_logits_by_lanes<W>(logits, weights, count, largest_logit<W>(logits, count), scale);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
