#pragma once

#include <cstdint>
#include <vector>

#include "sampling/dynamic/sum_tree_kernel.h"

namespace papilio::sampling {

// Trees of sums, one per row: K leaves, and above them nodes with eight children, one cache line each. The value of a
// node is the sum of its children in a fixed order, added up again whenever a child changes, so every sum depends on
// the weights alone. A Fenwick tree in floating point is different: its partial sums change by differences, and drift.
class SumForest {
 public:
  SumForest(std::int64_t rows, std::int64_t categories);

  std::int64_t rows() const { return rows_; }
  std::int64_t categories() const { return categories_; }
  double weight(std::int64_t row, std::int64_t category) const;
  double total(std::int64_t row) const { return totals_[static_cast<std::size_t>(row)]; }

  // Sets one weight, and the sums above it.
  void set(std::int64_t row, std::int64_t category, double weight);

  // Sets a weight but not the sums above it; `add_up` of its row or `add_up_above` brings those up to date.
  void put(std::int64_t row, std::int64_t category, double weight);
  void add_up(std::int64_t row);

  // Adds up the sums above these leaves, given as row * categories + category, each once, by up to `threads` threads.
  void add_up_above(const std::vector<std::int64_t>& places, int threads);

  // The category in whose interval u * total(row) lies, 0 <= u < 1; never one of weight 0. The total must be positive.
  std::int64_t find(std::int64_t row, double u) const;

 private:
  static constexpr int width = sampling_kernel::children_per_node;

  using Node = sampling_kernel::SumNode;

  struct Level {
    std::int64_t nodes_per_row;
    std::vector<Node> nodes;
  };

  void hand_up(std::size_t level, std::int64_t node);

  std::int64_t rows_;
  std::int64_t categories_;
  std::vector<Level> levels_;  // the leaves first; the last has one node per row
  std::vector<double> totals_;
};

}  // namespace papilio::sampling
