#include "sampling/dynamic/sum_forest.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::sampling {
namespace {

// Nodes that a thread adds up at a time.
constexpr std::int64_t nodes_per_grain = std::int64_t{1} << 12;

}  // namespace

SumForest::SumForest(std::int64_t rows, std::int64_t categories)
    : rows_(rows), categories_(categories), totals_(static_cast<std::size_t>(rows)) {
  std::int64_t nodes = categories;
  do {
    nodes = base::ceil_div(nodes, std::int64_t{width});
    levels_.push_back({nodes, std::vector<Node>(static_cast<std::size_t>(rows * nodes))});
  } while (nodes > 1);
}

double SumForest::weight(std::int64_t row, std::int64_t category) const {
  const Level& leaves = levels_.front();
  return leaves.nodes[static_cast<std::size_t>(row * leaves.nodes_per_row + category / width)].child[category % width];
}

void SumForest::put(std::int64_t row, std::int64_t category, double weight) {
  Level& leaves = levels_.front();
  leaves.nodes[static_cast<std::size_t>(row * leaves.nodes_per_row + category / width)].child[category % width] =
      weight;
}

// Writes the sum of a node to its parent or, at the root, to the row's total.
void SumForest::hand_up(std::size_t level, std::int64_t node) {
  const Level& from = levels_[level];
  const double sum = sampling_kernel::node_sum(from.nodes[static_cast<std::size_t>(node)]);
  const std::int64_t row = node / from.nodes_per_row;
  if (level + 1 == levels_.size()) {
    totals_[static_cast<std::size_t>(row)] = sum;
    return;
  }
  const std::int64_t place = node % from.nodes_per_row;
  Level& above = levels_[level + 1];
  above.nodes[static_cast<std::size_t>(row * above.nodes_per_row + place / width)].child[place % width] = sum;
}

void SumForest::set(std::int64_t row, std::int64_t category, double weight) {
  put(row, category, weight);
  std::int64_t place = category;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    place /= width;
    hand_up(level, row * levels_[level].nodes_per_row + place);
  }
}

void SumForest::add_up(std::int64_t row) {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::int64_t nodes = levels_[level].nodes_per_row;
    for (std::int64_t node = row * nodes; node < (row + 1) * nodes; ++node) hand_up(level, node);
  }
}

void SumForest::add_up_above(const std::vector<std::int64_t>& places, int threads) {
  std::vector<std::int64_t> nodes;
  nodes.reserve(places.size());
  for (const std::int64_t place : places) {
    nodes.push_back(place / categories_ * levels_.front().nodes_per_row + place % categories_ / width);
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    // Children of one parent are neighbours here, and two threads may write them; but each writes its own double.
    execution::parallel_for(std::ssize(nodes), nodes_per_grain, threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) hand_up(level, nodes[static_cast<std::size_t>(i)]);
    });
    if (level + 1 == levels_.size()) break;
    const std::int64_t below = levels_[level].nodes_per_row;
    const std::int64_t above = levels_[level + 1].nodes_per_row;
    for (std::int64_t& node : nodes) node = node / below * above + node % below / width;
  }
}

std::int64_t SumForest::find(std::int64_t row, double u) const {
  return sampling_kernel::find_in_tree(
      [&](int level, std::int64_t place) -> const Node& {
        const Level& at = levels_[static_cast<std::size_t>(level)];
        return at.nodes[static_cast<std::size_t>(row * at.nodes_per_row + place)];
      },
      static_cast<int>(levels_.size()), total(row), u);
}

}  // namespace papilio::sampling
