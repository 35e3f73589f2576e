#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/entries.h"
#include "lda/training/sparse/parallel/topic_masses.h"
#include "lda/training/sparse/statistics.h"
#include "warp/portability.h"

// The interface between the sparse sweep, which owns memory, and its kernel, which is compiled once per instruction-set
// target. No library type crosses it. docs/lda/sparse.md has the formulas.

namespace papilio::lda::sparse {

// The most tokens of a pair, that is, of a word in one document.
inline constexpr int most_tokens = 16;

// The most tokens that are drawn together in lanes: whole pairs of one word. Without lanes it is most_tokens.
inline constexpr int tokens_per_batch = 64;

// The largest distance, in tokens or pairs, at which memory is prefetched: their arrays are longer by this.
inline constexpr int look_ahead = 2 * tokens_per_batch;

// A token: its topic, updated when drawn, and the place in the document's list of its topic at the start of the sweep.
template <class Entry>
struct Spot {
  typename Entry::Number topic;
  typename Entry::Number place;
};

// What a token takes away from its topic's weight; zeros if tokens are not taken out of the counts.
struct OwnTopic {
  double alpha;
  double of_word;  // word_without_token
  double inverse;  // TopicMass::without_token
  double others;   // weight that remains in the word part and the prior part: all but that of the topic
};
struct OwnPlace {
  std::uint64_t taken;   // from the word part
  std::uint64_t before;  // running sum of the word part before the topic
};

// The tokens, in the order of words, and the documents.
template <class Entry>
struct Tokens {
  const std::uint32_t* numbers;      // N: word after word, ascending within each
  const std::int64_t* word_offsets;  // V + 1, into numbers
  const std::uint32_t* documents;    // of the pairs, in the same order
  const std::uint8_t* sizes;         // of the pairs: their tokens, at most most_tokens
  const Entry* entries;              // of all lists
  const ListPlace* lists;            // D
  Spot<Entry>* spots;                // N, in the order of words
};

// Kernels may read phi for this many topics, even if there are fewer.
inline constexpr int padded_phi = 128;

// Memory for one thread. Between calls, `phi` is that of a word without tokens, and counts and `present` are 0.
struct Scratch {
  std::uint32_t* counts;      // K
  std::uint32_t* odd_counts;  // K, counts of every other token
  float* phi;                 // K, and zeros up to padded_phi
  OwnTopic* own;              // K
  OwnPlace* own_place;        // K
  std::uint64_t* present;     // K bits
  std::uint32_t* topics;      // K
  std::uint64_t* sums;        // K
  float* running;             // running_floats, aligned to 64 bytes
  std::int64_t running_floats;
};

// In lanes, the sums of two lists are side by side in a block: a row of zeros, then a row of running sums
// for each depth of the longer list.
inline constexpr std::uint32_t row_of_two = 2 * lanes;
PAPILIO_LANEWISE constexpr std::uint32_t depth_of(std::uint32_t entries) { return (entries + lanes - 1) / lanes; }
PAPILIO_LANEWISE constexpr std::uint32_t block_size(std::uint32_t depth) { return row_of_two * (1 + depth); }

// There is room for the running sums of as many lists as fit, and at least of the longest: for its block, which is
// larger than its sums alone, a row of zeros and whole depths.
inline constexpr std::int64_t least_running_floats = 4096;
constexpr std::int64_t running_floats_for(std::int32_t topics) {
  const std::int64_t longest = block_size(depth_of(static_cast<std::uint32_t>(topics)));
  return longest < least_running_floats ? least_running_floats : longest;
}

// Tokens [begin, end) in the order of words: whole pairs.
template <class Entry>
struct Range {
  const TopicMasses* masses;
  const Tokens<Entry>* tokens;
  std::int64_t first_word;  // the word of the first token
  std::int64_t first_pair;
  std::int64_t begin;
  std::int64_t end;
  const std::uint32_t* shared_counts;  // n_wk of the words from the first on, if others draw tokens of them as well
                                       // (threads, which then have one word, or ranks); else null
  std::uint64_t seed;
  std::uint32_t sweep;
  bool removes;                   // the token itself is taken out of the counts
  std::uint64_t first_token = 0;  // number of the first token in the whole corpus
};

}  // namespace papilio::lda::sparse
