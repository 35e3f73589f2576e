#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "papilio/model.h"

// The words of a corpus, and how often each occurs.
struct CountedWords {
  std::span<const std::string> vocabulary;
  std::span<const std::int64_t> counts;
};

// Whether the model can have been made from the corpus, by how often each word occurs: a model holds that of its own
// corpus. Options that leave words out take all of a word or nothing, so words that both have must be equally frequent.
// A word of the model that the corpus lacks speaks against it, unless `words_left_out` says that options may have taken
// it; and more than half of the tokens of the smaller one must be of words that both have.
bool is_made_from(const papilio::Model& model, const CountedWords& corpus, bool words_left_out);

// "1,204 words, 56,001 tokens; most often: cat, dog, bird", of a model's corpus and of a corpus.
std::string corpus_description(const papilio::Model& model);
std::string corpus_description(const CountedWords& corpus);
