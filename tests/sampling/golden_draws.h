#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace papilio::testing {

// The draws of a fixed batch, written down: a change of these is a change of every program's
// results. Weights 1, 2, ..., K for several K; seed 1, stream 2, rows 0 to 11.
inline const std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>& golden_draws() {
  static const std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> golden = {
      {5, {3, 4, 2, 2, 2, 4, 3, 3, 3, 0, 4, 2}},
      {100, {69, 28, 40, 27, 81, 86, 71, 58, 85, 32, 86, 81}},
      {1500, {1104, 1463, 781, 494, 859, 1177, 1072, 1440, 1322, 784, 1048, 952}},
  };
  return golden;
}

// The draws of 4,096 rows of 300 small whole weights under seed 3, as one number, which the Python
// package's tests read here.
inline constexpr std::uint64_t golden_hash = 0x22856a866e1f807c;
inline std::vector<float> golden_matrix() {
  std::vector<float> weights(std::size_t{4096} * 300);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(static_cast<std::uint32_t>(i * 2654435761u) >> 24);
  return weights;
}

// FNV-1a of draws as 32-bit words.
inline std::uint64_t hash_of(const std::vector<std::int64_t>& draws) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::int64_t k : draws) hash = (hash ^ static_cast<std::uint32_t>(k)) * 0x100000001b3;
  return hash;
}

// Likewise 12 rows of 1,500 logits, sixteenths below 8, at temperature 0.7; seed 1, stream 2.
inline const std::vector<std::int64_t>& golden_logit_draws() {
  static const std::vector<std::int64_t> golden = {846, 1414, 571, 964, 650, 637, 556, 653, 318, 224, 381, 808};
  return golden;
}
inline double golden_logit(std::size_t i) {
  return static_cast<double>(static_cast<std::uint32_t>(i * 2654435761u) >> 25) / 16;
}

template <class T>
std::vector<T> golden_row(std::int64_t categories) {
  std::vector<T> row;
  for (std::int64_t k = 1; k <= categories; ++k) row.push_back(static_cast<T>(k));
  return row;
}

}  // namespace papilio::testing
