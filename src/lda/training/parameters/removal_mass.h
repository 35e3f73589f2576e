#pragma once

#include <cmath>
#include <cstdint>

#include "warp/portability.h"

// The weight of a token's old topic without the token, divided by the weight with it. Every processor uses these
// formulas; they agree to the bit. Counts are recovered from theta and phi, because n_wk changes while a sweep runs.

namespace papilio::lda {

// For a topic k at the beginning of a sweep: y_k = n_k + V beta, and y_k / (y_k - 1).
struct RemovalMass {
  double with_token;
  double ratio;
};
PAPILIO_LANEWISE RemovalMass removal_mass(double mass) { return {mass, mass / (mass - 1)}; }

// (n - 1 + prior) / (n + prior).
PAPILIO_LANEWISE double count_ratio(double n, double prior) { return (n - 1 + prior) / (n + prior); }

// The fraction of phi_wk that is left.
PAPILIO_LANEWISE double phi_ratio(float phi, const RemovalMass& mass, double beta) {
  const auto n_wk = static_cast<double>(std::llround(static_cast<double>(phi) * mass.with_token - beta));
  return count_ratio(n_wk, beta) * mass.ratio;
}

// The fraction of theta_dk = n_dk + alpha_k that is left.
PAPILIO_LANEWISE double theta_ratio(float theta, double alpha) {
  const auto n_dk = static_cast<double>(std::llround(static_cast<double>(theta) - alpha));
  return count_ratio(n_dk, alpha);
}

// theta_dk without the token, given the ratio of the weights.
PAPILIO_LANEWISE float theta_without_token(float theta, double ratio) {
  return static_cast<float>(static_cast<double>(theta) * ratio);
}

}  // namespace papilio::lda
