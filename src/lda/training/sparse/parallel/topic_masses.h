#pragma once

#include <cstdint>

#include "lda/training/parameters/estimates.h"
#include "lda/training/sparse/fixed_point.h"

// What the weights of a token's topics take from the topics alone, with the same bits on every processor.
// docs/lda/sparse.md has the formulas.

namespace papilio::lda::sparse {

// For one topic, from the counts at the start of the sweep.
struct alignas(16) TopicMass {
  double alpha;
  double without_token;      // 1 / (n_k - 1 + V beta); 0 for a topic without tokens
  std::uint64_t word_mass;   // alpha_k / (n_k + V beta), fixed point; 0 for a topic without tokens
  std::uint64_t prior_mass;  // the same times beta, but also for topics without tokens
};

// v_beta: V beta.
PAPILIO_LANEWISE TopicMass topic_mass(std::int64_t n_k, double alpha, double beta, double v_beta, double places) {
  const bool used = n_k > 0;
  const double mass = mass_of_topic(n_k, v_beta);
  return {.alpha = alpha,
          .without_token = used ? 1.0 / mass_of_topic(n_k - 1, v_beta) : 0.0,
          .word_mass = used ? in_units(alpha / mass, places) : 0,
          .prior_mass = in_units((alpha * beta) / mass, places)};
}

// 1 / (n_k + V beta); 0 for a topic without tokens.
PAPILIO_LANEWISE float inverse_mass(std::int64_t n_k, double v_beta) {
  return n_k > 0 ? static_cast<float>(1.0 / mass_of_topic(n_k, v_beta)) : 0.0f;
}

struct TopicMasses {
  std::int32_t topics = 0;
  double beta = 0;
  const TopicMass* of = nullptr;              // K
  const float* inverse = nullptr;             // K: inverse_mass
  const std::uint64_t* prior_sums = nullptr;  // running sums of prior_mass over topics 0 ... k
  double unit = 0;                            // of the fixed-point numbers, a power of two
  double places = 0;                          // 1 / unit

  PAPILIO_LANEWISE std::uint64_t prior_total() const { return prior_sums[topics - 1]; }
};

// phi of a topic, for a word of which n_wk tokens have it.
PAPILIO_LANEWISE float phi_of_count(std::int32_t n_wk, float beta, float inverse) {
  return (static_cast<float>(n_wk) + beta) * inverse;
}

}  // namespace papilio::lda::sparse
