#pragma once

#include <cmath>
#include <cstdint>

#include "warp/portability.h"

// Weights that are summed as integers, in units of 2^-s, so that the order of summation does not matter. `unit` is
// 2^-s, `places` is 2^s. The sum of alpha takes 62 bits, so sums are below 2^63.

namespace papilio::lda::sparse {

// s, such that both the power of two and its reciprocal are doubles.
PAPILIO_LANEWISE int fixed_point_places(double alpha_sum) {
  const int places = 61 - std::ilogb(alpha_sum);
  return places < 1000 ? places : 1000;
}

// A weight in units, rounded down.
PAPILIO_LANEWISE std::uint64_t in_units(double weight, double places) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(weight * places));
}

// The weight that a number of units stands for.
PAPILIO_LANEWISE double weight_of(std::uint64_t mass, double unit) {
  return static_cast<double>(static_cast<std::int64_t>(mass)) * unit;
}

// A number of units, rounded down to an integer below `mass`, which is positive.
PAPILIO_LANEWISE std::uint64_t unit_below(double units, std::uint64_t mass) {
  if (!(units < static_cast<double>(static_cast<std::int64_t>(mass)))) return mass - 1;
  const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(units));
  return whole < mass - 1 ? whole : mass - 1;
}

}  // namespace papilio::lda::sparse
