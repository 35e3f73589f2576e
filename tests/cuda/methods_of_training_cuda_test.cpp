// Training on a CUDA device by the methods of the papers, and token by token: the same topics,
// counts and likelihoods as on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/training/plan.h"

namespace papilio {
namespace {

using testing::all_samplers, testing::expect_same, testing::least_memory, testing::state_after, testing::uneven_corpus;

constexpr PartialSums methods[] = {PartialSums::prefix,
                                   PartialSums::transposed,
                                   PartialSums::transposed_through_scratch,
                                   PartialSums::butterfly_swap,
                                   PartialSums::butterfly_two_pass,
                                   PartialSums::transposed_remnant_first,
                                   PartialSums::butterfly_swap_remnant_first};
// Whose roundings depend on a token's place among those that are drawn together.
constexpr PartialSums methods_by_place[] = {PartialSums::butterfly_add_subtract,
                                            PartialSums::butterfly_add_subtract_remnant_first};

// Some documents of all lengths: blocks draw slowly, and one token after the other more so.
Corpus short_corpus(std::size_t documents, std::int64_t most_tokens) {
  const Corpus all = uneven_corpus();
  std::vector<std::vector<std::int32_t>> some;
  for (std::size_t d = 0; d < std::min(documents, all.document_offsets.size() - 1); ++d) {
    const std::int64_t begin = all.document_offsets[d];
    const std::int64_t end = std::min(all.document_offsets[d + 1], begin + most_tokens);
    some.emplace_back(all.words.begin() + begin, all.words.begin() + end);
  }
  some.emplace_back(static_cast<std::size_t>(most_tokens), 3);
  return testing::make_corpus(some, 400);
}

class MethodsOfTrainingOnCuda : public testing::CudaTest,
                                public ::testing::WithParamInterface<std::tuple<Sampler, PartialSums>> {
 protected:
  static TrainOptions options(std::int32_t topics) {
    const auto [sampler, method] = GetParam();
    return {.topics = topics, .sweeps = 3, .seed = 5, .sampler = sampler, .method = method};
  }
};

INSTANTIATE_TEST_SUITE_P(All, MethodsOfTrainingOnCuda,
                         ::testing::Combine(::testing::ValuesIn(all_samplers()), ::testing::ValuesIn(methods)),
                         [](const auto& with) {
                           return std::string(name(std::get<0>(with.param))) + "_" +
                                  std::string(name(std::get<1>(with.param)));
                         });

// Less than a block, whole blocks, and blocks with a remnant.
TEST_P(MethodsOfTrainingOnCuda, GiveTheModelOfTheCpu) {
  const Corpus corpus = short_corpus(100, 300);
  for (const std::int32_t topics : {1, 31, 32, 71, 300}) {
    SCOPED_TRACE(topics);
    expect_same(corpus, options(topics));
  }
}

TEST_P(MethodsOfTrainingOnCuda, GiveTheModelOfTheCpuWherePriorsAreAtTheEdge) {
  const Corpus corpus = short_corpus(60, 100);
  TrainOptions o = options(45);
  o.alpha = lda::recipe_of(o.sampler).theta == Parameter::drawn ? 1e-30 : 1e-60;
  expect_same(corpus, o);
}

TEST_P(MethodsOfTrainingOnCuda, StreamWhatDoesNotFit) {
  const Corpus corpus = short_corpus(100, 300);
  const TrainOptions o = options(71);
  const lda::State expected = state_after(corpus, o, 2, 0);
  const lda::State state = state_after(corpus, o, 2, least_memory(corpus, o));
  EXPECT_EQ(state.z, expected.z);
  EXPECT_EQ(state.n_wk, expected.n_wk);
  EXPECT_EQ(state.n_k, expected.n_k);
}

class SamplersByPlaceOnCuda : public testing::CudaTest, public ::testing::WithParamInterface<Sampler> {};

INSTANTIATE_TEST_SUITE_P(All, SamplersByPlaceOnCuda, ::testing::ValuesIn(all_samplers()),
                         [](const auto& with) { return std::string(name(with.param)); });

TEST_P(SamplersByPlaceOnCuda, AreRefusedByName) {
  const Corpus corpus = short_corpus(10, 20);
  for (const PartialSums method : methods_by_place) {
    const TrainOptions o = testing::on_device({.topics = 5, .sampler = GetParam(), .method = method});
    try {
      train(corpus, o);
      ADD_FAILURE() << "accepted " << name(method);
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name(method)), std::string::npos) << error.what();
    }
  }
}

class SmokeMethodsOfTrainingOnCuda : public testing::CudaTest {};

TEST_F(SmokeMethodsOfTrainingOnCuda, GiveTheModelOfTheCpu) {
  const Corpus corpus = short_corpus(60, 100);
  for (const Sampler sampler : {Sampler::collapsed, Sampler::theta_collapsed}) {
    for (const PartialSums method : {PartialSums::butterfly_two_pass, PartialSums::transposed_remnant_first}) {
      expect_same(corpus, {.topics = 40, .sweeps = 2, .seed = 5, .sampler = sampler, .method = method});
    }
  }
}

class SequentialOnCuda : public testing::CudaTest, public ::testing::WithParamInterface<Sampler> {
 protected:
  static TrainOptions options(std::int32_t topics, PartialSums method = PartialSums::slots) {
    return {.topics = topics,
            .sweeps = 2,
            .seed = 7,
            .sampler = GetParam(),
            .schedule = Schedule::sequential,
            .method = method};
  }
};

INSTANTIATE_TEST_SUITE_P(All, SequentialOnCuda, ::testing::ValuesIn(all_samplers()),
                         [](const auto& with) { return std::string(name(with.param)); });

TEST_P(SequentialOnCuda, GivesTheModelOfTheCpu) {
  const Corpus corpus = short_corpus(60, 200);
  for (const std::int32_t topics : {1, 2, 71, 128, 300, 1030, 9000}) {
    SCOPED_TRACE(topics);
    expect_same(corpus, options(topics));
  }
}

TEST_P(SequentialOnCuda, GivesTheModelOfTheCpuByEveryMethod) {
  const Corpus corpus = short_corpus(60, 100);
  for (const PartialSums method : methods) {
    SCOPED_TRACE(name(method));
    expect_same(corpus, options(71, method));
  }
  if (lda::Plan(corpus, options(71)).order != lda::Order::token_by_token) return;
  for (const PartialSums method : methods_by_place) {
    SCOPED_TRACE(name(method));
    expect_same(corpus, options(71, method));
  }
}

TEST_P(SequentialOnCuda, OptimisesItsPriors) {
  TrainOptions o = options(20);
  o.sweeps = 5;
  o.optimize_after = 2;
  o.optimize_every = 2;
  expect_same(short_corpus(60, 100), o);
}

TEST_P(SequentialOnCuda, SmokeStreamsWhatDoesNotFit) {
  const Corpus corpus = short_corpus(100, 300);
  const TrainOptions o = options(30);
  const lda::State expected = state_after(corpus, o, 2, 0);
  const lda::State state = state_after(corpus, o, 2, least_memory(corpus, o));
  EXPECT_EQ(state.z, expected.z);
  EXPECT_EQ(state.n_wk, expected.n_wk);
  EXPECT_EQ(state.n_k, expected.n_k);
  EXPECT_NO_THROW(state.verify(corpus));
}

}  // namespace
}  // namespace papilio
