// Sparse draws of theta_collapsed: bit for bit those of the plainest implementation. Their law is tested in
// sweep_law_test.cpp, by enumeration, and in geweke_test.cpp.

#include <gtest/gtest.h>

#include "lda/corpora.h"
#include "lda/ordered_oracle.h"
#include "lda/training/chain/chain_cpu.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

TrainOptions options(std::int32_t topics, std::int64_t sweeps) {
  return {.topics = topics,
          .sweeps = sweeps,
          .alpha = 0.3,
          .beta = 0.05,
          .seed = 0x123456789,
          .threads = 2,
          .sampler = Sampler::theta_collapsed,
          .evaluate_every = 0,
          .draws = Draws::sparse};
}

// The draws that came from the prior's part.
std::int64_t expect_as_the_oracle(const Corpus& corpus, const TrainOptions& o) {
  lda::CpuChain chain(corpus, o, {});
  testing::OrderedOracle oracle(corpus, o, chain.state().z);
  for (std::int64_t sweep = 1; sweep <= o.sweeps; ++sweep) {
    chain.sweep();
    const std::int64_t before = oracle.from_prior;
    oracle.sweep();
    EXPECT_EQ(chain.state().z, oracle.z) << "sweep " << sweep;
    EXPECT_NO_THROW(chain.state().verify(corpus));
    const SweepDraws draws = chain.draws();
    EXPECT_TRUE(draws.sparse);
    const auto tokens = static_cast<double>(corpus.tokens());
    EXPECT_NEAR(draws.from_prior * tokens, static_cast<double>(oracle.from_prior - before), 1e-6);
    EXPECT_NEAR(draws.from_document + draws.from_prior, 1, 1e-12);
  }
  return oracle.from_prior;
}

TEST(OrderedDraws, CountSeedWordsAsTokens) {
  TrainOptions o = options(13, 4);
  o.seed_words = {{1, 3, 40}, {0, 3, 7}, {12, 7, 1000}, {0, 121, 2}, {1, 120, 5}, {1, 122, 100'000}};
  EXPECT_GT(expect_as_the_oracle(testing::awkward_corpus(), o), 0);
}

TEST(OrderedDraws, AreThoseOfThePlainestForm) {
  for (const std::int32_t topics : {1, 2, 13, 16, 64, 65, 130}) {
    SCOPED_TRACE(topics);
    EXPECT_GT(expect_as_the_oracle(testing::awkward_corpus(), options(topics, 4)), 0);
  }
}

TEST(OrderedDraws, TakeAPriorForEachTopic) {
  TrainOptions o = options(9, 4);
  o.topic_alpha = {2, 0.01, 0.3, 1e-4, 5, 0.1, 0.1, 30, 0.7};
  expect_as_the_oracle(testing::awkward_corpus(), o);
}

// More lines of topics than a word of bits holds, hardly any of them in use.
TEST(OrderedDraws, TakeThousandsOfTopics) { expect_as_the_oracle(testing::awkward_corpus(), options(2500, 2)); }

// As floats these are 0; a token that is alone in its document has nothing but its prior.
TEST(OrderedDraws, TakePriorsThatAreNoFloats) {
  TrainOptions o = options(6, 3);
  o.alpha = 1e-60;
  expect_as_the_oracle(testing::make_corpus({{0}, {1}, {0, 1, 0, 1}}, 2), o);
}

TEST(OrderedDraws, AreTheSameWithAnyThreads) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions o = options(600, 5);  // 109 documents per block
  o.threads = 1;
  const TrainResult alone = train(corpus, o);
  for (const int threads : {2, 7}) {
    o.threads = threads;
    const TrainResult together = train(corpus, o);
    EXPECT_EQ(together.topics.z, alone.topics.z);
    EXPECT_EQ(together.model.n_wk, alone.model.n_wk);
  }
}

TEST(OrderedDraws, GoOnAsIfTheyHadNotStopped) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(8, 9);
  o.optimize_after = 3;
  o.optimize_every = 3;
  const TrainResult whole = train(corpus, o);
  EXPECT_NE(whole.model.alpha, std::vector<double>(8, o.alpha));
  for (const std::int64_t stop : {2, 3, 9}) {
    o.sweeps = stop;
    const ChainState half = train(corpus, o).topics;
    o.sweeps = 9;
    EXPECT_EQ(train(corpus, o, &half).topics.z, whole.topics.z);
  }
}

// A machine with a GPU must decide as one without.
TEST(OrderedDraws, AreOnRequestOnly) {
  TrainOptions o = options(200, 1);
  o.draws = Draws::automatic;
  int reports = 0;
  o.progress = [&](const Progress& progress) {
    EXPECT_FALSE(progress.draws.sparse);
    ++reports;
    return true;
  };
  train(testing::awkward_corpus(), o);
  EXPECT_GT(reports, 0);
}

}  // namespace
}  // namespace papilio
