#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

// theta of documents from samples of their tokens' topics (docs/lda/evaluation.md, gibbs), on a CUDA device, one warp
// per document. All pointers are to the memory of the current device.

namespace papilio::lda {

struct TopicSampling {
  const double* phi = nullptr;         // rows of K
  const double* prior_sums = nullptr;  // rows of K: running sums of alpha_k phi
  std::int32_t topics = 0;
  const double* alpha = nullptr;  // K
  double alpha_sum = 0;
  int sweeps = 0;
  int burn_in = 0;
  std::uint64_t seed = 0;

  const std::int32_t* order = nullptr;    // the documents, by descending number of tokens
  const std::int64_t* offsets = nullptr;  // documents + 1, into tokens
  const std::int32_t* tokens = nullptr;   // each token's row of phi
  const std::uint64_t* keys = nullptr;    // the key of each document
  std::int32_t* z = nullptr;              // one entry for each token
  float* theta = nullptr;                 // documents x K

  // Working memory of each of `warps` warps.
  std::int64_t warps = 0;
  std::int64_t* sums = nullptr;     // K: sums of the topics' counts
  std::int32_t* present = nullptr;  // 2 x most_present: topics that have tokens, and their counts
  std::int64_t most_present = 0;    // min(K, tokens of the longest document); up to 32, `present` is not needed
};

// The number of warps that keep the device busy.
std::int64_t warps_for_topic_sampling();

// lengths[i], in the host's memory: the number of tokens of document order[i]; descending.
void queue_topic_sampling(const TopicSampling& sampling, const std::int32_t* lengths, std::int64_t documents,
                          cudaStream_t stream);

}  // namespace papilio::lda
