// The law of draws without replacement: every order has the probability that successive draws give it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "papilio/without_replacement.h"
#include "sampling/support.h"
#include "support/chi_square.h"

namespace papilio {
namespace {

using Order = std::vector<std::int64_t>;

// P(order): the weight of each draw over what is left before it.
void add_orders(const std::vector<double>& weights, std::size_t k, Order& order, double probability,
                std::map<Order, double>& all) {
  if (order.size() == k) {
    all[order] = probability;
    return;
  }
  double left = 0;
  const auto is_left = [&](std::size_t c) {
    return std::find(order.begin(), order.end(), static_cast<std::int64_t>(c)) == order.end();
  };
  for (std::size_t c = 0; c < weights.size(); ++c) left += is_left(c) ? weights[c] : 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (!is_left(c) || weights[c] == 0) continue;
    order.push_back(static_cast<std::int64_t>(c));
    add_orders(weights, k, order, probability * weights[c] / left, all);
    order.pop_back();
  }
}
std::map<Order, double> orders(const std::vector<double>& weights, std::size_t k) {
  std::map<Order, double> all;
  Order order;
  add_orders(weights, k, order, 1, all);
  return all;
}

constexpr std::int64_t rows = 200'000;

double p_value(const std::vector<double>& weights, std::size_t k, const std::vector<std::int64_t>& drawn) {
  std::map<Order, double> counts;
  for (std::size_t i = 0; i < drawn.size(); i += k) ++counts[Order(&drawn[i], &drawn[i] + k)];
  std::vector<double> observed, expected;
  for (const auto& [order, probability] : orders(weights, k)) {
    observed.push_back(counts[order]);
    expected.push_back(probability * rows);
  }
  return testing::chi_square_p_value(observed, expected);
}

std::vector<std::int64_t> draw(const std::vector<double>& weights, std::size_t k, std::uint64_t seed) {
  std::vector<std::int64_t> drawn(rows * k);
  sample_without_replacement(MatrixWeights<double>{{weights.data(), rows, std::ssize(weights), 0}},  // one row for all
                             MatrixView<std::int64_t>(drawn.data(), rows, static_cast<std::int64_t>(k)),
                             {.seed = seed});
  return drawn;
}

// Thresholds: p-values of a right sampler are uniform, so one below 1e-6 is a fault. The seeds are fixed.
TEST(WithoutReplacementLaw, EveryOrderOfSixHasItsProbability) {
  const std::vector<double> weights = {3, 1, 2, 6, 4, 5};
  for (const std::size_t k : {1u, 2u, 3u, 6u}) EXPECT_GT(p_value(weights, k, draw(weights, k, k)), 1e-6) << k;
  const std::vector<double> some = {1e-310, 0, 2e-310, 0, 5e-310, 4e-310, 0};
  EXPECT_GT(p_value(some, 3, draw(some, 3, 7)), 1e-6);
}

TEST(WithoutReplacementLaw, LogitsFollowIt) {
  const std::vector<double> weights = {3, 1, 2, 6, 4, 5};
  std::vector<float> logits;
  for (const double w : weights) logits.push_back(static_cast<float>(2 * std::log(w) + 50));
  std::vector<std::int64_t> drawn(rows * 3);
  sample_without_replacement(LogitWeights<float>{{logits.data(), rows, 6, 0}, {}, 2},
                             MatrixView<std::int64_t>(drawn.data(), rows, 3), {.seed = 8});
  EXPECT_GT(p_value(weights, 3, drawn), 1e-6);
}

// Power: samplers that are nearly right fail.
TEST(WithoutReplacementLaw, WrongSamplersFail) {
  const std::vector<double> weights = {3, 1, 2, 6, 4, 5};
  const std::vector<double> off = {3, 1, 2, 6, 4.2, 5};  // one weight 5 percent too large
  EXPECT_LT(p_value(weights, 3, draw(off, 3, 3)), 1e-9);

  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> uniform;
  std::vector<std::int64_t> top, rest;  // the largest u w; or the first by its weight and the others by nothing
  for (std::int64_t i = 0; i < rows; ++i) {
    Order order(6);
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> key;
    for (const double w : weights) key.push_back(uniform(generator) * w);
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return key[static_cast<std::size_t>(a)] > key[static_cast<std::size_t>(b)];
    });
    top.insert(top.end(), order.begin(), order.begin() + 3);
    std::iota(order.begin(), order.end(), 0);
    std::discrete_distribution<std::size_t> heavy(weights.begin(), weights.end());
    std::swap(order[0], order[heavy(generator)]);
    std::shuffle(order.begin() + 1, order.end(), generator);
    rest.insert(rest.end(), order.begin(), order.begin() + 3);
  }
  EXPECT_LT(p_value(weights, 3, top), 1e-9);
  EXPECT_LT(p_value(weights, 3, rest), 1e-9);
}

// The first draw is one of sample_categorical's law, of weights that it takes several tiles to read.
TEST(WithoutReplacementLaw, TheFirstDrawIsThatOfOneCategory) {
  std::vector<double> weights = testing::random_weights<double>(300, 3, 0.3);
  for (double& w : weights) w = w > 0 ? w + 0.02 : 0;
  std::vector<double> observed(300);
  for (const std::int64_t k : draw(weights, 1, 9)) ++observed[static_cast<std::size_t>(k)];
  const auto p_of = [&](const std::vector<double>& law) {
    const double total = std::accumulate(law.begin(), law.end(), 0.0);
    std::vector<double> expected;
    for (const double w : law) expected.push_back(w / total * rows);
    return testing::chi_square_p_value(observed, expected);
  };
  EXPECT_GT(p_of(weights), 1e-6);
  for (double& w : weights) w = w > 0 ? w + 0.05 : 0;
  EXPECT_LT(p_of(weights), 1e-9);  // power
}

}  // namespace
}  // namespace papilio
