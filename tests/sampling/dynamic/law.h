#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/chi_square.h"

// Whether categories were drawn by the law of their weights.

namespace papilio::testing {

// Of the categories with at least 10 expected draws; the others are counted as one. Fails once in 10^9 by chance.
inline void expect_law(const std::vector<double>& weights, const std::vector<std::int64_t>& drawn) {
  std::vector<double> counts(weights.size());
  for (const std::int64_t k : drawn) {
    ASSERT_TRUE(0 <= k && k < std::ssize(weights));
    ASSERT_GT(weights[static_cast<std::size_t>(k)], 0) << "category " << k << " weighs nothing";
    ++counts[static_cast<std::size_t>(k)];
  }
  long double total = 0;
  for (const double weight : weights) total += static_cast<long double>(weight);
  double statistic = 0, rest = 0, rest_expected = 0;
  int cells = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto share = static_cast<double>(static_cast<long double>(weights[k]) / total);
    const double expected = share * static_cast<double>(drawn.size());
    if (expected < 10) {
      rest += counts[k];
      rest_expected += expected;
      continue;
    }
    statistic += (counts[k] - expected) * (counts[k] - expected) / expected;
    ++cells;
  }
  if (rest_expected >= 10) {
    statistic += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
    ++cells;
  }
  if (cells < 2) return;
  ASSERT_GT(testing::upper_incomplete_gamma((cells - 1) / 2.0, statistic / 2), 1e-9)
      << "chi-square " << statistic << " of " << cells;
}

}  // namespace papilio::testing
