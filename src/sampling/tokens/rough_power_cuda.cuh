#pragma once

#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// 2^y, 0 below 2^-126.
__device__ __forceinline__ float rough_power(float y) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(y));
  return power;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
