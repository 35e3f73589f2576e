#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "sampling/random_weights.h"
#include "sampling/tables/repeated_draws.h"

// The columns of an alias table imply its weights.

namespace papilio {
namespace {

using sampling::alias_columns;
using sampling::AliasColumn;
using testing::random_weights;

constexpr double unit = 0x1p-53;

// A sum of long doubles that keeps what each addition loses (Kahan).
class LongSum {
 public:
  void add(long double value) {
    const long double next = value - lost_;
    const long double sum = sum_ + next;
    lost_ = (sum - sum_) - next;
    sum_ = sum;
  }
  long double value() const { return sum_; }

 private:
  long double sum_ = 0;
  long double lost_ = 0;
};

// K P(k) as the table draws it, and from how many columns besides its own it comes.
struct Implied {
  std::vector<LongSum> share;
  std::vector<int> columns;
};

Implied implied(const std::vector<AliasColumn>& table) {
  Implied result{std::vector<LongSum>(table.size()), std::vector<int>(table.size())};
  for (std::size_t k = 0; k < table.size(); ++k) {
    result.share[k].add(static_cast<long double>(table[k].keep));
    if (table[k].keep >= 1) continue;
    const auto alias = static_cast<std::size_t>(table[k].alias);
    result.share[alias].add(1 - static_cast<long double>(table[k].keep));
    ++result.columns[alias];
  }
  return result;
}

// Each column that a category comes from is split within 3 units of 2^-53; a
// fourth is for the arithmetic of this test.
void expect_weights(const std::vector<double>& weights) {
  const std::vector<AliasColumn> table = alias_columns(weights);
  ASSERT_EQ(table.size(), weights.size());
  LongSum total;
  for (const double weight : weights) total.add(static_cast<long double>(weight));
  const Implied result = implied(table);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    ASSERT_TRUE(0 <= table[k].keep && table[k].keep <= 1) << k;
    if (weights[k] == 0) {
      ASSERT_EQ(table[k].keep, 0) << k;
    }
    if (table[k].keep < 1) {
      ASSERT_GT(weights[static_cast<std::size_t>(table[k].alias)], 0) << k;
    }
    const long double expected =
        static_cast<long double>(weights[k]) * static_cast<long double>(weights.size()) / total.value();
    const double tolerance = 4 * unit * (result.columns[k] + 1);
    ASSERT_NEAR(static_cast<double>(result.share[k].value() - expected), 0, tolerance) << k << " of " << weights.size();
  }
}

TEST(AliasColumns, ImplyTheWeights) {
  for (const std::size_t K : {1u, 2u, 3u, 10u, 257u, 5000u}) {
    for (const double spread : {0.0, 1.0, 20.0, 600.0}) expect_weights(random_weights(K, spread, K));
  }
}

TEST(AliasColumns, ImplyTheWeightsOfAMillionCategories) {
  expect_weights(random_weights(1 << 20, 5, 1));
  std::vector<double> heavy(1 << 20, 1e-3);
  heavy[777] = 1e9;  // gives to all the others, and must still have its share in the end
  expect_weights(heavy);
  heavy.assign(heavy.size(), 0.1);
  heavy.back() = 0;
  expect_weights(heavy);
}

// Whole weights whose mean is a power of two: every step is exact, so are the probabilities.
TEST(AliasColumns, AreExactForWholeWeightsWithAPowerOfTwoAsMean) {
  std::mt19937_64 generator(9);
  for (const std::size_t K : {2u, 3u, 64u, 1000u}) {
    std::vector<double> weights(K);
    for (std::size_t balls = 0; balls < 16 * K; ++balls) ++weights[generator() % (1 + generator() % K)];
    const Implied result = implied(alias_columns(weights));
    for (std::size_t k = 0; k < K; ++k) ASSERT_EQ(result.share[k].value() * 16, weights[k]) << k << " of " << K;
  }
}

// Weights for which plain double arithmetic leaves columns over: 0.1 is not a
// double, and each of ten such columns gives up a little more or less than it has.
TEST(AliasColumns, ZeroWeightsStayZeroWhereRoundingLeavesColumnsOver) {
  for (std::size_t positive = 1; positive <= 300; ++positive) {
    for (const double weight : {0.1, 1.0 / 3, 1e-300, 0.7}) {
      std::vector<double> weights(2 * positive + 1);
      for (std::size_t k = 0; k < positive; ++k) weights[2 * k + 1] = weight * static_cast<double>(1 + k % 7);
      expect_weights(weights);
    }
  }
}

}  // namespace
}  // namespace papilio
