#pragma once

#include <cstdint>

#include "warp/portability.h"

// The sum of numbers >= 0 in their order, each addition rounded, by threads that have parts of the numbers: the bits
// of one thread's sum.
//
// While a sum s stays within [2^e, 2^(e+1)) it is a whole number S of units 2^(e-52), and adding x adds a whole number
// to S: x in units, rounded to the nearest. Only of a tie does it depend on S, on whether S is even. So what numbers
// that follow one another add is two whole numbers, for an even and for an odd S; and these of two parts give those of
// both. Where S reaches 2^53, numbers are added one after the other up to the end of a part, and the next unit begins.
//
// Mostly it is simpler. Where a sum is known but for rounding, so is e, unless the sum is near a power of two; and few
// numbers are a tie, or take the sum beyond the unit. All others add whole numbers that are known before the sum is: of
// those between two that are not, nothing is needed but how much they add together.

namespace papilio::lda {

// What numbers add to a sum of units, at most `most_steps`.
struct RoundedSteps {
  std::int64_t even = 0;  // to an even one
  std::int64_t odd = 0;
};

inline constexpr std::int64_t end_of_units = std::int64_t{1} << 53;
inline constexpr std::int64_t most_steps = std::int64_t{1} << 54;  // the sum has left its unit long before

// 1 / unit of a sum >= 2^-900.
PAPILIO_LANEWISE double units_per_one(double sum) {
  const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, sum) >> 52;
  return __builtin_bit_cast(double, (std::uint64_t{2098} - exponent) << 52);
}

// x, which is rounded to units.
PAPILIO_LANEWISE RoundedSteps rounded_steps(double x, double per_one) {
  const double units = x * per_one;
  if (!(units < 0x1p53)) return {most_steps, most_steps};
  const auto whole = static_cast<std::int64_t>(units);
  const double rest = units - static_cast<double>(whole);
  if (rest == 0.5) return {whole + (whole & 1), whole + (~whole & 1)};
  const std::int64_t nearest = whole + (rest > 0.5 ? 1 : 0);
  return {nearest, nearest};
}

// First these, then those.
PAPILIO_LANEWISE RoundedSteps both_steps(const RoundedSteps& first, const RoundedSteps& then) {
  const std::int64_t even = first.even + ((first.even & 1) != 0 ? then.odd : then.even);
  const std::int64_t odd = first.odd + ((first.odd & 1) != 0 ? then.even : then.odd);
  return {even < most_steps ? even : most_steps, odd < most_steps ? odd : most_steps};
}

PAPILIO_LANEWISE std::int64_t after_steps(std::int64_t units, const RoundedSteps& steps) {
  return units + ((units & 1) != 0 ? steps.odd : steps.even);
}

// What a number adds to a sum, in units of it, where that is known beforehand.
struct KnownStep {
  bool is_known = false;
  std::uint64_t units = 0;
};

// The least number of the exponent of a number > 0.
PAPILIO_LANEWISE double least_of_exponent(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) >> 52 << 52);
}

// x, which is added to a sum that is `about`, but for a rounding error of less than a part in 2^31. Where the sum,
// before or after, is within a part in 2^20 of the next exponent, it is taken for unknown: so 32 bits of each tell.
PAPILIO_LANEWISE KnownStep known_step(double about, double x) {
  constexpr std::uint32_t mantissa = 0xfffff, infinite = 0x7ff00000;
  const auto before = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, about) >> 32);
  const auto after = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, about + x) >> 32);
  const std::uint32_t exponent = before & ~mantissa;
  // Added to the least sum of that exponent x is rounded to the same units; it is less than that sum.
  const double least = least_of_exponent(about), moved = least + x;
  const double rest = x - (moved - least), tie = least * 0x1p-53;
  const bool is_known =
      (before & mantissa) != 0 && after - exponent < mantissa && exponent < infinite && rest != tie && rest != -tie;
  const std::uint64_t units = __builtin_bit_cast(std::uint64_t, moved) - __builtin_bit_cast(std::uint64_t, least);
  return {is_known, is_known ? units : 0};
}

// What known steps add to a sum that is `about`, and was of that exponent all along.
PAPILIO_LANEWISE double of_units(double about, std::uint64_t units) {
  if (units == 0) return 0;
  const double least = least_of_exponent(about);
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, least) + units) - least;
}

// A sum after known steps, all of one unit: no addition here is rounded.
PAPILIO_LANEWISE double after_units(double sum, std::uint64_t units) {
  if (units == 0) return sum;
  const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, sum) >> 52;
  return sum + static_cast<double>(units) * __builtin_bit_cast(double, (exponent - 52) << 52);
}

}  // namespace papilio::lda
