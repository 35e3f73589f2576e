#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "execution/cpu/interruption.h"

namespace papilio::lda {

// Assigns each of n rows a column of its own so that the sum of cost(row, column) is
// least; returns the column of each row. Costs are integers >= 0, and sums of n of
// them fit in 64 bits. Shortest augmenting paths: time O(n^3) at worst, memory O(n).
//
// Source: Kuhn, Naval Research Logistics Quarterly 2, 1955; Jonker and Volgenant, Computing 38, 1987.
template <class Cost>
std::vector<std::int32_t> least_assignment(std::size_t n, const Cost& cost) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<std::int64_t> row_price(n), column_price(n), distance(n);
  std::vector<std::size_t> row_of(n, none), column_before(n);
  std::vector<bool> done(n);
  for (std::size_t start = 0; start < n; ++start) {
    execution::stop_point();
    distance.assign(n, far);
    done.assign(n, false);
    std::size_t row = start;
    std::size_t last = none;  // the column from which the path came to `row`
    std::int64_t length = 0;
    while (row != none) {
      std::size_t nearest = none;
      for (std::size_t column = 0; column < n; ++column) {
        if (done[column]) continue;
        const std::int64_t reached = length + cost(row, column) - row_price[row] - column_price[column];
        if (reached < distance[column]) {
          distance[column] = reached;
          column_before[column] = last;
        }
        if (nearest == none || distance[column] < distance[nearest]) nearest = column;
      }
      done[nearest] = true;
      length = distance[nearest];
      last = nearest;
      row = row_of[nearest];
    }
    row_price[start] += length;
    for (std::size_t column = 0; column < n; ++column) {
      if (!done[column] || column == last) continue;
      column_price[column] -= length - distance[column];
      row_price[row_of[column]] += length - distance[column];
    }
    // Each column on the path takes the row of the column before it.
    for (std::size_t column = last; column != none; column = column_before[column]) {
      const std::size_t before = column_before[column];
      row_of[column] = before == none ? start : row_of[before];
    }
  }
  std::vector<std::int32_t> column_of(n);
  for (std::size_t column = 0; column < n; ++column) column_of[row_of[column]] = static_cast<std::int32_t>(column);
  return column_of;
}

}  // namespace papilio::lda
