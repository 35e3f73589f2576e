#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace papilio::testing {

// Weights from 1 to exp(spread), an eighth of them 0; the middle one is 1.
inline std::vector<double> random_weights(std::size_t count, double spread, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> weights(count);
  for (double& weight : weights) {
    const double u = static_cast<double>(generator() >> 11) * 0x1p-53;
    weight = generator() % 8 == 0 ? 0 : std::exp(spread * u);
  }
  weights[count / 2] = 1;
  return weights;
}

}  // namespace papilio::testing
