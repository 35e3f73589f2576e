#pragma once

#include <cstdint>

#include "warp/portability.h"

// A document's theta under a fixed phi, where each word has a list of
// its topics: the formulas of every processor, which agree to the bit.
//
// phi_wk = (n_wk + beta) / mass_k, and most n_wk are 0. So, with weight_k = theta_k / mass_k,
//
//   sum_k theta_k phi_wk  =  beta sum_k weight_k  +  sum over the topics of w of weight_k n_wk,
//
// and the words w, with f_w = counts_w / probability(w), contribute to topic k
//
//   theta_k sum_w f_w phi_wk  =  weight_k (beta sum_w f_w  +  sum over the words that have k of f_w n_wk).
//
// A step of the fixed point gives the same theta whatever its old theta adds up to, so only the last step's is
// normalised. All numbers are positive: no sum cancels.

namespace papilio::lda {

// Weights, and words' factors, are added up in this many sums, each over every 128th number in ascending order. These
// sums are then added by halves.
inline constexpr int sum_lanes = 128;

PAPILIO_LANEWISE double sum_in_lanes(const double* x, std::int64_t count) {
  double sums[sum_lanes];
  std::int64_t used = count < sum_lanes ? count : sum_lanes;
  for (std::int64_t i = 0; i < used; ++i) sums[i] = x[i];
  for (std::int64_t first = sum_lanes; first < count; first += sum_lanes) {
    const std::int64_t here = count - first < sum_lanes ? count - first : sum_lanes;
    for (std::int64_t i = 0; i < here; ++i) sums[i] += x[first + i];
  }
  for (std::int64_t half = sum_lanes / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i + half < used; ++i) sums[i] += sums[i + half];
    used = used < half ? used : half;
  }
  return used == 0 ? 0 : sums[0];
}

// Topics are divided into this many ranges, in order; a list goes through one range after the other.
inline constexpr int topic_ranges = 16;

// The number of topics of a range; a multiple of 32.
PAPILIO_LANEWISE std::int32_t topics_per_range(std::int32_t topics) {
  return ((topics + topic_ranges - 1) / topic_ranges + 31) / 32 * 32;
}

// The order of a list: range after range. In a range come the first listed topics of all residues modulo 16, by
// residue; then the second, and so on. So neighbours in a list are in different banks of shared memory.
//
// weight_k n_wk is added up over the list in this many sums, each over every 16th entry; these are added by halves.
inline constexpr int list_lanes = 16;

// A topic's weight, from theta or a multiple of it. reciprocal: 1 / mass_k.
PAPILIO_LANEWISE double weight_of_topic(double theta, double reciprocal) { return theta * reciprocal; }

// A step of the fixed point. share: the sum over the words that have
// the topic, in ascending order, of f_w n_wk. of_beta: beta sum_w f_w.
PAPILIO_LANEWISE double folded_theta(double alpha, double weight, double share, double of_beta) {
  return alpha + weight * (share + of_beta);
}

}  // namespace papilio::lda
