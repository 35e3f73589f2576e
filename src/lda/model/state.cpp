#include "lda/model/state.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"
#include "lda/model/shared_counts.h"
#include "papilio/primitives.h"

namespace papilio::lda {

using base::require;

namespace {

constexpr std::int64_t tokens_per_task = std::int64_t{1} << 16;

std::int64_t most_occurrences(std::int32_t weight) { return std::numeric_limits<std::int32_t>::max() - weight; }

std::vector<std::int64_t> occurrences_of_words(const CorpusView& corpus, int threads) {
  std::vector<std::int64_t> occurrences(static_cast<std::size_t>(corpus.vocabulary_size()));
  histogram(corpus.words, occurrences, threads);
  return occurrences;
}

void require_countable(const std::vector<std::int64_t>& occurrences, std::int32_t weight) {
  const auto word = std::max_element(occurrences.begin(), occurrences.end());
  require(*word <= most_occurrences(weight), "papilio: word {} occurs {} times, expected at most 2^31 - 1{}",
          word - occurrences.begin(), *word, weight == 0 ? "" : " with the weight of a seed word");
}

}  // namespace

void require_countable(const CorpusView& corpus, int threads, std::int32_t weight) {
  if (corpus.tokens() <= most_occurrences(weight)) return;
  require_countable(occurrences_of_words(corpus, threads), weight);
}

void require_countable_over_ranks(const CorpusView& part, std::int64_t tokens, int threads, std::int32_t weight,
                                  Communicator& ranks) {
  if (tokens <= most_occurrences(weight)) return;
  std::vector<std::int64_t> occurrences = occurrences_of_words(part, threads);
  ranks.add_up(occurrences);
  require_countable(occurrences, weight);
}

Seeds seeds_of_options(const CorpusView& corpus, const TrainOptions& options, const char* caller) {
  Seeds seeds(options.seed_words, options.topics, caller);
  for (const SeedWord& last : std::span(seeds.words()).last(seeds.empty() ? 0 : 1)) {
    require(last.word < corpus.vocabulary_size(), "papilio::{}: a seed word has the number {}, expected 0 <= word < {}",
            caller, last.word, corpus.vocabulary_size());
  }
  return seeds;
}

void count_words(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, int threads,
                 std::vector<std::int32_t>& n_wk) {
  require_countable(corpus, threads);
  execution::make_zeros(n_wk, static_cast<std::size_t>(corpus.vocabulary_size()) * static_cast<std::size_t>(topics),
                        threads);
  execution::parallel_for(corpus.tokens(), tokens_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto token = static_cast<std::size_t>(i);
      add_to_count(n_wk.data() + std::int64_t{corpus.words[token]} * topics + z[token], 1);
    }
  });
}

void State::count(const CorpusView& corpus, int threads) {
  count_words(corpus, z, topics, threads, n_wk);
  seeds.add_to_words(n_wk);
  count_topics(threads);
}

void State::count_topics(int threads) {
  n_k.assign(static_cast<std::size_t>(topics), 0);
  histogram(z, VectorView<std::int64_t>(n_k), threads);
  seeds.add_to_topics(n_k);
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
  for (const SeedWord& seed : seeds.words()) {
    recount_wk[static_cast<std::size_t>(seed.word) * columns + static_cast<std::size_t>(seed.topic)] += seed.weight;
  }
  seeds.add_to_topics(recount_k);
  for (std::size_t i = 0; i < entries; ++i) {
    require(n_wk[i] == recount_wk[i], "papilio::State::verify: n_wk of word {}, topic {} is {}, a recount gives {}",
            i / columns, i % columns, n_wk[i], recount_wk[i]);
  }
  for (std::size_t k = 0; k < columns; ++k) {
    require(n_k[k] == recount_k[k], "papilio::State::verify: n_k of topic {} is {}, a recount gives {}", k, n_k[k],
            recount_k[k]);
  }
}

State state_of(const CorpusView& corpus, const TrainOptions& options, ChainState chain) {
  State state;
  state.topics = options.topics;
  state.sweep = chain.sweep;
  state.priors = priors_of(options, &chain);
  state.start = chain.start;
  state.seeds = seeds_of_options(corpus, options, "train");
  state.z = std::move(chain.z);
  state.count(corpus, options.threads);
  return state;
}

ChainState take_chain_state(State& state, const TrainOptions& options) {
  const Priors given = priors_of(options);
  ChainState chain;
  chain.sweep = state.sweep;
  chain.z = std::move(state.z);
  chain.start = state.start;
  if (state.priors.alpha != given.alpha) chain.alpha = state.priors.alpha;
  if (state.priors.beta != given.beta) chain.beta = state.priors.beta;
  return chain;
}

void require_topics(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics,
                    const char* caller) {
  require(static_cast<std::int64_t>(z.size()) == corpus.tokens(),
          "papilio::{}: z has {} topics, expected one per token: {}", caller, z.size(), corpus.tokens());
  execution::require_span(caller, "z", z);
  for (std::size_t i = 0; i < z.size(); ++i) {
    require(0 <= z[i] && z[i] < topics, "papilio::{}: the topic of token {} is {}, expected 0 <= topic < {}", caller, i,
            z[i], topics);
  }
}

}  // namespace papilio::lda
