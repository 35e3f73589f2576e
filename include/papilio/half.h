#pragma once

#include <bit>
#include <cstdint>

namespace papilio {

// 16-bit and 8-bit floating-point numbers as stored in memory. Arithmetic on them is done in float. Pointers to the
// types of CUDA or of a framework with the same layout may be cast to these.

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

// The formats of 8 bits: Micikevicius et al., FP8 Formats for Deep Learning, arXiv 2209.05433, 2022.

// torch.float8_e4m3fn, __nv_fp8_e4m3: 4 significant bits, 2^-9 to 448. No infinities; NaN is 0x7F and 0xFF.
struct Float8E4M3FN {
  std::uint8_t bits = 0;
};

// torch.float8_e5m2, __nv_fp8_e5m2: 3 significant bits, 2^-16 to 57,344. The upper half of a Half.
struct Float8E5M2 {
  std::uint8_t bits = 0;
};

// Exact.
constexpr float to_float(Float8E4M3FN x) {
  const std::uint32_t sign = std::uint32_t{x.bits & 0x80u} << 24, size = x.bits & 0x7Fu;
  const std::uint32_t normal = (size << 20) + (120u << 23);  // the exponent's bias is 7, not 127
  const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(normal + (1u << 23)) - 0x1p-6f);
  const std::uint32_t finite = size < 8 ? small : normal;
  return std::bit_cast<float>(sign | (size == 0x7F ? 0x7FC0'0000u : finite));
}
constexpr float to_float(Float8E5M2 x) {
  const std::uint32_t sign = std::uint32_t{x.bits & 0x80u} << 24, size = x.bits & 0x7Fu;
  const std::uint32_t normal = (size << 21) + (112u << 23);  // the exponent's bias is 15
  const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(normal + (1u << 23)) - 0x1p-14f);
  const std::uint32_t finite = size < 4 ? small : normal;
  return std::bit_cast<float>(sign | (size >= 0x7C ? 0x7F80'0000u | size << 21 : finite));
}

namespace detail {

// Rounds |x|, given by its bits as a float, to nearest, ties to even. Returns the bits of a number with this many bits
// of fraction and this bias of the exponent; beyond the largest number the result is too large for the format.
template <std::uint32_t fraction_bits, std::uint32_t bias>
constexpr std::uint32_t rounded_to_float8(std::uint32_t size) {
  constexpr std::uint32_t dropped = 23 - fraction_bits;
  if (size < (128 - bias) << 23) {  // a multiple of the least positive number, which is the sum's last bit
    constexpr std::uint32_t unit = (128 - bias + dropped) << 23;
    return std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + std::bit_cast<float>(unit)) - unit;
  }
  return (size - ((127 - bias) << 23) + (1u << (dropped - 1)) - 1 + (size >> dropped & 1u)) >> dropped;
}

}  // namespace detail

// Round to nearest, ties to even; beyond the range E5M2 becomes infinite (from 61,440 on) and E4M3, which has no
// infinity, NaN (above 464). NaN stays NaN.
constexpr Float8E4M3FN to_float8_e4m3fn(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = detail::rounded_to_float8<3, 7>(bits & 0x7FFF'FFFFu);
  return {static_cast<std::uint8_t>((bits >> 24 & 0x80u) | (size > 0x7E ? 0x7Fu : size))};
}
constexpr Float8E5M2 to_float8_e5m2(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = detail::rounded_to_float8<2, 15>(bits & 0x7FFF'FFFFu);
  const std::uint32_t not_a_number = (bits & 0x7FFF'FFFFu) > 0x7F80'0000u ? 0x7Eu : 0x7Cu;
  return {static_cast<std::uint8_t>((bits >> 24 & 0x80u) | (size > 0x7B ? not_a_number : size))};
}

}  // namespace papilio
