#include "lda/io/model/corpus_identity.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"

namespace papilio {

CorpusIdentity identity_of(const CorpusView& corpus) {
  const auto hash = [](const auto& elements) { return lda::xxh3_128(std::as_bytes(std::span(elements))); };
  return {corpus.documents(),       corpus.tokens(),
          corpus.vocabulary_size(), hash(corpus.document_offsets),
          hash(corpus.words),       lda::hash_of_vocabulary(corpus.vocabulary)};
}

namespace lda {

std::string hash_of_vocabulary(std::span<const std::string> vocabulary) {
  std::string text;
  for (const std::string& word : vocabulary) text.append(std::to_string(word.size())).append(" ").append(word);
  return xxh3_128(std::as_bytes(std::span(text)));
}

void require_sizes(const CorpusIdentity& of_corpus, const CorpusView& corpus, const char* caller) {
  const auto sizes = [](std::int64_t documents, std::int64_t tokens, std::int64_t words) {
    return fmt::format("{} documents, {} tokens and {} words", documents, tokens, words);
  };
  const std::string of_identity = sizes(of_corpus.documents, of_corpus.tokens, of_corpus.vocabulary_size);
  const std::string expected = sizes(corpus.documents(), corpus.tokens(), corpus.vocabulary_size());
  base::require(of_identity == expected, "papilio::{}: the identity is that of {}, expected {}", caller, of_identity,
                expected);
}

CorpusIdentity known_identity(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* given,
                              const char* caller) {
  const CorpusIdentity* const known = given != nullptr ? given : options.corpus_identity;
  if (known == nullptr) return identity_of(corpus);
  require_sizes(*known, corpus, caller);
  return *known;
}

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

namespace {

// The first difference, or "". The sizes of a file that somebody made may be any text.
std::string corpus_difference(const Metadata& found, const Metadata& expected) {
  const auto value = [](const Metadata& metadata, const char* key) {
    const auto entry = metadata.find(fmt::format("corpus.{}", key));
    return entry == metadata.end() ? std::string("none") : entry->second;
  };
  const auto sizes = [&](const Metadata& metadata) {
    const auto number = [&](const char* key) {
      const std::string text = value(metadata, key);
      const bool is_number = !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == text.npos;
      return is_number ? text : lda::quoted(text);
    };
    return fmt::format("{} documents, {} tokens and {} different words", number("documents"), number("tokens"),
                       number("vocabulary_size"));
  };
  if (sizes(found) != sizes(expected)) return fmt::format("it has {}, expected {}", sizes(found), sizes(expected));
  constexpr std::pair<const char*, const char*> hashes[] = {
      {"hash_of_vocabulary", "but not these words"},
      {"hash_of_document_offsets", "but documents of other lengths"},
      {"hash_of_words", "but other words in its documents"}};
  for (const auto& [key, difference] : hashes) {
    if (value(found, key) != value(expected, key)) return fmt::format("it has {}, {}", sizes(found), difference);
  }
  return "";
}

}  // namespace

void require_same_corpus(const Metadata& found, const Metadata& expected, std::string_view what) {
  const std::string difference = corpus_difference(found, expected);
  base::require(difference.empty(),
                "{} another corpus, or to this one read with other options (stop_words, min_df, ...): {}", what,
                difference);
}

}  // namespace lda
}  // namespace papilio
