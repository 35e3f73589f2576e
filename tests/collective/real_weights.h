#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/oracle.h"

// Rows of real weights whose sums round, for the tests of floor collective.

namespace papilio::testing {

enum class Weights : std::uint8_t {
  uniform,
  sparse,   // seven in ten are 0, the others over three decades
  decades,  // over 20 decades, so that small ones vanish in sums
  tiny,     // subnormal, or nearly
};
inline constexpr Weights all_weights[] = {Weights::uniform, Weights::sparse, Weights::decades, Weights::tiny};

template <class T>
std::vector<T> real_weights(Weights kind, std::int64_t size, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> unit(0, 1);
  const auto draw = [&] {
    const double x = unit(bits);
    switch (kind) {
      case Weights::uniform:
        return x;
      case Weights::sparse:
        return unit(bits) < 0.7 ? 0.0 : std::exp(8 * (x - 0.5));
      case Weights::decades:
        return std::pow(10.0, 20 * (x - 0.5));
      case Weights::tiny:
        break;
    }
    return std::floor(x * 40) * static_cast<double>(std::numeric_limits<T>::denorm_min());
  };
  std::vector<T> weights(static_cast<std::size_t>(size));
  for (T& w : weights) w = static_cast<T>(draw());
  return weights;
}

// A row with a positive weight. Products of tiny weights would vanish: there the right row is near 1.
template <class T>
WeightRow<T> real_row(Weights kind, bool product, std::int64_t size, std::mt19937_64& bits) {
  WeightRow<T> row{real_weights<T>(kind, size, bits)};
  row.left[bits() % row.left.size()] = kind == Weights::tiny ? 7 * std::numeric_limits<T>::denorm_min() : T{1} / 3;
  if (product) {
    row.right = real_weights<T>(Weights::uniform, size, bits);
    for (T& w : row.right) w = w / 2 + T{1};
  }
  return row;
}

// Numbers u in [0, 1) within two units in the last place of T of the boundaries of
// a row's intervals; about `count` of them.
template <class T>
std::vector<double> boundary_thresholds(const ExactIntervals<T>& exact, std::size_t count, std::mt19937_64& bits) {
  std::vector<double> all;
  const auto& boundaries = exact.boundaries();
  while (all.size() < count) {
    T u = static_cast<T>(boundaries[bits() % boundaries.size()] / exact.total());
    const auto off = static_cast<int>(bits() % 5) - 2;
    for (int i = 0; i < off; ++i) u = std::nextafter(u, T{2});
    for (int i = 0; i > off; --i) u = std::nextafter(u, T{-1});
    const T largest = 1 - std::numeric_limits<T>::epsilon() / 2;
    all.push_back(static_cast<double>(u < 0 ? T{0} : u > largest ? largest : u));
  }
  return all;
}

}  // namespace papilio::testing
