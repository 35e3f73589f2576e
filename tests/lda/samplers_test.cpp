// Every sampler against the plainest implementation of what it is said to do, and what holds for all.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/sampler_oracle.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/recipe.h"
#include "lda/ways.h"
#include "papilio/lda.h"
#include "support/chi_square.h"
#include "support/methods.h"

namespace papilio {
namespace {

using testing::Way;

class Samplers : public ::testing::TestWithParam<Way> {
 protected:
  TrainOptions options(std::int32_t topics, std::int64_t sweeps) const {
    return {.topics = topics,
            .sweeps = sweeps,
            .alpha = 0.3,
            .beta = 0.05,
            .seed = 77,
            .threads = 2,
            .sampler = GetParam().sampler,
            .evaluate_every = 0,
            .schedule = GetParam().schedule,
            .draws = Draws::dense};
  }

  static void expect_as_the_oracle(const Corpus& corpus, const TrainOptions& o) {
    lda::CpuChain chain(corpus, o, {});
    testing::SamplerOracle oracle(corpus, o, chain.state().z);
    for (std::int64_t sweep = 1; sweep <= o.sweeps; ++sweep) {
      chain.sweep();
      oracle.sweep();
      ASSERT_EQ(chain.sweeps(), sweep);
      ASSERT_EQ(chain.state().z, oracle.z) << "sweep " << sweep;
      ASSERT_NO_THROW(chain.state().verify(corpus));
    }
  }
};

TEST_P(Samplers, DoAsTheirPlainestForm) {
  const Corpus corpus = testing::awkward_corpus();
  for (const std::int32_t topics : {1, 2, 13, 130}) {
    SCOPED_TRACE(topics);
    expect_as_the_oracle(corpus, options(topics, 3));
  }
}

TEST_P(Samplers, TakeAPriorForEachTopic) {
  TrainOptions o = options(9, 3);
  o.topic_alpha = {2, 0.01, 0.3, 1e-4, 5, 0.1, 0.1, 30, 0.7};
  expect_as_the_oracle(testing::awkward_corpus(), o);
}

// Of words with many tokens, with one and with none.
TEST_P(Samplers, CountSeedWordsAsTokens) {
  TrainOptions o = options(13, 3);
  o.seed_words = {{1, 3, 40}, {0, 3, 7}, {12, 7, 1000}, {0, 121, 2}, {1, 120, 5}, {1, 122, 100'000}};
  expect_as_the_oracle(testing::awkward_corpus(), o);
}

// More topics than a segment of a row's sum has.
TEST_P(Samplers, TakeThousandsOfTopics) { expect_as_the_oracle(testing::awkward_corpus(), options(1100, 1)); }

// As floats these priors are 0: without itself, a document's only token has no weight left, and stays.
// Drawn thetas of such shapes are 0 too.
TEST_P(Samplers, KeepATopicWhereNoOtherHasWeight) {
  TrainOptions o = options(6, 2);
  o.alpha = 1e-60;
  if (lda::recipe_of(o.sampler).theta == Parameter::drawn) o.alpha = 1e-30;
  const Corpus corpus = testing::make_corpus({{0}, {1}, {0}}, 2);
  expect_as_the_oracle(corpus, o);
  o.sweeps = 0;
  const std::vector<std::int32_t> before = train(corpus, o).topics.z;
  o.sweeps = 2;
  EXPECT_EQ(train(corpus, o).topics.z, before);
}

TEST_P(Samplers, GiveTheSameForAnyNumberOfThreads) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(20, 4);
  o.threads = 1;
  const std::vector<std::int32_t> z = train(corpus, o).topics.z;
  o.threads = 3;
  EXPECT_EQ(train(corpus, o).topics.z, z);
}

// With priors that are optimised on the way, once before the break and once after it.
TEST_P(Samplers, GoOnAsIfTheyHadNotStopped) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(8, 9);
  o.optimize_after = 3;
  o.optimize_every = 3;
  const TrainResult whole = train(corpus, o);
  EXPECT_NE(whole.model.alpha, std::vector<double>(8, o.alpha));
  EXPECT_NE(whole.model.beta, o.beta);
  for (const std::int64_t stop : {2, 3, 4, 9}) {
    SCOPED_TRACE(stop);
    o.sweeps = stop;
    ChainState half = train(corpus, o).topics;
    EXPECT_EQ(half.alpha.empty(), stop < 3);
    o.sweeps = 9;
    const TrainResult copied = train(corpus, o, &half);
    const TrainResult moved = train(corpus, o, std::move(half));
    for (const TrainResult* rest : {&copied, &moved}) {
      EXPECT_EQ(rest->topics.z, whole.topics.z);
      EXPECT_EQ(rest->topics.alpha, whole.topics.alpha);
      EXPECT_EQ(rest->topics.beta, whole.topics.beta);
      EXPECT_EQ(rest->model.alpha, whole.model.alpha);
      EXPECT_EQ(rest->model.n_wk, whole.model.n_wk);
      EXPECT_EQ(rest->log_joint_per_token, whole.log_joint_per_token);
    }
  }
}

TEST_P(Samplers, OptimiseAfterTheSweepsThatAreAskedFor) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(4, 0);
  o.optimize_after = 2;
  o.optimize_every = 4;
  std::vector<std::int64_t> changes;
  std::vector<double> last(4, o.alpha);
  for (std::int64_t sweeps = 0; sweeps <= 7; ++sweeps) {
    o.sweeps = sweeps;
    const std::vector<double> alpha = train(corpus, o).model.alpha;
    if (alpha != last) changes.push_back(sweeps);
    last = alpha;
  }
  EXPECT_EQ(changes, (std::vector<std::int64_t>{2, 6}));
}

// Whose roundings depend on a token's place among those that are drawn together.
bool goes_by_place(PartialSums method) {
  return method == PartialSums::butterfly_add_subtract || method == PartialSums::butterfly_add_subtract_remnant_first;
}

// Of less than a block of topics, of whole blocks, and of blocks with a remnant.
TEST_P(Samplers, DrawByAnyMethod) {
  const Corpus corpus = testing::awkward_corpus();
  for (const PartialSums method : testing::all_methods) {
    if (goes_by_place(method)) continue;
    for (const std::int32_t topics : {5, 64, 100}) {
      SCOPED_TRACE(std::string(name(method)) + ", " + std::to_string(topics) + " topics");
      TrainOptions o = options(topics, 2);
      o.method = method;
      expect_as_the_oracle(corpus, o);
    }
  }
}

// Those that go by a token's place differ from the others of their table in the rounding of sums
// alone: from the same topics, a sweep gives the same ones, but for a few tokens in a thousand at most.
TEST_P(Samplers, DrawByMethodsThatGoByPlace) {
  const Corpus corpus = testing::awkward_corpus();
  for (const std::int32_t topics : {5, 64, 100}) {
    const auto topics_by = [&](PartialSums method, int threads) {
      TrainOptions o = options(topics, 1);
      o.method = method;
      o.threads = threads;
      lda::CpuChain chain(corpus, o, {});
      chain.sweep();
      EXPECT_NO_THROW(chain.state().verify(corpus));
      return chain.state().z;
    };
    for (const auto& [by_place, other] :
         {std::pair{PartialSums::butterfly_add_subtract, PartialSums::butterfly_swap},
          std::pair{PartialSums::butterfly_add_subtract_remnant_first, PartialSums::butterfly_swap_remnant_first}}) {
      SCOPED_TRACE(std::string(name(by_place)) + ", " + std::to_string(topics) + " topics");
      const auto z = topics_by(by_place, 1), expected = topics_by(other, 1);
      EXPECT_EQ(topics_by(by_place, 3), z);
      std::size_t different = 0;
      for (std::size_t i = 0; i < z.size(); ++i) different += z[i] != expected[i] ? 1 : 0;
      EXPECT_LE(different, z.size() / 500);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Samplers, ::testing::ValuesIn(testing::all_ways()), testing::name_of);

// Where phi is not integrated out there is nothing to do one after the other.
TEST(SequentialSchedule, ChangesNothingWherePhiIsDrawnOrEstimated) {
  const Corpus corpus = testing::awkward_corpus();
  for (const Sampler sampler : {Sampler::mean_for_mode, Sampler::uncollapsed, Sampler::theta_collapsed}) {
    TrainOptions o = {.topics = 7, .sweeps = 2, .sampler = sampler};
    const std::vector<std::int32_t> z = train(corpus, o).topics.z;
    o.schedule = Schedule::sequential;
    EXPECT_EQ(train(corpus, o).topics.z, z) << name(sampler);
  }
}

TEST(SequentialSchedule, IsAnotherChainThanTheParallelOne) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = {.topics = 7, .sweeps = 2};
  const std::vector<std::int32_t> z = train(corpus, o).topics.z;
  o.schedule = Schedule::sequential;
  EXPECT_NE(train(corpus, o).topics.z, z);
}

// One word, so that phi is 1, and documents of one token, so that theta without it is the prior: the
// weights of a draw are 1 and 2, in units of the least positive float.
TEST(LeastPriors, AreFollowedByEveryMethod) {
  constexpr std::size_t documents = 3000;
  const Corpus corpus = testing::make_corpus(std::vector<std::vector<std::int32_t>>(documents, {0}), 1);
  constexpr double least = std::numeric_limits<float>::denorm_min();
  for (const Way way :
       {Way{Sampler::theta_collapsed, Schedule::parallel}, Way{Sampler::collapsed, Schedule::sequential}})
    for (const PartialSums method : testing::all_methods) {
      const TrainOptions o = {.topics = 2,
                              .sampler = way.sampler,
                              .schedule = way.schedule,
                              .draws = Draws::dense,
                              .method = method,
                              .topic_alpha = {least, 2 * least}};
      lda::CpuChain chain(corpus, o, {});
      chain.sweep();
      const std::vector<std::int32_t>& z = chain.state().z;
      const auto zeros = static_cast<double>(std::count(z.begin(), z.end(), 0));
      EXPECT_GT(testing::chi_square_p_value({zeros, documents - zeros}, {documents / 3.0, documents / 1.5}), 1e-5)
          << name(way.sampler) << ", " << name(method) << ": " << zeros << " of " << documents;
    }
}

}  // namespace
}  // namespace papilio
