#pragma once

#include <cstdint>

#include "lda/training/dense/shapes_cuda.h"
#include "lda/training/memory/topic_items.h"
#include "lda/training/memory/topic_stride.h"
#include "lda/training/parameters/removal_mass.h"

// Draws of topics on a CUDA device, bit for bit those of sample_categorical from the
// products of rows of theta and phi.

namespace papilio::lda {

// Takes each token out of the counts by which it is drawn. A token that draws its old topic keeps it with the
// probability w' / w, where w' is this topic's weight without the token and w that with it; otherwise it is drawn once
// more, from the row without the token.
struct TokenRemoval {
  const RemovalMass* masses = nullptr;  // K; null: tokens are not taken out
  const double* alpha = nullptr;        // K, if theta = n_dk + alpha_k; null: theta was drawn
  double beta = 0;
  std::uint64_t stream = 0;  // of the random numbers for second draws
};

// Pointers are to memory of the current device.
struct TopicDraw {
  const TopicItem* items = nullptr;
  std::int64_t item_count = 0;
  const float* theta = nullptr;
  std::int64_t theta_stride = 0;  // topic_stride(topics), like that of phi
  const float* phi = nullptr;
  std::int64_t phi_stride = 0;
  const std::int32_t* words = nullptr;
  std::int32_t* z = nullptr;  // the old topics; replaced by the new ones
  std::int32_t topics = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;      // of random numbers
  std::int64_t first_token = 0;  // number in the corpus of the token that words[0] and z[0] belong to
  std::int32_t* n_wk = nullptr;  // null: counts do not change; else a token that changes its topic moves its count
  std::int64_t n_wk_stride = 0;
  TokenRemoval removal = {};
};

// Queues the draws of all items on a stream (a cudaStream_t) of the current device. All tokens are drawn at
// once, each by theta and phi as they are.
void queue_parallel_draws(const TopicDraw& draw, void* cuda_stream);

// With token removal: draws once more the tokens that queue_parallel_draws refused, which calls this.
void queue_second_draws(const TopicDraw& draw, void* cuda_stream);

// Floats of working memory per document for draws by document: none up to 2,048 topics,
// which fit in shared memory.
constexpr std::int64_t by_document_row(std::int32_t topics) { return topics <= 2048 ? 0 : 2 * topic_stride(topics); }

// Draws with theta integrated out: an item is a whole document, whose tokens are drawn one after another by the
// document's counts, which are updated. Theta and removal of `draw` are not used. alpha has K entries; `rows` has
// by_document_row(topics) floats for each document of the items.
void queue_by_document_draws(const TopicDraw& draw, const double* alpha, float* rows, void* cuda_stream);

}  // namespace papilio::lda
