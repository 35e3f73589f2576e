#pragma once

#include <cstdint>
#include <vector>

#include "papilio/corpus.h"

namespace papilio::lda {

// Token numbers grouped by word, in order within a word: those of word w are
// order[offsets[w]] ... order[offsets[w + 1] - 1].
struct TokensByWord {
  std::vector<std::int64_t> offsets;  // V + 1
  std::vector<std::int64_t> order;    // N
};

TokensByWord group_by_word(const CorpusView& corpus, int threads);

// A chain between two sweeps: topics and their counts.
struct State {
  std::int32_t topics = 0;         // K
  std::int64_t sweep = 0;          // sweeps done
  std::vector<std::int32_t> z;     // N, the topic of each token
  std::vector<std::int32_t> n_wk;  // V x K: row w is contiguous over topics
  std::vector<std::int64_t> n_k;   // K

  // Counts z anew.
  void count(const TokensByWord& by_word, int threads);

  // Recounts z in the simplest way; throws InvalidArgument naming the first
  // size, topic or count that differs.
  void verify(const CorpusView& corpus) const;
};

// Throws InvalidArgument unless z holds one topic in [0, topics) for each token.
void require_topics(const CorpusView& corpus, const std::vector<std::int32_t>& z, std::int32_t topics,
                    const char* caller);

}  // namespace papilio::lda
