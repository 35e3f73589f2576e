#pragma once

#include <cstdint>

#include "warp/portability.h"

namespace papilio::lda {

// Approximate prefix sums of a tree's leaves: for each leaf, the sum of the leaves before it. They are updated by
// differences: a changed leaf changes one node per level, and no node waits for another. A node has one number for each
// of eight children, the sum of the children before it, or NaN where there is no child. The caller owns the memory:
// `size(K)` doubles.
struct NearSums {
  static constexpr int width = 8;
  static constexpr int most_top = 2 * width;
  static constexpr int most_levels = 9;  // enough for 2^31 topics

  double* level[most_levels] = {};  // over leaves, over the nodes of the level below, ...
  int levels = 0;
  double* top = nullptr;    // most_top: over the nodes of the last level
  double* nodes = nullptr;  // room for the sums of a level's nodes
  double total = 0;         // of all leaves
  double slack = 0;         // at least the error of any of these sums together with the sums above it
  bool is_stale = true;     // leaves have changed since the sums were made

  PAPILIO_LANEWISE static constexpr std::int64_t nodes_of(std::int64_t entries) {
    return (entries + width - 1) / width;
  }

  // Each level has room for one more number.
  static constexpr std::int64_t size(std::int64_t topics) {
    std::int64_t nodes = nodes_of(topics);
    std::int64_t result = most_top + 2 * width * (nodes + 1);
    for (; nodes > most_top; nodes = nodes_of(nodes)) result += width * (nodes_of(nodes) + 1);
    return result;
  }

  static NearSums over(double* memory, std::int64_t topics) {
    NearSums result;
    std::int64_t nodes = nodes_of(topics);
    result.top = memory;
    result.nodes = memory + most_top;
    memory += most_top + width * (nodes + 1);
    for (;; nodes = nodes_of(nodes)) {
      result.level[result.levels++] = memory;
      memory += width * (nodes + 1);
      if (nodes <= most_top) return result;
    }
  }
};

}  // namespace papilio::lda
