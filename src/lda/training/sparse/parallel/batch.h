#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/entries.h"
#include "lda/training/sparse/parallel/topic_masses.h"
#include "lda/training/sparse/statistics.h"
#include "warp/portability.h"

// The border between the sparse sweep, which owns memory, and its kernel, which is compiled once per instruction-set
// target. No library type crosses it. docs/lda/sparse.md has the formulas.

namespace papilio::lda::sparse {

// The most tokens of a pair, which are a word's tokens in one document.
inline constexpr int most_tokens = 16;

// The most tokens that are drawn together in lanes, all of one word: whole pairs; one by one, most_tokens.
inline constexpr int tokens_per_batch = 64;

// How far ahead memory is prefetched, in tokens or pairs, at most: arrays of them are longer by this.
inline constexpr int look_ahead = 2 * tokens_per_batch;

// A token: its topic, as it is drawn, and where the topic that it had when the sweep began is in the document's list.
template <class Entry>
struct Spot {
  typename Entry::Number topic;
  typename Entry::Number place;
};

// What a token takes away from its topic's weight: zeros where it does not leave the counts.
struct OwnTopic {
  double alpha;
  double of_word;  // word_without_token
  double inverse;  // TopicMass::without_token
  double others;   // weight that the word's part and the prior's keep: all but what the topic has there
};
struct OwnPlace {
  std::uint64_t taken;   // from the word's part
  std::uint64_t before;  // running sum of the word's part up to the topic
};

// The tokens, in the order of words, and the documents.
template <class Entry>
struct Tokens {
  const std::uint32_t* numbers;      // N: word after word, ascending in each
  const std::int64_t* word_offsets;  // V + 1, into numbers
  const std::uint32_t* documents;    // of the pairs, in the same order
  const std::uint8_t* sizes;         // and their tokens, at most most_tokens
  const Entry* entries;              // of all lists
  const ListPlace* lists;            // D
  Spot<Entry>* spots;                // N, in the order of words
};

// Kernels may read phi of this many topics, more than there are.
inline constexpr int padded_phi = 128;

// Memory for one thread. Between two calls `phi` is that of a word without tokens, and counts and `present` are 0.
struct Scratch {
  std::uint32_t* counts;      // K
  std::uint32_t* odd_counts;  // K, those of every other token
  float* phi;                 // K, and zeros up to padded_phi
  OwnTopic* own;              // K
  OwnPlace* own_place;        // K
  std::uint64_t* present;     // K bits
  std::uint32_t* topics;      // K
  std::uint64_t* sums;        // K
  float* running;             // running_floats, aligned to 64 bytes
  std::int64_t running_floats;
};

// In lanes, the sums of two lists are side by side in a block: a row of zeros, and a row of running sums for each depth
// of the longer one.
inline constexpr std::uint32_t row_of_two = 2 * lanes;
PAPILIO_LANEWISE constexpr std::uint32_t depth_of(std::uint32_t entries) { return (entries + lanes - 1) / lanes; }
PAPILIO_LANEWISE constexpr std::uint32_t block_size(std::uint32_t depth) { return row_of_two * (1 + depth); }

// Running sums are of as many lists as there is room for, and of the longest at least: its block, which is larger than
// its sums one by one, a row of zeros and whole depths.
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
  std::int64_t first_word;  // that of the first token
  std::int64_t first_pair;
  std::int64_t begin;
  std::int64_t end;
  const std::uint32_t* shared_counts;  // n_wk of the words from the first on, where others draw tokens of them as well
                                       // (threads, which have one word then, or ranks); else null
  std::uint64_t seed;
  std::uint32_t sweep;
  bool removes;                   // the token itself from the counts
  std::uint64_t first_token = 0;  // its number in the whole corpus
};

}  // namespace papilio::lda::sparse
