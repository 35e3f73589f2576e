// EM by lists of topics: its sums, and theta and probabilities beside those of the formula with every phi, in long
// double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lda/evaluation/fold_in/fold_in_formulas.h"
#include "lda/evaluation/known_document.h"
#include "lda/evaluation/listed_phi.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

// The order is what the definition says, whatever the number of terms.
TEST(FoldInSums, AreOf128LanesJoinedByHalves) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {0, 1, 2, 3, 31, 63, 64, 65, 97, 127, 128, 129, 200, 256, 1000, 4097}) {
    std::vector<double> x(size);
    for (double& number : x) number = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60));
    double sums[sum_lanes] = {};
    for (std::size_t i = 0; i < size; ++i) sums[i % sum_lanes] += x[i];
    for (int half = sum_lanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    EXPECT_EQ(sum_in_lanes(x), sums[0]) << size;
  }
}

struct Case {
  const char* name;
  std::int32_t topics;
  double alpha;
  double beta;
  double share_of_zeros;
  std::int32_t most;  // of a count
  bool has_seeds = false;
};

Model model_of(const Case& c, std::int32_t vocabulary) {
  std::mt19937_64 random(7);
  Model model;
  model.topics = c.topics;
  model.beta = c.beta;
  for (std::int32_t k = 0; k < c.topics; ++k) model.alpha.push_back(c.alpha * (1 + k % 3));
  model.n_k.resize(static_cast<std::size_t>(c.topics));
  for (std::int32_t w = 0; w < vocabulary; ++w) {
    model.vocabulary.push_back("w" + std::to_string(w));
    for (std::int32_t k = 0; k < c.topics; ++k) {
      const bool is_zero = w == 3 || std::generate_canonical<double, 53>(random) < c.share_of_zeros;
      const auto n = is_zero ? 0 : static_cast<std::int32_t>(1 + random() % static_cast<std::uint64_t>(c.most));
      model.n_wk.push_back(n);
      model.n_k[static_cast<std::size_t>(k)] += n;
    }
  }
  if (!c.has_seeds) return model;
  model.s_k.resize(static_cast<std::size_t>(c.topics));
  for (const std::int32_t word : {0, 3, 4}) {
    for (std::int32_t k = word % 2; k < c.topics; k += 3) {
      model.seed_words.push_back({.topic = k, .word = word, .weight = 1 + 997 * k % 1'000'000});
      model.s_k[static_cast<std::size_t>(k)] += model.seed_words.back().weight;
    }
  }
  return model;
}

using Numbers = std::vector<long double>;

// phi of a word, by the definition.
Numbers phi_of(const Model& model, std::int32_t word) {
  Numbers phi;
  for (std::int32_t k = 0; k < model.topics; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const std::int64_t seeds = model.s_k.empty() ? 0 : model.s_k[at];
    const long double count = model.n_wk[static_cast<std::size_t>(word) * static_cast<std::size_t>(model.topics) + at] +
                              static_cast<long double>(model.seed_weight(word, k));
    const long double mass = static_cast<long double>(model.n_k[at] + seeds) +
                             static_cast<long double>(model.vocabulary_size()) * model.beta;
    phi.push_back((count + model.beta) / mass);
  }
  return phi;
}

long double probability_of(const Numbers& theta, const Numbers& phi) {
  return std::inner_product(theta.begin(), theta.end(), phi.begin(), 0.0L);
}

Numbers theta_of(const Model& model, const std::vector<Numbers>& phi, const std::vector<std::int32_t>& counts,
                 int steps) {
  const auto topics = static_cast<std::size_t>(model.topics);
  Numbers theta(topics, 1.0L / model.topics);
  for (int step = 0; step < steps; ++step) {
    Numbers share(topics);
    for (std::size_t w = 0; w < phi.size(); ++w) {
      const long double factor = counts[w] / probability_of(theta, phi[w]);
      for (std::size_t k = 0; k < topics; ++k) share[k] += factor * phi[w][k];
    }
    for (std::size_t k = 0; k < topics; ++k) theta[k] = model.alpha[k] + theta[k] * share[k];
    const long double total = std::accumulate(theta.begin(), theta.end(), 0.0L);
    for (long double& t : theta) t /= total;
  }
  return theta;
}

class FoldIn : public ::testing::TestWithParam<Case> {};

// Sums of positive numbers: with K terms the relative error of a step is below (K / 16 + words + 20) 2^-53, most of it
// common to all topics or averaged out; five steps of these sizes stay below 1e-12.
TEST_P(FoldIn, IsThatOfEveryPhi) {
  const Model model = model_of(GetParam(), 40);
  constexpr int steps = 5;
  for (const std::int32_t words : {0, 1, 2, 40}) {
    KnownDocument document;
    std::vector<std::int32_t> counts;
    std::vector<Numbers> phi;
    for (std::int32_t w = 0; w < 40; ++w) {
      document.words.push_back(w);
      counts.push_back(w < words ? (w == 1 ? 100'000 : w % 5) : 0);
      phi.push_back(phi_of(model, w));
    }
    ListedPhi listed(model);
    listed.set_words(document);
    std::vector<double> theta;
    listed.fold_in(counts, steps, theta);
    const Numbers expected = theta_of(model, phi, counts, steps);
    double error = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      error = std::max(error, static_cast<double>(std::fabs(theta[k] / expected[k] - 1)));
    }
    for (std::size_t w = 0; w < phi.size(); ++w) {
      const long double p = probability_of(expected, phi[w]);
      error = std::max(error, static_cast<double>(std::fabs(listed.probability(static_cast<std::int32_t>(w)) / p - 1)));
    }
    EXPECT_LT(error, 1e-12) << words;
  }
}

constexpr std::int32_t most_count = std::numeric_limits<std::int32_t>::max();

INSTANTIATE_TEST_SUITE_P(
    Models, FoldIn,
    ::testing::Values(Case{"OneTopic", 1, 0.1, 0.01, 0.3, 50}, Case{"NineTopics", 9, 0.1, 0.01, 0.5, 50},
                      Case{"Dense", 100, 0.5, 0.01, 0, 50}, Case{"Sparse", 1000, 0.05, 0.01, 0.95, 50},
                      Case{"NothingCounted", 20, 0.1, 0.01, 1, 1}, Case{"TinyPriors", 50, 1e-100, 1e-100, 0.9, 50},
                      Case{"TinyBeta", 50, 0.1, 1e-100, 0.9, 50}, Case{"LargePriors", 50, 1e6, 1e6, 0.9, 50},
                      Case{"LargeCounts", 33, 0.1, 0.01, 0.6, most_count}, Case{"Seeds", 130, 0.1, 0.01, 0.9, 50, true},
                      Case{"SeedsOfLargeCounts", 7, 0.1, 0.01, 0.2, most_count, true},
                      Case{"ManyTopics", 4097, 0.01, 0.1, 0.97, 90'000}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace papilio::lda
