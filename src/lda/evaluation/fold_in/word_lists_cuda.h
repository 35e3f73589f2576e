#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"
#include "warp/portability.h"

// A fixed phi on a CUDA device as EM needs it: for each word, the topics that it has and how often, in ListedPhi's
// order. All pointers are to the memory of the current device.

namespace papilio::lda {

struct WordLists {
  const std::int32_t* words = nullptr;  // of each list
  std::int64_t count = 0;
  std::int32_t topics = 0;
  double* reciprocals = nullptr;  // K: 1 / mass_k

  // A narrow entry is one number, topic 2^16 + count; a wide one is two. A list has room for all topics.
  std::uint32_t* entries = nullptr;
  // topic_ranges + 1 for each list: where ranges begin, and where the last ends. The first, which is 0 always, is
  // instead whether entries are wide.
  std::uint32_t* begins = nullptr;

  // Numbers from one list to the next, and in each the place of K counts, at its end: while they are read range after
  // range, the list that is made of them overtakes none that are still to be read.
  PAPILIO_LANEWISE std::int64_t stride() const { return 2 * std::int64_t{topics} + topics_per_range(topics); }
  PAPILIO_LANEWISE std::uint32_t* counts() const { return entries + topics + topics_per_range(topics); }
};

// Of the device's memory.
inline std::int64_t bytes_of_word_list(std::int32_t topics) {
  return static_cast<std::int64_t>(sizeof(std::uint32_t)) * (WordLists{.topics = topics}.stride() + topic_ranges + 1);
}

// n_k includes seeds.
void queue_mass_reciprocals(const std::int64_t* n_k, double prior_mass, const WordLists& lists, cudaStream_t stream);

// Lists `first` to `first + count` of as many rows of counts (n_wk + s_wk), one every `stride`: all K of them.
void queue_word_lists(const WordLists& lists, const std::uint32_t* counts, std::int64_t stride, std::int64_t first,
                      std::int64_t count, cudaStream_t stream);

// All lists, from a table of the counts of all words.
void queue_word_lists_of_table(const WordLists& lists, const std::int32_t* counts, std::int64_t stride,
                               cudaStream_t stream);

}  // namespace papilio::lda
