#pragma once

#include <cstdint>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/evaluation.h"

namespace papilio::lda {

// What a fixed model sees of a document: its known words, in the model's numbers.
struct KnownDocument {
  std::vector<std::int32_t> words;   // the distinct ones, ascending
  std::vector<std::int32_t> counts;  // how often each occurs
  std::vector<std::int32_t> tokens;  // each token as a place in `words`

  // Numbers the document's random draws: a hash of its words in ascending order.
  std::uint64_t key = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

// Document `d` with its tokens in ascending order of words.
KnownDocument known_document(const CorpusView& corpus, const WordMap& map, std::int64_t d);

// The same with its tokens in the order they have in the corpus.
KnownDocument known_document_in_order(const CorpusView& corpus, const WordMap& map, std::int64_t d);

// Brings the tokens into an order that depends on the seed and the key alone (Fisher and Yates).
void shuffle_tokens(KnownDocument& document, std::uint64_t seed);

// Throws InvalidArgument unless the model verifies and its priors are within 1e-100 to 1e6, so that no
// probability underflows.
void require_model(const Model& model, const char* caller);

}  // namespace papilio::lda
