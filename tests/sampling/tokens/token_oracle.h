#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "random/philox.h"

// Draws among filtered logits by the rules of include/papilio/tokens.h and nothing else: every category is weighed, the
// whole row is sorted, sums are of 128 bits. Slow and plain.

namespace papilio::testing {

__extension__ using Wide = unsigned __int128;

struct OracleFilter {
  float temperature = 1;
  std::int64_t top_k = 0;
  float top_p = 1;
  float min_p = 0;
  bool joint = false;
};

inline int oracle_unit_bits(std::int64_t categories) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < categories) ++bits;
  return 62 - bits;
}

// floor(2^s exp((x - largest) / temperature)) by the library's exponential, written out with std::fma.
inline std::uint64_t oracle_weight(float x, float largest, float temperature, int unit_bits) {
  const double scale = 0x1.71547652b82fep0 / static_cast<double>(temperature);
  const auto high = static_cast<float>(scale), low = static_cast<float>(scale - high);
  const float d = x - largest;
  if (!(d * high > -63)) return 0;
  const float back = d - x, error = (x - (d - back)) - (largest + back);
  const float y = d * high;
  const float rest = std::fma(error, high, std::fma(d, low, std::fma(d, high, -y)));
  const float whole = std::nearbyint(y);
  const float g = (y - whole) + rest;
  float slope = 0x1.4308fep-13f;
  for (const float c : {0x1.5f07b4p-10f, 0x1.3b2ba0p-7f, 0x1.c6af6ep-5f, 0x1.ebfbdep-3f, 0x1.62e430p-1f})
    slope = std::fma(slope, g, c);
  const auto part = static_cast<std::int64_t>(slope * (g * 0x1p30f)) + (std::int64_t{1} << 30);
  return (static_cast<std::uint64_t>(part) << (unit_bits - 30)) >> static_cast<int>(-whole);
}

// ceil(share * total), at least 1.
inline std::uint64_t oracle_share(float share, std::uint64_t total) {
  int exponent = 0;
  const float fraction = std::frexp(share, &exponent);  // share = fraction 2^exponent, exponent <= 1
  const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 24));
  const Wide product = Wide{digits} * total;
  const int down = 24 - exponent;
  if (down > 120) return 1;
  const Wide unit = Wide{1} << down;
  const Wide sum = (product + unit - 1) / unit;
  return sum == 0 ? 1 : static_cast<std::uint64_t>(sum);
}

struct OracleRow {
  std::vector<std::int64_t> order;     // all categories, the first first
  std::vector<std::uint64_t> weights;  // of every category
  std::vector<bool> kept;
  std::uint64_t total = 0;  // of what is kept
  std::uint64_t total_of_all = 0;
  float largest = 0;
  int unit_bits = 0;
};

// For logits that are not NaN or +infinity, at least one of them above -infinity.
inline OracleRow oracle_row(const std::vector<float>& logits, const OracleFilter& f) {
  const auto count = static_cast<std::int64_t>(logits.size());
  OracleRow row;
  row.unit_bits = oracle_unit_bits(count);
  row.largest = *std::max_element(logits.begin(), logits.end());
  for (std::int64_t k = 0; k < count; ++k) row.order.push_back(k);
  std::stable_sort(row.order.begin(), row.order.end(), [&](std::int64_t a, std::int64_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  row.kept.assign(logits.size(), false);
  if (f.temperature == 0) {
    row.weights.assign(logits.size(), 0);
    row.total = row.total_of_all = std::uint64_t{1} << row.unit_bits;
    row.weights[static_cast<std::size_t>(row.order[0])] = row.total;
    row.kept[static_cast<std::size_t>(row.order[0])] = true;
    return row;
  }
  for (const float x : logits) {
    row.weights.push_back(oracle_weight(x, row.largest, f.temperature, row.unit_bits));
    row.total_of_all += row.weights.back();
  }
  const auto weight = [&](std::int64_t place) {
    return row.weights[static_cast<std::size_t>(row.order[static_cast<std::size_t>(place)])];
  };
  const std::int64_t first = f.top_k == 0 ? count : std::min(f.top_k, count);
  std::uint64_t of = 0;
  for (std::int64_t n = 0; n < first; ++n) of += weight(n);
  std::int64_t last = first;
  if (f.top_p < 1) {
    const std::uint64_t wanted = oracle_share(f.top_p, f.joint ? row.total_of_all : of);
    std::uint64_t sum = 0;
    for (last = 0; last < first && sum < wanted; ++last) sum += weight(last);
  }
  const std::uint64_t least = oracle_share(f.min_p, std::uint64_t{1} << row.unit_bits);
  for (std::int64_t n = 0; n < last; ++n) {
    if (weight(n) < least) continue;
    row.kept[static_cast<std::size_t>(row.order[static_cast<std::size_t>(n)])] = true;
    row.total += weight(n);
  }
  return row;
}

// The category that a number of 64 bits draws.
inline std::int64_t oracle_find(const OracleRow& row, std::uint64_t number) {
  auto target = static_cast<std::uint64_t>(Wide{number} * row.total >> 64);
  for (std::size_t k = 0; k < row.kept.size(); ++k) {
    if (!row.kept[k]) continue;
    if (target < row.weights[k]) return static_cast<std::int64_t>(k);
    target -= row.weights[k];
  }
  return -1;
}

inline std::uint64_t oracle_number(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  const random::Block block = random::draw_block(seed, stream, position);
  return std::uint64_t{block.word[1]} << 32 | block.word[0];
}

// ln of the probability of a kept category under the law, in double: from the logits, not from their weights.
inline double oracle_log_probability(const std::vector<float>& logits, const OracleRow& row, float temperature,
                                     std::int64_t category) {
  if (temperature == 0) return 0;
  const auto scaled = [&](std::size_t k) {
    return (static_cast<long double>(logits[k]) - row.largest) / static_cast<long double>(temperature);
  };
  long double rest = 0;  // of the sum, without the largest
  bool skipped = false;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    if (!row.kept[k]) continue;
    if (!skipped && logits[k] == row.largest)
      skipped = true;
    else
      rest += std::exp(scaled(k));
  }
  return static_cast<double>(scaled(static_cast<std::size_t>(category)) - std::log1p(rest));
}

}  // namespace papilio::testing
