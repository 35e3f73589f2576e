#pragma once

#include <cstdint>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/evaluation.h"

namespace papilio::lda {

// What a fixed model sees of a document: its known words, in the model's numbers.
struct KnownDocument {
  std::vector<std::int32_t> words;   // the distinct words, ascending
  std::vector<std::int32_t> counts;  // how often each of them occurs
  std::vector<std::int32_t> tokens;  // for each token, the place of its word in `words`

  // The counter of the document's random draws: a hash of its words in ascending order.
  std::uint64_t key = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

// Document `d` with its tokens in ascending order of words.
KnownDocument known_document(const CorpusView& corpus, const WordMap& map, std::int64_t d);

// The same with the tokens in the order of the corpus.
KnownDocument known_document_in_order(const CorpusView& corpus, const WordMap& map, std::int64_t d);

// Puts the tokens into an order that depends only on the seed and the key (Fisher and Yates).
void shuffle_tokens(KnownDocument& document, std::uint64_t seed);

// Throws InvalidArgument unless the model is valid and its priors
// are between 1e-100 and 1e6, so that no probability underflows.
void require_model(const Model& model, const char* caller);

}  // namespace papilio::lda
