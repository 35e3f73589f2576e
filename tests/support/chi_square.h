#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace papilio::testing {

// The least expected count of a cell for which the chi-square distribution is
// taken as that of the statistic.
inline constexpr double least_expected_count = 10;

// Q(a, x) = Gamma(a, x) / Gamma(a), the regularised upper incomplete gamma
// function; a > 0, x >= 0. About 12 digits for a up to 1e4, 9 for a up to 1e6.
//
// Below x = a + 1 by the power series of 1 - Q, above by Lentz's continued
// fraction; both take O(sqrt(a)) terms there. DLMF 8.11.4 and 8.9.2.
inline double upper_incomplete_gamma(double a, double x) {
  if (!(a > 0) || !(x >= 0)) throw std::invalid_argument("upper_incomplete_gamma: expected a > 0 and x >= 0");
  if (x == 0) return 1;
  if (std::isinf(x)) return 0;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr int most_terms = 1'000'000;
  const double factor = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < most_terms; ++n) {
      term *= x / (a + n);
      sum += term;
      if (term < sum * epsilon) return 1 - factor * sum;
    }
  } else {
    constexpr double tiny = 1e-300;
    double b = x + 1 - a;
    double c = 1 / tiny;
    double d = 1 / b;
    double fraction = d;
    for (int n = 1; n < most_terms; ++n) {
      const double numerator = n * (a - n);
      b += 2;
      d = numerator * d + b;
      d = 1 / (std::abs(d) < tiny ? tiny : d);
      c = b + numerator / c;
      if (std::abs(c) < tiny) c = tiny;
      fraction *= d * c;
      if (std::abs(d * c - 1) < epsilon) return factor * fraction;
    }
  }
  throw std::runtime_error("upper_incomplete_gamma: no convergence");
}

// Pearson's statistic: the sum of (observed - expected)^2 / expected over the
// cells with expected > 0. Infinite where a cell that cannot occur has occurred.
//
// Throws std::invalid_argument where the test would not mean what it says: other
// sizes, totals that differ, a positive expected count below least_expected_count
// (pool such cells first).
inline double chi_square_statistic(const std::vector<double>& observed, const std::vector<double>& expected) {
  if (observed.size() != expected.size()) {
    throw std::invalid_argument("chi_square: " + std::to_string(observed.size()) + " observed cells, " +
                                std::to_string(expected.size()) + " expected");
  }
  double statistic = 0;
  double observed_total = 0;
  double expected_total = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    if (!(expected[i] == 0 || expected[i] >= least_expected_count)) {
      throw std::invalid_argument("chi_square: cell " + std::to_string(i) + " expects " + std::to_string(expected[i]) +
                                  ", too few; pool cells or draw more");
    }
    observed_total += observed[i];
    expected_total += expected[i];
    const double difference = observed[i] - expected[i];
    if (difference != 0) statistic += difference * difference / expected[i];
  }
  if (!(std::abs(observed_total - expected_total) <= 1e-9 * expected_total)) {
    throw std::invalid_argument("chi_square: " + std::to_string(observed_total) + " observed, " +
                                std::to_string(expected_total) + " expected");
  }
  return statistic;
}

// The probability of a statistic at least as large, had the counts come from the
// expected distribution: cells with expected > 0, less one, are the degrees of freedom.
inline double chi_square_p_value(const std::vector<double>& observed, const std::vector<double>& expected) {
  const double statistic = chi_square_statistic(observed, expected);
  int cells = 0;
  for (const double count : expected) cells += count > 0 ? 1 : 0;
  if (cells < 2) throw std::invalid_argument("chi_square: at least two cells must be possible");
  return upper_incomplete_gamma((cells - 1) / 2.0, statistic / 2);
}

}  // namespace papilio::testing
