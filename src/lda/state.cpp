#include "lda/state.h"

#include <limits>

#include "base/check.h"
#include "papilio/primitives.h"

namespace papilio::lda {

using base::require;

TokensByWord group_by_word(const CorpusView& corpus, int threads) {
  TokensByWord by_word;
  by_word.offsets.resize(static_cast<std::size_t>(corpus.vocabulary_size()) + 1);
  by_word.order.resize(corpus.words.size());
  sort_by_key(corpus.words, by_word.offsets, by_word.order, threads);
  for (std::size_t w = 0; w + 1 < by_word.offsets.size(); ++w) {
    const std::int64_t occurrences = by_word.offsets[w + 1] - by_word.offsets[w];
    require(occurrences <= std::numeric_limits<std::int32_t>::max(),
            "papilio: word {} occurs {} times, expected at most 2^31 - 1", w, occurrences);
  }
  return by_word;
}

void State::count(const TokensByWord& by_word, int threads) {
  const auto words = static_cast<std::int64_t>(by_word.offsets.size()) - 1;
  n_wk.resize(static_cast<std::size_t>(words) * static_cast<std::size_t>(topics));
  histogram_by_key(z, by_word.offsets, by_word.order, {n_wk.data(), words, topics}, threads);
  n_k.assign(static_cast<std::size_t>(topics), 0);
  histogram(z, VectorView<std::int64_t>(n_k), threads);
}

void State::verify(const CorpusView& corpus) const {
  require_topics(corpus, z, topics, "State::verify");
  const auto columns = static_cast<std::size_t>(topics);
  const std::size_t entries = static_cast<std::size_t>(corpus.vocabulary_size()) * columns;
  require(n_wk.size() == entries, "papilio::State::verify: n_wk has {} entries, expected V x K = {}", n_wk.size(),
          entries);
  require(n_k.size() == columns, "papilio::State::verify: n_k has {} entries, expected K = {}", n_k.size(), columns);
  std::vector<std::int64_t> recount_wk(entries);
  std::vector<std::int64_t> recount_k(columns);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto k = static_cast<std::size_t>(z[i]);
    ++recount_wk[static_cast<std::size_t>(corpus.words[i]) * columns + k];
    ++recount_k[k];
  }
  for (std::size_t i = 0; i < entries; ++i) {
    require(n_wk[i] == recount_wk[i], "papilio::State::verify: n_wk of word {}, topic {} is {}, a recount gives {}",
            i / columns, i % columns, n_wk[i], recount_wk[i]);
  }
  for (std::size_t k = 0; k < columns; ++k) {
    require(n_k[k] == recount_k[k], "papilio::State::verify: n_k of topic {} is {}, a recount gives {}", k, n_k[k],
            recount_k[k]);
  }
}

void require_topics(const CorpusView& corpus, const std::vector<std::int32_t>& z, std::int32_t topics,
                    const char* caller) {
  require(static_cast<std::int64_t>(z.size()) == corpus.tokens(),
          "papilio::{}: z has {} topics, expected one a token: {}", caller, z.size(), corpus.tokens());
  for (std::size_t i = 0; i < z.size(); ++i) {
    require(0 <= z[i] && z[i] < topics, "papilio::{}: the topic of token {} is {}, expected 0 <= topic < {}", caller, i,
            z[i], topics);
  }
}

}  // namespace papilio::lda
