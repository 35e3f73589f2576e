// Sparse sweeps on a CUDA device: the topics that the sampler's definition gives, whatever the
// shape of the work.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/evaluation/log_joint.h"
#include "lda/sparse_oracle.h"
#include "lda/training/parameters/initial_topics_cpu.h"

namespace papilio {
namespace {

using lda::SparseParallelTuning;
using testing::on_device, testing::SparseOracle, testing::uneven_corpus;

std::vector<double> uneven_alpha(std::int32_t topics) {
  std::vector<double> alpha;
  for (std::int32_t k = 0; k < topics; ++k) alpha.push_back(0.03 * (1 + k * 7 % 13));
  return alpha;
}

TrainOptions sparse_on_device(const TrainOptions& options) {
  return testing::with_draws(on_device(options), Draws::sparse);
}

std::vector<std::int32_t> first_topics(const Corpus& corpus, const TrainOptions& options) {
  return lda::initial_topics(corpus.tokens(), options.topics, options.seed, 1);
}

std::int64_t differences(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

// From `start`; from where chains start, if it has no topics.
void expect_same(const Corpus& corpus, const TrainOptions& options, int sweeps, const SparseParallelTuning& tuning = {},
                 const ChainState& start = {}) {
  SparseOracle oracle(corpus, options, start.z.empty() ? first_topics(corpus, options) : start.z);
  lda::CudaChain chain(corpus, sparse_on_device(options), start.z.empty() ? nullptr : &start,
                       {.sparse_parallel = tuning});
  for (int s = 1; s <= sweeps; ++s) {
    oracle.sweep();
    chain.sweep();
    chain.show_state([&](const ChainState& topics) {
      EXPECT_EQ(topics.z.size(), oracle.z.size());
      EXPECT_EQ(differences(topics.z, oracle.z), 0) << "sweep " << s << " of " << corpus.tokens() << " tokens";
    });
    if (::testing::Test::HasFailure()) return;
  }
  const lda::State state = chain.take_state();
  EXPECT_EQ(state.sweep, sweeps);
  EXPECT_NO_THROW(state.verify(corpus));
}

class SparseOnCudaWithTopics : public testing::CudaTest,
                               public ::testing::WithParamInterface<std::tuple<Sampler, std::int32_t>> {};

INSTANTIATE_TEST_SUITE_P(Topics, SparseOnCudaWithTopics,
                         ::testing::Combine(::testing::Values(Sampler::collapsed, Sampler::mean_for_mode),
                                            ::testing::Values(1, 2, 7, 8, 33, 100, 128, 129, 300, 1000, 1024, 2500,
                                                              5000)),
                         [](const auto& with) {
                           return std::string(name(std::get<0>(with.param))) + "_" +
                                  std::to_string(std::get<1>(with.param));
                         });

TEST_P(SparseOnCudaWithTopics, DrawWhatIsDefined) {
  const auto [sampler, topics] = GetParam();
  expect_same(uneven_corpus(), {.topics = topics, .alpha = 0.1, .seed = 3, .sampler = sampler}, 4);
}

using SparseOnCuda = testing::CudaTest;

TEST_F(SparseOnCuda, DrawTheSameInEveryShape) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {40, 700}) {
    const TrainOptions options = {.topics = topics, .alpha = 0.2, .seed = 4, .topic_alpha = uneven_alpha(topics)};
    for (const int threads : {32, 128, 512}) {
      for (const std::int32_t few : {0, 10, 100}) {
        SCOPED_TRACE(std::to_string(threads) + " " + std::to_string(few));
        expect_same(corpus, options, 2, {.cut = {.tokens_per_item = 100, .few_tokens = few}, .threads = threads});
      }
    }
    expect_same(corpus, options, 2, {.draws_beside = false});
    for (const std::int64_t least : {0, 1'000'000}) {
      SCOPED_TRACE("tables for " + std::to_string(least));
      expect_same(corpus, options, 2, {.is_wide = true, .least_words_in_tables = least});
      expect_same(corpus, options, 2, {.least_words_in_tables = least});
      expect_same(corpus, options, 2,
                  {.cut = {.tokens_per_item = 100}, .least_words_in_tables = least, .gathers_changes = false});
    }
    for (const std::int32_t tokens : {0, 1, 31, 32, 200, 3000}) {
      SCOPED_TRACE("no row for " + std::to_string(tokens));
      expect_same(corpus, options, 2, {.cut = {.without_row = tokens}});
      expect_same(corpus, options, 2, {.cut = {.few_tokens = 10, .without_row = tokens}, .is_wide = true});
    }
    for (const int threads : {128, 512}) {
      expect_same(corpus, options, 2, {.threads = threads, .by_pair = true});
      expect_same(corpus, options, 2, {.cut = {.few_tokens = 0}, .threads = threads, .by_pair = true});
    }
    expect_same(corpus, options, 2, {.is_wide = true, .by_pair = true});
    for (const std::int32_t tokens : {1, 7, 100000}) {
      expect_same(corpus, options, 2, {.cut = {.tokens_per_item = tokens, .few_tokens = 0}});
    }
  }
}

// Words of 1, 2, ... 40 tokens, and so on, in many documents; of 32 in one.
Corpus corpus_of_rare_words() {
  std::vector<std::vector<std::int32_t>> documents(150);
  std::size_t token = 0;
  for (std::int32_t w = 0; w < 300; ++w) {
    for (std::int32_t i = 0; i <= w % 40; ++i) documents[token++ * 7 % documents.size()].push_back(w);
  }
  documents.emplace_back(32, 300);
  return testing::make_corpus(documents, 301);
}

// By tables of bytes: with the fewest and the most topics that have them, with small priors, and where each word has
// one topic.
TEST_F(SparseOnCuda, DrawByTablesOfCounts) {
  const Corpus corpus = corpus_of_rare_words();
  for (const std::int32_t topics : {1, 2, 1023, 1024, 1025}) {
    ChainState start;
    for (const std::int32_t w : corpus.words) start.z.push_back((topics - 1) * (w % 3) / 2);
    for (const Sampler sampler : {Sampler::collapsed, Sampler::mean_for_mode}) {
      for (const double beta : {0.01, 1e-30}) {
        SCOPED_TRACE(::testing::Message() << topics << " topics, " << name(sampler) << ", " << beta);
        const TrainOptions options = {.topics = topics, .alpha = 0.1, .beta = beta, .seed = 8, .sampler = sampler};
        expect_same(corpus, options, 3, {.least_words_in_tables = 0});
        expect_same(corpus, options, 1, {.least_words_in_tables = 0}, start);
        expect_same(corpus, options, 2, {.is_wide = true, .least_words_in_tables = 0}, start);
      }
    }
  }
}

// Parts of a frequent word whose changes 16 bits just hold, and larger ones: all tokens leave their topic at once.
TEST_F(SparseOnCuda, DrawPartsOfManyTokens) {
  for (const std::int32_t tokens : {32'767, 32'768, 40'000}) {
    SCOPED_TRACE(tokens);
    std::vector<std::vector<std::int32_t>> documents(2 * static_cast<std::size_t>(tokens), {0});
    documents.push_back({1, 1});
    const Corpus corpus = testing::make_corpus(documents, 2);
    ChainState start;
    start.z.resize(corpus.words.size());
    const TrainOptions options = {.topics = 2, .seed = 3, .topic_alpha = {1e-9, 1000}};
    for (const bool gathers : {true, false}) {
      expect_same(corpus, options, 2,
                  {.cut = {.tokens_per_item = tokens, .tokens_of_part = tokens}, .gathers_changes = gathers}, start);
    }
  }
}

TEST_F(SparseOnCuda, DrawTheSameWithEveryEntry) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {5, 300, 3000}) {
    const TrainOptions options = {.topics = topics, .seed = 4};
    expect_same(corpus, options, 3, {.is_wide = true});
    expect_same(corpus, options, 3, {.global_rows = true});
    expect_same(corpus, options, 3, {.is_wide = true, .global_rows = true});
  }
}

// More topics than 16 bits count, and a document of more tokens.
TEST_F(SparseOnCuda, DrawBeyondSixteenBits) {
  std::vector<std::vector<std::int32_t>> documents = {{0, 1, 2, 3}, std::vector<std::int32_t>(70000, 1), {}, {4, 4, 2}};
  for (std::int32_t i = 0; i < 3000; ++i) documents[0].push_back(i % 5);
  const Corpus corpus = testing::make_corpus(documents, 5);
  expect_same(corpus, {.topics = 3, .seed = 1}, 3);
  documents[1].resize(100);
  expect_same(testing::make_corpus(documents, 5), {.topics = 70000, .seed = 1}, 2);
}

TEST_F(SparseOnCuda, DrawByPriorsAtTheEdge) {
  const Corpus corpus = uneven_corpus();
  for (const double prior : {1e-60, 1e-30, 8e-19, 1e-18, 1e-6, 37.0, 1e6}) {
    SCOPED_TRACE(prior);
    expect_same(corpus, {.topics = 60, .alpha = prior, .beta = 0.01, .seed = 2}, 3);
    expect_same(corpus, {.topics = 60, .alpha = 0.1, .beta = prior, .seed = 2}, 3);
  }
}

// A document that several blocks count, with and without others; documents of one token; both, with counts by part.
TEST_F(SparseOnCuda, DrawDocumentsOfAnyLength) {
  std::vector<std::vector<std::int32_t>> documents = {std::vector<std::int32_t>(80'000)};
  std::uint32_t state = 1;
  const auto next = [&] { return static_cast<std::int32_t>((state = state * 1664525U + 1013904223U) >> 8); };
  for (std::int32_t& word : documents[0]) word = next() % (1 + next() % 300);
  for (const std::int32_t topics : {7, 500}) {
    expect_same(testing::make_corpus(documents, 300), {.topics = topics, .alpha = 0.1, .seed = 6}, 2);
  }
  for (int d = 0; d < 3000; ++d) documents.push_back({next() % 300});
  documents.emplace_back(70'000, 5);
  for (const std::int32_t topics : {7, 500}) {
    expect_same(testing::make_corpus(documents, 300), {.topics = topics, .alpha = 0.1, .seed = 6}, 3);
    expect_same(testing::make_corpus(documents, 300),
                {.topics = topics, .alpha = 0.1, .seed = 6, .sampler = Sampler::mean_for_mode}, 1);
  }
}

// Short entries, of which some are too small for their counts: documents with one topic for the most part.
TEST_F(SparseOnCuda, DrawByCountsOfAnySize) {
  std::vector<std::vector<std::int32_t>> documents;
  for (int d = 0; d < 60; ++d) documents.emplace_back(static_cast<std::size_t>(2 + d * d % 510));
  std::int32_t number = 0;
  for (auto& document : documents)
    for (std::int32_t& word : document) word = number++ * 7 % 50;
  const Corpus corpus = testing::make_corpus(documents, 50);
  for (const std::int32_t topics : {1, 2, 5, 60, 300, 1000, 1025, 2500, 4096}) {
    SCOPED_TRACE(topics);
    ChainState start;
    for (std::int32_t i = 0; i < number; ++i) start.z.push_back((i % 9 == 0 ? i : i % 11 == 0 ? 1 : 0) % topics);
    for (const Sampler sampler : {Sampler::collapsed, Sampler::mean_for_mode}) {
      const TrainOptions options = {.topics = topics, .alpha = 0.01, .seed = 8, .sampler = sampler};
      expect_same(corpus, options, 2, {}, start);
      expect_same(corpus, options, 1, {.cut = {.short_entries = false}}, start);
      lda::CudaChain chain(corpus, sparse_on_device(options), &start);
      const lda::State state = chain.take_state();
      EXPECT_EQ(chain.log_joint(), lda::log_joint(corpus, state, state.priors, 1));
    }
  }
}

// Every token is all that its document and its word have.
TEST_F(SparseOnCuda, DrawTokensThatAreAlone) {
  std::vector<std::vector<std::int32_t>> documents(400, {0});
  for (std::size_t d = 0; d < documents.size(); ++d) documents[d] = {static_cast<std::int32_t>(d)};
  const Corpus corpus = testing::make_corpus(documents, 400);
  expect_same(corpus, {.topics = 3, .alpha = 1e-4, .beta = 1e-3, .seed = 7}, 5);
  expect_same(corpus, {.topics = 3, .alpha = 1e-4, .seed = 7, .sampler = Sampler::mean_for_mode}, 3);
  expect_same(corpus, {.topics = 9000, .alpha = 0.1, .seed = 7}, 3);
}

TEST_F(SparseOnCuda, SmokeDrawWhatIsDefined) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const std::int32_t topics : {20, 200}) expect_same(corpus, {.topics = topics, .seed = 5}, 2);
  expect_same(uneven_corpus(), {.topics = 50, .seed = 5}, 1);
}

TEST_F(SparseOnCuda, CountTheirDraws) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions options = sparse_on_device({.topics = 50, .seed = 5});
  lda::CudaChain chain(corpus, options, nullptr, {.sparse_parallel = {.counts_parts = true}});
  for (int s = 0; s < 3; ++s) {
    const std::vector<std::int32_t> before = chain.take_state().z;
    std::int64_t entries = 0, documents_with_tokens = 0;
    for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
      std::vector<std::int32_t> topics(before.begin() + corpus.document_offsets[d],
                                       before.begin() + corpus.document_offsets[d + 1]);
      std::sort(topics.begin(), topics.end());
      entries += std::unique(topics.begin(), topics.end()) - topics.begin();
      documents_with_tokens += topics.empty() ? 0 : 1;
    }
    chain.sweep();
    const SweepDraws draws = chain.draws();
    const auto tokens = [&](double share) { return std::llround(share * static_cast<double>(corpus.tokens())); };
    const std::int64_t own = tokens(draws.from_own), document = tokens(draws.from_document),
                       word = tokens(draws.from_word), prior = tokens(draws.from_prior);
    EXPECT_EQ(std::llround(draws.topics_per_document * static_cast<double>(documents_with_tokens)), entries);
    EXPECT_EQ(own + document + word + prior, corpus.tokens());
    EXPECT_GT(std::min({own, document, word, prior}), 0);
  }
}

TEST_F(SparseOnCuda, ResumeAndGiveTheLikelihood) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions options = {.topics = 30, .seed = 9};
  SparseOracle oracle(corpus, options, first_topics(corpus, options));
  lda::CudaChain first(corpus, sparse_on_device(options), nullptr);
  for (int s = 0; s < 2; ++s) first.sweep(), oracle.sweep();
  ChainState half;
  first.show_state([&](const ChainState& topics) { half = topics; });
  lda::CudaChain second(corpus, sparse_on_device(options), &half);
  second.sweep();
  oracle.sweep();
  const double log_joint = second.log_joint();
  const lda::State state = second.take_state();
  EXPECT_EQ(state.z, oracle.z);
  EXPECT_EQ(log_joint, lda::log_joint(corpus, state, state.priors, 1));
}

}  // namespace
}  // namespace papilio
