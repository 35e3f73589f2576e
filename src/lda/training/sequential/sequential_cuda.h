#pragma once

#include <cstdint>

#include "lda/training/dense/blocks_cuda.h"
#include "lda/training/memory/document_range_cuda.h"

namespace papilio::lda {

// The sequential schedule on a CUDA device: tokens are drawn in the order of the corpus, each from the current counts
// without the token itself. Only one block works, because each token waits for the one before it. This is slow; it
// exists so that a device can do everything that the CPU does.
struct SequentialDraw {
  TopicDraw draw;                 // items, phi and removal are not used; n_wk is updated
  BlockTables tables;             // if the method is not slots
  std::int64_t* n_k = nullptr;    // K: counts of all tokens; updated
  const double* alpha = nullptr;  // K, if theta = n_dk + alpha_k, which is updated; null: theta was drawn
  double beta = 0;
  double prior_mass = 0;  // V beta

  // Working memory: K entries each, and topic_stride(topics) for phi.
  double* masses = nullptr;
  int* n_dk = nullptr;
  float* phi = nullptr;
};

// Draws the range's documents, whose theta is given. Ranges come one after another.
void queue_sequential_draws(const DocumentRange& range, const SequentialDraw& draw, bool by_slots);

}  // namespace papilio::lda
