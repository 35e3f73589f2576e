#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lda/corpus/word_hash.h"
#include "papilio/corpus.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"

namespace papilio::lda {

// The words that a model has counted, by spelling. Refers to the model's vocabulary.
class CountedWords {
 public:
  // O(V K). The model must be valid.
  explicit CountedWords(const Model& model);

  // Maps the words of a valid corpus to the model's numbers.
  WordMap map(const CorpusView& corpus) const;

  // The same for the model's own words; unknown_tokens is 0. For a
  // corpus whose vocabulary is the model's own, in the same memory.
  const WordMap& own() const { return own_; }
  bool are_those_of(const CorpusView& corpus) const;

  // Throws InvalidArgument where the model's words are the numbers of its columns, and the corpus has words, none of
  // them known: then it is a text, of which such a model can tell nothing.
  void require_words_for(const CorpusView& corpus, const WordMap& map, const char* caller) const;

 private:
  WordMap look_up(std::span<const std::string> vocabulary) const;

  std::span<const std::string> vocabulary_;
  std::unordered_map<std::string_view, std::int32_t, WordHash> numbers_;
  WordMap own_;
};

// The number of tokens of a corpus whose words are unknown.
std::int64_t unknown_tokens(const WordMap& map, const CorpusView& corpus);

// Maps the words of a corpus to a model's numbers; looks them up unless they are the model's own.
struct MappedWords {
  MappedWords(const CountedWords& words, const CorpusView& corpus)
      : looked_up(words.are_those_of(corpus) ? WordMap() : words.map(corpus)),
        map(words.are_those_of(corpus) ? words.own() : looked_up),
        unknown_tokens(&map == &looked_up ? map.unknown_tokens : lda::unknown_tokens(map, corpus)) {}
  MappedWords(const MappedWords&) = delete;
  MappedWords& operator=(const MappedWords&) = delete;

  const WordMap looked_up;
  const WordMap& map;
  const std::int64_t unknown_tokens;
};

}  // namespace papilio::lda

namespace papilio {

// What an Inference keeps of its model.
struct Inference::Prepared {
  // The model must be valid.
  explicit Prepared(const Model& of) : model(of), words(of) {}

  // model_hash(model), computed once.
  const std::string& hash() const {
    std::call_once(is_hashed_, [this] { hash_ = model_hash(model); });
    return hash_;
  }

  const Model& model;
  const lda::CountedWords words;

 private:
  mutable std::once_flag is_hashed_;
  mutable std::string hash_;
};

}  // namespace papilio
