#pragma once

#include <cstdint>

#include "warp/portability.h"

// A fixed phi and what is inferred from it: the formulas of every processor, which agree to the bit.

namespace papilio::lda {

// n_k + V beta, where n_k includes seeds.
PAPILIO_LANEWISE double fixed_topic_mass(std::int64_t n_k, double prior_mass) {
  return static_cast<double>(n_k) + prior_mass;
}

// phi_wk from n_wk, which includes seeds, and the topic's mass.
PAPILIO_LANEWISE double fixed_phi(std::int64_t n_wk, double beta, double mass) {
  return (static_cast<double>(n_wk) + beta) / mass;
}

// The posterior mean of theta, from a topic's counts added up over `samples` sweeps. total: n_d + sum alpha.
PAPILIO_LANEWISE float mean_theta(std::int64_t counts, double samples, double alpha, double total) {
  return static_cast<float>((static_cast<double>(counts) / samples + alpha) / total);
}

}  // namespace papilio::lda
