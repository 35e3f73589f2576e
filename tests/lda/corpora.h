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

// Documents of no, one, few and many tokens, one of them longer than a batch of draws; words that come never, once and
// often, in any order.
inline Corpus awkward_corpus() {
  const Corpus usual =
      generate_corpus({.documents = 60, .vocabulary = 120, .topics = 5, .mean_length = 20, .seed = 2}).corpus;
  std::vector<std::vector<std::int32_t>> documents = {{}, {121}};
  for (std::size_t d = 0; d + 1 < usual.document_offsets.size(); ++d) {
    documents.emplace_back(usual.words.begin() + usual.document_offsets[d],
                           usual.words.begin() + usual.document_offsets[d + 1]);
    if (d % 20 == 0) documents.push_back({});
  }
  documents.emplace_back(600);
  for (std::int32_t i = 0; i < 600; ++i) documents.back()[static_cast<std::size_t>(i)] = i * i % 31;
  for (int d = 0; d < 70; ++d) documents.push_back({7});
  documents.push_back({});
  return make_corpus(documents, 123);  // words 120 and 122 do not come
}

}  // namespace papilio::testing
