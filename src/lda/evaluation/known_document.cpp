#include "lda/evaluation/known_document.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "lda/corpus/word_hash.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio {

WordMap map_words(const Model& model, const CorpusView& corpus) {
  model.verify();
  corpus.verify();
  std::unordered_map<std::string_view, std::int32_t, lda::WordHash> numbers;
  numbers.reserve(model.vocabulary.size());
  for (std::size_t w = 0; w < model.vocabulary.size(); ++w) {
    const auto row = model.n_wk.begin() + static_cast<std::ptrdiff_t>(w) * model.topics;
    if (std::any_of(row, row + model.topics, [](std::int32_t n) { return n > 0; })) {
      numbers.emplace(model.vocabulary[w], static_cast<std::int32_t>(w));
    }
  }
  WordMap map;
  map.model_words.reserve(corpus.vocabulary.size());
  for (const std::string& word : corpus.vocabulary) {
    const auto found = numbers.find(word);
    map.model_words.push_back(found == numbers.end() ? -1 : found->second);
    map.unknown_words += found == numbers.end() ? 1 : 0;
  }
  map.unknown_tokens = std::count_if(corpus.words.begin(), corpus.words.end(),
                                     [&](std::int32_t w) { return map.model_words[static_cast<std::size_t>(w)] < 0; });
  return map;
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

// A word of the document enters the hash through Philox, a bijection whose every output bit depends
// on every bit of the word and of the hash so far.
std::uint64_t hash_of(const std::vector<std::int32_t>& words) {
  std::uint64_t hash = words.size();
  for (const std::int32_t word : words) {
    const random::Block block = random::draw_block(hash, 0, static_cast<std::uint64_t>(word));
    hash = std::uint64_t{block.word[1]} << 32 | block.word[0];
  }
  return hash;
}

}  // namespace

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
  const auto in_range = [](double prior) { return 1e-100 <= prior && prior <= 1e6; };
  base::require(in_range(model.beta), "papilio::{}: the model's beta is {}, expected 1e-100 to 1e6", caller,
                model.beta);
  for (std::size_t k = 0; k < model.alpha.size(); ++k) {
    base::require(in_range(model.alpha[k]), "papilio::{}: the model's alpha of topic {} is {}, expected 1e-100 to 1e6",
                  caller, k, model.alpha[k]);
  }
}

}  // namespace papilio::lda
