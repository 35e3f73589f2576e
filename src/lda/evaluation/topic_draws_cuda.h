#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

// theta of documents from samples of their tokens' topics (docs/lda/evaluation.md, gibbs), on a CUDA device: a warp has
// a document. All pointers are to the memory of the current device.

namespace papilio::lda {

struct TopicSampling {
  const double* phi = nullptr;         // rows of K
  const double* prior_sums = nullptr;  // likewise: running sums of alpha_k phi
  std::int32_t topics = 0;
  const double* alpha = nullptr;  // K
  double alpha_sum = 0;
  int sweeps = 0;
  int burn_in = 0;
  std::uint64_t seed = 0;

  const std::int32_t* order = nullptr;    // of the documents, those with more tokens first
  const std::int64_t* offsets = nullptr;  // documents + 1, of tokens
  const std::int32_t* tokens = nullptr;   // rows of phi
  const std::uint64_t* keys = nullptr;    // of documents
  std::int32_t* z = nullptr;              // a place for each token
  float* theta = nullptr;                 // documents x K

  // What a warp keeps, of each of `warps`.
  std::int64_t warps = 0;
  std::int64_t* sums = nullptr;     // K, of the topics' counts
  std::int32_t* present = nullptr;  // 2 x most_present: topics that have tokens, and their counts
  std::int64_t most_present = 0;    // the least of K and the longest document's tokens; none is needed up to 32
};

// Warps that keep the device busy.
std::int64_t warps_for_topic_sampling();

// lengths[i]: how many tokens document order[i] has, in the host's memory; descending.
void queue_topic_sampling(const TopicSampling& sampling, const std::int32_t* lengths, std::int64_t documents,
                          cudaStream_t stream);

}  // namespace papilio::lda
