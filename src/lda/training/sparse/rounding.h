#pragma once

#include <cstdint>

#include "warp/portability.h"

// Neighbouring floats. Floats >= 0 have the same order as their bits.

namespace papilio::lda::sparse {

// The float below a positive one.
PAPILIO_LANEWISE float below(float x) { return __builtin_bit_cast(float, __builtin_bit_cast(std::int32_t, x) - 1); }

// The largest float that is not above x >= 0: a float exceeds it if and only if it exceeds x.
PAPILIO_LANEWISE float rounded_down(double x) {
#if defined(__CUDA_ARCH__)
  return __double2float_rd(x);
#else
  const auto nearest = static_cast<float>(x);
  const std::int32_t bits = __builtin_bit_cast(std::int32_t, nearest) - (double{nearest} > x);
  return __builtin_bit_cast(float, bits);
#endif
}

}  // namespace papilio::lda::sparse
