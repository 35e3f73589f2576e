#include "sampling/dynamic/sum_forest.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::sampling {
namespace {

// Nodes that a thread adds up at a time.
constexpr std::int64_t nodes_per_grain = std::int64_t{1} << 12;

// Near the least positive double, u * total would be rounded to a few values; there everything is scaled up, exactly.
constexpr double small_total = 0x1p-900;
constexpr double scale_of_small = 0x1p+120;

}  // namespace

// The same tree for eight categories as for their sums.
double SumForest::Node::sum() const {
  return ((child[0] + child[1]) + (child[2] + child[3])) + ((child[4] + child[5]) + (child[6] + child[7]));
}

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

// A node's sum, to its parent or to the row's total.
void SumForest::hand_up(std::size_t level, std::int64_t node) {
  const Level& from = levels_[level];
  const double sum = from.nodes[static_cast<std::size_t>(node)].sum();
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
    // Children of one parent are neighbours here, and two threads may write them: doubles of their own.
    execution::parallel_for(std::ssize(nodes), nodes_per_grain, threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) hand_up(level, nodes[static_cast<std::size_t>(i)]);
    });
    if (level + 1 == levels_.size()) break;
    const std::int64_t below = levels_[level].nodes_per_row;
    const std::int64_t above = levels_[level + 1].nodes_per_row;
    for (std::int64_t& node : nodes) node = node / below * above + node % below / width;
  }
}

// In each node the first child up to which the sum exceeds the target. It weighs something, because the sum up to the
// one before does not exceed it. Where rounding has carried the target past all children, the last that weighs
// something.
std::int64_t SumForest::find(std::int64_t row, double u) const {
  const double scale = total(row) < small_total ? scale_of_small : 1;
  double target = u * (total(row) * scale);
  std::int64_t place = 0;
  for (std::size_t level = levels_.size(); level-- > 0;) {
    const Node& node = levels_[level].nodes[static_cast<std::size_t>(row * levels_[level].nodes_per_row + place)];
    double sum = 0;
    double before = 0;  // the sum of the children before the chosen one
    int chosen = 0;
    for (int j = 0; j < width; ++j) {
      const double child = node.child[j] * scale;
      if (child == 0) continue;
      chosen = j;
      before = sum;
      sum += child;
      if (target < sum) break;
    }
    target = std::max(0.0, target - before);
    place = place * width + chosen;
  }
  return place;
}

}  // namespace papilio::sampling
