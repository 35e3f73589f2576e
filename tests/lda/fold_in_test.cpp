// EM by lists of topics: its sums, theta and probabilities beside those of the formula with every phi, in long double,
// and their bits beside those of the order that is laid down, number by number.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
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
    EXPECT_EQ(sum_in_lanes(x.data(), static_cast<std::int64_t>(size)), sums[0]) << size;
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

// n_wk + s_wk of the topics that a word has, in order.
std::vector<std::pair<std::size_t, double>> list_of(const Model& model, std::int32_t word) {
  constexpr std::int32_t residues = 16;
  const std::int32_t per_range = ((model.topics + 15) / 16 + 31) / 32 * 32;
  std::vector<std::pair<std::size_t, double>> list;
  for (std::int32_t range = 0; range < model.topics; range += per_range) {
    std::vector<std::pair<std::size_t, double>> of_residue[residues];
    for (std::int32_t k = range; k < std::min(range + per_range, model.topics); ++k) {
      const auto at = static_cast<std::size_t>(word) * static_cast<std::size_t>(model.topics);
      const double count =
          model.n_wk[at + static_cast<std::size_t>(k)] + static_cast<double>(model.seed_weight(word, k));
      if (count > 0) of_residue[k % residues].emplace_back(k, count);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(per_range); ++i) {
      for (const auto& topics : of_residue) {
        if (i < topics.size()) list.push_back(topics[i]);
      }
    }
  }
  return list;
}

double in_order(const std::vector<double>& x) { return sum_in_lanes(x.data(), static_cast<std::int64_t>(x.size())); }

// The bits by the definition: sums one number after another.
class InOrder {
 public:
  InOrder(const Model& model, const KnownDocument& document) : model_(model) {
    for (const std::int32_t word : document.words) lists_.push_back(list_of(model, word));
    for (std::size_t k = 0; k < model.n_k.size(); ++k) {
      const std::int64_t seeds = model.s_k.empty() ? 0 : model.s_k[k];
      reciprocals_.push_back(
          1 / (static_cast<double>(model.n_k[k] + seeds) + static_cast<double>(model.vocabulary_size()) * model.beta));
    }
  }

  std::vector<double> fold_in(const std::vector<std::int32_t>& counts, int steps) {
    std::vector<double> theta(reciprocals_.size(), 1.0 / model_.topics);
    weigh(theta);
    for (int step = 0; step < steps; ++step) {
      std::vector<double> shares(theta.size()), factors;
      for (std::size_t w = 0; w < lists_.size(); ++w) {
        if (counts[w] == 0) continue;
        factors.push_back(counts[w] / probability(w));
        for (const auto& [k, count] : lists_[w]) shares[k] += factors.back() * count;
      }
      const double of_beta = model_.beta * in_order(factors);
      for (std::size_t k = 0; k < theta.size(); ++k) theta[k] = model_.alpha[k] + weights_[k] * (shares[k] + of_beta);
      weigh(theta);
    }
    const double total = in_order(theta);
    for (double& t : theta) t /= total;
    weigh(theta);
    return theta;
  }

  double probability(std::size_t w) const {
    double sums[16] = {};
    for (std::size_t i = 0; i < lists_[w].size(); ++i) {
      sums[i % 16] += weights_[lists_[w][i].first] * lists_[w][i].second;
    }
    for (int half = 8; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    return model_.beta * in_order(weights_) + sums[0];
  }

 private:
  void weigh(const std::vector<double>& theta) {
    weights_.clear();
    for (std::size_t k = 0; k < theta.size(); ++k) weights_.push_back(theta[k] * reciprocals_[k]);
  }

  const Model& model_;
  std::vector<std::vector<std::pair<std::size_t, double>>> lists_;
  std::vector<double> reciprocals_, weights_;
};

// One ListedPhi for documents of several sizes, whose words are in no order; some have no count.
TEST_P(FoldIn, GivesTheBitsOfItsOrder) {
  const Model model = model_of(GetParam(), 40);
  ListedPhi listed(model);
  std::mt19937_64 random(5);
  for (const std::size_t words : {40u, 1u, 0u, 7u, 33u}) {
    KnownDocument document;
    std::vector<std::int32_t> counts;
    for (std::size_t w = 0; w < words; ++w) {
      document.words.push_back(static_cast<std::int32_t>(w * 29 % 40));
      counts.push_back(static_cast<std::int32_t>(random() % 3 * (1 + random() % 100)));
    }
    listed.set_words(document);
    InOrder expected(model, document);
    for (const int steps : {1, 4}) {
      std::vector<double> theta;
      listed.fold_in(counts, steps, theta);
      EXPECT_EQ(theta, expected.fold_in(counts, steps)) << words;
      for (std::size_t w = 0; w < words; ++w) {
        EXPECT_EQ(listed.probability(static_cast<std::int32_t>(w)), expected.probability(w)) << w << " of " << words;
      }
    }
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
                      Case{"SixteenTopics", 16, 0.1, 0.01, 0.1, 50}, Case{"OneMoreThanSixteen", 17, 0.1, 0.01, 0, 50},
                      Case{"TwoPlaces", 512, 0.1, 0.01, 0.3, 50}, Case{"FourPlaces", 1024, 0.1, 0.01, 0.4, 50},
                      Case{"SixPlaces", 1025, 0.1, 0.01, 0, 50}, Case{"ManySeeds", 600, 0.1, 0.01, 0.97, 50, true},
                      Case{"ManyTopics", 4097, 0.01, 0.1, 0.97, 90'000}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace papilio::lda
