#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace papilio::sampling {

// A binary tree of sums, shaped like Huffman's code for the weights that it was shaped for: a draw takes one
// comparison per level, on average at most the entropy of those weights plus 1. An update adds up the sums above it.
//
// Nodes 0 ... K - 1 are the categories, nodes above come after their children, and the last is the root.
class HuffmanTree {
 public:
  explicit HuffmanTree(std::span<const double> weights);

  // With a shape that `parents` returned. The tree is empty (no categories) if that is not a shape for these weights.
  HuffmanTree(std::span<const double> weights, std::span<const std::int32_t> parents);

  std::int64_t categories() const { return (std::ssize(sums_) + 1) / 2; }
  double weight(std::int64_t category) const { return sums_[static_cast<std::size_t>(category)]; }
  double total() const { return sums_.back(); }
  void set(std::int64_t category, double weight);

  // Like SumForest::find.
  std::int64_t find(double u) const;

  // Makes a new shape, for the present weights.
  void rebuild();

  double mean_comparisons() const;

  // The parent of each node except the root.
  std::span<const std::int32_t> parents() const { return parents_; }

 private:
  struct Children {
    std::int32_t left = -1;  // the one with the smaller number
    std::int32_t right = -1;
  };

  void add_up(std::size_t node);

  std::vector<double> sums_;           // 2 K - 1
  std::vector<std::int32_t> parents_;  // 2 K - 2
  std::vector<Children> children_;     // K - 1: of node K + i
};

}  // namespace papilio::sampling
