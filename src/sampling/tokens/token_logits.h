#pragma once

#include <cstdint>

#include "papilio/half.h"
#include "warp/portability.h"

// Logits as floats, and in their stored types.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Like to_float of papilio/half.h but without branches, so that loops over it can be vectorised.
PAPILIO_LANEWISE float logit_of(float x) { return x; }
PAPILIO_LANEWISE float logit_of(BFloat16 x) { return __builtin_bit_cast(float, std::uint32_t{x.bits} << 16); }
PAPILIO_LANEWISE float logit_of(Half x) {
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
#else
  const std::uint32_t sign = std::uint32_t{x.bits & 0x8000u} << 16, size = x.bits & 0x7FFFu;
  const float small = __builtin_bit_cast(float, size << 13) * 0x1p112f;  // exact, even if it is subnormal
  const std::uint32_t huge = size >= 0x7C00u ? 0x7F80'0000u : 0u;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, small) | huge | sign);
#endif
}

// The stored value of a logit that is never drawn.
template <class S>
PAPILIO_LANEWISE S minus_infinity();
template <>
PAPILIO_LANEWISE float minus_infinity<float>() {
  return -__builtin_inff();
}
template <>
PAPILIO_LANEWISE Half minus_infinity<Half>() {
  return {0xFC00};
}
template <>
PAPILIO_LANEWISE BFloat16 minus_infinity<BFloat16>() {
  return {0xFF80};
}

template <class S>
PAPILIO_LANEWISE S not_a_number();
template <>
PAPILIO_LANEWISE float not_a_number<float>() {
  return __builtin_nanf("");
}
template <>
PAPILIO_LANEWISE Half not_a_number<Half>() {
  return {0x7E00};
}
template <>
PAPILIO_LANEWISE BFloat16 not_a_number<BFloat16>() {
  return {0x7FC0};
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
