#include "lda/evaluation/counted_words.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace papilio::lda {

CountedWords::CountedWords(const Model& model) : vocabulary_(model.vocabulary) {
  numbers_.reserve(vocabulary_.size());
  for (std::size_t w = 0; w < vocabulary_.size(); ++w) {
    const auto row = model.n_wk.begin() + static_cast<std::ptrdiff_t>(w) * model.topics;
    if (std::any_of(row, row + model.topics, [](std::int32_t n) { return n > 0; })) {
      numbers_.emplace(vocabulary_[w], static_cast<std::int32_t>(w));
    }
  }
  own_ = look_up(vocabulary_);
}

WordMap CountedWords::look_up(std::span<const std::string> vocabulary) const {
  WordMap map;
  map.model_words.reserve(vocabulary.size());
  for (const std::string& word : vocabulary) {
    const auto found = numbers_.find(word);
    map.model_words.push_back(found == numbers_.end() ? -1 : found->second);
  }
  map.unknown_words = std::count(map.model_words.begin(), map.model_words.end(), -1);
  return map;
}

WordMap CountedWords::map(const CorpusView& corpus) const {
  WordMap map = look_up(corpus.vocabulary);
  map.unknown_tokens = unknown_tokens(map, corpus);
  return map;
}

bool CountedWords::are_those_of(const CorpusView& corpus) const {
  return corpus.vocabulary.data() == vocabulary_.data() && corpus.vocabulary.size() == vocabulary_.size();
}

std::int64_t unknown_tokens(const WordMap& map, const CorpusView& corpus) {
  return std::count_if(corpus.words.begin(), corpus.words.end(),
                       [&](std::int32_t w) { return map.model_words[static_cast<std::size_t>(w)] < 0; });
}

}  // namespace papilio::lda
