#pragma once

#include <cstdint>

namespace papilio::base {

// n / d, rounded up; n >= 0, d > 0.
template <class T>
constexpr T ceil_div(T n, T d) {
  return (n + d - 1) / d;
}

// The smallest multiple of d that is not below n.
template <class T>
constexpr T round_up(T n, T d) {
  return ceil_div(n, d) * d;
}

constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace papilio::base
