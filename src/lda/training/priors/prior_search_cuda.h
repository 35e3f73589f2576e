#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

// The search of optimize_priors on a CUDA device, from histograms of counts that are there. Each sum is added up in the
// CPU's order by one thread, from terms that the threads of its block have computed: the same bits.

namespace papilio::lda {

// CountHistogram, once finished. Counts above j are at [j + 1].
template <class Count>
struct FinishedHistogram {
  const Count* from = nullptr;          // [n]: how many counts are n or more
  std::int64_t terms = 0;               // those that are not 0 have n from 1 up to here, at most
  const std::int64_t* large = nullptr;  // ascending
  std::int64_t large_count = 0;
};

// Topics by topic.
struct TopicHistograms {
  const std::uint32_t* from = nullptr;  // rows of `stride`, each as FinishedHistogram::from
  std::int64_t stride = 0;
  const std::int64_t* large = nullptr;          // of one topic after the other
  const std::int64_t* large_offsets = nullptr;  // K + 1
};

// What the steps of a search for alpha leave for one another.
struct AlphaSearchState {
  double total_rise;
  int is_found;
  int has_moved;  // a prior, by more than the tolerance
};

struct AlphaSearch {
  double* alpha = nullptr;  // K, replaced
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

// Turns rows of frequencies [n], n < stride, into how many counts are n or more, in place.
void queue_finished_topics(std::uint32_t* rows, std::int64_t stride, std::int32_t topics, cudaStream_t stream);

// The same for the sum of `copies` rows, into `from`, of `stride` entries.
void queue_finished_words(const std::uint32_t* rows, std::uint32_t copies, std::int64_t stride, std::uint64_t* from,
                          cudaStream_t stream);

void queue_alpha_search(const AlphaSearch& search, int most_iterations, cudaStream_t stream);
void queue_beta_search(const BetaSearch& search, cudaStream_t stream);

}  // namespace papilio::lda
