#pragma once

#include <cstdint>

#include "collective/lane_tree.h"
#include "collective/partial_sums/slots.h"
#include "collective/rows.h"
#include "collective/target.h"
#include "warp/warp.h"

// One draw from each of W rows in the canonical order.
//
// Rows are read one after the other, coalesced, into lane sums. After that each lane
// has its own row: one butterfly builds the trees of the tile, each lane searches its
// tree, and reads again the four slots (at most 32 weights) in which the search ends.
//
// Source: the order is in docs/numerics.md; the butterfly over lane sums takes
// the place of one per block in Steele and Tristan, ACM TOPC 6(4):22, 2019, sec. 3.

namespace papilio::inline PAPILIO_TARGET::collective {

// What a draw leaves for each row of a tile.
template <Warp W>
struct Drawn {
  std::int64_t category[W::width];  // meaningful where the total is positive and finite
  double total[W::width];           // the sum of the row, 0 for one without categories
  bool sign[W::width];              // a weight had its sign bit set (where signs are collected)
};

PAPILIO_LANEWISE std::int64_t segments_of(std::int64_t categories) {
  return categories <= segment_size ? 1 : (categories + segment_size - 1) / segment_size;
}

// Memory that a draw works in, for rows of at most segments * 1,024 categories.
template <Warp W, class T>
struct SlotScratch {
  T* lane_sums;     // segments * lane_sums_per_segment
  double* running;  // segments * W: running totals of the segments
  static constexpr std::int64_t lane_sums_per_segment = logical_lanes * W::width;

  // Where the lane sums of group g of row q in a segment begin.
  PAPILIO_LANEWISE T* at(std::int64_t segment, int g, int q) const {
    return lane_sums + segment * lane_sums_per_segment + (g * W::width + q) * W::width;
  }
};

// Reads a tile once, and stores the lane sums of each segment of each row; a segment past a row's end has zeros.
template <Warp W, class Signs, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE void add_tile(const Rows& rows, std::int64_t segments, SlotScratch<W, T> scratch,
                               bool (&sign)[W::width]) {
  for (int q = 0; q < W::width; ++q) {
    Signs signs;
    const std::int64_t size = rows.size(q);
    for (std::int64_t segment = 0; segment < segments; ++segment) {
      const std::int64_t first = segment * segment_size, end = first + segment_size;
      Lanes<W, T> sums[groups<W>];
      if constexpr (requires { rows.template enter_segment<W>(q, first, end); })
        rows.template enter_segment<W>(q, first, end < size ? end : size);
      add_lanes<W>(rows, q, first, end < size ? end : size, signs, sums);
      PAPILIO_UNROLL
      for (int g = 0; g < groups<W>; ++g) W::store(scratch.at(segment, g, q), sums[g]);
    }
    sign[q] = signs.any();
  }
}

// The last category of positive weight before step `step` of the walk
// through segment `segment`, or through the segments before it. If
// there is none, the first one after it; -1 if no weight is positive.
// Rarely called: rounding leads here about once in ten million draws.
template <class Rows>
[[gnu::noinline, gnu::cold]] std::int64_t last_positive_before(const Rows& rows, int q, std::int64_t segment,
                                                               int step) {
  if (rows.size(q) == 0) return -1;             // past the last row of a batch
  const auto positive = [&](std::int64_t at) {  // at: segment * 1,024 + step
    const std::int64_t k = at / segment_size * segment_size + category_of_step(static_cast<int>(at % segment_size));
    return k < rows.size(q) && rows.weight(q, k) > 0 ? k : -1;
  };
  const std::int64_t here = segment * segment_size + step;
  for (std::int64_t at = here - 1; at >= 0; --at)
    if (const std::int64_t k = positive(at); k >= 0) return k;
  for (std::int64_t at = here; at < segments_of(rows.size(q)) * segment_size; ++at)
    if (const std::int64_t k = positive(at); k >= 0) return k;
  return -1;
}

// From the rest of each row's target inside its segment to a category: down the
// lane tree, to the pair and the slot, along the slot.
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE void find_in_segment(const Rows& rows, const LaneTree<W, T>& tree, Lanes<W, double> rest,
                                      const std::int64_t (&segment)[W::width], std::int64_t (&category)[W::width]) {
  const auto offset = tree.find(rest) * 4;

  // Reads the four slots again, and keeps their weights by depth.
  std::int64_t first[W::width];
  std::int32_t size[W::width], longest = 0;
  for (int q = 0; q < W::width; ++q) {
    first[q] = segment[q] * segment_size;
    const std::int64_t left = rows.size(q) - first[q];
    size[q] = static_cast<std::int32_t>(left < 0 ? 0 : left < segment_size ? left : segment_size);
    longest = size[q] > longest ? size[q] : longest;
  }
  const auto end = W::load(size);
  const int depth = (longest + slots - 1) / slots;
  Lanes<W, T> slot[4], weight[depths][4];
  PAPILIO_UNROLL
  for (int e = 0; e < 4; ++e) slot[e] = W::template splat<T>(0);
  for (int j = 0; j < depth; ++j) rows.template quads<W>(first, offset + j * slots, end, slot, weight[j]);

  const auto zero = W::template splat<std::int32_t>(0);
  const auto pair = W::template convert<double>(slot[0] + slot[1]);
  const auto first_pair = W::less(rest, pair);
  rest = W::select(first_pair, rest, rest - pair);
  const auto even = W::template convert<double>(W::select(first_pair, slot[0], slot[2]));
  const auto even_slot = W::less(rest, even);
  rest = W::select(even_slot, rest, rest - even);
  auto found_at = W::select(first_pair, zero, zero + 2) + W::select(even_slot, zero, zero + 1) + offset;

  // Along the slot: the first depth whose weight exceeds what is left.
  auto searching = W::equal(zero, zero);
  for (int j = 0; j < depth; ++j) {
    const auto w = W::template convert<double>(W::select(first_pair, W::select(even_slot, weight[j][0], weight[j][1]),
                                                         W::select(even_slot, weight[j][2], weight[j][3])));
    searching = searching & !W::less(rest, w);
    rest = rest - w;
    found_at = W::select(searching, found_at + slots, found_at);
  }

  std::int32_t at[W::width];
  W::store(at, found_at);
  for (int q = 0; q < W::width; ++q) category[q] = first[q] + at[q];

  // The walk left the slot at its end by rounding, or ended outside the
  // row (if weights are not valid): back to the last positive weight.
  const std::uint64_t astray = W::bits(searching | !W::less(found_at, end));
  if (astray != 0) [[unlikely]]
    for (int q = 0; q < W::width; ++q)
      if ((astray >> q & 1) != 0) {
        const int slot_number = at[q] % slots;
        category[q] = last_positive_before(rows, q, segment[q], step_of_category(slot_number) + depths);
      }
}

// Finds the segment in which each row's target lies, then calls `find_in_segment`.
template <Warp W, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE void find_by_segment(const Rows& rows, Lanes<W, double> u, std::int64_t segments,
                                      SlotScratch<W, T> scratch, Drawn<W>& drawn) {
  Lanes<W, T> sums[groups<W>][W::width];
  auto running = W::template splat<double>(0);
  for (std::int64_t segment = 0; segment < segments; ++segment) {
    PAPILIO_UNROLL
    for (int g = 0; g < groups<W>; ++g)
      for (int q = 0; q < W::width; ++q) sums[g][q] = W::load(scratch.at(segment, g, q));
    running = running + W::template convert<double>(LaneTree<W, T>(sums).total());
    W::store(scratch.running + segment * W::width, running);
  }
  W::store(drawn.total, running);

  double target[W::width], rest[W::width];
  W::store(target, target_of<W, T>(u, running));
  std::int64_t chosen[W::width];
  for (int q = 0; q < W::width; ++q) {
    const std::int64_t last = segments_of(rows.size(q)) - 1;
    std::int64_t segment = 0;
    while (segment < last && !(target[q] < scratch.running[segment * W::width + q])) ++segment;
    chosen[q] = segment;
    rest[q] = segment == 0 ? target[q] : target[q] - scratch.running[(segment - 1) * W::width + q];
  }
  PAPILIO_UNROLL
  for (int g = 0; g < groups<W>; ++g)
    for (int q = 0; q < W::width; ++q) sums[g][q] = W::load(scratch.at(chosen[q], g, q));
  find_in_segment<W>(rows, LaneTree<W, T>(sums), W::load(rest), chosen, drawn.category);
}

// Draws from each row of a tile: lane q from row q, by u[q] in [0, 1). Never
// draws a category of weight 0. Signs is CollectSigns<W, T> or IgnoreSigns.
template <Warp W, class Signs, class Rows, class T = typename Rows::Weight>
PAPILIO_LANEWISE void draw_slots(const Rows& rows, Lanes<W, double> u, SlotScratch<W, T> scratch, Drawn<W>& drawn) {
  std::int64_t longest = 0;
  for (int q = 0; q < W::width; ++q) longest = rows.size(q) > longest ? rows.size(q) : longest;
  const std::int64_t segments = segments_of(longest);
  add_tile<W, Signs>(rows, segments, scratch, drawn.sign);
  if (segments > 1) {
    find_by_segment<W>(rows, u, segments, scratch, drawn);
    return;
  }
  Lanes<W, T> sums[groups<W>][W::width];
  PAPILIO_UNROLL
  for (int g = 0; g < groups<W>; ++g) {
    PAPILIO_UNROLL
    for (int q = 0; q < W::width; ++q) sums[g][q] = W::load(scratch.at(0, g, q));
  }
  const LaneTree<W, T> tree(sums);
  const auto total = W::template convert<double>(tree.total());
  W::store(drawn.total, total);
  const std::int64_t segment[W::width] = {};
  find_in_segment<W>(rows, tree, target_of<W, T>(u, total), segment, drawn.category);
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
