#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace papilio::testing {

// The probability that the Kolmogorov-Smirnov statistic of n numbers is at least `distance`, n >= 1000:
// 2 sum (-1)^(j - 1) exp(-2 j^2 n distance^2).
inline double kolmogorov_p_value(double distance, std::size_t n) {
  const double exponent = -2 * static_cast<double>(n) * distance * distance;
  double sum = 0;
  for (int j = 1; j <= 100; ++j) sum += (j % 2 == 1 ? 2 : -2) * std::exp(exponent * j * j);
  return std::clamp(sum, 0.0, 1.0);
}

// The greatest difference of the numbers' empirical distribution and the continuous `cdf`, at and above
// `least`; what lies below counts as one lump.
template <class Cdf>
double kolmogorov_distance(std::vector<float> numbers, const Cdf& cdf, double least) {
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  const auto lump = std::lower_bound(numbers.begin(), numbers.end(), least) - numbers.begin();
  double distance = std::abs(static_cast<double>(lump) / n - cdf(least));
  for (auto i = static_cast<std::size_t>(lump); i < numbers.size(); ++i) {
    const double expected = cdf(static_cast<double>(numbers[i]));
    distance = std::max({distance, static_cast<double>(i + 1) / n - expected, expected - static_cast<double>(i) / n});
  }
  return distance;
}

}  // namespace papilio::testing
