#pragma once

#include <cstdint>

#include "warp/portability.h"

// A fixed phi and what is inferred with it: the formulas of every processor, which agree to the bit.

namespace papilio::lda {

// n_k + V beta, where n_k includes seeds.
PAPILIO_LANEWISE double fixed_topic_mass(std::int64_t n_k, double prior_mass) {
  return static_cast<double>(n_k) + prior_mass;
}

// phi_wk of n_wk, which includes seeds, and the topic's mass.
PAPILIO_LANEWISE double fixed_phi(std::int64_t n_wk, double beta, double mass) {
  return (static_cast<double>(n_wk) + beta) / mass;
}

// sum_k theta_k phi_k is added up in so many sums, each over every eighth topic in ascending order, so that additions
// need not wait for one another; and these by halves.
inline constexpr int probability_lanes = 8;
PAPILIO_LANEWISE double sum_of_lanes(const double (&s)[probability_lanes]) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// A step of the fixed point, before theta is normalised: share is the sum over words of counts_w phi_wk /
// probability(w).
PAPILIO_LANEWISE double folded_theta(double alpha, double theta, double share) { return alpha + theta * share; }

// folded / total, rounded as a division is, where reciprocal is 1 / total: the second quotient is a neighbour of the
// true one, of which a third is the nearest (Markstein). Numbers are between 1e-100 and 1e200.
PAPILIO_LANEWISE double normalised(double folded, double total, double reciprocal) {
  const double first = folded * reciprocal;
  const double second = __builtin_fma(__builtin_fma(-first, total, folded), reciprocal, first);
  return __builtin_fma(__builtin_fma(-second, total, folded), reciprocal, second);
}

// The posterior mean of theta from topics' counts, added up over `samples` sweeps. total: n_d + sum alpha.
PAPILIO_LANEWISE float mean_theta(std::int64_t counts, double samples, double alpha, double total) {
  return static_cast<float>((static_cast<double>(counts) / samples + alpha) / total);
}

}  // namespace papilio::lda
