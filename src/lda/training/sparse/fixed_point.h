#pragma once

#include <cmath>
#include <cstdint>

#include "warp/portability.h"

// Weights that are summed as integers, in units of 2^-s: their sums need no order. `unit` is 2^-s, `places` 2^s. All
// of alpha takes 62 bits, so sums are below 2^63.

namespace papilio::lda::sparse {

// s: the power of two is a double, as is its reciprocal.
PAPILIO_LANEWISE int fixed_point_places(double alpha_sum) {
  const int places = 61 - std::ilogb(alpha_sum);
  return places < 1000 ? places : 1000;
}

// A weight in units, truncated.
PAPILIO_LANEWISE std::uint64_t in_units(double weight, double places) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(weight * places));
}

// The weight of a mass in units.
PAPILIO_LANEWISE double weight_of(std::uint64_t mass, double unit) {
  return static_cast<double>(static_cast<std::int64_t>(mass)) * unit;
}

// A number of units as an integer below `mass`, which is positive.
PAPILIO_LANEWISE std::uint64_t unit_below(double units, std::uint64_t mass) {
  if (!(units < static_cast<double>(static_cast<std::int64_t>(mass)))) return mass - 1;
  const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(units));
  return whole < mass - 1 ? whole : mass - 1;
}

}  // namespace papilio::lda::sparse
