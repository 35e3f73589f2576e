#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "papilio/tokens.h"
#include "sampling/tokens/token_oracle.h"

// Rows of logits and filters of many kinds, for tests.

namespace papilio::testing {

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

inline std::int64_t pick(std::mt19937_64& bits, std::int64_t n) {
  return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
}

// Of several scales, with ties, masked categories, equal logits, zeros of both signs, one category alone.
inline std::vector<float> random_row(std::mt19937_64& bits, std::int64_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> row(static_cast<std::size_t>(count));
  const float scales[] = {0.01f, 1, 4, 20, 1e-38f, 1e4f};
  const float scale = scales[pick(bits, 6)];
  const float shift = pick(bits, 2) == 0 ? 0 : normal(bits) * 30;
  const std::int64_t kind = pick(bits, 6);
  for (float& x : row) {
    x = normal(bits) * scale + shift;
    if (kind == 1) x = static_cast<float>(pick(bits, 4));
    if (kind == 2 && pick(bits, 3) != 0) x = minus_infinity;
    if (kind == 3) x = 1.5f;
    if (kind == 4) x = pick(bits, 2) == 0 ? 0.0f : -0.0f;
  }
  if (kind == 5) std::fill(row.begin(), row.end(), minus_infinity);
  if (kind == 5 || kind == 2) row[static_cast<std::size_t>(pick(bits, count))] = normal(bits);
  return row;
}

inline OracleFilter random_filter(std::mt19937_64& bits, std::int64_t count) {
  const float temperatures[] = {1, 1, 0.7f, 1.5f, 0, 1e-6f, 1e6f, 0.1f};
  const float top_ps[] = {1, 1, 0.9f, 0.5f, 0.999f, 1e-9f, 0};
  const float min_ps[] = {0, 0, 0.05f, 0.5f, 1, 1e-12f};
  const std::int64_t top_ks[] = {0, 0, 1, 2, 50, count / 2, count - 1, count, count + 7};
  return {temperatures[pick(bits, 8)], top_ks[pick(bits, 9)], top_ps[pick(bits, 7)], min_ps[pick(bits, 6)],
          pick(bits, 2) == 0};
}

inline TokenFilters filters_of(const OracleFilter& f) {
  TokenFilters filters;
  filters.temperature = f.temperature;
  filters.top_k = static_cast<std::int32_t>(f.top_k);
  filters.top_p = f.top_p;
  filters.min_p = f.min_p;
  filters.joint = f.joint;
  return filters;
}

inline std::string text_of(const OracleFilter& f) {
  return "temperature " + std::to_string(f.temperature) + ", top_k " + std::to_string(f.top_k) + ", top_p " +
         std::to_string(f.top_p) + ", min_p " + std::to_string(f.min_p) + (f.joint ? ", joint" : "");
}

}  // namespace papilio::testing
