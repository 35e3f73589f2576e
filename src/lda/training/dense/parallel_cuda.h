#pragma once

#include <cstdint>

#include "lda/training/dense/shapes_cuda.h"
#include "lda/training/memory/topic_items.h"
#include "lda/training/memory/topic_stride.h"
#include "lda/training/parameters/removal_mass.h"

// Draws of topics by a CUDA device: the draws of sample_categorical from the products of
// rows of theta and phi, bit for bit.

namespace papilio::lda {

// Takes each token out of the counts that it is drawn by. A token that draws its old
// topic keeps it with the probability that this topic's weight without the token has over that
// with it; else it is drawn once more, from the row without the token.
struct TokenRemoval {
  const RemovalMass* masses = nullptr;  // K; null: nothing is taken out
  const double* alpha = nullptr;        // K, where theta = n_dk + alpha_k; null: theta was drawn
  double beta = 0;
  std::uint64_t stream = 0;  // of the random numbers of draws that are made once more
};

// Pointers are to memory of the current device.
struct TopicDraw {
  const TopicItem* items = nullptr;
  std::int64_t item_count = 0;
  const float* theta = nullptr;
  std::int64_t theta_stride = 0;  // topic_stride(topics), as is phi's
  const float* phi = nullptr;
  std::int64_t phi_stride = 0;
  const std::int32_t* words = nullptr;
  std::int32_t* z = nullptr;  // the old topics, replaced by the new ones
  std::int32_t topics = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;      // of random numbers
  std::int64_t first_token = 0;  // the number in the corpus of the token that words[0] and z[0] belong to
  std::int32_t* n_wk = nullptr;  // null: counts stay; else a token that changes its topic moves its count
  std::int64_t n_wk_stride = 0;
  TokenRemoval removal = {};
};

// Queues the draws of all items on a stream (a cudaStream_t) of the current device. All
// tokens at once, each by theta and phi as they are.
void queue_parallel_draws(const TopicDraw& draw, void* cuda_stream);

// With token removal: draws those tokens once more that queue_parallel_draws refused. Called by it.
void queue_second_draws(const TopicDraw& draw, void* cuda_stream);

// Floats per document that draws by document work in: none up to 2,048 topics, which have room in
// shared memory.
constexpr std::int64_t by_document_row(std::int32_t topics) { return topics <= 2048 ? 0 : 2 * topic_stride(topics); }

// Draws where theta is integrated out: an item is a whole document, whose tokens are drawn one
// after the other by the document's counts, which follow. Of `draw` theta and removal are not
// read; alpha has K entries; `rows` has by_document_row(topics) floats for each document of the items.
void queue_by_document_draws(const TopicDraw& draw, const double* alpha, float* rows, void* cuda_stream);

}  // namespace papilio::lda
