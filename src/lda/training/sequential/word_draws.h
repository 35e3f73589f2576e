#pragma once

#include <cstdint>

// The interface between the sequential schedule's sparse sweep, which owns the memory, and its kernel, which is
// compiled once per instruction-set target.

namespace papilio::lda {

struct SequentialSparse;
struct NearSums;

// A topic of a document and the number of its tokens there, in numbers as narrow as the corpus allows.
template <class Number>
struct TopicCount {
  Number topic;
  Number count;
};

// Entries after the last list that may be read but are not used.
inline constexpr std::int64_t entries_read_ahead = 64;

// What the draws of a word's tokens work on.
template <class Number>
struct SequentialWord {
  const SequentialSparse* sweep;
  TopicCount<Number>* entries;  // of all lists: a head, whose count is the number of entries, and the entries
  NearSums* near;               // of sweep->tree's leaves
  double* next_q;               // K: what sweep->q would be with one more token of the word
  double* room;                 // 64 doubles, and one for each entry of the longest list
  std::int32_t* topics;         // K: room for the topics of the word that is taken up
  std::int32_t* z;              // of all tokens, in the order of the corpus
  std::int32_t* n_w;            // the word's row of n_wk
  std::int64_t tokens;          // of the corpus
};

}  // namespace papilio::lda
