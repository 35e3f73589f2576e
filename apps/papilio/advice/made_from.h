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

// Whether the model can have been made from the corpus, judged by how often each word occurs: a model has these counts
// of its own corpus. Options leave out all of a word or nothing, so words in both must be equally frequent. A word of
// the model that the corpus lacks speaks against it, unless `words_left_out` says that options may have removed it.
// More than half of the tokens of the smaller of the two must be of words in both.
bool is_made_from(const papilio::Model& model, const CountedWords& corpus, bool words_left_out);

// "1,204 words, 56,001 tokens; most often: cat, dog, bird", for a model's corpus and for a corpus.
std::string corpus_description(const papilio::Model& model);
std::string corpus_description(const CountedWords& corpus);
