#pragma once

#include <cstdint>

#include "sampling/tokens/token_law.h"
#include "warp/cuda_warp.cuh"

// Loops over a part's logits, in which several weights are computed at a time.
#if defined(__CUDA_ARCH__)
#define PAPILIO_UNROLL_FEW _Pragma("unroll 4")
#define PAPILIO_UNROLL_TWO _Pragma("unroll 2")
#else
#define PAPILIO_UNROLL_FEW
#define PAPILIO_UNROLL_TWO
#endif

// The largest of several logits, and their weights, computed one by one by a thread.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// max(a, b), or NaN if either is.
__device__ __forceinline__ float greater_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float c;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
#else
  return a != a || b != b ? __builtin_nanf("") : fmaxf(a, b);
#endif
}

// 2^30 2^g as an integer, and by how many bits it must be shifted left to give the weight.
struct TokenDigits {
  unsigned digits;
  int left;
};

// From x - largest = d + error, which is exact; y is d times the scale.
__device__ __forceinline__ TokenDigits digits_of(float d, float error, float y, const TokenScale& scale) {
  const float rest = __fmaf_rn(error, scale.high, __fmaf_rn(d, scale.low, __fmaf_rn(d, scale.high, -y)));
  constexpr float rounding = 0x1.8p23f;
  const float shifted = y + rounding;
  const float g = (y - (shifted - rounding)) + rest;
  const int digits = __float2int_rz(exp2_slope<warp::CudaWarp<32>, 30>(g) * g) + (1 << 30);
  const int exponent = static_cast<int>(__float_as_uint(shifted)) - 0x4B40'0000;
  return {static_cast<unsigned>(digits), exponent + (scale.unit_bits - 30)};
}

// The digits for token_weights of one logit, in fewer instructions: the exponent is limited to -64 from below, where
// the shift leaves 0, whatever the digits are.
__device__ __forceinline__ TokenDigits digits_of(float x, const TokenScale& scale) {
  const float d = x - scale.largest;
  const float back = d - x;
  const float error = (x - (d - back)) - (scale.largest + back);
  return digits_of(d, error, fmaxf(d * scale.high, -64.0f), scale);
}

__device__ __forceinline__ std::uint64_t weight_of(float x, const TokenScale& scale) {
  const TokenDigits of = digits_of(x, scale);
  std::uint64_t weight;
  asm("shr.u64 %0, %1, %2;" : "=l"(weight) : "l"(std::uint64_t{of.digits} << 32), "r"(32 - of.left));
  return weight;
}

// The least logit for which digits_of_near gives the same digits: it is no farther from 0 than the largest, so that
// Dekker's sum is exact, too, and its exponent is well above -64.
__device__ __forceinline__ float nearest_logit(const TokenScale& scale) {
  return fmaxf(-scale.largest, scale.largest - 60.0f / scale.high);
}
__device__ __forceinline__ TokenDigits digits_of_near(float x, const TokenScale& scale) {
  const float d = x - scale.largest;
  return digits_of(d, x - (d + scale.largest), d * scale.high, scale);
}

// sum + weight, by one multiply-add. For at least 2 categories, because a weight must be below 2^62.
__device__ __forceinline__ std::uint64_t plus_weight(std::uint64_t sum, TokenDigits of) {
  const int left = max(of.left, 0), right = left - of.left;
  unsigned factor, digits;  // shifts by more than 31 leave 0
  asm("shl.b32 %0, 1, %1;" : "=r"(factor) : "r"(left));
  asm("shr.u32 %0, %1, %2;" : "=r"(digits) : "r"(of.digits), "r"(right));
  return sum + std::uint64_t{digits} * factor;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
