#pragma once

#include <cstdint>

#include "warp/portability.h"

// Theta and phi as the counts give them: the formulas of every processor, which agree to the bit.

namespace papilio::lda {

// theta_dk = n_dk + alpha_k: a row need not sum to 1 to be drawn from.
PAPILIO_LANEWISE float estimated_theta(std::int32_t n_dk, double alpha) { return static_cast<float>(n_dk + alpha); }

// y_k = n_k + V beta.
PAPILIO_LANEWISE double mass_of_topic(std::int64_t n_k, double v_beta) { return static_cast<double>(n_k) + v_beta; }

// phi_wk = (n_wk + beta) / y_k.
PAPILIO_LANEWISE float estimated_phi(std::int32_t n_wk, double beta, double mass) {
  return static_cast<float>((n_wk + beta) / mass);
}

// phi_wk as drawn: a gamma draw divided by the sum of its topic's draws, or 1 / V if that sum is 0.
PAPILIO_LANEWISE float normalised_phi(float gamma, double total, double even) {
  return static_cast<float>(total > 0 ? static_cast<double>(gamma) / total : even);
}

}  // namespace papilio::lda
