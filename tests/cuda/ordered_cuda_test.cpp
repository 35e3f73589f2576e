// Sparse draws of theta_collapsed on a CUDA device: topics, counts and shares of the CPU's, whose draws
// ordered_test.cpp compares with their definition.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "cuda/training.h"
#include "lda/ordered_oracle.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/parameters/initial_topics_cpu.h"

namespace papilio {
namespace {

using lda::ByDocumentTuning;
using testing::least_memory, testing::on_device, testing::state_after, testing::uneven_corpus;

// In every way that a device may go about it.
constexpr ByDocumentTuning tunings[] = {{},
                                        {.documents_to_ask_ahead = 0},
                                        {.documents_to_ask_ahead = 1 << 20},
                                        {.most_topics_in_shared = 0, .documents_to_ask_ahead = 0},
                                        {.most_topics_in_shared = 0, .documents_to_ask_ahead = 1 << 20}};

TrainOptions options(std::int32_t topics, double alpha = 0.1, double beta = 0.02) {
  return {.topics = topics,
          .alpha = alpha,
          .beta = beta,
          .seed = 0x123456789,
          .sampler = Sampler::theta_collapsed,
          .draws = Draws::sparse};
}

std::vector<double> uneven_alpha(std::int32_t topics) {
  std::vector<double> alpha;
  for (std::int32_t k = 0; k < topics; ++k) alpha.push_back(0.03 * (1 + k * 7 % 13));
  return alpha;
}

void expect_same(const Corpus& corpus, const TrainOptions& o, int sweeps, const ByDocumentTuning& tuning = {}) {
  lda::CpuChain expected(corpus, o, {});
  lda::CudaChain chain(corpus, on_device(o), nullptr, {.by_document = tuning});
  for (int s = 1; s <= sweeps; ++s) {
    SCOPED_TRACE(std::to_string(o.topics) + " topics, sweep " + std::to_string(s));
    expected.sweep();
    chain.sweep();
    chain.wait();
    chain.show_state([&](const ChainState& topics) { EXPECT_EQ(topics.z, expected.state().z); });
    const SweepDraws draws = chain.draws(), expected_draws = expected.draws();
    EXPECT_TRUE(draws.sparse);
    EXPECT_EQ(draws.topics_per_document, expected_draws.topics_per_document);
    EXPECT_EQ(draws.from_document, expected_draws.from_document);
    EXPECT_EQ(draws.from_prior, expected_draws.from_prior);
    if (::testing::Test::HasFailure()) return;
  }
  const lda::State state = chain.take_state();
  EXPECT_EQ(state.n_wk, expected.state().n_wk);
  EXPECT_EQ(state.n_k, expected.state().n_k);
  EXPECT_NO_THROW(state.verify(corpus));
}

using OrderedOnCuda = testing::CudaTest;

TEST_F(OrderedOnCuda, DrawTheSameInEveryWay) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {1, 2, 15, 16, 17, 64, 65, 130, 1000, 1024, 1025, 4096, 8192}) {
    for (const ByDocumentTuning& tuning : tunings) expect_same(corpus, options(topics), 2, tuning);
  }
}

// Global memory, and there words of bits by runs.
TEST_F(OrderedOnCuda, DrawFromVeryManyTopics) {
  const Corpus corpus = testing::awkward_corpus();
  for (const std::int32_t topics : {8193, 65536, 70000, 200001}) expect_same(corpus, options(topics), 2);
}

// Counts of 1, 2 and 4 bytes, at their limits.
TEST_F(OrderedOnCuda, DrawDocumentsOfAnyLength) {
  std::vector<std::vector<std::int32_t>> documents = {{}, {4}, {}};
  for (const std::size_t tokens : {2u, 15u, 16u, 17u, 254u, 255u, 256u, 257u, 1000u, 65535u, 65536u, 70000u}) {
    documents.emplace_back(tokens, 1);
    for (std::size_t i = 0; i < tokens; ++i) documents.back()[i] = static_cast<std::int32_t>(i * 7 % 5);
    documents.emplace_back(tokens, static_cast<std::int32_t>(tokens % 5));
  }
  const Corpus corpus = testing::make_corpus(documents, 5);
  for (const std::int32_t topics : {1, 3, 1100}) {
    for (const ByDocumentTuning& tuning : tunings) expect_same(corpus, options(topics), 2, tuning);
  }
}

TEST_F(OrderedOnCuda, TakePriorsAtTheEdge) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {20, 200, 1100}) {
    for (const double prior : {1e-60, 1e-30, 1e-6, 37.0, 1e6}) {
      SCOPED_TRACE(prior);
      expect_same(corpus, options(topics, prior, 0.02), 2);
      expect_same(corpus, options(topics, 0.1, std::max(prior, 1e-30)), 2);
    }
  }
}

TEST_F(OrderedOnCuda, TakeAPriorForEachTopic) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {2, 9, 70, 300, 1500}) {
    TrainOptions o = options(topics);
    o.topic_alpha = uneven_alpha(topics);
    expect_same(corpus, o, 3);
  }
}

// Every token is all that its document has.
TEST_F(OrderedOnCuda, DrawTokensThatAreAlone) {
  std::vector<std::vector<std::int32_t>> documents(400);
  for (std::size_t d = 0; d < documents.size(); ++d) documents[d] = {static_cast<std::int32_t>(d)};
  expect_same(testing::make_corpus(documents, 400), options(3, 1e-4, 1e-3), 5);
}

TEST_F(OrderedOnCuda, DrawAsThePlainestForm) {
  const Corpus corpus = testing::awkward_corpus();
  for (const std::int32_t topics : {13, 1100}) {
    const TrainOptions o = options(topics);
    lda::CudaChain chain(corpus, on_device(o), nullptr);
    testing::OrderedOracle oracle(corpus, o, lda::initial_topics(corpus.tokens(), topics, o.seed, 1));
    for (int s = 0; s < 3; ++s) {
      chain.sweep();
      oracle.sweep();
      chain.show_state([&](const ChainState& shown) { EXPECT_EQ(shown.z, oracle.z); });
    }
  }
}

TEST_F(OrderedOnCuda, RefuseADocumentThatFloatsDoNotCount) {
  const Corpus corpus = testing::make_corpus({std::vector<std::int32_t>(std::size_t{1} << 24, 0)}, 1);
  try {
    train(corpus, on_device(options(3)));
    ADD_FAILURE() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("16777216 tokens"), std::string::npos) << error.what();
  }
}

// Racecheck takes copies that ask for phi ahead, whose target nobody reads, for a race: without them.
TEST_F(OrderedOnCuda, SmokeDrawTheSame) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const std::int32_t topics : {20, 200, 1500}) {
    expect_same(corpus, options(topics), 1, {.documents_to_ask_ahead = 0});
    expect_same(corpus, options(topics), 1, {.most_topics_in_shared = 0, .documents_to_ask_ahead = 0});
  }
}

// `least_memory` starts a chain of `o`'s own draws.
TEST_F(OrderedOnCuda, StreamWhatDoesNotFit) {
  const Corpus corpus = uneven_corpus();
  for (const std::int32_t topics : {6, 1500, 9000}) {
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
