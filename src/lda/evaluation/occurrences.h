#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/corpus.h"

namespace papilio::lda {

// In how many windows of a corpus the words of each topic occur, alone and in pairs.
class Occurrences {
 public:
  // `words`: topics x words_per_topic, in the corpus's numbers; -1 for a word that the corpus does not have.
  // A window is `window` consecutive tokens, or a whole document if `window` is 0.
  Occurrences(const CorpusView& corpus, std::span<const std::int32_t> words, std::size_t words_per_topic, int window,
              int threads);

  // The number of all windows. An empty document has none.
  std::int64_t windows() const { return windows_; }

  // The number of windows that contain both word i and word j of the topic.
  std::int64_t count(std::size_t topic, std::size_t i, std::size_t j) const {
    return pairs_[(topic * words_per_topic_ + (i < j ? i : j)) * words_per_topic_ + (i < j ? j : i)];
  }

 private:
  std::size_t words_per_topic_;
  std::int64_t windows_ = 0;
  std::vector<std::int64_t> pairs_;  // topics x words_per_topic x words_per_topic, only i <= j
};

}  // namespace papilio::lda
