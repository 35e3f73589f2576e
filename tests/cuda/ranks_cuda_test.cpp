// Training on several GPUs, and by several ranks on one: the bytes of the CPU. Tests of SeveralGpus take as many GPUs
// as PAPILIO_TEST_DEVICES says (./run test-gpu --devices 2) and are skipped without it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/corpora.h"
#include "lda/ranks.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "papilio/model.h"
#include "support/contracts.h"

namespace papilio {
namespace {

using testing::awkward_corpus, testing::corpus_to_stream, testing::equal, testing::refused, testing::uneven_corpus;

struct Combination {
  Sampler sampler;
  Draws draws;
};

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const SamplerChoice& sampler : samplers()) {
    all.push_back({sampler.value, Draws::dense});
    if (sampler.sparse_draws) all.push_back({sampler.value, Draws::sparse});
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Combination>& test) {
  return std::string(name(test.param.sampler)) + "_" + std::string(name(test.param.draws));
}

TrainOptions short_run(std::int32_t topics) {
  TrainOptions options;
  options.topics = topics;
  options.sweeps = 6;
  options.seed = 11;
  options.start = Start::uniform;
  options.evaluate_every = 3;
  return options;
}

// With all that a sweep may be asked for.
TrainOptions full_run(const Corpus& corpus, Combination combination, std::int32_t topics) {
  TrainOptions options = short_run(topics);
  options.sampler = combination.sampler;
  options.draws = combination.draws;
  options.optimize_every = 2;
  options.optimize_after = 2;
  options.seed_words = {{.topic = 3, .word = 7, .weight = 5}, {.topic = 4, .word = 121, .weight = 2}};
  options.held_out = corpus.view();
  options.held_out_every = 3;
  return options;
}

// The first `count` GPUs, over and over where there are `gpus` alone.
std::vector<Device> devices(int count, int gpus) {
  std::vector<Device> all;
  for (int i = 0; i < count; ++i) all.push_back(Device::cuda(i % gpus));
  return all;
}

struct Outcome {
  TrainResult result;
  std::vector<double> likelihoods;
};

Outcome train_with(const Corpus& corpus, TrainOptions options, const std::vector<Device>& on,
                   const ChainState* resume = nullptr) {
  Outcome outcome;
  options.devices = on;
  options.progress = [&](const Progress& progress) {
    if (progress.evaluated) outcome.likelihoods.push_back(progress.log_joint_per_token);
    return true;
  };
  outcome.result = train(corpus, options, resume);
  return outcome;
}

void expect_same(const Outcome& found, const Outcome& expected) {
  EXPECT_TRUE(equal(found.result.model, expected.result.model));
  EXPECT_EQ(found.result.topics.z, expected.result.topics.z);
  EXPECT_EQ(found.result.topics.alpha, expected.result.topics.alpha);
  EXPECT_EQ(found.result.topics.start, expected.result.topics.start);
  EXPECT_EQ(found.likelihoods, expected.likelihoods);
  ASSERT_EQ(found.result.held_out.size(), expected.result.held_out.size());
  for (std::size_t i = 0; i < found.result.held_out.size(); ++i) {
    EXPECT_EQ(found.result.held_out[i].completion.log_likelihood,
              expected.result.held_out[i].completion.log_likelihood);
  }
}

Corpus corpus_of_many_words(std::int64_t documents, double mean_length) {
  GenerateOptions generator;
  generator.documents = documents;
  generator.vocabulary = 60'000;
  generator.topics = 20;
  generator.mean_length = mean_length;
  generator.seed = 4;
  return generate_corpus(generator).corpus;
}

class RanksOnOneGpu : public testing::CudaTest, public ::testing::WithParamInterface<Combination> {};

TEST_P(RanksOnOneGpu, GiveTheModelOfTheCpu) {
  const Corpus corpus = awkward_corpus();
  const TrainOptions options = full_run(corpus, GetParam(), 40);
  const Outcome expected = train_with(corpus, options, {});
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(ranks);
    expect_same(train_with(corpus, options, devices(ranks, 1)), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RanksOnOneGpu, ::testing::ValuesIn(combinations()), name_of);

using RanksOnCuda = testing::CudaTest;

// Documents of 12,000 tokens and of none, and a word in every place of one: items of all sizes.
TEST_F(RanksOnCuda, UnevenDocuments) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {33, 1025}) {
    for (const Combination& combination : combinations()) {
      SCOPED_TRACE(std::string(name(combination.sampler)) + " " + std::string(name(combination.draws)));
      TrainOptions options = short_run(topics);
      options.sampler = combination.sampler;
      options.draws = combination.draws;
      options.sweeps = 3;
      expect_same(train_with(corpus, options, devices(3, 1)), train_with(corpus, options, {}));
    }
  }
}

// More counts than one block of words holds, rows of phi in global memory, and a document with wide entries on one
// rank.
TEST_F(RanksOnCuda, BlocksOfWordsAndKindsOfEntriesChangeNothing) {
  Corpus corpus = testing::small_generated_corpus().corpus;
  for (std::int32_t i = 0; i < 70'000; ++i) corpus.words.push_back(i * 37 % 400);
  corpus.document_offsets.push_back(static_cast<std::int64_t>(corpus.words.size()));
  TrainOptions options = short_run(60'000);
  options.sweeps = 3;
  options.draws = Draws::sparse;
  options.optimize_every = 1;
  options.optimize_after = 1;
  options.seed_words = {{.topic = 3, .word = 7, .weight = 5}, {.topic = 40'000, .word = 399, .weight = 2}};
  expect_same(train_with(corpus, options, devices(3, 1)), train_with(corpus, options, {}));
}

// Where there is room for it, a rank has a table of its own counts, which follow its draws; else it counts its tokens
// again in each sweep.
TEST_F(RanksOnCuda, KeptCountsChangeNothing) {
  const Corpus corpus = corpus_of_many_words(2'000, 20);
  TrainOptions options = short_run(512);
  options.draws = Draws::sparse;
  options.optimize_every = 2;
  options.optimize_after = 2;
  options.seed_words = {{.topic = 3, .word = 7, .weight = 5}, {.topic = 400, .word = 121, .weight = 2}};
  const Outcome expected = train_with(corpus, options, {});
  DevicePlan plan;
  options.planned = [&](const DevicePlan& planned) { plan = planned; };
  expect_same(train_with(corpus, options, devices(2, 1)), expected);
  const std::int64_t table = corpus.vocabulary_size() * 512 * std::int64_t{sizeof(std::int32_t)};
  const std::int64_t bytes = plan.bytes;
  options.max_device_memory = bytes;  // the table may take half of what the rest leaves
  expect_same(train_with(corpus, options, devices(2, 1)), expected);
  EXPECT_EQ(plan.bytes, bytes - table);
  EXPECT_EQ(plan.streamed_tokens, 0);
}

TEST_F(RanksOnCuda, ManyMoreThanDocuments) {
  const Corpus corpus = testing::make_corpus({{0, 1, 2}, {}, {1, 1}}, 3);
  for (const Draws draws : {Draws::dense, Draws::sparse}) {
    TrainOptions options = short_run(2);
    options.draws = draws;
    expect_same(train_with(corpus, options, devices(5, 1)), train_with(corpus, options, {}));
  }
}

// By ranges of documents, which are streamed.
void expect_same_in_least_memory(TrainOptions options, const std::vector<Device>& on) {
  const Corpus corpus = corpus_to_stream(60);
  const Outcome expected = train_with(corpus, options, {});
  Outcome found;
  std::int64_t streamed = 0;
  options.planned = [&](const DevicePlan& plan) { streamed = plan.streamed_tokens; };
  options.max_device_memory = 1;
  for (bool has_room = false; !has_room;) {
    try {
      found = train_with(corpus, options, on);
      has_room = true;
    } catch (const DeviceError& error) {  // of a rank, which says what would do; others may need more
      const std::string what = error.what();
      const std::string after = "need ";
      ASSERT_NE(what.find(after), std::string::npos) << what;
      const std::int64_t least = std::stoll(what.substr(what.find(after) + after.size()));
      ASSERT_GT(least, options.max_device_memory) << what;
      options.max_device_memory = least;
    }
  }
  expect_same(found, expected);
  EXPECT_GT(streamed, 0);
}

class RanksThatStream : public RanksOnOneGpu {};

TEST_P(RanksThatStream, GiveTheModelOfTheCpu) {
  const Corpus held_out = awkward_corpus();
  const TrainOptions options = full_run(held_out, GetParam(), 40);
  for (const int ranks : {2, 3}) expect_same_in_least_memory(options, devices(ranks, 1));
}

// Sparse draws of all tokens at once.
INSTANTIATE_TEST_SUITE_P(All, RanksThatStream,
                         ::testing::Values(Combination{Sampler::collapsed, Draws::sparse},
                                           Combination{Sampler::mean_for_mode, Draws::sparse}),
                         name_of);

TEST_F(RanksOnCuda, ResumeOnAnyOtherNumber) {
  const Corpus corpus = awkward_corpus();
  const TrainOptions options = short_run(40);
  const Outcome expected = train_with(corpus, options, {});
  TrainOptions half = options;
  half.sweeps = 3;
  const ChainState first = train_with(corpus, half, devices(3, 1)).result.topics;
  for (const int ranks : {1, 2}) {
    const Outcome rest = train_with(corpus, options, devices(ranks, 1), &first);
    EXPECT_TRUE(equal(rest.result.model, expected.result.model)) << ranks;
    EXPECT_EQ(rest.result.topics.z, expected.result.topics.z) << ranks;
  }
  EXPECT_EQ(train_with(corpus, options, {}, &first).result.topics.z, expected.result.topics.z);
}

TEST_F(RanksOnCuda, ProgressiveStart) {
  const Corpus corpus = awkward_corpus();
  for (const std::int64_t sweeps : {9, 43}) {
    TrainOptions options = full_run(corpus, {Sampler::collapsed, Draws::automatic}, 40);
    options.start = Start::progressive;
    options.sweeps = sweeps;
    const Outcome expected = train_with(corpus, options, {});
    ASSERT_EQ(expected.result.topics.start, Start::progressive);
    expect_same(train_with(corpus, options, devices(2, 1)), expected);
  }
}

// Every call of the callback has the topics of all documents; training goes on.
TEST_F(RanksOnCuda, CheckpointsAreThoseOfOneProcess) {
  const Corpus corpus = awkward_corpus();
  std::vector<ChainState> of_ranks, of_one;
  TrainOptions options = short_run(40);
  options.checkpoint_every = 2;
  options.checkpoint = [&](const ChainState& state) { of_one.push_back(state); };
  train_with(corpus, options, {});
  options.checkpoint = [&](const ChainState& state) { of_ranks.push_back(state); };
  train_with(corpus, options, devices(3, 1));
  ASSERT_EQ(of_ranks.size(), of_one.size());
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    EXPECT_EQ(of_ranks[i].sweep, of_one[i].sweep);
    EXPECT_EQ(of_ranks[i].z, of_one[i].z);
  }
}

TEST_F(RanksOnCuda, ACallbackThatThrowsEndsAllWithItsOwnWords) {
  const Corpus corpus = awkward_corpus();
  TrainOptions options = short_run(40);
  options.checkpoint_every = 2;
  options.checkpoint = [](const ChainState&) { throw std::runtime_error("the disk is full"); };
  try {
    train_with(corpus, options, devices(3, 1));
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
}

TEST_F(RanksOnCuda, TheSequentialScheduleIsRefused) {
  TrainOptions options = short_run(40);
  options.schedule = Schedule::sequential;
  options.devices = devices(2, 1);
  EXPECT_TRUE(refused("papilio::train: the sequential schedule", [&] { train(awkward_corpus(), options); }));
}

// A GPU and a CPU of one job go through the vocabulary in different blocks.
TEST_F(RanksOnCuda, RanksOnUnlikeDevicesAreRefused) {
  const Corpus corpus = awkward_corpus();
  const auto train_on_both = [&] {
    testing::on_ranks({.ranks = 2}, [&](Communicator& rank) {
      TrainOptions own = short_run(40);
      own.ranks = &rank;
      own.device = rank.rank() == 0 ? Device::cpu() : Device::cuda();
      train(corpus, own);
    });
  };
  EXPECT_TRUE(refused("papilio::train: ranks differ: rank 1 has \"options.device cuda\"", train_on_both));
}

// As many GPUs as the run is for: fewer are a failure.
class SeveralGpus : public ::testing::TestWithParam<Combination> {
 protected:
  void SetUp() override {
    const char* const wanted = std::getenv("PAPILIO_TEST_DEVICES");
    gpus_ = wanted != nullptr ? std::atoi(wanted) : 0;
    if (gpus_ < 2) GTEST_SKIP() << "needs several GPUs: ./run test-gpu --devices 2";
    ASSERT_GE(execution::cuda_device_count(), gpus_);
  }

  int gpus_ = 0;
};

TEST_P(SeveralGpus, GiveTheModelOfTheCpu) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions options = full_run(corpus, GetParam(), 129);
  const Outcome expected = train_with(corpus, options, {});
  for (int count = 1; count <= gpus_; ++count) {
    SCOPED_TRACE(count);
    expect_same(train_with(corpus, options, devices(count, gpus_)), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SeveralGpus, ::testing::ValuesIn(combinations()), name_of);

using GpusOfThisRun = SeveralGpus;

// A word for nearly every token, and many topics: sums of many blocks are under way while others are drawn.
TEST_P(GpusOfThisRun, SumsGoByNccl) {
  ASSERT_TRUE(describe_device_sums().starts_with("NCCL")) << describe_device_sums();
  const Corpus corpus = corpus_of_many_words(20'000, 50);
  TrainOptions options = short_run(2000);
  options.draws = GetParam().draws;
  options.sampler = GetParam().sampler;
  const Outcome expected = train_with(corpus, options, {Device::cuda(0)});
  expect_same(train_with(corpus, options, devices(gpus_, gpus_)), expected);
}

TEST_P(GpusOfThisRun, SumsOfStreamedRangesGoByNccl) {
  ASSERT_TRUE(describe_device_sums().starts_with("NCCL")) << describe_device_sums();
  const Corpus held_out = awkward_corpus();
  expect_same_in_least_memory(full_run(held_out, GetParam(), 300), devices(gpus_, gpus_));
}

INSTANTIATE_TEST_SUITE_P(OfManyWords, GpusOfThisRun, ::testing::Values(Combination{Sampler::collapsed, Draws::sparse}),
                         name_of);

}  // namespace
}  // namespace papilio
