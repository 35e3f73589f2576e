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

template <class T>
std::vector<T> golden_row(std::int64_t categories) {
  std::vector<T> row;
  for (std::int64_t k = 1; k <= categories; ++k) row.push_back(static_cast<T>(k));
  return row;
}

}  // namespace papilio::testing
