#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"
#include "warp/portability.h"

// A fixed phi on a CUDA device, as EM needs it: for each word, the topics that it has and their counts, in ListedPhi's
// order. All pointers are to the memory of the current device.

namespace papilio::lda {

// A row of counts is stored in blocks of `block_topics` topics. Each thread of the warp that reads a block loads the
// counts of `own_topics` topics at once: the thread's number, 32 more, and so on.
inline constexpr int own_topics = 8;
inline constexpr int block_topics = 32 * own_topics;

// The place of topic k's count in such a row.
PAPILIO_LANEWISE std::uint32_t place_in_row(std::uint32_t k) {
  return k / block_topics * block_topics + k % 32 * own_topics + k % block_topics / 32;
}

struct WordLists {
  const std::int32_t* words = nullptr;  // the word of each list
  std::int64_t count = 0;
  std::int32_t topics = 0;
  double* reciprocals = nullptr;  // K: 1 / mass_k

  // The entries of each list, and its row of counts. In a narrow list an entry is topic 2^16 + count, and a count has
  // 16 bits; in a wide one an entry is a topic, and a count has 32 bits. A list has room for all topics.
  std::uint32_t* entries = nullptr;
  std::uint32_t* sizes = nullptr;  // per list: twice the number of its entries, plus 1 if it is wide

  PAPILIO_LANEWISE std::int64_t row_at() const { return (std::int64_t{topics} + 3) / 4 * 4; }

  // The distance between two lists, in numbers. A list ends with the K counts that it is made from. The row of counts
  // takes their place block after block, and never overwrites a count that is still to be read.
  PAPILIO_LANEWISE std::int64_t stride() const {
    return row_at() + (std::int64_t{topics} + block_topics - 1) / block_topics * block_topics;
  }
  PAPILIO_LANEWISE std::uint32_t* counts() const { return entries + row_at(); }
};

// Bytes of the device's memory per word.
inline std::int64_t bytes_of_word_list(std::int32_t topics) {
  return static_cast<std::int64_t>(sizeof(std::uint32_t)) * (WordLists{.topics = topics}.stride() + 1);
}

// n_k includes seeds.
void queue_mass_reciprocals(const std::int64_t* n_k, double prior_mass, const WordLists& lists, cudaStream_t stream);

// Makes lists [first, first + count) from as many rows of all K counts (n_wk + s_wk), which are `stride` apart.
void queue_word_lists(const WordLists& lists, const std::uint32_t* counts, std::int64_t stride, std::int64_t first,
                      std::int64_t count, cudaStream_t stream);

// Makes all lists, from a table of the counts of all words.
void queue_word_lists_of_table(const WordLists& lists, const std::int32_t* counts, std::int64_t stride,
                               cudaStream_t stream);

}  // namespace papilio::lda
