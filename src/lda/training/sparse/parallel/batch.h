#pragma once

#include <cstdint>

#include "warp/portability.h"

// The border between the sparse sweep, which owns memory, and its kernel, which is compiled once
// an instruction-set target. No library type crosses it. docs/lda/sparse.md has the formulas.

namespace papilio::lda::sparse {

// An entry of a document's list: a topic and its tokens there. Narrow entries serve up to 2^16
// topics and documents of fewer than 2^16 tokens.
struct NarrowEntry {
  using Number = std::uint16_t;  // a topic, or a place in a list
  std::uint32_t bits;
  PAPILIO_LANEWISE std::uint32_t topic() const { return bits >> 16; }
  PAPILIO_LANEWISE std::uint32_t count() const { return bits & 0xffff; }
  PAPILIO_LANEWISE static NarrowEntry of(std::uint32_t topic, std::uint32_t count) { return {topic << 16 | count}; }
};
struct WideEntry {
  using Number = std::uint32_t;
  std::uint32_t topic_;
  std::uint32_t count_;
  PAPILIO_LANEWISE std::uint32_t topic() const { return topic_; }
  PAPILIO_LANEWISE std::uint32_t count() const { return count_; }
  PAPILIO_LANEWISE static WideEntry of(std::uint32_t topic, std::uint32_t count) { return {topic, count}; }
};

// Sums are added up in so many lanes, entry i of a list in lane i mod 8.
inline constexpr std::uint32_t lanes = 8;

// A document's list: its topics in ascending order, from entry `lanes * group` on. Empty entries follow up to a
// multiple of `lanes`.
struct ListPlace {
  std::uint32_t group;
  std::uint32_t size;
};
template <class Entry>
struct List {
  const Entry* entries;
  std::uint32_t size;
};

// Tokens are drawn so many at a time, all of one word: whole pairs, a pair being the word's tokens in one document.
inline constexpr int most_tokens = 16;

// Memory is asked for at most so many tokens or pairs ahead, so arrays of them are longer by this.
inline constexpr int look_ahead = 4 * most_tokens;

// A token: its topic, as it is drawn, and where the topic that it had when the sweep began is in the document's list.
template <class Entry>
struct Spot {
  typename Entry::Number topic;
  typename Entry::Number place;
};

// What depends on the topic alone, of the sweep's start.
struct TopicMass {
  double alpha;
  double without_token;      // 1 / (n_k - 1 + V beta); 0 for a topic without tokens
  std::uint64_t word_mass;   // alpha_k / (n_k + V beta), fixed point; 0 for a topic without tokens
  std::uint64_t prior_mass;  // beta times that, likewise, but of all topics
};
struct TopicMasses {
  std::int32_t topics;
  double beta;
  const TopicMass* of;              // K
  const float* inverse;             // 1 / (n_k + V beta); 0 for a topic without tokens
  const std::uint64_t* prior_sums;  // of prior_mass over topics 0 ... k
  std::uint64_t prior_total;
  double unit;    // of the fixed point, a power of two
  double places;  // 1 / unit
};

// What a token takes away from its topic's weight. Zeros where it does not leave the counts.
struct OwnTopic {
  double alpha;
  double of_word;       // n_wk - 1 + beta
  double inverse;       // TopicMass::without_token
  std::uint64_t taken;  // from the word's part and the prior's: all that the topic has there
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

// Tokens by where their topics came from.
struct Statistics {
  std::int64_t from_own = 0;
  std::int64_t from_document = 0;
  std::int64_t from_word = 0;
  std::int64_t from_prior = 0;
};

// Memory for one thread. Between two calls `phi` is that of a word without tokens, and `counts` and `present` are 0.
struct Scratch {
  std::uint32_t* counts;   // K
  float* phi;              // K
  OwnTopic* own;           // K
  OwnPlace* own_place;     // K
  std::uint64_t* present;  // K bits
  std::uint32_t* topics;   // K
  std::uint64_t* sums;     // K
  float* running;          // running_floats, aligned to 32 bytes
  std::int64_t running_floats;
};

// Running sums are of as many lists as there is room for, and of the longest at least.
inline constexpr std::int64_t least_running_floats = 2048;

// Tokens [begin, end) in the order of words: whole pairs.
template <class Entry>
struct Range {
  const TopicMasses* masses;
  const Tokens<Entry>* tokens;
  std::int64_t first_word;  // that of the first token
  std::int64_t first_pair;
  std::int64_t begin;
  std::int64_t end;
  const std::uint32_t* shared_counts;  // n_wk of the word, where other threads draw tokens of it as well; else null
  std::uint64_t seed;
  std::uint32_t sweep;
  bool removes;  // the token itself from the counts
};

}  // namespace papilio::lda::sparse
