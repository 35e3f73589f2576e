#include "lda/io/model/corpus_identity.h"

#include <fmt/format.h>

#include <span>
#include <string>

#include "lda/io/bytes/hash.h"

namespace papilio {

CorpusIdentity identity_of(const CorpusView& corpus) {
  const auto hash = [](const auto& elements) { return lda::xxh3_128(std::as_bytes(std::span(elements))); };
  std::string vocabulary;
  for (const std::string& word : corpus.vocabulary) {
    vocabulary += fmt::format("{} {}", word.size(), word);
  }
  return {corpus.documents(), corpus.tokens(), corpus.vocabulary_size(), hash(corpus.document_offsets),
          hash(corpus.words), hash(vocabulary)};
}

namespace lda {

void add_corpus_identity(Metadata& metadata, const CorpusIdentity& identity) {
  metadata["corpus.documents"] = std::to_string(identity.documents);
  metadata["corpus.tokens"] = std::to_string(identity.tokens);
  metadata["corpus.vocabulary_size"] = std::to_string(identity.vocabulary_size);
  metadata["corpus.hash_of_document_offsets"] = identity.hash_of_document_offsets;
  metadata["corpus.hash_of_words"] = identity.hash_of_words;
  metadata["corpus.hash_of_vocabulary"] = identity.hash_of_vocabulary;
}

void add_corpus_identity(Metadata& metadata, const CorpusView& corpus) {
  add_corpus_identity(metadata, identity_of(corpus));
}

}  // namespace lda
}  // namespace papilio
