#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/seeds.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

namespace papilio::lda {

// A topic for each token, uniform over K topics; the topic of token i comes from random block first + i.
std::vector<std::int32_t> initial_topics(std::int64_t tokens, std::int32_t topics, std::uint64_t seed, int threads,
                                         std::int64_t first = 0);

// The topics that a chain starts from: initial_topics, except for tokens of seed words. Such a token gets topic k with
// probability s_wk / s_w: its random number picks one of the s_w units of weight. `first`: the number of the first
// token, if the corpus is a part of another.
std::vector<std::int32_t> starting_topics(const CorpusView& corpus, const TrainOptions& options,
                                          std::int64_t first = 0);

// One topic of a seed word, picked by u in [0, 1).
std::int32_t topic_of_seed(std::span<const SeedWord> word, double u);

}  // namespace papilio::lda
