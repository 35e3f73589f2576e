#include "lda/model/state.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>

#include "lda/corpora.h"
#include "lda/corpus/part_of_rank.h"
#include "lda/ranks.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

State counted_state(const Corpus& corpus, std::vector<std::int32_t> z, std::int32_t topics) {
  State state;
  state.topics = topics;
  state.z = std::move(z);
  state.count(corpus, 2);
  return state;
}

std::string message_of(const State& state, const Corpus& corpus) {
  try {
    state.verify(corpus);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(State, CountsTopicsByWord) {
  const Corpus corpus = testing::make_corpus({{0, 1, 0}, {}, {2, 0}}, 3);
  const State state = counted_state(corpus, {1, 0, 1, 1, 0}, 2);
  EXPECT_EQ(state.n_wk, (std::vector<std::int32_t>{1, 2, 1, 0, 0, 1}));
  EXPECT_EQ(state.n_k, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(message_of(state, corpus), "");
}

TEST(State, VerifyNamesTheDifference) {
  const Corpus corpus = testing::make_corpus({{0, 1, 0}, {2, 0}}, 3);
  const State good = counted_state(corpus, {1, 0, 1, 1, 0}, 2);
  State bad = good;
  bad.n_wk[3] = 1;
  EXPECT_EQ(message_of(bad, corpus), "papilio::State::verify: n_wk of word 1, topic 1 is 1, a recount gives 0");
  bad = good;
  bad.n_k[0] = 7;
  EXPECT_EQ(message_of(bad, corpus), "papilio::State::verify: n_k of topic 0 is 7, a recount gives 2");
  bad = good;
  bad.z[4] = 2;
  EXPECT_EQ(message_of(bad, corpus), "papilio::State::verify: the topic of token 4 is 2, expected 0 <= topic < 2");
  bad = good;
  bad.z.pop_back();
  EXPECT_EQ(message_of(bad, corpus), "papilio::State::verify: z has 4 topics, expected one per token: 5");
  bad = good;
  bad.n_wk.pop_back();
  EXPECT_EQ(message_of(bad, corpus), "papilio::State::verify: n_wk has 5 entries, expected V x K = 6");
}

// With a weight so large that no word may occur: the error is that of the whole corpus, on every rank.
TEST(State, WordsThatOccurTooOftenAreCountedByParts) {
  const Corpus corpus = testing::awkward_corpus();
  constexpr std::int32_t all = std::numeric_limits<std::int32_t>::max();
  std::string expected;
  try {
    require_countable(corpus, 1, all);
  } catch (const InvalidArgument& error) {
    expected = error.what();
  }
  EXPECT_TRUE(expected.starts_with("papilio: word 0 occurs 292 times, ")) << expected;
  std::atomic<int> equal = 0;
  testing::on_ranks({.ranks = 3}, [&](Communicator& rank) {
    const PartOfRank part(corpus, rank.rank(), 3);
    require_countable_over_ranks(part.view(), corpus.view().tokens(), 1, 0, rank);  // no reason to count
    require_countable_over_ranks(part.view(), std::int64_t{1} << 31, 1, 0, rank);
    try {
      require_countable_over_ranks(part.view(), corpus.view().tokens(), 1, all, rank);
    } catch (const InvalidArgument& error) {
      equal += error.what() == expected ? 1 : 0;
    }
  });
  EXPECT_EQ(equal, 3);
}

}  // namespace
}  // namespace papilio::lda
