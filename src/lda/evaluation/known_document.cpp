#include "lda/evaluation/known_document.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "lda/corpus/vocabulary.h"
#include "lda/corpus/word_tally.h"
#include "lda/evaluation/counted_words.h"
#include "lda/model/checked_on_threads.h"
#include "lda/model/options.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio {

WordMap map_words(const Model& model, const CorpusView& corpus) { return lda::map_words(model, corpus, 0); }

LeftOutWords unknown_words(const Model& model, const CorpusView& corpus) {
  corpus.verify();
  std::vector<std::int64_t> counts(corpus.vocabulary.size());
  for (const std::int32_t word : corpus.words) ++counts[static_cast<std::size_t>(word)];
  return unknown_words(model, corpus.vocabulary, counts);
}

LeftOutWords unknown_words(const Model& model, std::span<const std::string> vocabulary,
                           std::span<const std::int64_t> counts) {
  lda::require_word_counts(vocabulary, counts, "unknown_words");
  constexpr std::int64_t no_documents[] = {0};
  const WordMap map = map_words(model, {no_documents, {}, vocabulary, {}});
  return lda::pick_words(vocabulary, counts, [&](std::size_t w) { return map.model_words[w] < 0 && counts[w] > 0; });
}

}  // namespace papilio

namespace papilio::lda {
namespace {

// The known words of a document in corpus order, in the model's numbers.
std::vector<std::int32_t> known_words(const CorpusView& corpus, const WordMap& map, std::int64_t d) {
  std::vector<std::int32_t> words;
  const auto begin = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(d)]);
  const auto end = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(d) + 1]);
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t word = map.model_words[static_cast<std::size_t>(corpus.words[i])];
    if (word >= 0) {
      words.push_back(word);
    }
  }
  return words;
}

// Each word of the document enters the hash through Philox, a bijection whose every output bit depends on every bit of
// the word and of the hash so far.
std::uint64_t hash_of(const std::vector<std::int32_t>& words) {
  std::uint64_t hash = words.size();
  for (const std::int32_t word : words) {
    const random::Block block = random::draw_block(hash, 0, static_cast<std::uint64_t>(word));
    hash = std::uint64_t{block.word[1]} << 32 | block.word[0];
  }
  return hash;
}

}  // namespace

WordMap map_words(const Model& model, const CorpusView& corpus, int threads) {
  model.verify();
  corpus.verify(threads);
  return CountedWords(model).map(corpus);
}

KnownDocument known_document(const CorpusView& corpus, const WordMap& map, std::int64_t d) {
  std::vector<std::int32_t> sorted = known_words(corpus, map, d);
  std::sort(sorted.begin(), sorted.end());
  KnownDocument document;
  document.key = hash_of(sorted);
  for (const std::int32_t word : sorted) {
    if (document.words.empty() || document.words.back() != word) {
      document.words.push_back(word);
      document.counts.push_back(0);
    }
    ++document.counts.back();
    document.tokens.push_back(static_cast<std::int32_t>(document.words.size()) - 1);
  }
  return document;
}

KnownDocument known_document_in_order(const CorpusView& corpus, const WordMap& map, std::int64_t d) {
  KnownDocument document = known_document(corpus, map, d);
  const std::vector<std::int32_t> words = known_words(corpus, map, d);
  std::transform(words.begin(), words.end(), document.tokens.begin(), [&](std::int32_t word) {
    const auto place = std::lower_bound(document.words.begin(), document.words.end(), word);
    return static_cast<std::int32_t>(place - document.words.begin());
  });
  return document;
}

void shuffle_tokens(KnownDocument& document, std::uint64_t seed) {
  const std::uint64_t stream = random::stream(random::Purpose::shuffle_tokens);
  for (std::size_t left = document.tokens.size(); left > 1; --left) {
    const random::Block block = random::draw_block(seed, stream, document.key + left);
    // Never `left`: (1 - 2^-53) left rounds to a double below it.
    const double place = random::uniform53(block.word[0], block.word[1]) * static_cast<double>(left);
    std::swap(document.tokens[left - 1], document.tokens[static_cast<std::size_t>(place)]);
  }
}

void require_model(const Model& model, const char* caller) {
  model.verify();
  base::require(is_prior(model.beta), "papilio::{}: the model's beta is {}, expected 1e-100 to 1e6", caller,
                model.beta);
  for (std::size_t k = 0; k < model.alpha.size(); ++k) {
    base::require(is_prior(model.alpha[k]), "papilio::{}: the model's alpha of topic {} is {}, expected 1e-100 to 1e6",
                  caller, k, model.alpha[k]);
  }
}

}  // namespace papilio::lda
