#pragma once

#include <cmath>
#include <cstdint>

#include "sampling/tokens/token_law.h"
#include "warp/portability.h"

// A draw from sums that are known up to an error. The law's token is the category in whose interval floor(u T) lies.
// If T and the sum before a segment of the row are known roughly, u T is known up to an interval in the segment. The
// exact weights of the segment then say whether one category covers this interval. If so, it is the token.

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

// Whether the top of a row with this largest logit is within 3/4 of the exponent. Otherwise its sums mean nothing.
PAPILIO_LANEWISE bool has_tops(float largest, float c) { return fabsf(largest * c) < 0x1p24f; }

// 2^n for a whole number n, 0 where it is very small (or of no use).
PAPILIO_LANEWISE double power_of_two(float n) {
  if (!(n > -1000 && n < 1000)) return 0;
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(n)) << 52);
}

// The sum in units of 2^top, of which `of.top` is not much larger. Far below it is 0, even if the sum is infinite: a
// product and its top that are beyond has_tops may be off by much.
PAPILIO_LANEWISE double in_units(RoughSum of, float top) {
  const double unit = power_of_two(of.top - top);
  return unit == 0 ? 0 : static_cast<double>(of.sum) * unit;
}

// Weights of the law in a unit of 2^top, and how far rough sums are off.
struct RoughUnit {
  double weight;           // of a unit
  double of_largest;       // a unit as a share of the largest term
  double log2_categories;  // no less than that
  // How far a term may be off from the law's weight, as a share of it: `of_term`, and `by_exponent` for each 1 that its
  // exponent is below the largest. Any sum may also be off by so many whole `weights`.
  double of_term, by_exponent, weights;
};

// y = (x - largest) c is a category's exponent, r = 2^(s + y) its term, s being the scale's unit_bits, and R the sum of
// these real numbers. In units of 2^-24 a rough sum is off by
//   ln 2 (2 |y| + 2)  for a term: its exponent is one product and sum, rounded once to 2^-24 of itself, and it is at
//                     most 2 or |y| + 3/4; and c is off by what the scale has in `low`, at most 2^-24 of itself,
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

// The most that some terms of a rough sum, each times the distance of its exponent below the sum's top, can add up to,
// from their sum in units of 2^top. There are 2^`log2_terms` of them or fewer. The bound is the one of error_of_sum:
// the entropy of the terms' shares of their sum is at most the logarithm of their number.
PAPILIO_LANEWISE float most_exponents(float sum, int log2_terms) {
#if defined(__CUDA_ARCH__)
  const float log2_sum = __log2f(fmaxf(sum, 0x1p-126f));
#else
  const float log2_sum = std::log2(std::fmax(sum, 0x1p-126f));
#endif
  return sum * (static_cast<float>(log2_terms) + 0.01f - log2_sum);
}

// Terms of a rough sum, in units: their sum, and a bound of the sum of each times its |y|.
struct RoughTerms {
  double sum, exponents;
};

// How far these terms may be off together, in weights of the law.
PAPILIO_LANEWISE double error_of_terms(const RoughTerms& terms, const RoughUnit& unit) {
  return unit.weight * (unit.of_term * terms.sum + unit.by_exponent * (1 + 0x1p-11) * terms.exponents);
}

// Bounds of a sum of weights of the law.
struct RoughBounds {
  std::uint64_t low, high;
};

// What a rough sum of the weights below a bound says of their exact sum. Its unit is 2^top_of(bound).
class RoughRest {
 public:
  PAPILIO_LANEWISE RoughRest(float bound, const TokenScale& scale, std::int64_t categories, int additions) {
    // The weight at the bound, relative to the largest weight.
    const double below = (static_cast<double>(bound) - static_cast<double>(scale.largest)) *
                         (static_cast<double>(scale.high) + static_cast<double>(scale.low));
    // No term is larger.
    unit_ = rough_unit({bound, scale.high, scale.low, scale.unit_bits}, categories, additions);
    share_ = exp2(below);
  }

  // Doubles add 2^-46 of the sum or less. All weights of a row add up to at most 2^62.
  PAPILIO_LANEWISE RoughBounds of(double rest) const {
    const double sum = rest * unit_.weight * share_;
    const double error = error_of_sum(rest, unit_) * share_ + sum * 0x1p-45 + unit_.weights;
    return {static_cast<std::uint64_t>(fmin(fmax(0.0, floor(sum - error)), 0x1p62)),
            static_cast<std::uint64_t>(fmin(ceil(sum + error), 0x1p62))};
  }

 private:
  RoughUnit unit_;
  double share_;
};

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

// The same with terms whose exponents are known, those before the target's place and those behind it. Terms may count
// on both sides.
PAPILIO_LANEWISE double rough_error(double u, const RoughTerms& before, const RoughTerms& behind,
                                    const RoughUnit& unit) {
  return (1 - u) * error_of_terms(before, unit) + u * error_of_terms(behind, unit) +
         (before.sum + behind.sum) * unit.weight * 0x1p-45 + unit.weights;
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
