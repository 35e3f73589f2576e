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

// Weights of the law in a unit of 2^top, and how far rough sums are off.
struct RoughUnit {
  double weight;           // of a unit
  double of_largest;       // a unit as a share of the largest term
  double log2_categories;  // no less than that
  // How far a term may be off from the law's weight, as a share of it: this and `by_exponent` for each 1 that its
  // exponent is below the largest; and so many whole weights any sum is off.
  double of_term, by_exponent, weights;
};

// y = (x - largest) c is a category's exponent, r = 2^(s + y) its term, s being the scale's unit_bits, and R the sum of
// these real numbers. In units of 2^-24 a rough sum is off by
//   ln 2 (2 |y| + 2)  for a term: its exponent is one product and sum, rounded once to 2^-24 of itself, which is at
//   most
//                     2 or |y| + 3/4; and c is off by what the scale has in `low`, 2^-24 of itself at most,
//   4                 for a term: ex2.approx is within 2 units in the last place; results below 2^-126 are lost, which
//                     is far less than one weight of the law,
//   `additions`       of a term on its way to its segment's sum.
// The law's weights are off by 1 and, as they are cut off, by less than one whole unit each.
PAPILIO_LANEWISE RoughUnit rough_unit(const TokenScale& scale, std::int64_t categories, int additions) {
  const double exponent = static_cast<double>(scale.largest) * static_cast<double>(scale.high);  // exactly
  const double above = exponent - static_cast<double>(top_of(scale.largest, scale.high));
  const double unit = exp2(-above);
  const double of_scale = fabs(static_cast<double>(scale.low)) / static_cast<double>(scale.high) * 0x1p24;
  const double weight = unit * __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + scale.unit_bits) << 52);
  constexpr double digit = 0x1p-24 * (1 + 0x1p-14);  // a share of a rough sum rather than of R
  return {weight,
          unit,
          static_cast<double>(62 - scale.unit_bits),
          (0.6932 * 2 + 4 + 1 + additions + 0.1) * digit,
          0.6932 * (1 + of_scale) * digit,
          static_cast<double>(categories) + 1};
}

// How far some terms of a rough sum may be off together, in weights of the law. Their mean of |y|, each taken by its
// share of their sum A, is the entropy of these shares less log2 A in units of the largest term: at most log2 V less
// that.
PAPILIO_LANEWISE double error_of_sum(double sum, const RoughUnit& unit) {
  if (!(sum > 0)) return 0;
  const auto log2_sum = static_cast<double>(log2f(static_cast<float>(fmax(sum * unit.of_largest, 0x1p-120))));
  return sum * unit.weight * (unit.of_term + unit.by_exponent * (unit.log2_categories - log2_sum + 0.01));
}

// Where floor(u T) can lie within a segment: from `low` to `high`, in weights of the law.
struct RoughTarget {
  std::uint64_t low, high;
  bool inside;  // not before its beginning
};

// How far u R is off beyond the sum before a segment. Of an error of a term before the segment 1 - u remains, as u
// times the same is in u R; of one behind or in the segment, u. Doubles add 2^-46 of the sum or less.
PAPILIO_LANEWISE double rough_error(double u, double total, double before, const RoughUnit& unit) {
  return (1 - u) * error_of_sum(before, unit) + u * error_of_sum(total - before, unit) + total * unit.weight * 0x1p-45 +
         unit.weights;
}

// `offset`: how far u times the total is beyond the sum before the segment, in units.
PAPILIO_LANEWISE RoughTarget rough_target(double offset, double error, const RoughUnit& unit) {
  const double at = offset * unit.weight;
  const double low = floor(at - error), high = floor(at + error);
  if (!(low >= 0 && high < 0x1p63)) return {0, 0, false};
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), true};
}

// u, up to 2^-53 of itself.
PAPILIO_LANEWISE double rough_number(std::uint64_t number) { return static_cast<double>(number) * 0x1p-64; }

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
