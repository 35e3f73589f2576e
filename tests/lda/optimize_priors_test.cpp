#include "lda/model/optimize_priors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "lda/corpora.h"
#include "lda/model/count_histogram.h"
#include "lda/model/state.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

struct Tokens {
  Corpus corpus;
  State state;
};

Tokens with_topics(Corpus corpus, std::vector<std::int32_t> z, std::int32_t topics) {
  Tokens tokens;
  tokens.corpus = std::move(corpus);
  tokens.state.topics = topics;
  tokens.state.z = std::move(z);
  tokens.state.count(tokens.corpus, 1);
  return tokens;
}

Tokens generated_tokens() {
  GeneratedCorpus generated = testing::small_generated_corpus();
  return with_topics(std::move(generated.corpus), std::move(generated.topics), 7);
}

Tokens few_tokens() {
  return with_topics(testing::make_corpus({{0, 1, 2, 2}, {3, 0, 0}, {}, {1, 1, 1, 3, 2, 0}, {4}}, 5),
                     {0, 0, 1, 0, 2, 2, 0, 1, 1, 1, 1, 0, 2, 1}, 3);
}

Priors optimized(const Tokens& tokens, Priors priors, const PriorSearch& search = {}, int threads = 1) {
  optimize_priors(tokens.corpus, tokens.state.z, tokens.state.n_wk, tokens.state.n_k, priors, threads, search);
  return priors;
}

constexpr PriorSearch to_the_end = {.most_iterations = 1000000, .tolerance = 1e-12};
constexpr PriorSearch symmetric_to_the_end = {.symmetric_alpha = true, .most_iterations = 1000000, .tolerance = 1e-12};

double likelihood(const Tokens& tokens, const Priors& priors) {
  return log_joint(tokens.corpus, tokens.state.z, priors.alpha, priors.beta, 1);
}

// Where a function with one maximum has it, in [1e-5, 1e6], by golden sections of the logarithm.
double where_largest(const std::function<double(double)>& f) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = std::log(1e-5);
  double high = std::log(1e6);
  while (high - low > 1e-9) {
    const double a = high - ratio * (high - low);
    const double b = low + ratio * (high - low);
    (f(std::exp(a)) < f(std::exp(b)) ? low : high) = f(std::exp(a)) < f(std::exp(b)) ? a : b;
  }
  return std::exp((low + high) / 2);
}

TEST(CountHistogram, SumsReciprocals) {
  CountHistogram histogram;
  CountHistogram part;
  const std::vector<std::int64_t> counts = {0, 1, 1, 2, 17, 1022, 1023, 1024, 1025, 5000, 1000000, 3};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    (i % 2 == 0 ? histogram : part).add(counts[i]);
  }
  histogram.add(part);
  histogram.finish();
  for (const double prior : {1e-5, 0.01, 1.0, 37.5, 1e6}) {
    double expected = 0;
    for (const std::int64_t n : counts) {
      for (std::int64_t j = n; j-- > 0;) {
        expected += 1 / (static_cast<double>(j) + prior);
      }
    }
    EXPECT_NEAR(histogram.digamma_rise(prior), expected, 1e-12 * expected) << prior;
  }
}

TEST(CountHistogram, OfNothingIsEmpty) {
  CountHistogram histogram;
  histogram.add(0);
  histogram.finish();
  EXPECT_TRUE(histogram.empty());
  EXPECT_EQ(histogram.digamma_rise(0.1), 0);
}

// A maximum found by comparing likelihoods is known to the root of their precision:
// 2^-52 nats of rounding over a second derivative of about 1 leave 1e-7.
TEST(OptimizePriors, FindsTheMaximumOfTheLikelihoodForSymmetricPriors) {
  const Tokens tokens = few_tokens();
  const Priors found = optimized(tokens, {{0.1, 0.1, 0.1}, 0.01}, symmetric_to_the_end);
  const double alpha = where_largest([&](double a) { return likelihood(tokens, {{a, a, a}, 0.5}); });
  const double beta = where_largest([&](double b) { return likelihood(tokens, {{1, 1, 1}, b}); });
  EXPECT_TRUE(found.is_symmetric());
  EXPECT_NEAR(found.alpha[0], alpha, 1e-5 * alpha);
  EXPECT_NEAR(found.beta, beta, 1e-5 * beta);
}

// A climb from elsewhere, one alpha_k at a time and then all by one factor, which the ridge
// of a constant ratio asks for, comes to the same place.
TEST(OptimizePriors, FindsTheMaximumOfTheLikelihoodForEachTopic) {
  const Tokens tokens = few_tokens();
  const Priors found = optimized(tokens, {{0.1, 0.1, 0.1}, 0.01}, to_the_end);
  Priors climbed = {{0.5, 5, 50}, found.beta};
  for (int round = 0; round < 30; ++round) {
    for (double& alpha : climbed.alpha) {
      alpha = where_largest([&](double a) {
        alpha = a;
        return likelihood(tokens, climbed);
      });
    }
    const auto scaled = [&](double factor) {
      Priors priors = climbed;
      for (double& alpha : priors.alpha) alpha = std::clamp(alpha * factor, 1e-6, 1e6);
      return priors;
    };
    climbed = scaled(where_largest([&](double factor) { return likelihood(tokens, scaled(factor)); }));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.alpha[k], climbed.alpha[k], 1e-4 * found.alpha[k]) << k;
  }
}

// The likelihood's own rounding is 2^-39 nats a term.
TEST(OptimizePriors, NeverLowersTheLikelihood) {
  const Tokens tokens = generated_tokens();
  for (const bool symmetric : {false, true}) {
    for (const auto& [alpha, beta] : {std::pair(0.001, 5.0), std::pair(20.0, 0.0001), std::pair(0.1, 0.01)}) {
      Priors priors = {std::vector<double>(7, alpha), beta};
      double before = likelihood(tokens, priors);
      for (int step = 0; step < 10; ++step) {
        priors = optimized(tokens, priors, {.symmetric_alpha = symmetric, .most_iterations = 1});
        const double after = likelihood(tokens, priors);
        ASSERT_GE(after, before - 1e-6) << step;
        before = after;
      }
    }
  }
}

double uniform(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }

// One draw from Polya's urn: weights n + prior.
std::size_t draw_from_urn(const std::vector<double>& urn, std::mt19937_64& random) {
  double total = 0;
  for (const double weight : urn) total += weight;
  double target = uniform(random) * total;
  std::size_t k = 0;
  while (k + 1 < urn.size() && target >= urn[k]) target -= urn[k++];
  return k;
}

Tokens drawn_from(const Priors& priors, int documents, int length, int words, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> word_urns(priors.alpha.size(),
                                             std::vector<double>(static_cast<std::size_t>(words), priors.beta));
  std::vector<std::vector<std::int32_t>> texts(static_cast<std::size_t>(documents));
  std::vector<std::int32_t> z;
  for (auto& text : texts) {
    std::vector<double> urn = priors.alpha;
    for (int i = 0; i < length; ++i) {
      const std::size_t k = draw_from_urn(urn, random);
      const std::size_t w = draw_from_urn(word_urns[k], random);
      urn[k] += 1;
      word_urns[k][w] += 1;
      z.push_back(static_cast<std::int32_t>(k));
      text.push_back(static_cast<std::int32_t>(w));
    }
  }
  return with_topics(testing::make_corpus(texts, words), std::move(z), static_cast<std::int32_t>(priors.alpha.size()));
}

// Over 40 other seeds the estimates have standard deviations of 4 to 7%: 30% are more than
// four of these.
TEST(OptimizePriors, RecoversThePriorsThatTokensWereDrawnFrom) {
  const Priors truth = {{0.1, 0.4, 1.0, 0.2}, 0.3};
  const Tokens tokens = drawn_from(truth, 1000, 40, 100, 11);
  const Priors found = optimized(tokens, {{1, 1, 1, 1}, 1}, {.most_iterations = 2000});
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(found.alpha[k], truth.alpha[k], 0.3 * truth.alpha[k]) << k;
  }
  EXPECT_NEAR(found.beta, truth.beta, 0.3 * truth.beta);
}

TEST(OptimizePriors, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tokens tokens = generated_tokens();
  const Priors start = {std::vector<double>(7, 0.1), 0.01};
  const Priors one = optimized(tokens, start);
  for (const int threads : {2, 7}) {
    const Priors other = optimized(tokens, start, {}, threads);
    EXPECT_EQ(other.alpha, one.alpha);
    EXPECT_EQ(other.beta, one.beta);
  }
}

// What every machine must find.
TEST(OptimizePriors, GivesTheSameBitsOnEveryMachine) {
  const Priors found = optimized(generated_tokens(), {std::vector<double>(7, 0.1), 0.01});
  EXPECT_EQ(found.alpha[0], 0x1.8e0eda6d9613ep-4);
  EXPECT_EQ(found.alpha[6], 0x1.c820fa194b315p-4);
  EXPECT_EQ(found.beta, 0x1.5b5ce38fd3cc7p-4);
}

TEST(OptimizePriors, KeepsTheLeastPriorForATopicWithoutTokens) {
  const Tokens tokens = with_topics(testing::make_corpus({{0, 1, 1}, {1, 0}}, 2), {0, 0, 2, 2, 0}, 3);
  const Priors found = optimized(tokens, {{0.5, 0.5, 0.5}, 0.1});
  EXPECT_EQ(found.alpha[1], least_optimized_prior);
  EXPECT_GT(found.alpha[0], 0.01);
}

// For small alpha_k a step sets it to about (documents that have the topic) / (the sum for
// lengths), whatever it was.
TEST(OptimizePriors, BringsATopicBackInOneStep) {
  const Tokens tokens = with_topics(testing::make_corpus({{0, 1, 1}, {1, 0}}, 2), {0, 0, 1, 1, 0}, 2);
  const Priors found = optimized(tokens, {{0.5, least_optimized_prior}, 0.1}, {.most_iterations = 1});
  EXPECT_GT(found.alpha[1], 0.1);
}

// With one topic every alpha is equally likely.
TEST(OptimizePriors, LeavesAlphaOfASingleTopic) {
  const Tokens tokens = with_topics(testing::make_corpus({{0, 1, 1, 2, 0, 0}}, 3), std::vector<std::int32_t>(6, 0), 1);
  for (const bool symmetric : {false, true}) {
    const Priors found = optimized(tokens, {{0.37}, 0.2}, {.symmetric_alpha = symmetric});
    EXPECT_EQ(found.alpha[0], 0.37);
    EXPECT_NE(found.beta, 0.2);
  }
}

TEST(OptimizePriors, LeavesAllWhereThereAreNoTokens) {
  const Tokens tokens = with_topics(testing::make_corpus({{}, {}}, 4), {}, 2);
  const Priors found = optimized(tokens, {{0.3, 0.4}, 0.2});
  EXPECT_EQ(found.alpha, (std::vector<double>{0.3, 0.4}));
  EXPECT_EQ(found.beta, 0.2);
}

TEST(OptimizePriors, TakesNoAccountOfEmptyDocuments) {
  const std::vector<std::int32_t> z = {0, 1, 1, 0, 1};
  const Tokens without = with_topics(testing::make_corpus({{0, 1, 1}, {1, 0}}, 2), z, 2);
  const Tokens with = with_topics(testing::make_corpus({{}, {0, 1, 1}, {}, {1, 0}, {}}, 2), z, 2);
  const Priors start = {{0.3, 0.4}, 0.2};
  EXPECT_EQ(optimized(with, start).alpha, optimized(without, start).alpha);
}

// Counts more even than any Dirichlet makes them have no maximum: the prior rises up to its bound.
TEST(OptimizePriors, StaysWithinItsBounds) {
  const Tokens tokens = with_topics(testing::make_corpus({{0, 1, 0, 1}, {1, 1, 0, 0}}, 2), {0, 0, 1, 1, 0, 1, 0, 1}, 2);
  const Priors found = optimized(tokens, {{9e5, 9e5}, 9e5}, {.most_iterations = 1000});
  EXPECT_LE(found.alpha[0], largest_prior);
  EXPECT_GT(found.alpha[0], 9e5);
  EXPECT_LE(found.beta, largest_prior);
  EXPECT_GT(found.beta, 9e5);
}

}  // namespace
}  // namespace papilio::lda
