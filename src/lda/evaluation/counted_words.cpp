#include "lda/evaluation/counted_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "papilio/error.h"

namespace papilio::lda {
namespace {

// Whether they are the numbers of columns, from 0 or 1, as readers of counts without a vocabulary give them. A single
// one is more likely a word.
bool are_columns(std::span<const std::string> vocabulary) {
  if (vocabulary.size() < 2 || (vocabulary[0] != "0" && vocabulary[0] != "1")) return false;
  const std::size_t first = vocabulary[0] == "0" ? 0 : 1;
  for (std::size_t w = 1; w < vocabulary.size(); ++w) {
    if (vocabulary[w] != std::to_string(first + w)) return false;
  }
  return true;
}

// Whether a word is a number, as all are in counts without a vocabulary.
bool is_number(const std::string& word) { return word.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

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

void CountedWords::require_words_for(const CorpusView& corpus, const WordMap& map, const char* caller) const {
  const auto words = static_cast<std::int64_t>(corpus.vocabulary.size());
  if (map.unknown_words < words || std::ranges::all_of(corpus.vocabulary, is_number) || !are_columns(vocabulary_))
    return;
  throw InvalidArgument(
      fmt::format("papilio::{}: the model has no words, only the numbers {} to {} of its columns, so it knows none of "
                  "the {} words of the documents, such as \"{}\"; expected counts with the model's columns, or a model "
                  "trained with the words of its columns (a vocabulary)",
                  caller, vocabulary_.front(), vocabulary_.back(), words, corpus.vocabulary.front()));
}

std::int64_t unknown_tokens(const WordMap& map, const CorpusView& corpus) {
  return std::count_if(corpus.words.begin(), corpus.words.end(),
                       [&](std::int32_t w) { return map.model_words[static_cast<std::size_t>(w)] < 0; });
}

}  // namespace papilio::lda
