#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/oracle.h"

namespace papilio::testing {

// The race, stated plainly: arrival times of all categories in long double, by the C library's logarithm, sorted.
// Blocks of the row's numbers serve categories 128 t + l + 32 i: l < 32, word i < 4.
inline std::uint64_t race_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t row, std::int64_t category) {
  const auto own = random_block(seed, stream, row);
  const auto c = static_cast<std::uint64_t>(category);
  const std::uint64_t group = c / 128 * 32 + c % 32;
  const auto word = [&](std::uint32_t part) {
    const auto second = own[0] + (static_cast<std::uint32_t>(group >> 32) << 1 | part);
    return random_block(seed, std::uint64_t{own[3]} << 32 | own[2],
                        std::uint64_t{second} << 32 | static_cast<std::uint32_t>(group))[c / 32 % 4];
  };
  return std::uint64_t{word(0)} << 32 | word(1);
}

inline long double exponential_of_bits(std::uint64_t bits) {
  const auto part = [](std::uint64_t n) { return (static_cast<long double>(n) + 0.5L) * 0x1p-64L; };
  return bits >> 63 == 0 ? -std::log1p(-part(bits)) : -std::log(part(~bits));
}

// The categories with log_weights above -infinity, in order of arrival.
inline std::vector<std::int64_t> race_order(const std::vector<long double>& log_weights, std::uint64_t seed,
                                            std::uint64_t stream, std::uint64_t row) {
  std::vector<std::pair<long double, std::int64_t>> arrivals;
  for (std::size_t k = 0; k < log_weights.size(); ++k) {
    if (log_weights[k] == -std::numeric_limits<long double>::infinity()) continue;
    const auto category = static_cast<std::int64_t>(k);
    arrivals.emplace_back(std::log(exponential_of_bits(race_bits(seed, stream, row, category))) - log_weights[k],
                          category);
  }
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<std::int64_t> order;
  for (const auto& arrival : arrivals) order.push_back(arrival.second);
  return order;
}

template <class T>
std::vector<long double> log_weights(const std::vector<T>& weights) {
  std::vector<long double> logs;
  for (const T w : weights) logs.push_back(std::log(static_cast<long double>(w)));
  return logs;
}

}  // namespace papilio::testing
