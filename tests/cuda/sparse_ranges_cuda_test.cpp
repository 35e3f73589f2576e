// Sparse sweeps on a CUDA device in less memory than the corpus takes: the model of the CPU, whatever stays there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "cuda/training.h"
#include "execution/ranks/single_rank.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/distributed/sparse_sweep_cpu.h"
#include "lda/training/plan.h"

namespace papilio {
namespace {

using lda::SparseParallelTuning;
using testing::corpus_to_stream, testing::on_device, testing::uneven_corpus;

TrainOptions sparsely(const TrainOptions& options) { return testing::with_draws(options, Draws::sparse); }

struct AfterSweeps {
  lda::State state;
  double log_joint = 0;
  std::int64_t bytes = 0;
  DevicePlan plan;
};

AfterSweeps on_gpu(const Corpus& corpus, const TrainOptions& options, int sweeps, const lda::CudaTuning& tuning) {
  lda::CudaChain chain(corpus, sparsely(on_device(options)), nullptr, tuning);
  for (int s = 0; s < sweeps; ++s) chain.sweep();
  AfterSweeps after;
  after.log_joint = chain.log_joint();
  after.bytes = chain.bytes();
  after.plan = chain.device_plan();
  after.state = chain.take_state();
  return after;
}

void expect_equal(const AfterSweeps& after, const TrainResult& expected, const Corpus& corpus) {
  EXPECT_EQ(after.state.z, expected.topics.z);
  EXPECT_EQ(after.log_joint / static_cast<double>(corpus.tokens()), expected.log_joint_per_token);
  EXPECT_NO_THROW(after.state.verify(corpus));
}

// In ranges of this many bytes and all memory: nothing is streamed.
AfterSweeps in_ranges(const Corpus& corpus, const TrainOptions& options, int sweeps, SparseParallelTuning tuning,
                      std::int64_t range_bytes) {
  tuning.range_bytes = range_bytes;
  return on_gpu(corpus, options, sweeps, {.sparse_parallel = tuning});
}

// The least memory for ranges of this many bytes.
std::int64_t least_for(const Corpus& corpus, const TrainOptions& options, std::int64_t range_bytes,
                       SparseParallelTuning tuning = {}) {
  tuning.range_bytes = range_bytes;
  try {
    on_gpu(corpus, options, 0, {.memory = 1, .sparse_parallel = tuning});
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    const std::string after = "need ";
    return std::stoll(what.substr(what.find(after) + after.size()));
  }
  return 0;
}

// In ranges of this many bytes and the least memory: every token is streamed.
AfterSweeps streamed(const Corpus& corpus, const TrainOptions& options, int sweeps, SparseParallelTuning tuning,
                     std::int64_t range_bytes) {
  const std::int64_t least = least_for(corpus, options, range_bytes, tuning);
  tuning.range_bytes = range_bytes;
  AfterSweeps after = on_gpu(corpus, options, sweeps, {.memory = least, .sparse_parallel = tuning});
  EXPECT_EQ(after.plan.streamed_tokens, corpus.tokens());
  return after;
}

using SparseRangesOnCuda = testing::CudaTest;

TEST_F(SparseRangesOnCuda, SmokeDrawWhatTheCpuDraws) {
  const Corpus corpus = corpus_to_stream();
  for (const std::int32_t topics : {40, 700}) {
    const TrainOptions options = {.topics = topics, .sweeps = 3, .seed = 4};
    const TrainResult expected = train(corpus, sparsely(options));
    const std::int64_t least = least_for(corpus, options, 1 << 16);
    ASSERT_GT(least, 0);
    std::vector<std::int64_t> tokens;
    for (const std::int64_t more : {0, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 24}) {
      SCOPED_TRACE(std::to_string(topics) + " topics, " + std::to_string(least + more) + " bytes");
      const AfterSweeps after =
          on_gpu(corpus, options, 3, {.memory = least + more, .sparse_parallel = {.range_bytes = 1 << 16}});
      expect_equal(after, expected, corpus);
      EXPECT_LE(after.bytes, least + more);
      tokens.push_back(after.plan.streamed_tokens);
      EXPECT_EQ(after.plan.streamed_bytes > 0, after.plan.streamed_tokens > 0);
      EXPECT_EQ(after.plan.tokens_per_second > 0, after.plan.streamed_tokens > 0);
    }
    EXPECT_EQ(tokens.front(), corpus.tokens());
    EXPECT_EQ(tokens.back(), 0);
    EXPECT_TRUE(std::ranges::any_of(tokens, [&](std::int64_t some) { return 0 < some && some < corpus.tokens(); }));
  }
}

TEST_F(SparseRangesOnCuda, DrawTheSameInEveryShape) {
  const Corpus corpus = corpus_to_stream();
  for (const Sampler sampler : {Sampler::collapsed, Sampler::mean_for_mode}) {
    for (const std::int32_t topics : {1, 33, 300, 5000}) {
      const TrainOptions options = {.topics = topics, .sweeps = 2, .alpha = 0.2, .seed = 6, .sampler = sampler};
      const TrainResult expected = train(corpus, sparsely(options));
      for (const SparseParallelTuning& tuning : std::vector<SparseParallelTuning>{
               {},
               {.is_wide = true},
               {.global_rows = true},
               {.by_pair = true},
               {.draws_beside = false},
               {.cut = {.tokens_per_item = 50, .few_tokens = 10}},
               {.cut = {.tokens_per_item = 7, .tokens_of_part = 3, .many_tokens = 4}, .threads = 512}}) {
        SCOPED_TRACE(std::string(name(sampler)) + " " + std::to_string(topics));
        expect_equal(in_ranges(corpus, options, 2, tuning, std::int64_t{1} << 30), expected, corpus);
        expect_equal(in_ranges(corpus, options, 2, tuning, 100'000), expected, corpus);
        expect_equal(streamed(corpus, options, 2, tuning, 1 << 16), expected, corpus);
      }
    }
  }
}

// Documents that several blocks count, one that is a range of its own, and documents of one token.
TEST_F(SparseRangesOnCuda, DrawDocumentsOfAnyLength) {
  std::vector<std::vector<std::int32_t>> documents = {std::vector<std::int32_t>(80'000)};
  std::uint32_t state = 1;
  const auto next = [&] { return static_cast<std::int32_t>((state = state * 1664525U + 1013904223U) >> 8); };
  for (std::int32_t& word : documents[0]) word = next() % (1 + next() % 300);
  for (int d = 0; d < 3000; ++d) documents.push_back({next() % 300});
  for (const int word : {5, 6, 7, 5}) documents.emplace_back(70'000, word);
  for (int d = 0; d < 100; ++d) documents.emplace_back(100, d);
  const Corpus corpus = testing::make_corpus(documents, 300);
  for (const std::int32_t topics : {7, 500}) {
    const TrainOptions options = {.topics = topics, .sweeps = 2, .seed = 6};
    const TrainResult expected = train(corpus, sparsely(options));
    const std::int64_t least = least_for(corpus, options, 1);
    for (const std::int64_t more : {0, 1 << 18, 1 << 22}) {
      const AfterSweeps after =
          on_gpu(corpus, options, 2, {.memory = least + more, .sparse_parallel = {.range_bytes = 1}});
      expect_equal(after, expected, corpus);
      EXPECT_LE(after.bytes, least + more);
      if (more == 0) {
        EXPECT_EQ(after.plan.streamed_tokens, corpus.tokens());
      }
    }
  }
}

TEST_F(SparseRangesOnCuda, OptimizePriorsAndScoreHeldOutDocuments) {
  const Corpus corpus = corpus_to_stream();
  Corpus held_out = testing::small_generated_corpus().corpus;
  held_out.vocabulary = corpus.vocabulary;  // its words have the same numbers, but other names
  TrainOptions options = sparsely({.topics = 50, .sweeps = 6, .seed = 2, .optimize_every = 2, .optimize_after = 2});
  options.seed_words = {{.topic = 1, .word = 3, .weight = 40}, {.topic = 2, .word = 3, .weight = 1}};
  options.held_out = held_out;
  const TrainResult expected = train(corpus, options);
  options.device = Device::cuda();
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}}) {
    options.max_device_memory = bytes;
    if (bytes == 1) {  // what the refusal says would do
      try {
        train(corpus, options);
        ADD_FAILURE() << "trained in one byte";
      } catch (const DeviceError& error) {
        const std::string what = error.what();
        options.max_device_memory = std::stoll(what.substr(what.find("need ") + 5));
      }
    }
    std::vector<DevicePlan> plans;
    options.planned = [&](const DevicePlan& plan) { plans.push_back(plan); };
    const TrainResult result = train(corpus, options);
    EXPECT_TRUE(testing::equal(result.model, expected.model));
    EXPECT_EQ(result.log_joint_per_token, expected.log_joint_per_token);
    ASSERT_EQ(result.held_out.size(), expected.held_out.size());
    for (std::size_t i = 0; i < result.held_out.size(); ++i) {
      EXPECT_EQ(result.held_out[i].completion.perplexity(), expected.held_out[i].completion.perplexity());
    }
    ASSERT_EQ(plans.size(), 1u);
    EXPECT_EQ(plans[0].allowed_bytes, options.max_device_memory);
    EXPECT_EQ(plans[0].streamed_tokens, bytes > 0 ? corpus.tokens() : 0);
    if (bytes > 0) {
      EXPECT_LE(plans[0].bytes, options.max_device_memory);
      --options.max_device_memory;
      EXPECT_THROW(train(corpus, options), DeviceError);
    }
  }
}

// The other samplers take no more than they are allowed either.
TEST_F(SparseRangesOnCuda, LimitDenseDrawsToo) {
  const Corpus corpus = uneven_corpus();
  for (const Sampler sampler : testing::all_samplers()) {
    TrainOptions options =
        testing::with_draws({.topics = 50, .sweeps = 2, .seed = 3, .sampler = sampler}, Draws::dense);
    const TrainResult expected = train(corpus, options);
    options.device = Device::cuda();
    options.max_device_memory = testing::least_memory(corpus, options);
    int plans = 0;
    options.planned = [&](const DevicePlan& plan) {
      EXPECT_LE(plan.bytes, options.max_device_memory);
      ++plans;
    };
    EXPECT_TRUE(testing::equal(train(corpus, options).model, expected.model));
    EXPECT_GT(plans, 0);
    --options.max_device_memory;
    EXPECT_THROW(train(corpus, options), DeviceError);
  }
}

// Numbers that pass 2^32 within a range, and between ranges, as they do in a corpus of this many tokens.
TEST_F(SparseRangesOnCuda, NumberTokensWith64Bits) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions options = sparsely({.topics = 60, .seed = 8});
  for (const std::uint64_t first :
       {(std::uint64_t{1} << 32) - 5000, (std::uint64_t{1} << 32) + 77, (std::uint64_t{1} << 40) - 1}) {
    execution::SingleRank alone;
    ChainState start;
    for (std::int64_t i = 0; i < corpus.tokens(); ++i) start.z.push_back(static_cast<std::int32_t>(i * 7 % 60));
    lda::State state = lda::state_of(corpus, options, start);
    state.place.token = static_cast<std::int64_t>(first);
    const lda::Plan plan(corpus, options);
    lda::CpuChain cpu(corpus, options, lda::make_sparse_sweep_of_rank(corpus, options, plan, alone), std::move(state),
                      nullptr);
    for (const std::int64_t bytes : {std::int64_t{1} << 15, std::int64_t{1} << 30}) {
      lda::CudaChain gpu(corpus, on_device(options), &start,
                         {.sparse_parallel = {.range_bytes = bytes, .first_token = first}});
      for (int s = 0; s < 2; ++s) gpu.sweep();
      if (bytes == 1 << 15) {
        for (int s = 0; s < 2; ++s) cpu.sweep();
      }
      EXPECT_EQ(gpu.take_state().z, cpu.state().z) << first;
    }
  }
}

}  // namespace
}  // namespace papilio
