#include "sampling/dynamic/huffman_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace papilio::sampling {
namespace {

// Very small totals are scaled, as in SumForest.
constexpr double small_total = 0x1p-900;
constexpr double scale_of_small = 0x1p+120;

// Huffman's algorithm with two queues: the categories by weight, and the nodes made so far, which come in order of
// their sums. A tie goes to the category, and to the smaller number, so that equal weights give a balanced tree.
std::vector<std::int32_t> huffman_parents(std::span<const double> weights) {
  const std::size_t K = weights.size();
  std::vector<std::int32_t> order(K);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return weights[static_cast<std::size_t>(a)] < weights[static_cast<std::size_t>(b)];
  });
  std::vector<std::int32_t> parents(2 * K - 2);
  std::vector<double> sums;  // of the nodes made
  sums.reserve(K - 1);
  std::size_t next_category = 0;
  std::size_t next_node = 0;
  const auto take = [&]() -> std::pair<std::size_t, double> {
    if (next_category < K) {
      const auto k = static_cast<std::size_t>(order[next_category]);
      if (next_node == sums.size() || weights[k] <= sums[next_node]) {
        ++next_category;
        return {k, weights[k]};
      }
    }
    const std::size_t node = next_node++;
    return {K + node, sums[node]};
  };
  while (sums.size() + 1 < K) {
    const auto a = take();
    const auto b = take();
    parents[a.first] = parents[b.first] = static_cast<std::int32_t>(K + sums.size());
    sums.push_back(a.second + b.second);
  }
  return parents;
}

}  // namespace

HuffmanTree::HuffmanTree(std::span<const double> weights) : HuffmanTree(weights, huffman_parents(weights)) {}

HuffmanTree::HuffmanTree(std::span<const double> weights, std::span<const std::int32_t> parents)
    : sums_(weights.begin(), weights.end()), parents_(parents.begin(), parents.end()), children_(weights.size() - 1) {
  const auto K = static_cast<std::int64_t>(weights.size());
  bool fits = std::ssize(parents_) == 2 * K - 2;
  for (std::int64_t node = 0; fits && node < 2 * K - 2; ++node) {
    const std::int64_t parent = parents_[static_cast<std::size_t>(node)];
    fits = std::max(node + 1, K) <= parent && parent < 2 * K - 1;
    if (!fits) break;
    Children& children = children_[static_cast<std::size_t>(parent - K)];
    fits = children.right < 0;
    (children.left < 0 ? children.left : children.right) = static_cast<std::int32_t>(node);
  }
  if (!fits) {
    sums_.clear();
    return;
  }
  sums_.resize(static_cast<std::size_t>(2 * K - 1));
  for (std::size_t node = weights.size(); node < sums_.size(); ++node) add_up(node);
}

void HuffmanTree::add_up(std::size_t node) {
  const Children& children = children_[node - (sums_.size() + 1) / 2];
  sums_[node] = sums_[static_cast<std::size_t>(children.left)] + sums_[static_cast<std::size_t>(children.right)];
}

void HuffmanTree::set(std::int64_t category, double weight) {
  auto node = static_cast<std::size_t>(category);
  sums_[node] = weight;
  while (node < parents_.size()) {
    node = static_cast<std::size_t>(parents_[node]);
    add_up(node);
  }
}

std::int64_t HuffmanTree::find(double u) const {
  const auto K = static_cast<std::size_t>(categories());
  const double scale = total() < small_total ? scale_of_small : 1;
  double target = u * (total() * scale);
  std::size_t node = sums_.size() - 1;
  while (node >= K) {
    const auto left = static_cast<std::size_t>(children_[node - K].left);
    const auto right = static_cast<std::size_t>(children_[node - K].right);
    const double sum = sums_[left] * scale;
    if (target < sum || sums_[right] == 0) {
      node = left;
    } else {
      target -= sum;
      node = right;
    }
  }
  return static_cast<std::int64_t>(node);
}

void HuffmanTree::rebuild() { *this = HuffmanTree(std::vector<double>(sums_.begin(), sums_.begin() + categories())); }

// The sum of all inner nodes is the sum of weight times depth over the categories.
double HuffmanTree::mean_comparisons() const {
  if (total() == 0) return 0;
  double mean = 0;
  for (std::size_t node = static_cast<std::size_t>(categories()); node < sums_.size(); ++node) {
    mean += sums_[node] / total();
  }
  return mean;
}

}  // namespace papilio::sampling
