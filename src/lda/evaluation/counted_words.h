#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lda/corpus/word_hash.h"
#include "papilio/corpus.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"

namespace papilio::lda {

// The words that a model has counted, by spelling. It refers to the model's vocabulary.
class CountedWords {
 public:
  // O(V K), for a model that verifies.
  explicit CountedWords(const Model& model);

  // The words of a corpus, which verifies, in the model's numbers.
  WordMap map(const CorpusView& corpus) const;

  // The same for each word of the model itself; unknown_tokens is 0. For a corpus whose vocabulary is the model's own
  // (the same memory).
  const WordMap& own() const { return own_; }
  bool are_those_of(const CorpusView& corpus) const;

 private:
  WordMap look_up(std::span<const std::string> vocabulary) const;

  std::span<const std::string> vocabulary_;
  std::unordered_map<std::string_view, std::int32_t, WordHash> numbers_;
  WordMap own_;
};

// The tokens of a corpus whose words are unknown.
std::int64_t unknown_tokens(const WordMap& map, const CorpusView& corpus);

}  // namespace papilio::lda
