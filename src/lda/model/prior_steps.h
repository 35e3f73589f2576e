#pragma once

#include <cstdint>

#include "random/elementary.h"
#include "warp/portability.h"

// The formulas of prior optimisation of every processor, which agree to the bit.

namespace papilio::lda {

// The range of optimised priors. The prior of a topic without tokens would tend to 0. It keeps the least value, so that
// the topic can be drawn again, and one sweep in which it is drawn brings it back.
inline constexpr double least_optimized_prior = 1e-5;
inline constexpr double largest_optimized_prior = 1e6;

// From here on counts are kept one by one, and their terms beyond this number are summed in closed form.
inline constexpr std::int64_t first_large_count = 1024;

// Term j of the sum over all counts n of psi(n + prior) - psi(prior):
// the contribution of the counts above j, of which there are `above`.
PAPILIO_LANEWISE double digamma_term(std::int64_t above, double prior, std::int64_t j) {
  return static_cast<double>(above) / (prior + static_cast<double>(j));
}

// What a count n >= first_large_count adds beyond first_large_count: psi(prior + n) - psi(prior + first_large_count),
// within 10^-14, since psi(x + 1/2) is ln x + 1 / (24 x^2) - 7 / (960 x^4) + ...
PAPILIO_LANEWISE double large_digamma_term(std::int64_t n, double prior) {
  const double x = (prior + static_cast<double>(first_large_count)) - 0.5;
  const double y = x + static_cast<double>(n - first_large_count);
  return random::natural_log(y / x) + (1 / (y * y) - 1 / (x * x)) / 24;
}

// The prior times `ratio`, kept within the range.
PAPILIO_LANEWISE double next_prior(double prior, double ratio) {
  const double next = prior * ratio;
  return next < least_optimized_prior     ? least_optimized_prior
         : next > largest_optimized_prior ? largest_optimized_prior
                                          : next;
}

PAPILIO_LANEWISE bool is_near(double next, double prior, double tolerance) {
  const double change = next - prior;
  return (change < 0 ? -change : change) <= tolerance * prior;
}

}  // namespace papilio::lda
