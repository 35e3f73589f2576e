#pragma once

#include <cstdint>

#include "random/elementary_lanes.h"
#include "sampling/tokens/token_rows.h"
#include "warp/warp.h"

// Weights of logits as integers, with the same bits in every lane of every warp: floor(2^s 2^((x - largest) c)) with c
// = log2(e) / temperature, computed by IEEE float operations and shifts only. Must be compiled without contraction.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::TokenScale;

PAPILIO_LANEWISE TokenScale token_scale(float largest, float temperature, int unit_bits) {
  const double scale = 0x1.71547652b82fep0 / static_cast<double>(temperature);
  const auto high = static_cast<float>(scale);
  return {largest, high, static_cast<float>(scale - static_cast<double>(high)), unit_bits};
}

// (2^g - 1) / g for |g| <= 1/2, in units of 2^-`bits`, with a relative error of at most 2^-25
// (tools/elementary_coefficients.py). The choice of unit changes no digit.
template <warp::Warp W, int bits = 0>
PAPILIO_LANEWISE warp::Lanes<W, float> exp2_slope(warp::Lanes<W, float> g) {
  constexpr auto unit = static_cast<float>(std::uint64_t{1} << bits);
  constexpr float c[] = {0x1.62e430p-1f * unit, 0x1.ebfbdep-3f * unit,  0x1.c6af6ep-5f * unit,
                         0x1.3b2ba0p-7f * unit, 0x1.5f07b4p-10f * unit, 0x1.4308fep-13f * unit};
  return random::polynomial<W>(c, g);
}

// The weights of W logits, none of which is NaN or above the largest; -infinity has weight 0.
//
// x - largest is an unevaluated sum of two floats, and so is its product with the scale. So the fraction of the
// exponent is off by at most 2^-26, and a weight by at most 2^-24 of itself, however large the logits are.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, std::uint64_t> token_weights(warp::Lanes<W, float> x, const TokenScale& scale) {
  const auto splat = [](float v) { return W::template splat<float>(v); };
  const auto largest = splat(scale.largest), high = splat(scale.high), low = splat(scale.low), zero = splat(0);
  const auto difference = x - largest;
  const auto gone = !W::less(splat(-63), difference * high);  // 2^-63 of the largest or less, or NaN
  const auto d = W::select(gone, zero, difference);
  // Knuth's two-sum of x and -largest: their difference is d + error.
  const auto back = d - x;
  const auto error = W::select(gone, zero, (x - (d - back)) - (largest + back));
  const auto y = d * high;
  const auto rest = W::fma(error, high, W::fma(d, low, W::fma(d, high, zero - y)));
  constexpr float rounding = 0x1.8p23f;  // once it is added, the last bit has the value 1
  const auto shifted = y + rounding;
  const auto g = (y - (shifted - rounding)) + rest;
  // 2^30 2^g as an integer, rounded down as every conversion does.
  const auto part = W::template convert<std::int32_t>(exp2_slope<W>(g) * (g * 0x1p30f)) + (std::int32_t{1} << 30);
  const auto down = W::template splat<std::uint32_t>(0x4B40'0000u) - W::template bit_cast<std::uint32_t>(shifted);
  const auto wide = W::template convert<std::uint64_t>(W::template bit_cast<std::uint32_t>(part));
  const auto weight =
      (wide << static_cast<std::uint64_t>(scale.unit_bits - 30)) >> W::template convert<std::uint64_t>(down);
  return W::select(gone, W::template splat<std::uint64_t>(0), weight);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
