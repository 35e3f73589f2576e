// Whether one sweep draws from the probabilities that it states.

#include <gtest/gtest.h>

#include <numeric>

#include "lda/corpora.h"
#include "papilio/lda.h"
#include "support/chi_square.h"

namespace papilio {
namespace {

constexpr int topics = 3;
constexpr double alpha = 0.4;
constexpr double beta = 0.3;
constexpr int runs = 20000;

const Corpus& tiny_corpus() {
  static const Corpus corpus = testing::make_corpus({{0, 1, 0}, {}, {2, 1}}, 3);
  return corpus;
}

const std::vector<std::int32_t> z_before = {0, 0, 2, 1, 2};

// How often each joint assignment came out of one sweep, over many seeds.
std::vector<double> observed() {
  std::vector<double> counts(243);  // topics ^ tokens
  const ChainState before = {.sweep = 0, .z = z_before};
  for (int seed = 0; seed < runs; ++seed) {
    const TrainOptions options = {.topics = topics,
                                  .sweeps = 1,
                                  .alpha = alpha,
                                  .beta = beta,
                                  .seed = static_cast<std::uint64_t>(seed),
                                  .threads = 1,
                                  .sampler = Sampler::mean_for_mode,
                                  .evaluate_every = 0};
    std::size_t cell = 0;
    for (const std::int32_t k : train(tiny_corpus(), options, &before).topics.z) {
      cell = cell * topics + static_cast<std::size_t>(k);
    }
    ++counts[cell];
  }
  return counts;
}

// The expected counts, by enumeration; `self` is how much of the token itself is
// left in the counts: 1 for mean-for-mode.
std::vector<double> expected(double self) {
  const Corpus& corpus = tiny_corpus();
  std::vector<double> cells = {double{runs}};
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<double> weights;
      for (int k = 0; k < topics; ++k) {
        double n_dk = 0;
        double n_wk = 0;
        double n_k = 0;
        for (std::size_t j = 0; j < z_before.size(); ++j) {
          const double counted = z_before[j] != k ? 0 : j == i ? self : 1;
          n_k += counted;
          n_wk += corpus.words[j] == corpus.words[i] ? counted : 0;
          n_dk += begin <= j && j < end ? counted : 0;
        }
        weights.push_back((n_dk + alpha) * (n_wk + beta) / (n_k + 3 * beta));
      }
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      std::vector<double> finer;
      for (const double cell : cells) {
        for (const double weight : weights) {
          finer.push_back(cell * weight / total);
        }
      }
      cells = finer;
    }
  }
  return cells;
}

// Cells that expect too little for a chi-square test, as one.
double p_value(const std::vector<double>& counts, const std::vector<double>& expectations) {
  std::vector<double> pooled_counts = {0};
  std::vector<double> pooled_expectations = {0};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expectations[i] >= testing::least_expected_count) {
      pooled_counts.push_back(counts[i]);
      pooled_expectations.push_back(expectations[i]);
    } else {
      pooled_counts[0] += counts[i];
      pooled_expectations[0] += expectations[i];
    }
  }
  return testing::chi_square_p_value(pooled_counts, pooled_expectations);
}

// One test with fixed seeds: p below 1e-4 once in 10,000 sound samplers. And the
// test can tell: weights without the token itself, which another sampler uses,
// and weights with nine tenths of it must not pass.
TEST(MeanForModeSweep, DrawsAllTokensFromTheStatedWeights) {
  const std::vector<double> counts = observed();
  EXPECT_GT(p_value(counts, expected(1)), 1e-4);
  EXPECT_LT(p_value(counts, expected(0)), 1e-12);
  EXPECT_LT(p_value(counts, expected(0.9)), 1e-4);
}

// 10 topics, 50,000 tokens: uniform, as the counts of an unbiased start must be.
TEST(InitialTopics, AreUniform) {
  const Corpus corpus = testing::make_corpus({std::vector<std::int32_t>(50000, 0)}, 1);
  const ChainState start = train(corpus, {.topics = 10, .sweeps = 0, .seed = 11}).topics;
  std::vector<double> counts(10);
  for (const std::int32_t k : start.z) {
    ++counts.at(static_cast<std::size_t>(k));
  }
  EXPECT_GT(testing::chi_square_p_value(counts, std::vector<double>(10, 5000.0)), 1e-4);
}

}  // namespace
}  // namespace papilio
