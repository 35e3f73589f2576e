#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace papilio::sampling {

// The unevaluated sum of two doubles, |low| <= ulp(high) / 2: about 106 bits.
//
// Source: Dekker, Numerische Mathematik 18, 1971; Knuth, TAOCP 2, 4.2.2.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const double sum = a.high + b.high;
    const double from_b = sum - a.high;
    const double lost = (a.high - (sum - from_b)) + (b.high - from_b);
    const double rest = lost + (a.low + b.low);
    const double rounded = sum + rest;
    return {rounded, rest - (rounded - sum)};
  }
  friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + DoubleDouble{-b.high, -b.low}; }
  friend DoubleDouble operator/(DoubleDouble a, double b) {
    const double quotient = a.high / b;
    const double remainder = std::fma(-quotient, b, a.high) + a.low;
    return DoubleDouble{quotient} + DoubleDouble{remainder / b};
  }
  friend bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};

// A column of an alias table. A draw that falls on it takes the column's own category
// with probability `keep`, else the category `alias`. It is one load on a GPU.
struct alignas(16) AliasColumn {
  double keep;
  std::int32_t alias;
};

// Vose's table of at least one weight; the weights are finite and >= 0, their sum positive and finite.
//
// Category k is drawn with probability (keep_k + sum over j with alias_j = k of (1 - keep_j)) / K.
// Each keep is within 3 x 2^-53 of its value in exact arithmetic, because what is
// left of a category is carried as a DoubleDouble. A category of weight 0 has
// keep 0 and is not the alias of any column.
std::vector<AliasColumn> alias_columns(const std::vector<double>& weights);

}  // namespace papilio::sampling
