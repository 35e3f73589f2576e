#pragma once

#include <cstdint>

#include "lda/training/memory/aligned_table.h"
#include "sampling/gamma/gamma_rows.h"

// Theta and phi drawn from their Dirichlet posteriors given the counts, by way of
// gamma draws (sampling/gamma/gamma_rows.h). Bit for bit the same for any number of
// threads, on every instruction set and device.

namespace papilio::lda {

// Draws theta[k], k < K, the weights of a document's topics: gamma draws of shapes n_dk + alpha_k, not
// normalised. n_dk: K counts; prior: sampling::GammaPrior(alpha).
inline void draw_theta(std::int64_t document, const std::int32_t* n_dk, const sampling::GammaPrior& prior,
                       std::uint64_t seed, std::uint64_t stream, float* theta) {
  sampling::draw_gamma_row(
      {.counts = n_dk, .seed = seed, .stream = stream, .row = static_cast<std::uint64_t>(document), .drawn = theta},
      prior);
}

struct PhiDraw {
  const std::int32_t* n_wk = nullptr;  // words x topics, without gaps
  std::int64_t words = 0;
  std::int32_t topics = 0;
  std::int64_t tokens = 0;  // the sum of n_wk: the corpus's tokens plus the seeds' weights
  double beta = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  int threads = 0;  // 0: all; never changes a result
};

// Draws phi, words x topics: phi_wk = float(double(g_wk) / G_k), g_wk a gamma draw of shape n_wk + beta,
// G_k their sum over words, taken in fixed point (lda/training/parameters/fixed_point_sums.h). Should all draws of a
// topic be 0, which needs a V beta near 0 and a topic without tokens, phi_wk = 1 / V for all its words.
void draw_phi(const PhiDraw& draw, AlignedTable& phi);

}  // namespace papilio::lda
