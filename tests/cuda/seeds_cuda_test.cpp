// Seed words on a CUDA device: the same topics, counts and likelihoods as on the CPU, for every sampler.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "cuda/support.h"
#include "cuda/training.h"

namespace papilio {
namespace {

using testing::all_samplers, testing::expect_same, testing::uneven_corpus;

// Of words with many tokens, few and none (400), several in a topic and several topics of a word.
std::vector<SeedWord> seeds(std::int32_t topics) {
  const std::int32_t last = topics - 1;
  std::vector<SeedWord> words = {{0, 3, 40}, {last, 7, 1000}, {last, 399, 2}, {0, 12, 1}, {last / 2, 400, 70}};
  if (topics > 1) words.push_back({last, 3, 7});
  return words;
}

Corpus corpus_with_an_unused_word() {
  Corpus corpus = uneven_corpus();
  corpus.vocabulary.emplace_back("unused");
  return corpus;
}

class SeedsOnCuda : public testing::CudaTest,
                    public ::testing::WithParamInterface<std::tuple<Sampler, std::int32_t>> {};

INSTANTIATE_TEST_SUITE_P(Topics, SeedsOnCuda,
                         ::testing::Combine(::testing::ValuesIn(all_samplers()),
                                            ::testing::Values(1, 2, 7, 33, 130, 1000, 2500)),
                         [](const auto& with) {
                           return std::string(name(std::get<0>(with.param))) + "_" +
                                  std::to_string(std::get<1>(with.param));
                         });

TEST_P(SeedsOnCuda, GiveTheModelOfTheCpu) {
  const auto [sampler, topics] = GetParam();
  expect_same(corpus_with_an_unused_word(),
              {.topics = topics, .sweeps = 3, .seed = 3, .sampler = sampler, .seed_words = seeds(topics)});
}

class SeededSchedulesOnCuda : public testing::CudaTest, public ::testing::WithParamInterface<Sampler> {};

INSTANTIATE_TEST_SUITE_P(All, SeededSchedulesOnCuda, ::testing::Values(Sampler::collapsed, Sampler::phi_collapsed),
                         [](const auto& with) { return std::string(name(with.param)); });

TEST_P(SeededSchedulesOnCuda, GoTokenByTokenAsOnTheCpu) {
  expect_same(corpus_with_an_unused_word(), {.topics = 40,
                                             .sweeps = 2,
                                             .seed = 3,
                                             .sampler = GetParam(),
                                             .schedule = Schedule::sequential,
                                             .seed_words = seeds(40)});
}

TEST_P(SeededSchedulesOnCuda, OptimisePriorsAndStartProgressively) {
  TrainOptions options = {.topics = 50, .sweeps = 44, .seed = 3, .sampler = GetParam(), .start = Start::progressive};
  options.seed_words = seeds(50);
  options.optimize_every = 3;
  options.optimize_after = 6;
  expect_same(corpus_with_an_unused_word(), options);
}

// Documents that are streamed, and a chain that goes on from another's topics.
TEST_P(SeededSchedulesOnCuda, AreTheSameInLittleMemoryAndAfterAStop) {
  const Corpus corpus = corpus_with_an_unused_word();
  TrainOptions options = {.topics = 20, .sweeps = 4, .seed = 3, .sampler = GetParam(), .draws = Draws::dense};
  options.seed_words = seeds(20);
  const TrainResult whole = train(corpus, options);
  double log_joint = 0;
  const std::int64_t least = testing::least_memory(corpus, options);
  lda::State streamed = testing::state_after(corpus, options, 4, least, &log_joint);
  EXPECT_EQ(streamed.z, whole.topics.z);
  EXPECT_NO_THROW(streamed.verify(corpus));
  EXPECT_EQ(log_joint / static_cast<double>(corpus.tokens()), whole.log_joint_per_token);
  options.sweeps = 2;
  const ChainState state = train(corpus, options).topics;
  options.sweeps = 4;
  EXPECT_EQ(testing::state_after(corpus, options, 4, 0, nullptr, &state).z, whole.topics.z);
}

}  // namespace
}  // namespace papilio
