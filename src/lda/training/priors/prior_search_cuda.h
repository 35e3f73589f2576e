#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

// The search of optimize_priors on a CUDA device, from histograms of counts there. One thread adds up each sum in the
// CPU's order, from terms that the threads of its block have computed; so the bits are the same.

namespace papilio::lda {

// A finished CountHistogram. The number of counts above j is at [j + 1].
template <class Count>
struct FinishedHistogram {
  const Count* from = nullptr;          // [n]: how many counts are n or more
  std::int64_t terms = 0;               // terms that are not 0 have n from 1 to at most this
  const std::int64_t* large = nullptr;  // ascending
  std::int64_t large_count = 0;
};

// The histograms of all topics.
struct TopicHistograms {
  const std::uint32_t* from = nullptr;  // rows of `stride`, each as FinishedHistogram::from
  std::int64_t stride = 0;
  const std::int64_t* large = nullptr;          // of one topic after another
  const std::int64_t* large_offsets = nullptr;  // K + 1
};

// What one step of a search for alpha leaves for the next.
struct AlphaSearchState {
  double total_rise;
  int is_found;
  int has_moved;  // whether a prior has moved by more than the tolerance
};

struct AlphaSearch {
  double* alpha = nullptr;  // K; replaced
  std::int32_t topics = 0;
  TopicHistograms counts;
  FinishedHistogram<std::uint64_t> lengths;
  AlphaSearchState* state = nullptr;
  double tolerance = 0;
};

struct BetaSearch {
  double* beta = nullptr;  // replaced
  double words = 0;        // V
  FinishedHistogram<std::uint64_t> of_words, of_topics, seed_words, seed_topics;
  int most_iterations = 0;
  double tolerance = 0;
};

// Turns rows of frequencies [n], n < stride, in place into the numbers of counts that are n or more.
void queue_finished_topics(std::uint32_t* rows, std::int64_t stride, std::int32_t topics, cudaStream_t stream);

// The same for the sum of `copies` rows, written to `from`, which has `stride` entries.
void queue_finished_words(const std::uint32_t* rows, std::uint32_t copies, std::int64_t stride, std::uint64_t* from,
                          cudaStream_t stream);

void queue_alpha_search(const AlphaSearch& search, int most_iterations, cudaStream_t stream);
void queue_beta_search(const BetaSearch& search, cudaStream_t stream);

}  // namespace papilio::lda
