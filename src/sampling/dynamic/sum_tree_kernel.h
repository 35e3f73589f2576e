#pragma once

#include <cstdint>

#include "warp/portability.h"

// The order of addition and the search of a tree of sums, wherever the tree is kept:
// one source for the CPU and for GPUs. It must be compiled without contraction.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int children_per_node = 8;

// 8^10 = 2^30 categories.
inline constexpr int most_tree_levels = 10;

// Eight weights, or eight sums of nodes; a cache line.
struct alignas(64) SumNode {
  double child[children_per_node] = {};
};

// Eight categories are added in the same order as the sums of eight nodes.
PAPILIO_LANEWISE double node_sum(const SumNode& node) {
  const double* const c = node.child;
  return ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
}

// The category in whose interval u * total lies, where 0 <= u < 1 and total > 0. node_at(level, place) is the node at
// that place among those of its row; level 0 has the leaves.
//
// In each node the search takes the first child up to which the sum exceeds the target. That child has
// a positive weight, because the sum up to the child before does not exceed the target. If rounding has
// carried the target past all children, it takes the last child with a positive weight. Near the least
// positive double, u * total would be rounded to a few values; there everything is scaled up, exactly.
template <class NodeAt>
PAPILIO_LANEWISE std::int64_t find_in_tree(const NodeAt& node_at, int levels, double total, double u) {
  constexpr double small_total = 0x1p-900;
  constexpr double scale_of_small = 0x1p+120;
  const double scale = total < small_total ? scale_of_small : 1;
  double target = u * (total * scale);
  std::int64_t place = 0;
  for (int level = levels; level-- > 0;) {
    const SumNode& node = node_at(level, place);
    double sum = 0;
    double before = 0;  // the sum of the children before the chosen one
    int chosen = 0;
    PAPILIO_UNROLL
    for (int j = 0; j < children_per_node; ++j) {
      const double child = node.child[j] * scale;
      if (child == 0) continue;
      chosen = j;
      before = sum;
      sum += child;
      if (target < sum) break;
    }
    target = target > before ? target - before : 0;
    place = place * children_per_node + chosen;
  }
  return place;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
