// Inference, document completion and optimised priors on a CUDA device: the bits of the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/corpora.h"
#include "lda/evaluation/completion_cuda.h"
#include "lda/evaluation/document_completion.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using Documents = std::vector<std::vector<std::int32_t>>;
using testing::expect_same, testing::on_device, testing::uneven_corpus;

using EvaluateOnCuda = testing::CudaTest;

Model trained(std::int32_t topics, double alpha = 0.1, std::vector<SeedWord> seeds = {}) {
  TrainOptions options = {.topics = topics, .sweeps = 3, .alpha = alpha, .seed = 5, .evaluate_every = 0};
  options.seed_words = std::move(seeds);
  return train(testing::small_generated_corpus().corpus, options).model;
}

// Documents of no, one and many tokens, with words that the model does not know; lengths at the edges of a warp.
Corpus documents_to_infer(std::int64_t longest = 3000) {
  const Corpus small = testing::small_generated_corpus().corpus;
  Documents documents = {{}, {7}, {400}, {400, 401, 3}, {}};
  for (const std::int64_t length : {2, 3, 31, 32, 33, 34, 63, 64, 65, 96, 97, 200, 513}) {
    documents.emplace_back(small.words.begin() + length, small.words.begin() + 2 * length);
  }
  for (std::size_t d = 0; d < 40; ++d) {
    documents.emplace_back(small.words.begin() + small.document_offsets[d],
                           small.words.begin() + small.document_offsets[d + 1]);
  }
  documents.emplace_back(small.words.begin(), small.words.begin() + longest);
  documents.emplace_back(longest, 3);  // one word
  documents.emplace_back();
  return testing::make_corpus(documents, 402);
}

void expect_same_topics(const Model& model, const Corpus& corpus, InferOptions options) {
  const DocumentTopics expected = infer(model, corpus, options);
  options.device = Device::cuda();
  const DocumentTopics result = infer(model, corpus, options);
  EXPECT_EQ(result.theta, expected.theta);
  EXPECT_EQ(result.document_tokens, expected.document_tokens);
  EXPECT_EQ(result.known_tokens, expected.known_tokens);
  EXPECT_EQ(result.unknown_tokens, expected.unknown_tokens);
}

void expect_same_completion(const Model& model, const Corpus& corpus, CompletionOptions options) {
  const Completion expected = complete_documents(model, corpus, options);
  options.device = Device::cuda();
  const Completion result = complete_documents(model, corpus, options);
  EXPECT_EQ(result.log_likelihood, expected.log_likelihood);
  EXPECT_EQ(result.documents, expected.documents);
  EXPECT_EQ(result.left_out, expected.left_out);
  EXPECT_EQ(result.tokens, expected.tokens);
  EXPECT_EQ(result.tokens_seen, expected.tokens_seen);
  EXPECT_EQ(result.unknown_tokens, expected.unknown_tokens);
}

class EvaluateOnCudaWithTopics : public testing::CudaTest, public ::testing::WithParamInterface<std::int32_t> {};

TEST_P(EvaluateOnCudaWithTopics, GivesTheBitsOfTheCpu) {
  const Model model = trained(GetParam());
  const Corpus corpus = documents_to_infer();
  expect_same_topics(model, corpus, {.sweeps = 7, .burn_in = 2, .seed = 11});
  expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 6});
  expect_same_completion(model, corpus, {.em_steps = 6, .seed = 3});
  expect_same_completion(model, corpus, {.em_steps = 2, .shuffle = false});
}

// The sums of a probability and of weights, ranges of topics, lists in registers and in memory, and weights beyond
// shared memory.
INSTANTIATE_TEST_SUITE_P(Topics, EvaluateOnCudaWithTopics,
                         ::testing::Values(1, 2, 7, 8, 9, 31, 32, 33, 100, 127, 129, 256, 257, 512, 513, 1000, 1024,
                                           1025, 1537, 3000, 30001),
                         [](const auto& with) { return std::to_string(with.param); });

TEST_F(EvaluateOnCuda, Smoke) {
  const Model model = trained(40);
  const Corpus corpus = documents_to_infer(100);
  expect_same_topics(model, corpus, {.sweeps = 3, .burn_in = 1});
  expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 2});
  expect_same_completion(model, corpus, {.em_steps = 2});
  expect_same(testing::small_generated_corpus().corpus,
              {.topics = 40, .sweeps = 3, .optimize_every = 1, .optimize_after = 1});
}

TEST_F(EvaluateOnCuda, TakesOtherPriorsAndSeeds) {
  const Corpus corpus = documents_to_infer(500);
  for (const double alpha : {1e-60, 1e-4, 3.0, 1e6}) {
    const Model model = trained(50, alpha);
    expect_same_topics(model, corpus, {.sweeps = 5, .burn_in = 0});
    expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 5});
    expect_same_completion(model, corpus, {});
  }
  const Model seeded = trained(50, 0.1, {{.topic = 3, .word = 7, .weight = 500}, {.topic = 0, .word = 3, .weight = 1}});
  expect_same_topics(seeded, corpus, {.sweeps = 5, .burn_in = 0});
  expect_same_completion(seeded, corpus, {});
  Model uneven = trained(50);
  for (std::size_t k = 0; k < uneven.alpha.size(); ++k) uneven.alpha[k] = 0.01 * static_cast<double>(k + 1);
  expect_same_topics(uneven, corpus, {.sweeps = 5, .burn_in = 0});
  expect_same_topics(uneven, corpus, {.method = InferMethod::em, .em_steps = 5});
  expect_same_completion(uneven, corpus, {.em_steps = 30});
}

// Counts of 16 bits and of more in words beside each other, up to the largest, and beyond it by seeds.
TEST_F(EvaluateOnCuda, TakesCountsOfAnySize) {
  const Corpus corpus = documents_to_infer(700);
  for (const std::int32_t topics : {3, 50, 300, 2000}) {
    SCOPED_TRACE(topics);
    Model model = trained(topics, 0.1, {{.topic = 1, .word = 7, .weight = largest_seed_weight}});
    std::int32_t large = std::numeric_limits<std::int32_t>::max();
    for (const std::size_t w : {7, 8, 20, 21, 22, 100, 101, 102, 103}) {
      model.n_wk[w * static_cast<std::size_t>(topics) + 1] = large;
      model.n_wk[w * static_cast<std::size_t>(topics) + 2] = 65'535 + static_cast<std::int32_t>(w % 2);
      if (w == 21) large = 65'536;
      if (w == 101) large = 65'535;
    }
    std::ranges::fill(model.n_k, 0);
    for (std::size_t i = 0; i < model.n_wk.size(); ++i) {
      model.n_k[i % static_cast<std::size_t>(topics)] += model.n_wk[i];
    }
    expect_same_topics(model, corpus, {.sweeps = 3, .burn_in = 0});
    expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 5});
    expect_same_completion(model, corpus, {.em_steps = 5});
  }
}

// Topics of more than 16 bits, in lists from none to all topics.
TEST_F(EvaluateOnCuda, TakesTopicsOfMoreThan16Bits) {
  for (const std::int32_t topics : {65'536, 65'537}) {
    SCOPED_TRACE(topics);
    Model model;
    model.topics = topics;
    model.alpha.assign(static_cast<std::size_t>(topics), 0.01);
    model.beta = 0.01;
    model.n_k.resize(static_cast<std::size_t>(topics));
    for (std::int32_t w = 0; w < 12; ++w) {
      model.vocabulary.push_back(std::to_string(w));
      for (std::int32_t k = 0; k < topics; ++k) {
        const std::int32_t n = k % (1 << w) == 0 ? 1 + (k + w) % 7 : 0;
        model.n_wk.push_back(n);
        model.n_k[static_cast<std::size_t>(k)] += n;
      }
    }
    Corpus corpus = testing::make_corpus({{0, 1, 2, 3, 3, 11}, {}, {5, 11}, {4}, {11, 10, 9, 8, 7, 6, 6}}, 12);
    corpus.vocabulary = model.vocabulary;
    expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 4});
    expect_same_completion(model, corpus, {.em_steps = 4});
  }
}

TEST_F(EvaluateOnCuda, GivesTheDefaultsOfTheCpu) {
  const Model model = trained(128);
  const Corpus corpus = documents_to_infer(300);
  expect_same_topics(model, corpus, {});
  expect_same_completion(model, corpus, {});
  const Inference inference(model);
  const DocumentTopics expected = inference.infer(corpus, {.seed = 2});
  EXPECT_EQ(inference.infer(corpus, {.seed = 2, .device = Device::cuda()}).theta, expected.theta);
  EXPECT_EQ(inference.complete_documents(corpus, {.device = Device::cuda()}).log_likelihood,
            inference.complete_documents(corpus).log_likelihood);
}

TEST_F(EvaluateOnCuda, TakesCorporaWithoutKnownWords) {
  const Model model = trained(20);
  for (const Documents& documents : {Documents{}, Documents{{}}, Documents{{0, 1}, {}}}) {
    Corpus corpus = testing::make_corpus(documents, 2);
    corpus.vocabulary = {"unknown", "likewise"};
    expect_same_topics(model, corpus, {});
    expect_same_topics(model, corpus, {.method = InferMethod::em});
    expect_same_completion(model, corpus, {});
  }
}

// Just below, at and beyond what groups of threads, warps and blocks take at once.
Corpus documents_of_distinct_words(const std::vector<std::int32_t>& counts, std::int32_t vocabulary) {
  Documents documents;
  for (const std::int32_t count : counts) {
    for (std::int32_t n = std::max(count - 1, 0); n <= count + 1; ++n) {
      std::vector<std::int32_t>& words = documents.emplace_back();
      for (std::int32_t w = 0; w < n; ++w) words.insert(words.end(), static_cast<std::size_t>(1 + w % 3), w);
    }
  }
  return testing::make_corpus(documents, vocabulary);
}

TEST_F(EvaluateOnCuda, InfersDocumentsOfAsManyWordsAsThereIsRoomFor) {
  constexpr std::int32_t vocabulary = 4100;
  const Corpus training =
      generate_corpus({.documents = 200, .vocabulary = vocabulary, .mean_length = 90, .seed = 3}).corpus;
  const std::vector<std::int32_t> counts = {1,  3,  5,  8,  10, 12, 16, 20,  24,  28,  32,  36,   40,
                                            44, 48, 56, 60, 64, 80, 96, 100, 192, 256, 384, 1000, 4096};
  const Corpus corpus = documents_of_distinct_words(counts, vocabulary);
  for (const std::int32_t topics : {16, 250, 512, 1000, 1024, 2048, 3000, 4096, 4097}) {
    SCOPED_TRACE(topics);
    const Model model = train(training, {.topics = topics, .sweeps = 1, .seed = 5, .evaluate_every = 0}).model;
    expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 3});
    expect_same_completion(model, corpus, {.em_steps = 3, .shuffle = false});
  }
}

// Many more documents than there are warps and blocks at once, and more than one batch has.
Corpus many_documents() {
  const Corpus small = testing::small_generated_corpus().corpus;
  Documents documents;
  for (std::size_t d = 0; d < 80000; ++d) {
    const std::size_t first = d * 7 % (small.words.size() - 12);
    documents.emplace_back(small.words.begin() + static_cast<std::ptrdiff_t>(first),
                           small.words.begin() + static_cast<std::ptrdiff_t>(first + 1 + d % 11));
  }
  return testing::make_corpus(documents, 400);
}

TEST_F(EvaluateOnCuda, InfersManyDocuments) {
  const Model model = trained(64);
  const Corpus corpus = many_documents();
  expect_same_topics(model, corpus, {.sweeps = 4, .burn_in = 1});
  expect_same_topics(model, corpus, {.method = InferMethod::em, .em_steps = 3});
  expect_same_completion(model, corpus, {.em_steps = 3});
}

// With memory for the tables of no batch, of one of two, and of both; twice each, as after two sweeps.
TEST_F(EvaluateOnCuda, CompletesDocumentsWhoseTablesDoNotStay) {
  const Model model = trained(64);
  const Corpus corpus = many_documents();
  CompletionOptions options = {.em_steps = 3};
  const double expected = complete_documents(model, corpus, options).log_likelihood;
  options.device = Device::cuda();
  const WordMap map = map_words(model, corpus);
  const double prior_mass = static_cast<double>(model.vocabulary_size()) * model.beta;
  testing::DeviceCopy<std::int32_t> n_wk(model.n_wk);
  testing::DeviceCopy<std::int64_t> n_k(model.n_k);
  testing::DeviceCopy<double> alpha(model.alpha);
  const execution::Stream stream;
  const auto make_lists = [&](const lda::WordLists& lists, std::span<const std::int32_t>) {
    lda::queue_mass_reciprocals(n_k.data(), prior_mass, lists, stream.get());
    lda::queue_word_lists_of_table(lists, n_wk.data(), model.topics, stream.get());
  };
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  for (const std::int64_t memory : {1 * mebibyte, 8 * mebibyte, 12 * mebibyte, 14 * mebibyte, 256 * mebibyte}) {
    SCOPED_TRACE(memory);
    lda::CompletionOnDevice completion(corpus, map, options, model.topics, memory, stream.get());
    for (int call = 0; call < 2; ++call) {
      std::vector<std::int64_t> lengths(static_cast<std::size_t>(corpus.documents()));
      std::vector<double> scores(lengths.size());
      completion(make_lists, alpha.data(), model.beta, lengths, scores);
      EXPECT_EQ(lda::completion_of(lengths, scores, map).log_likelihood, expected);
    }
  }
}

// Histograms of counts below 1,024 and above, of documents, words, topics and seeds.
TEST_F(EvaluateOnCuda, OptimisesPriorsAsTheCpu) {
  Corpus large = uneven_corpus();  // a document of 12,000 tokens, and 5,000 of one word
  for (const std::int32_t topics : {1, 2, 3, 40, 1500}) {
    SCOPED_TRACE(topics);
    expect_same(large, {.topics = topics, .sweeps = 6, .seed = 4, .optimize_every = 2, .optimize_after = 1});
  }
  TrainOptions seeded = {.topics = 5, .sweeps = 4, .optimize_every = 1, .optimize_after = 1};
  seeded.seed_words = {{.topic = 3, .word = 7, .weight = 5000}, {.topic = 0, .word = 3, .weight = 1}};
  expect_same(large, seeded);
}

TEST_F(EvaluateOnCuda, OptimisesPriorsOfEverySampler) {
  for (const Sampler sampler : testing::all_samplers()) {
    for (const Schedule schedule : {Schedule::parallel, Schedule::sequential}) {
      TrainOptions options = {
          .topics = 40, .sweeps = 4, .seed = 4, .sampler = sampler, .optimize_every = 1, .optimize_after = 2};
      options.schedule = schedule;
      SCOPED_TRACE(name(sampler));
      expect_same(testing::small_generated_corpus().corpus, options);
    }
  }
}

// From the counts that each kind of sweep has: of dense and sparse draws, frequent words and seeds; with other priors
// each time.
TEST_F(EvaluateOnCuda, ScoresHeldOutDocumentsOfEveryKindOfSweep) {
  const HeldOutSplit split = hold_out_every(uneven_corpus(), 3);
  for (const Sampler sampler : testing::all_samplers()) {
    for (const Draws draws : {Draws::dense, Draws::automatic}) {
      SCOPED_TRACE(name(sampler));
      TrainOptions options = {.topics = 70, .sweeps = 4, .sampler = sampler};
      options.draws = draws;
      options.optimize_every = 2;
      options.optimize_after = 1;
      options.held_out = split.held_out.view();
      options.held_out_every = 1;
      options.seed_words = {{.topic = 3, .word = 7, .weight = 50}};
      const TrainResult expected = train(split.training, options);
      const TrainResult result = train(split.training, on_device(options));
      ASSERT_EQ(result.held_out.size(), expected.held_out.size());
      for (std::size_t i = 0; i < result.held_out.size(); ++i) {
        EXPECT_EQ(result.held_out[i].completion.log_likelihood, expected.held_out[i].completion.log_likelihood);
        EXPECT_EQ(result.held_out[i].completion.tokens, expected.held_out[i].completion.tokens);
        EXPECT_EQ(result.held_out[i].completion.left_out, expected.held_out[i].completion.left_out);
      }
    }
  }
}

}  // namespace
}  // namespace papilio
