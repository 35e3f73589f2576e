#pragma once

#include <bit>
#include <cstdint>

namespace papilio {

// 16-bit floating-point numbers as stored in memory. Arithmetic on them is done in float. Pointers to the types of CUDA
// or of a framework with the same layout may be cast to these.

// IEEE binary16: 11 significant bits, up to 65,504.
struct Half {
  std::uint16_t bits = 0;
};

// bfloat16: the upper half of a float.
struct BFloat16 {
  std::uint16_t bits = 0;
};

// Exact.
constexpr float to_float(BFloat16 x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }
constexpr float to_float(Half x) {
  const std::uint32_t sign = std::uint32_t{x.bits & 0x8000u} << 16;
  const std::uint32_t exponent = x.bits >> 10 & 0x1Fu, fraction = x.bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F80'0000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

// Rounds to nearest, ties to even; beyond the range to infinity. NaN stays NaN.
constexpr BFloat16 to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7FFF'FFFFu) > 0x7F80'0000u) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16)};
}
constexpr Half to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t size = bits & 0x7FFF'FFFFu;
  if (size > 0x7F80'0000u) return {static_cast<std::uint16_t>(sign | 0x7E00u)};
  if (size >= 0x477F'F000u) return {static_cast<std::uint16_t>(sign | 0x7C00u)};  // 65,520 and above
  if (size < 0x3880'0000u) {                                                      // below 2^-14: a multiple of 2^-24
    // The sum's last bit is worth 2^-24, so that adding rounds as wanted.
    const auto shifted = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f);
    return {static_cast<std::uint16_t>(sign | (shifted - std::bit_cast<std::uint32_t>(0.5f)))};
  }
  const std::uint32_t rounded = size - (112u << 23) + 0xFFFu + (size >> 13 & 1u);
  return {static_cast<std::uint16_t>(sign | rounded >> 13)};
}

}  // namespace papilio
