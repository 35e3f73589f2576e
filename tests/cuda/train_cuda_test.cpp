// Training on a CUDA device: the same topics, counts and likelihoods as on the CPU.

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/corpora.h"
#include "lda/evaluation/log_joint.h"
#include "lda/training/memory/token_ranges_cuda.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using Documents = std::vector<std::vector<std::int32_t>>;
using testing::equal, testing::expect_same, testing::least_memory, testing::on_device, testing::state_after,
    testing::uneven_corpus;

using TrainOnCuda = testing::CudaTest;

// The hashes are those of tests/lda/golden/golden_topics_test.cpp.
TEST_F(TrainOnCuda, GivesTheGoldenTopics) {
  const auto hash = [](const std::vector<std::int32_t>& z) { return XXH3_64bits(z.data(), z.size() * sizeof(z[0])); };
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const auto& [sampler, expected] : {std::pair(Sampler::mean_for_mode, 17625728830501916152u),
                                          std::pair(Sampler::uncollapsed, 12953186429330814356u),
                                          std::pair(Sampler::theta_collapsed, 532034237281424023u),
                                          std::pair(Sampler::phi_collapsed, 4673857695011151236u),
                                          std::pair(Sampler::collapsed, 13958931916732736345u)}) {
    const TrainOptions few = on_device({.topics = 71,
                                        .sweeps = 20,
                                        .seed = 0x123456789abcdef,
                                        .sampler = sampler,
                                        .evaluate_every = 0,
                                        .draws = Draws::dense});
    EXPECT_EQ(hash(train(corpus, few).topics.z), expected) << name(sampler);
  }
  const TrainOptions many = on_device({.topics = 2500,
                                       .sweeps = 3,
                                       .seed = 1,
                                       .sampler = Sampler::mean_for_mode,
                                       .evaluate_every = 0,
                                       .draws = Draws::dense});
  EXPECT_EQ(hash(train(corpus, many).topics.z), 8922016842920062082u);
}

TEST_F(TrainOnCuda, GivesTheGoldenTopicsOfSparseDraws) {
  const auto hash = [](const std::vector<std::int32_t>& z) { return XXH3_64bits(z.data(), z.size() * sizeof(z[0])); };
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const auto& [sampler, topics, expected] : {std::tuple(Sampler::mean_for_mode, 71, 3840616929855400545u),
                                                  std::tuple(Sampler::theta_collapsed, 71, 6876860383832014855u),
                                                  std::tuple(Sampler::collapsed, 71, 16404972922124289896u),
                                                  std::tuple(Sampler::collapsed, 2500, 10590162269086914661u)}) {
    const TrainOptions options = on_device({.topics = topics,
                                            .sweeps = 20,
                                            .seed = 0x123456789abcdef,
                                            .sampler = sampler,
                                            .evaluate_every = 0,
                                            .draws = Draws::sparse});
    EXPECT_EQ(hash(train(corpus, options).topics.z), expected) << name(sampler) << ", " << topics << " topics";
  }
}

class TrainOnCudaWithTopics : public testing::CudaTest, public ::testing::WithParamInterface<std::int32_t> {};

TEST_P(TrainOnCudaWithTopics, GivesTheModelOfTheCpu) {
  expect_same(uneven_corpus(), {.topics = GetParam(), .sweeps = 5, .seed = 3, .sampler = Sampler::mean_for_mode});
}

// Beyond 12,288 topics the counters of a document are tiled, and n_k has none in shared memory.
INSTANTIATE_TEST_SUITE_P(Topics, TrainOnCudaWithTopics,
                         ::testing::Values(1, 2, 3, 4, 5, 16, 33, 100, 127, 128, 129, 250, 256, 500, 512, 1000, 1024,
                                           1025, 1500, 4096, 12289, 30001),
                         [](const auto& with) { return std::to_string(with.param); });

TEST_F(TrainOnCuda, GivesTheModelOfTheCpuForCorporaAtTheEdge) {
  for (const auto& [documents, words] :
       {std::pair(Documents{{0}}, 1), std::pair(Documents{{}, {2}, {}}, 3), std::pair(Documents(3000, {1, 0}), 2),
        std::pair(Documents{std::vector<std::int32_t>(100000, 0)}, 1)}) {
    for (const std::int32_t topics : {1, 7, 300}) {
      SCOPED_TRACE(documents.size());
      expect_same(testing::make_corpus(documents, words), {.topics = topics, .sweeps = 3, .seed = 9});
    }
  }
}

// Counts above 2^16 leave the tables of the likelihood's terms.
TEST_F(TrainOnCuda, GivesTheLikelihoodOfTheCpuForLargeCounts) {
  const Documents documents = {std::vector<std::int32_t>(200000, 0), std::vector<std::int32_t>(70000, 1), {0, 1}};
  for (const std::int32_t topics : {1, 2}) {
    expect_same(testing::make_corpus(documents, 2), {.topics = topics, .sweeps = 2, .alpha = 3, .beta = 20});
  }
}

// While it trains, from the topics that the chain shows; which leaves the chain as it is.
TEST_F(TrainOnCuda, ScoresHeldOutDocumentsAsTheCpu) {
  const HeldOutSplit split = hold_out_every(testing::small_generated_corpus().corpus, 5);
  TrainOptions options = {.topics = 20, .sweeps = 7, .held_out = split.held_out.view(), .held_out_every = 3};
  const TrainResult expected = train(split.training, options);
  const TrainResult result = train(split.training, on_device(options));
  EXPECT_TRUE(equal(result.model, expected.model));
  ASSERT_EQ(result.held_out.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.held_out[i].sweep, expected.held_out[i].sweep);
    EXPECT_EQ(result.held_out[i].completion.log_likelihood, expected.held_out[i].completion.log_likelihood);
  }
}

TEST_F(TrainOnCuda, TakesOtherPriors) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const double prior : {1e-60, 1e-6, 0.37, 1e6}) {  // the first is 0 as a float
    expect_same(corpus, {.topics = 20, .sweeps = 4, .alpha = prior, .beta = 0.01});
    expect_same(corpus, {.topics = 20, .sweeps = 4, .alpha = 0.1, .beta = prior});
  }
}

TEST_F(TrainOnCuda, ResumesOnEitherDevice) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions whole = {.topics = 40, .sweeps = 9, .seed = 2, .evaluate_every = 0};
  TrainOptions half = whole;
  half.sweeps = 4;
  const TrainResult expected = train(corpus, whole);
  for (const bool first_on_device : {false, true}) {
    const TrainResult before = train(corpus, first_on_device ? on_device(half) : half);
    for (const bool then_on_device : {false, true}) {
      const TrainResult after = train(corpus, then_on_device ? on_device(whole) : whole, &before.topics);
      EXPECT_EQ(after.topics.z, expected.topics.z);
      EXPECT_TRUE(equal(after.model, expected.model));
      EXPECT_EQ(after.log_joint_per_token, expected.log_joint_per_token);
    }
  }
}

// Every stage is a chain of its own, and its topics pass through the host's memory.
TEST_F(TrainOnCuda, StartsProgressivelyAsTheCpu) {
  for (const Sampler sampler : {Sampler::collapsed, Sampler::theta_collapsed}) {
    SCOPED_TRACE(name(sampler));
    const TrainOptions options = {
        .topics = 40, .sweeps = 43, .seed = 3, .sampler = sampler, .start = Start::progressive};
    expect_same(uneven_corpus(), options);
    expect_same(testing::awkward_corpus(), options);
  }
}

TEST_F(TrainOnCuda, GoesOnWithAProgressiveStartOfEitherDevice) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions options = {.topics = 40, .sweeps = 43, .seed = 3, .evaluate_every = 0, .start = Start::progressive};
  const TrainResult whole = train(corpus, options);
  for (const std::int64_t sweeps : {7, 10, 29}) {
    options.sweeps = sweeps;
    const ChainState here = train(corpus, options).topics, there = train(corpus, on_device(options)).topics;
    options.sweeps = 43;
    EXPECT_EQ(train(corpus, on_device(options), &here).topics.z, whole.topics.z) << sweeps;
    EXPECT_EQ(train(corpus, options, &there).topics.z, whole.topics.z) << sweeps;
  }
}

TEST_F(TrainOnCuda, SmokeKeepsItsStateTrueThroughSweeps) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {6, 200}) {
    for (const std::int64_t sweeps : {0, 1, 3}) {
      double log_joint = 0;
      const lda::State state = state_after(corpus, {.topics = topics, .seed = 4}, sweeps, 0, &log_joint);
      EXPECT_EQ(state.sweep, sweeps);
      EXPECT_NO_THROW(state.verify(corpus));
      EXPECT_EQ(log_joint, lda::log_joint(corpus, state, state.priors, 1));
    }
  }
}

// In the least memory there is, ranges hold hardly more than the longest document; with
// a little more there are fewer ranges, up to one.
TEST_F(TrainOnCuda, SmokeStreamsWhatDoesNotFit) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {6, 1500}) {
    const TrainOptions options = {.topics = topics, .seed = 8};
    double expected_log_joint = 0;
    const lda::State expected = state_after(corpus, options, 3, 0, &expected_log_joint);
    const std::int64_t least = least_memory(corpus, options);
    for (const std::int64_t more : {0, 4000, 100000, 1000000, 10000000}) {
      SCOPED_TRACE(more);
      double log_joint = 0;
      const lda::State state = state_after(corpus, options, 3, least + more, &log_joint);
      EXPECT_EQ(state.z, expected.z);
      EXPECT_EQ(state.n_wk, expected.n_wk);
      EXPECT_EQ(state.n_k, expected.n_k);
      EXPECT_EQ(log_joint, expected_log_joint);
      EXPECT_NO_THROW(state.verify(corpus));
      const ChainState half = {.sweep = 1, .z = state_after(corpus, options, 1, least + more).z};
      EXPECT_EQ(state_after(corpus, options, 3, least + more, nullptr, &half).z, expected.z);
    }
  }
}

// Words and z alone take 8 bytes per token, so that in no more memory than that ranges are streamed.
TEST_F(TrainOnCuda, SmokeBringsStreamedTopicsBack) {
  const Corpus corpus = uneven_corpus();
  const execution::Stream stream;
  for (const bool streamed : {true, false}) {
    lda::TokenRanges ranges(corpus, {.row = 8, .tokens_per_item = 32},
                            streamed ? 8 * corpus.tokens() : std::int64_t{1} << 30, 2, stream.get());
    EXPECT_EQ(ranges.is_streamed(), streamed);
    const std::vector<std::int32_t> z(corpus.words.size(), 5);
    ranges.set_topics(z);
    EXPECT_EQ(ranges.topics(), z);
    std::int64_t documents = 0, tokens = 0, count = 0;
    ranges.for_each(true, [&](const lda::RangeOnDevice& range) {
      EXPECT_EQ(range.first_token, tokens);
      documents += range.documents;
      tokens += range.tokens;
      execution::check(
          cudaMemsetAsync(range.z, ++count & 1 ? 1 : 2, static_cast<std::size_t>(range.tokens) * 4, range.stream),
          "a test");
    });
    EXPECT_EQ(documents, corpus.documents());
    EXPECT_EQ(tokens, corpus.tokens());
    EXPECT_EQ(count > 2, streamed);
    const std::vector<std::int32_t> written = ranges.topics();
    EXPECT_EQ(written.front(), 0x01010101);
    EXPECT_EQ(std::count(written.begin(), written.end(), 0x01010101) < std::ssize(written), streamed);
    EXPECT_EQ(std::count(written.begin(), written.end(), 5), 0);
  }
}

TEST_F(TrainOnCuda, TakesNoMoreMemoryThanItIsGiven) {
  const Corpus corpus = uneven_corpus();
  for (const Sampler sampler : testing::all_samplers()) {
    for (const PartialSums method : {PartialSums::slots, PartialSums::butterfly_swap}) {
      SCOPED_TRACE(std::string(name(sampler)) + ", " + std::string(name(method)));
      const TrainOptions options = {.topics = 50, .sampler = sampler, .method = method};
      const std::int64_t least = least_memory(corpus, options);
      for (const std::int64_t more : {0, 1 << 16, 1 << 24}) {
        lda::CudaChain chain(corpus, testing::dense_by_default(on_device(options)), nullptr, {.memory = least + more});
        chain.sweep();
        chain.log_joint();
        EXPECT_LE(chain.bytes(), least + more);
      }
    }
  }
}

TEST_F(TrainOnCuda, SaysWhatMemoryIsShortAndLivesOn) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions options = {.topics = 50, .sweeps = 2};
  const std::int64_t least = least_memory(corpus, options);
  for (const std::int64_t memory : {std::int64_t{1}, least - 1}) {
    try {
      state_after(corpus, options, 1, memory);
      ADD_FAILURE() << "accepted " << memory << " bytes";
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("bytes of device memory"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(" are free"), std::string::npos) << error.what();
    }
  }
  // 2^31 - 1 topics of 400 words: more than any device has.
  EXPECT_THROW(train(corpus, on_device({.topics = 2147483647, .sweeps = 1, .draws = Draws::dense})), DeviceError);
  expect_same(corpus, options);
}

TEST_F(TrainOnCuda, StopsWhereTheCallbackSays) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 5, .sweeps = 12, .seed = 9};
  options.progress = [](const Progress& progress) { return progress.sweep < 4; };
  const TrainResult stopped = train(corpus, on_device(options));
  EXPECT_TRUE(stopped.stopped);
  options.progress = {};
  options.sweeps = 4;
  EXPECT_EQ(stopped.topics.z, train(corpus, options).topics.z);
}

}  // namespace
}  // namespace papilio
