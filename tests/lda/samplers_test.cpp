// Every sampler against the plainest implementation of what it is said to do, and what holds for all.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lda/corpora.h"
#include "lda/sampler_oracle.h"
#include "lda/training/chain_cpu.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

struct Way {
  Sampler sampler;
  Schedule schedule;
};

// Prints in test names.
std::string name_of(const ::testing::TestParamInfo<Way>& way) {
  return std::string(name(way.param.sampler)) + "_" + std::string(name(way.param.schedule));
}

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

// More topics than a segment of a row's sum has.
TEST_P(Samplers, TakeThousandsOfTopics) { expect_as_the_oracle(testing::awkward_corpus(), options(1100, 1)); }

// As floats these priors are 0: without itself, a document's only token has no weight left, and stays.
// Drawn thetas of such shapes are 0 too.
TEST_P(Samplers, KeepATopicWhereNoOtherHasWeight) {
  TrainOptions o = options(6, 2);
  o.alpha = 1e-60;
  if (o.sampler == Sampler::phi_collapsed || o.sampler == Sampler::uncollapsed) o.alpha = 1e-30;
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

// Another method finds other topics by the same random numbers, by the same law: a chain climbs as far. Chains of
// ten seeds end within 0.05 nats a token of each other here.
TEST_P(Samplers, DrawByAnyMethod) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(5, 15);
  const double log_joint = train(corpus, o).log_joint_per_token;
  for (int method = 1; method <= static_cast<int>(PartialSums::butterfly_two_pass); ++method) {
    o.method = static_cast<PartialSums>(method);
    o.threads = 1;
    lda::CpuChain chain(corpus, o, {});
    for (std::int64_t sweep = 0; sweep < o.sweeps; ++sweep) chain.sweep();
    ASSERT_NO_THROW(chain.state().verify(corpus)) << name(o.method);
    o.threads = 3;
    const TrainResult result = train(corpus, o);
    EXPECT_EQ(result.topics.z, chain.state().z) << name(o.method);
    EXPECT_NEAR(result.log_joint_per_token, log_joint, 0.1) << name(o.method);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Samplers,
    ::testing::Values(Way{Sampler::mean_for_mode, Schedule::parallel}, Way{Sampler::uncollapsed, Schedule::parallel},
                      Way{Sampler::theta_collapsed, Schedule::parallel},
                      Way{Sampler::phi_collapsed, Schedule::parallel}, Way{Sampler::collapsed, Schedule::parallel},
                      Way{Sampler::phi_collapsed, Schedule::sequential}, Way{Sampler::collapsed, Schedule::sequential}),
    name_of);

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

}  // namespace
}  // namespace papilio
