#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/corpus.h"

namespace papilio::testing {

// A corpus from its documents' word numbers; words are called "w0", "w1", ...
inline Corpus make_corpus(const std::vector<std::vector<std::int32_t>>& documents, int vocabulary) {
  Corpus corpus;
  for (const auto& document : documents) {
    corpus.words.insert(corpus.words.end(), document.begin(), document.end());
    corpus.document_offsets.push_back(static_cast<std::int64_t>(corpus.words.size()));
  }
  for (int w = 0; w < vocabulary; ++w) {
    corpus.vocabulary.emplace_back("w").append(std::to_string(w));
  }
  return corpus;
}

// 300 documents, 400 words, 7 topics, about 12,000 tokens; the same everywhere.
inline GeneratedCorpus small_generated_corpus() {
  return generate_corpus({.documents = 300, .vocabulary = 400, .topics = 7, .mean_length = 40, .seed = 5});
}

}  // namespace papilio::testing
