#include "lda/io/model/corpus_identity.h"

#include <fmt/format.h>

#include <span>
#include <string>

#include "lda/io/bytes/hash.h"

namespace papilio::lda {

void add_corpus_identity(Metadata& metadata, const CorpusView& corpus) {
  const auto hash = [](const auto& elements) { return xxh3_128(std::as_bytes(std::span(elements))); };
  std::string vocabulary;
  for (const std::string& word : corpus.vocabulary) {
    vocabulary += fmt::format("{} {}", word.size(), word);
  }
  metadata["corpus.documents"] = std::to_string(corpus.documents());
  metadata["corpus.tokens"] = std::to_string(corpus.tokens());
  metadata["corpus.vocabulary_size"] = std::to_string(corpus.vocabulary_size());
  metadata["corpus.hash_of_document_offsets"] = hash(corpus.document_offsets);
  metadata["corpus.hash_of_words"] = hash(corpus.words);
  metadata["corpus.hash_of_vocabulary"] = hash(vocabulary);
}

}  // namespace papilio::lda
