#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "cuda/token_calls.h"

// Rows that are hard to choose the first tokens from, or those near the largest.

namespace papilio::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN();

// One filter for all rows, and no masses: these would take another kernel.
template <class S>
TokenRows<S> filtered(TokenRows<S> rows, float temperature, std::int32_t top_k, float top_p, float min_p) {
  rows.temperature = {temperature}, rows.top_k = {top_k}, rows.top_p = {top_p}, rows.min_p = {min_p};
  rows.masses = false;
  return rows;
}

// A filter for all rows.
struct TokenFilterOfAll {
  std::int32_t top_k;
  float top_p, min_p;
};

template <class S>
::testing::AssertionResult same_by(const TokenRows<S>& rows, const TokenFilterOfAll& f, float temperature = 0.8f,
                                   std::int64_t offset = 0) {
  return same_tokens(filtered(rows, temperature, f.top_k, f.top_p, f.min_p), offset)
         << ": top_k " << f.top_k << ", top_p " << f.top_p << ", min_p " << f.min_p;
}

// The results that kernels for flat rows give: without masses, ranks and lists, for which other kernels draw.
template <class S>
::testing::AssertionResult same_without_order(TokenRows<S> rows, std::int64_t offset = 0) {
  rows.masses = rows.ranks = false;
  rows.room = 0;
  const Said host = said_by_host(rows);
  return same_said(said_by_device(rows, offset), host);
}

// Normal numbers, some rows wider than others.
template <class S>
TokenRows<S> normal_rows(std::int64_t rows, std::int64_t categories, double scale, std::uint64_t seed) {
  TokenRows<S> made = {rows, categories};
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < categories; ++k)
      made.logits.push_back(stored<S>(normal(bits) * scale * (1 + static_cast<double>(row % 3))));
  return made;
}

// A mask per row, which allows a share of the categories at random.
template <class S>
void allow(TokenRows<S>& rows, double share, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const std::int64_t words = (rows.categories + 31) / 32;
  rows.allowed.assign(static_cast<std::size_t>(rows.rows * words), 0);
  for (std::uint32_t& word : rows.allowed)
    for (int bit = 0; bit < 32; ++bit)
      if (static_cast<double>(bits()) < share * 0x1p64) word |= 1u << bit;
}

// Kinds of rows that are hard to choose from: what category k of `categories` has.
inline constexpr int kinds = 22;
inline double hard_logit(int kind, std::int64_t k, std::int64_t categories) {
  const double noise = std::sin(static_cast<double>(k) * 12.9898) * 5;
  const bool last = k == categories - 1, middle = k == categories / 2;
  switch (kind) {
    case 0:
      return 1;  // all are equal
    case 1:
      return static_cast<double>(k) * 1e-3;
    case 2:
      return static_cast<double>(categories - k) * 1e-3;
    case 3:
      return k % 2 == 0 ? 0.0 : -0.0;  // equal, too
    case 4:
      return k % 977 == 976 ? 0.0 : k % 977 == 5 ? -0.0 : -3;  // ties of both zeros, far from each other
    case 5:
      return middle ? nan : noise;
    case 6:
      return last ? infinity : noise;
    case 7:
      return last ? nan : k == 0 ? infinity : noise;
    case 8:
      return -infinity;
    case 9:
      return k % 1000 == 999 ? noise : -infinity;  // fewer than most top_k
    case 10:
      return last ? -2.5 : -infinity;
    case 11:
      return k < 256 ? 3 : noise - 9;  // as many ties as there is room for
    case 12:
      return k < 257 ? 3 : noise - 9;
    case 13:
      return k >= categories - 60 ? 7 + noise : noise - 9;  // all from one block
    case 14:
      return k % 300 == 17 ? 4 : noise - 9;  // ties in all blocks
    case 15:
      return std::round(noise);
    case 16:
      return middle ? 30000 : -30000.0 - noise;
    case 17:
      return noise * 1e-30;
    case 18:
      return k == 0 ? nan : -infinity;
    case 19:
      return k / 64 % 128 == 37 ? 4 + noise : noise - 9;  // all from one or two of 128 warps that take turns
    case 20:
      return k / 64 % 128 == 37 ? noise : -infinity;
    default:
      return noise;
  }
}

template <class S>
TokenRows<S> hard_rows(std::int64_t rows, std::int64_t categories, int first) {
  TokenRows<S> made = {rows, categories};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < categories; ++k) {
      const double x = hard_logit(static_cast<int>(first + row) % kinds, k, categories);
      made.logits.push_back(std::isnan(x) ? not_a_number<S>() : stored<S>(x));
    }
  return made;
}

}  // namespace papilio::testing
