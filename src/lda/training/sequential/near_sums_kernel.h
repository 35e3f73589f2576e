#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "lda/training/sequential/near_sums.h"
#include "lda/training/sparse/prefix_sums_kernel.h"

namespace papilio::inline PAPILIO_TARGET::sequential_kernel {

using W = sparse_kernel::EightLanes;
using Doubles = warp::Lanes<W, double>;
using lda::NearSums;

static_assert(W::width == NearSums::width);

// A running sum, in all lanes.
using Carry = W::Register<double>;

// Makes all sums anew from the leaves, which are padded to whole nodes.
PAPILIO_LANEWISE void add_up(NearSums& near, const double* leaves, std::int64_t topics) {
  constexpr double no_child = std::numeric_limits<double>::quiet_NaN();
  const double* child = leaves;
  std::int64_t children = topics;
  for (int l = 0; l < near.levels; ++l) {
    double* sums = near.level[l];
    const std::int64_t nodes = NearSums::nodes_of(children);
    for (std::int64_t i = 0; i < nodes; ++i, sums += W::width) {
      Carry none{};
      W::store(sums + 1, W::running_sums(W::load(child + i * W::width), none));
      sums[0] = 0;
      near.nodes[i] = sums[W::width];
    }
    for (std::int64_t i = children; i < nodes * W::width; ++i) near.level[l][i] = no_child;
    for (std::int64_t i = nodes; i % W::width != 0; ++i) near.nodes[i] = 0;
    child = near.nodes;
    children = nodes;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < children; ++i) {
    near.top[i] = sum;
    sum += child[i];
  }
  for (std::int64_t i = children; i < NearSums::most_top; ++i) near.top[i] = no_child;
  near.total = sum;
  near.slack = 0x1p-46 * sum;
  near.is_stale = false;
}

// The sums, with the top in registers.
class NearSumsInHand {
 public:
  explicit PAPILIO_LANEWISE NearSumsInHand(NearSums& near) : near_(near) { take(); }

  PAPILIO_LANEWISE double total() const { return total_; }
  PAPILIO_LANEWISE double slack() const { return slack_; }

  PAPILIO_LANEWISE void take() {
    low_ = W::load(near_.top);
    high_ = W::load(near_.top + W::width);
    total_ = near_.total;
    slack_ = near_.slack;
  }
  PAPILIO_LANEWISE void put() const {
    W::store(near_.top, low_);
    W::store(near_.top + W::width, high_);
    near_.total = total_;
    near_.slack = slack_;
  }

  // Adds to a leaf. Every sum on the path gets at most two more roundings, of numbers not much above the total.
  PAPILIO_LANEWISE void add(std::int32_t topic, double change) {
    const Doubles changes = W::template splat<double>(change);
    auto node = static_cast<std::uint32_t>(topic);
    const int levels = near_.levels;
    PAPILIO_NO_UNROLL
    for (int l = 0; l < levels; ++l) {
      const std::uint32_t child = node % NearSums::width;
      node /= NearSums::width;
      double* const sums = near_.level[l] + std::size_t{node} * NearSums::width;
      W::store(sums, W::load(sums) + W::load(ones_after(child)) * changes);
    }
    low_ = low_ + W::load(ones_after(node)) * changes;
    high_ = high_ + W::load(ones_after(node) + W::width) * changes;
    slack_ += 0x1p-48 * total_;
    total_ += change;
    slack_ += 0x1p-48 * total_;
  }

  // The leaf that a target probably falls in, and by how much the target exceeds the sum before that leaf.
  struct Leaf {
    std::int32_t topic;
    double rest;
  };
  PAPILIO_LANEWISE Leaf find(double target) const {
    alignas(64) double tops[NearSums::most_top];
    W::store(tops, low_);
    W::store(tops + W::width, high_);
    const Doubles targets = W::template splat<double>(target);
    std::uint32_t place = last_below(W::less_bits(low_, targets) | W::less_bits(high_, targets) << W::width);
    target -= tops[place];
    PAPILIO_NO_UNROLL
    for (int l = near_.levels - 1; l >= 0; --l) {
      const double* const sums = near_.level[l] + std::size_t{place} * NearSums::width;
      const std::uint32_t child = last_below(W::less_bits(W::load(sums), W::template splat<double>(target)));
      target -= sums[child];
      place = place * NearSums::width + child;
    }
    return {static_cast<std::int32_t>(place), target};
  }

 private:
  // The last of the leading children whose sums are all below the target; never before the first child.
  PAPILIO_LANEWISE static std::uint32_t last_below(std::uint32_t children) {
    return static_cast<std::uint32_t>(__builtin_ctz(~(children >> 1)));
  }

  // For each child: 1 if it comes after this one, else 0.
  PAPILIO_LANEWISE static const double* ones_after(std::uint32_t child) { return steps.row[child]; }

  struct Steps {
    alignas(64) double row[NearSums::most_top][NearSums::most_top];
  };
  static constexpr Steps steps = [] {
    Steps result{};
    for (int i = 0; i < NearSums::most_top; ++i) {
      for (int j = i + 1; j < NearSums::most_top; ++j) result.row[i][j] = 1;
    }
    return result;
  }();

  NearSums& near_;
  Doubles low_;
  Doubles high_;
  double total_;
  double slack_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sequential_kernel
