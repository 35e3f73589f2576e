// Every sampler on a CUDA device: the same topics, counts and likelihoods as on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/training/recipe.h"

namespace papilio {
namespace {

using testing::all_samplers, testing::expect_same, testing::least_memory, testing::on_device, testing::state_after,
    testing::uneven_corpus;

std::vector<double> uneven_alpha(std::int32_t topics) {
  std::vector<double> alpha;
  for (std::int32_t k = 0; k < topics; ++k) alpha.push_back(0.03 * (1 + k * 7 % 13));
  return alpha;
}

class SamplersOnCuda : public testing::CudaTest, public ::testing::WithParamInterface<Sampler> {
 protected:
  static TrainOptions options(std::int32_t topics) {
    return {.topics = topics, .sweeps = 3, .alpha = 0.2, .beta = 0.02, .seed = 6, .sampler = GetParam()};
  }
};

INSTANTIATE_TEST_SUITE_P(All, SamplersOnCuda, ::testing::ValuesIn(all_samplers()),
                         [](const auto& with) { return std::string(name(with.param)); });

class SamplersOnCudaWithTopics : public testing::CudaTest,
                                 public ::testing::WithParamInterface<std::tuple<Sampler, std::int32_t>> {};

// Of each kernel the least and the most topics, or nearly; 8,193 is more than eight segments.
INSTANTIATE_TEST_SUITE_P(Topics, SamplersOnCudaWithTopics,
                         ::testing::Combine(::testing::Values(Sampler::uncollapsed, Sampler::theta_collapsed,
                                                              Sampler::phi_collapsed, Sampler::collapsed),
                                            ::testing::Values(1, 2, 7, 16, 17, 33, 48, 64, 100, 128, 130, 256, 257, 500,
                                                              513, 1000, 1024, 1025, 1152, 1153, 1500, 2048, 2049,
                                                              8193)),
                         [](const auto& with) {
                           return std::string(name(std::get<0>(with.param))) + "_" +
                                  std::to_string(std::get<1>(with.param));
                         });

TEST_P(SamplersOnCudaWithTopics, GiveTheModelOfTheCpu) {
  const auto [sampler, topics] = GetParam();
  expect_same(uneven_corpus(), {.topics = topics, .sweeps = 3, .seed = 3, .sampler = sampler});
}

TEST_P(SamplersOnCuda, TakeAPriorForEachTopic) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {2, 7, 70, 300, 1500}) {
    SCOPED_TRACE(topics);
    TrainOptions o = options(topics);
    o.topic_alpha = uneven_alpha(topics);
    expect_same(corpus, o);
  }
}

// 1e-60 is 0 as a float: without its token a document of one token has no weight at all.
// What is drawn must have a prior that a float can hold.
TEST_P(SamplersOnCuda, TakePriorsAtTheEdge) {
  const Corpus corpus = uneven_corpus();
  const lda::Recipe recipe = lda::recipe_of(GetParam());
  for (const std::int32_t topics : {20, 200, 1100}) {
    for (const double prior : {1e-60, 1e-6, 1e6}) {
      SCOPED_TRACE(prior);
      TrainOptions o = options(topics);
      o.alpha = recipe.theta == Parameter::drawn ? std::max(prior, 1e-30) : prior;
      expect_same(corpus, o);
      o.alpha = 0.2;
      o.beta = recipe.phi == Parameter::drawn ? std::max(prior, 1e-30) : prior;
      expect_same(corpus, o);
    }
  }
}

TEST_P(SamplersOnCuda, OptimiseTheirPriors) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {5, 150}) {
    TrainOptions o = options(topics);
    o.sweeps = 6;
    o.optimize_after = 2;
    o.optimize_every = 2;
    expect_same(corpus, o);
  }
}

TEST_P(SamplersOnCuda, ResumeOnEitherDevice) {
  const Corpus corpus = uneven_corpus();
  TrainOptions whole = options(40);
  whole.sweeps = 5;
  TrainOptions half = whole;
  half.sweeps = 2;
  const std::vector<std::int32_t> expected = train(corpus, whole).topics.z;
  const TrainResult before[] = {train(corpus, half), train(corpus, on_device(half))};
  EXPECT_EQ(train(corpus, on_device(whole), &before[0].topics).topics.z, expected);
  EXPECT_EQ(train(corpus, whole, &before[1].topics).topics.z, expected);
  EXPECT_EQ(train(corpus, on_device(whole), &before[1].topics).topics.z, expected);
}

TEST_P(SamplersOnCuda, SmokeStreamWhatDoesNotFit) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {6, 1500}) {
    const TrainOptions o = options(topics);
    const lda::State expected = state_after(corpus, o, 2, 0);
    const std::int64_t least = least_memory(corpus, o);
    for (const std::int64_t more : {0, 100000, 1000000}) {
      SCOPED_TRACE(more);
      const lda::State state = state_after(corpus, o, 2, least + more);
      EXPECT_EQ(state.z, expected.z);
      EXPECT_EQ(state.n_wk, expected.n_wk);
      EXPECT_EQ(state.n_k, expected.n_k);
      EXPECT_NO_THROW(state.verify(corpus));
    }
  }
}

}  // namespace
}  // namespace papilio
