#pragma once

#include <cmath>
#include <vector>

// The mean of independent values of one law, and its standard error.
struct Mean {
  double value = 0, error = 0;

  // How far it is from an exact value, in standard errors.
  double from(double exact) const { return (value - exact) / error; }
};

inline Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Mean mean;
  double squares = 0;
  for (const double x : values) mean.value += x / n;
  for (const double x : values) squares += (x - mean.value) * (x - mean.value);
  mean.error = std::sqrt(squares / (n - 1) / n);
  return mean;
}
