#pragma once

#include <cstdint>

#include "warp/warp.h"

// Elementary functions of float lanes from IEEE additions, multiplications and fused
// multiply-adds alone: the same bits in every lane of every warp. Their polynomials
// are made by tools/elementary_coefficients.py; docs/numerics.md has the errors.

namespace papilio::inline PAPILIO_TARGET::random {

// c[0] + c[1] x + ... by Horner's rule.
template <warp::Warp W, int terms>
PAPILIO_LANEWISE warp::Lanes<W, float> polynomial(const float (&c)[terms], warp::Lanes<W, float> x) {
  auto value = W::template splat<float>(c[terms - 1]);
  PAPILIO_UNROLL
  for (int i = terms - 2; i >= 0; --i) value = W::fma(value, x, W::template splat<float>(c[i]));
  return value;
}

// -log2(1 - s / 2) / s, 0 < s <= 1; within 2^-24 before rounding.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> minus_log2_series(warp::Lanes<W, float> s) {
  constexpr float c[] = {0x1.715476p-1f,  0x1.71531cp-3f, 0x1.ecfb84p-5f,  0x1.66b364p-6f, 0x1.8e4decp-7f,
                         -0x1.2cb17cp-8f, 0x1.d07f00p-7f, -0x1.392868p-7f, 0x1.0a1f62p-8f};
  return polynomial<W>(c, s);
}

// A float's exponent, with its bias of 127, and its mantissa in [1, 2).
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> biased_exponent(warp::Lanes<W, std::uint32_t> bits) {
  return W::template convert<float>(W::template bit_cast<std::int32_t>(bits >> 23u));
}
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> mantissa(warp::Lanes<W, std::uint32_t> bits) {
  return W::template bit_cast<float>((bits & 0x007F'FFFFu) | 0x3F80'0000u);
}

// log2 x for normal x > 0: relative error up to 2^-22 or, for 1 <= x < 2, absolute error up to 1.5 * 2^-23.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> log2(warp::Lanes<W, float> x) {
  const auto bits = W::template bit_cast<std::uint32_t>(x);
  const auto s = W::template splat<float>(2) - mantissa<W>(bits);
  return (biased_exponent<W>(bits) - 126.0f) - s * minus_log2_series<W>(s);
}

// -log2 U, for the uniform number U in (0, 1) that a random word gives. Half of the words give U in
// (1/2, 1), by its distance from 1; the others give U in (0, 1/2). So U is fine at both ends: its
// values are 2^-32 apart there, and the outermost are 2^-33 from 0 and 1. Relative error up to 2^-22.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> minus_log2_of_word(warp::Lanes<W, std::uint32_t> word) {
  const auto low_half = W::less(W::template bit_cast<std::int32_t>(word), W::template splat<std::int32_t>(0));
  // U = 1 - rest 2^-32, or rest 2^-32.
  const auto rest = W::template convert<float>(W::template bit_cast<std::int32_t>(word & 0x7FFF'FFFFu)) + 0.5f;
  const auto bits = W::template bit_cast<std::uint32_t>(rest);
  const auto s = W::select(low_half, W::template splat<float>(2) - mantissa<W>(bits), rest * 0x1p-31f);
  const auto whole =
      W::select(low_half, W::template splat<float>(158) - biased_exponent<W>(bits), W::template splat<float>(0));
  return W::fma(s, minus_log2_series<W>(s), whole);
}

// The uniform number of a random word: an odd multiple of 2^-24 in (0, 1).
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> open_uniform(warp::Lanes<W, std::uint32_t> word) {
  return W::template bit_cast<float>((word >> 9u) | 0x3F80'0000u) - (1 - 0x1p-24f);  // exact
}

// 2^x for x <= 0, with a relative error up to 2^-22; 0 if x < -125.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> exp2_or_zero(warp::Lanes<W, float> x) {
  constexpr float c[] = {0x1.000000p+0f, 0x1.62e430p-1f,  0x1.ebfbdap-3f, 0x1.c6aed4p-5f,
                         0x1.3b2dbcp-7f, 0x1.5f456ap-10f, 0x1.41d334p-13f};
  constexpr float rounding = 0x1.8p23f;  // adding it leaves a last bit of value 1: rounds to an integer
  const auto shifted = x + rounding;
  const auto fraction = x - (shifted - rounding);
  const auto power = W::template bit_cast<std::uint32_t>(polynomial<W>(c, fraction)) +
                     (W::template bit_cast<std::uint32_t>(shifted) << 23u);
  return W::select(W::less(x, W::template splat<float>(-125)), W::template splat<float>(0),
                   W::template bit_cast<float>(power));
}

// 1 / sqrt(x) for x >= 2^-126, with a relative error up to 2^-22: Newton's iteration
// from an estimate with an error of 3.5 percent, which halving the exponent gives.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> reciprocal_sqrt(warp::Lanes<W, float> x) {
  const auto bits = W::template bit_cast<std::uint32_t>(x);
  auto root = W::template bit_cast<float>(W::template splat<std::uint32_t>(0x5F37'5A86u) - (bits >> 1u));
  const auto minus_half = x * -0.5f;
  PAPILIO_UNROLL
  for (int i = 0; i < 3; ++i)
    root = W::fma(root, W::fma(root * root, minus_half, W::template splat<float>(0.5f)), root);
  return root;
}

}  // namespace papilio::inline PAPILIO_TARGET::random
