#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "papilio/model.h"

namespace papilio::lda {

// The nonzero counts of a model, by word and by topic.
struct SparseCounts {
  explicit SparseCounts(const Model& model);

  std::size_t topics() const { return topic_begins.size() - 1; }
  std::size_t words() const { return word_begins.size() - 1; }

  // The entries of word w are [word_begins[w], word_begins[w + 1]), sorted by topic.
  std::vector<std::size_t> word_begins;   // V + 1
  std::vector<std::int32_t> word_topics;  // the topic of each entry
  std::vector<std::int32_t> word_counts;  // n_wk of each entry

  // The entries of topic k are [topic_begins[k], topic_begins[k + 1]), sorted by word.
  std::vector<std::size_t> topic_begins;  // K + 1
  std::vector<std::int32_t> topic_words;
  std::vector<std::int32_t> topic_counts;

  std::vector<std::int64_t> n_w;  // V, tokens of each word
  std::vector<std::int64_t> n_k;  // K, tokens of each topic
  std::int64_t tokens = 0;
};

}  // namespace papilio::lda
