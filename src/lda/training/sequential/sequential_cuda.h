#pragma once

#include <cstdint>

#include "lda/training/dense/blocks_cuda.h"
#include "lda/training/memory/document_range_cuda.h"

namespace papilio::lda {

// The sequential schedule on a CUDA device: tokens in the order of the corpus, each from the
// counts as they are, the token itself taken out. One block works, because there is nothing
// to share: a token waits for the one before it. It is slow, and exists so that a device can do all that the CPU does.
struct SequentialDraw {
  TopicDraw draw;                 // items, phi and removal are not read; n_wk follows
  BlockTables tables;             // where the method is not slots
  std::int64_t* n_k = nullptr;    // K: of all tokens; follows
  const double* alpha = nullptr;  // K, where theta = n_dk + alpha_k, which follows; null: theta was drawn
  double beta = 0;
  double prior_mass = 0;  // V beta

  // Memory to work in: K each, and topic_stride(topics) for phi.
  double* masses = nullptr;
  int* n_dk = nullptr;
  float* phi = nullptr;
};

// Draws the range's documents, theta being theirs. Ranges come one after the other.
void queue_sequential_draws(const DocumentRange& range, const SequentialDraw& draw, bool by_slots);

}  // namespace papilio::lda
