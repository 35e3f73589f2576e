#pragma once

#include <cmath>
#include <cstdint>

#include "sampling/tokens/token_law.h"
#include "warp/portability.h"

// A draw from sums that are known up to an error. The law's token is the category in whose interval floor(u T) lies.
// With T and the sum before a segment of the row known roughly, u T is known up to an interval within the segment; the
// exact weights of that segment alone then say whether one category has all of it. If so, it is the token.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// A sum of 2^(x c), in units of 2^top, c = log2(e) / temperature as a float.
struct RoughSum {
  float sum, top;  // top is a whole number
};

// The top of a sum of nothing: below that of any other.
inline constexpr float lowest_top = -0x1.8p127f;
// How far an exponent may be above the top of its sum.
inline constexpr float most_above_top = 2;

PAPILIO_LANEWISE float top_of(float largest, float c) { return rintf(largest * c); }

// Whether the tops of a row with this largest logit are within 3/4 of its exponent of 2, so that its sums mean
// something.
PAPILIO_LANEWISE bool has_tops(float largest, float c) { return fabsf(largest * c) < 0x1p24f; }

// 2^n for a whole number n, 0 where it is very small (or of no use).
PAPILIO_LANEWISE double power_of_two(float n) {
  if (!(n > -1000 && n < 1000)) return 0;
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(n)) << 52);
}

// The sum in units of 2^top, of which `of.top` is not much larger.
PAPILIO_LANEWISE double in_units(RoughSum of, float top) {
  return static_cast<double>(of.sum) * power_of_two(of.top - top);
}

// Weights of the law in a unit of 2^top, and what is known of them.
struct RoughUnit {
  double weight;  // of a unit
  double error;   // of a sum of `total` units, or of what is left of u times it when a part is taken off
};

// y = (x - largest) c is a category's exponent, R the sum of the real numbers 2^(s + y), s being the scale's unit_bits.
// In units of 2^-24 a rough sum is off by
//   ln 2 (2 |y| + 2)  for a term: its exponent is one product and sum, rounded once to 2^-24 of itself, which is at
//   most
//                     2 or |y| + 3/4; and c is off by what the scale has in `low`, 2^-24 of itself at most,
//   4                 for a term: ex2.approx is within 2 units in the last place; results below 2^-126 are lost, which
//                     is far less than one weight of the law,
//   `additions`       of a term on its way to its segment's sum.
// The mean of |y| by the terms' share of R is their entropy, at most log2 V, less log2 (R / 2^s). The law's weights
// are off by 1 and, as they are cut off, by less than one whole unit each. All this is a share of R but for the last,
// and R is as near to the rough sum. Doubles add 2^-48 or less. What u takes of the sum and what is taken off are the
// terms times numbers between -1 and 1, so that their errors are no larger.
PAPILIO_LANEWISE RoughUnit rough_unit(double total, const TokenScale& scale, std::int64_t categories, int additions) {
  const double exponent = static_cast<double>(scale.largest) * static_cast<double>(scale.high);  // exactly
  const double above = exponent - static_cast<double>(top_of(scale.largest, scale.high));
  const double unit = exp2(-above);
  const double mean = 62 - scale.unit_bits - log2(total * unit) + 0.01;
  const double of_scale = fabs(static_cast<double>(scale.low)) / static_cast<double>(scale.high) * 0x1p24;
  const double share = (0.6932 * (mean * (1 + of_scale) + 2) + 4 + 1 + additions + 0.1) * 0x1p-24;
  const double weight = unit * __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + scale.unit_bits) << 52);
  return {weight, total * weight * share * (1 + 0x1p-14) + static_cast<double>(categories) + 1};
}

// Where floor(u T) can lie within a segment: from `low` to `high`, in weights of the law.
struct RoughTarget {
  std::uint64_t low, high;
  bool inside;  // not before its beginning
};

// `offset`: how far u times the total is beyond the sum before the segment, in units.
PAPILIO_LANEWISE RoughTarget rough_target(double offset, const RoughUnit& unit) {
  const double at = offset * unit.weight;
  const double low = floor(at - unit.error), high = floor(at + unit.error);
  if (!(low >= 0 && high < 0x1p63)) return {0, 0, false};
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), true};
}

// u, up to 2^-53 of itself.
PAPILIO_LANEWISE double rough_number(std::uint64_t number) { return static_cast<double>(number) * 0x1p-64; }

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
