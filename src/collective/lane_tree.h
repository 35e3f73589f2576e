#pragma once

#include <cstdint>

#include "collective/partial_sums/slots.h"
#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// The lane trees of W rows at once, by one butterfly over their lane sums.
//
// In:  sums[g][q], lane l: the sum of logical lane g W + l of row q.
// Out: total, lane q: the sum of row q; and for each level of the tree the sums
//      of the left children, which is what a search reads.
//
// Node n of a level with N nodes has the children n and n + N, of which n is the
// left one. The levels inside a physical lane come first and need no exchange.
// Then, in each step, a lane sends half of the rows' sums to its partner and keeps
// the other half, until each lane holds one row: W - 1 exchanges for W rows.
template <Warp W, class T>
class LaneTree {
 public:
  PAPILIO_LANEWISE explicit LaneTree(const Lanes<W, T> (&sums)[groups<W>][W::width]) {
    Lanes<W, T> row[W::width];
    PAPILIO_UNROLL
    for (int q = 0; q < W::width; ++q) {
      Lanes<W, T> part[groups<W>];
      PAPILIO_UNROLL
      for (int g = 0; g < groups<W>; ++g) part[g] = sums[g][q];
      PAPILIO_UNROLL
      for (int half = groups<W> / 2; half > 0; half /= 2) {
        PAPILIO_UNROLL
        for (int g = 0; g < half; ++g) {
          W::store(inner_[half - 1 + g][q], part[g]);
          part[g] = part[g] + part[g + half];
        }
      }
      row[q] = part[0];
    }

    PAPILIO_UNROLL
    for (int distance = W::width / 2; distance > 0; distance /= 2) {
      const auto upper = W::lane_has_bit(distance);
      PAPILIO_UNROLL
      for (int q = 0; q < distance; ++q) {
        const auto kept = W::select(upper, row[q + distance], row[q]);
        const auto sent = W::select(upper, row[q], row[q + distance]);
        const auto got = W::shuffle_xor(sent, distance);
        outer_[distance - 1 + q] = W::select(upper, got, kept);
        row[q] = kept + got;
      }
    }
    total_ = row[0];
  }

  // Lane q: the sum of row q.
  PAPILIO_LANEWISE Lanes<W, T> total() const { return total_; }

  // Walks down the tree of each lane's row: to the left child if the rest of the target
  // is below its sum, else to the right one, after subtracting that sum. Returns
  // the logical lane; `rest` becomes the part of the target that is left inside it.
  PAPILIO_LANEWISE Lanes<W, std::int32_t> find(Lanes<W, double>& rest) const {
    const auto row = W::lane_id();
    auto node = W::template splat<std::int32_t>(0);
    const auto descend = [&](Lanes<W, T> left_sum, int nodes) {
      const auto left = W::template convert<double>(left_sum);
      const auto go_left = W::less(rest, left);
      rest = W::select(go_left, rest, rest - left);
      node = W::select(go_left, node, node + nodes);
    };

    // Row q's sums with `distance` nodes lie in register q mod distance, in the
    // lanes that share q's bits from `distance` up.
    PAPILIO_UNROLL
    for (int distance = 1; distance < W::width; distance *= 2) {
      const auto from = (row & ~(distance - 1)) | node;
      auto left = W::shuffle(outer_[distance - 1], from);
      PAPILIO_UNROLL
      for (int q = 1; q < distance; ++q)
        left = W::select(W::equal(row & (distance - 1), W::template splat<std::int32_t>(q)),
                         W::shuffle(outer_[distance - 1 + q], from), left);
      descend(left, distance);
    }
    PAPILIO_UNROLL
    for (int half = 1; half < groups<W>; half *= 2) {
      const auto lane = node & (W::width - 1);
      const auto group = (node - lane) + (half - 1) * W::width;  // its number times W
      descend(W::gather(&inner_[0][0][0], (group + row) * W::width + lane), half * W::width);
    }
    return node;
  }

 private:
  alignas(64) T inner_[groups<W> > 1 ? groups<W> - 1 : 1][W::width][W::width];
  Lanes<W, T> outer_[W::width > 1 ? W::width - 1 : 1];
  Lanes<W, T> total_;
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
