#pragma once

#include <cstdint>

#include "collective/rows.h"
#include "warp/warp.h"

// The canonical order of summation: sum first, exchange last.
//
// A row is cut into segments of 1,024 categories. Within a segment, category
// c = 128 j + s belongs to slot s at depth j; slot s = 4 l + e is element e of
// logical lane l. A slot's weights are added in order of depth, the four slots
// of a lane as (s0 + s1) + (s2 + s3), and the 32 lanes by a tree: lane l with
// l + 16, then l + 8, 4, 2, 1. Every device and vector width does the same
// additions, so the sums are the same bits. docs/numerics.md has the reasons.

namespace papilio::inline PAPILIO_TARGET::collective {

inline constexpr int logical_lanes = 32;
inline constexpr int slots = 4 * logical_lanes;
inline constexpr int depths = 8;
inline constexpr int segment_size = slots * depths;

// Physical lane l of W holds the logical lanes l, l + W, l + 2 W, ...: `groups` of them.
template <Warp W>
inline constexpr int groups = logical_lanes / W::width;

// Adds up the weights [first, end) of row q, at most one segment, into the sums
// of the logical lanes: lane l of sums[g] is that of logical lane g W + l.
//
// Each pass treats as many groups as fit in registers beside the weights:
// at least eight registers of sums, which hides the latency of additions.
template <Warp W, class Rows, class Signs, class T = typename Rows::Weight>
PAPILIO_LANEWISE void add_lanes(const Rows& rows, int q, std::int64_t first, std::int64_t end, Signs& signs,
                                Lanes<W, T> (&sums)[groups<W>]) {
  constexpr int at_once = groups<W> < W::quads_at_once ? groups<W> : W::quads_at_once;
  PAPILIO_UNROLL
  for (int pass = 0; pass < groups<W>; pass += at_once) {
    Quads<W, T> slot[at_once];
    PAPILIO_UNROLL
    for (int g = 0; g < at_once; ++g) slot[g] = W::template zero_quads<T>();

    std::int64_t k = first;
    for (; k + slots <= end; k += slots) {
      // Prefetches what later passes will read, so that memory delivers the row once, from end to end.
      if constexpr (at_once < groups<W> && requires { rows.template prefetch_part<W>(q, k, k); })
        if (pass == 0) rows.template prefetch_part<W>(q, k + at_once * 4 * W::width, k + slots);
      PAPILIO_UNROLL
      for (int g = 0; g < at_once; ++g)
        slot[g] = rows.template add<W>(slot[g], q, k + (pass + g) * 4 * W::width, signs);
    }
    PAPILIO_UNROLL
    for (int g = 0; g < at_once; ++g) {
      const std::int64_t at = k + (pass + g) * 4 * W::width;
      if (at < end) slot[g] = rows.template add<W>(slot[g], q, at, signs, end - at);
    }
    PAPILIO_UNROLL
    for (int g = 0; g < at_once; ++g) sums[pass + g] = W::lane_sums(slot[g]);
  }
}

// The category within a segment that comes at step `step` of the walk: lanes in
// bit-reversed order (the tree's halves are the even and the odd lanes), in each
// lane its four slots, in each slot its depths.
PAPILIO_LANEWISE int category_of_step(int step) {
  const int place = step / (4 * depths);
  const int lane = (place & 1) << 4 | (place & 2) << 2 | (place & 4) | (place & 8) >> 2 | (place & 16) >> 4;
  return slots * (step % depths) + 4 * lane + step / depths % 4;
}

// The inverse of `category_of_step`.
PAPILIO_LANEWISE int step_of_category(int category) {
  const int slot = category % slots, lane = slot / 4;
  const int place = (lane & 1) << 4 | (lane & 2) << 2 | (lane & 4) | (lane & 8) >> 2 | (lane & 16) >> 4;
  return (place * 4 + slot % 4) * depths + category / slots;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
