#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/model/priors.h"
#include "lda/model/seeds.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The place of a state's tokens in the whole corpus, of which each rank has a part. A token's random numbers depend on
// its number in the whole corpus, so that the parts together are drawn as the whole would be.
struct PlaceInCorpus {
  std::int64_t document = 0;  // number of the first document
  std::int64_t token = 0;     // number of the first token
  std::int64_t tokens = 0;    // tokens of the whole corpus; 0: the state has all of it
};

// A chain between two sweeps: topics, their counts, and the current priors.
struct State {
  std::int32_t topics = 0;         // K
  std::int64_t sweep = 0;          // sweeps done
  std::vector<std::int32_t> z;     // N, the topic of each token
  std::vector<std::int32_t> n_wk;  // V x K: row w is contiguous over topics; the seeds' counts included
  std::vector<std::int64_t> n_k;   // K; the seeds' counts included
  Priors priors;
  Start start = Start::uniform;  // as in ChainState
  Seeds seeds = {};
  PlaceInCorpus place = {};  // if it is a part, n_wk and n_k are those of all ranks

  bool is_part() const { return place.tokens != 0; }
  std::int64_t tokens_of_all() const { return is_part() ? place.tokens : static_cast<std::int64_t>(z.size()); }

  // Counts z anew. Throws InvalidArgument if a word occurs more often than a count can hold.
  void count(const CorpusView& corpus, int threads);

  // Counts only n_k anew.
  void count_topics(int threads);

  // Recounts z in the simplest way; throws InvalidArgument
  // naming the first size, topic or count that differs.
  void verify(const CorpusView& corpus) const;
};

// Throws InvalidArgument if a word occurs more often than an entry
// of n_wk, of 32 bits, can hold in addition to a seed's weight.
void require_countable(const CorpusView& corpus, int threads, std::int32_t weight = 0);

// The same for a corpus of `tokens` tokens of which each rank counts its own part. Collective; all throw the same.
void require_countable_over_ranks(const CorpusView& part, std::int64_t tokens, int threads, std::int32_t weight,
                                  Communicator& ranks);

// The seed words of the options. Throws InvalidArgument if one is not in the vocabulary, and as Seeds does.
Seeds seeds_of_options(const CorpusView& corpus, const TrainOptions& options, const char* caller);

// Counts n_wk of the tokens without seeds, from topics that fit the corpus. Throws as State::count does.
void count_words(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, int threads,
                 std::vector<std::int32_t>& n_wk);

// The state that a chain resumes from, with its counts. The chain fits the corpus. Throws as State::count does.
State state_of(const CorpusView& corpus, const TrainOptions& options, ChainState chain);

// What a chain resumes from: moves z out of a state, and gives its priors if they differ from those of the options.
ChainState take_chain_state(State& state, const TrainOptions& options);

// Throws InvalidArgument unless z holds one topic in [0, topics) for each token.
void require_topics(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, const char* caller);

}  // namespace papilio::lda
