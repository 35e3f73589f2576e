#pragma once

#include <cstdint>

#include "warp/portability.h"

namespace papilio::lda {

// Approximate prefix sums of a tree's leaves: for each leaf, the sum of those before it. They are updated by
// differences, so that a leaf changes one node per level, and no node waits for another. A node has a number for each
// of eight children, the sum of the children before it, or NaN where there is no child. Memory is the caller's:
// `size(K)` doubles.
struct NearSums {
  static constexpr int width = 8;
  static constexpr int most_top = 2 * width;
  static constexpr int most_levels = 9;  // 2^31 topics

  double* level[most_levels] = {};  // over leaves, over the nodes of the level below, ...
  int levels = 0;
  double* top = nullptr;    // most_top: over the nodes of the last level
  double* nodes = nullptr;  // room for the sums of a level's nodes
  double total = 0;         // of all leaves
  double slack = 0;         // at least what any of these sums is off by, together with those above it
  bool is_stale = true;     // the leaves have changed since

  PAPILIO_LANEWISE static constexpr std::int64_t nodes_of(std::int64_t entries) {
    return (entries + width - 1) / width;
  }

  // A level has room for one number more.
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
