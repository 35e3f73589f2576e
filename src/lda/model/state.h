#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/model/priors.h"
#include "lda/model/seeds.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Where the tokens of a state are in a whole corpus, of which every rank has a part. A token's random numbers go by its
// number in the whole corpus, so that the parts together are drawn as the whole is.
struct PlaceInCorpus {
  std::int64_t document = 0;  // the number of the first
  std::int64_t token = 0;     // likewise
  std::int64_t tokens = 0;    // of the whole corpus; 0: the state has all of it
};

// A chain between two sweeps: topics, their counts, and the priors as they are now.
struct State {
  std::int32_t topics = 0;         // K
  std::int64_t sweep = 0;          // sweeps done
  std::vector<std::int32_t> z;     // N, the topic of each token
  std::vector<std::int32_t> n_wk;  // V x K: row w is contiguous over topics; the seeds' counts included
  std::vector<std::int64_t> n_k;   // K, likewise
  Priors priors;
  Start start = Start::uniform;  // as in ChainState
  Seeds seeds = {};
  PlaceInCorpus place = {};  // n_wk and n_k are those of all ranks

  bool is_part() const { return place.tokens != 0; }
  std::int64_t tokens_of_all() const { return is_part() ? place.tokens : static_cast<std::int64_t>(z.size()); }

  // Counts z anew. Throws InvalidArgument where a word occurs more often than a count can hold.
  void count(const CorpusView& corpus, int threads);

  // n_k alone.
  void count_topics(int threads);

  // Recounts z in the simplest way; throws InvalidArgument naming the first
  // size, topic or count that differs.
  void verify(const CorpusView& corpus) const;
};

// Throws InvalidArgument where a word occurs more often than an entry of n_wk, of 32 bits, can hold beside a seed's
// weight.
void require_countable(const CorpusView& corpus, int threads, std::int32_t weight = 0);

// The same for a corpus of `tokens` of which each rank counts its part alone. Collective; all throw the same.
void require_countable_over_ranks(const CorpusView& part, std::int64_t tokens, int threads, std::int32_t weight,
                                  Communicator& ranks);

// The seed words of the options. Throws InvalidArgument where one is not in the vocabulary, and as Seeds.
Seeds seeds_of_options(const CorpusView& corpus, const TrainOptions& options, const char* caller);

// Counts n_wk of tokens alone, from topics that fit the corpus. Throws as State::count.
void count_words(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, int threads,
                 std::vector<std::int32_t>& n_wk);

// The state that a chain goes on from, with its counts; it fits the corpus. Throws as State::count.
State state_of(const CorpusView& corpus, const TrainOptions& options, ChainState chain);

// What a chain goes on from: moves z out of a state, with the priors where they are others than the options name.
ChainState take_chain_state(State& state, const TrainOptions& options);

// Throws InvalidArgument unless z holds one topic in [0, topics) for each token.
void require_topics(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, const char* caller);

}  // namespace papilio::lda
