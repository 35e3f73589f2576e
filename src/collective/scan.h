#pragma once

#include <cstdint>

#include "collective/operators.h"
#include "warp/warp.h"

// Scans and reductions over the lanes of a warp, and over the warps of a block, by any associative operator; it
// need not commute. They work with ScalarWarp and CudaWarp, for any trivially copyable type of whole 32-bit words.
//
// The order is fixed: a result is a function of the lanes' values and, for a block, of the number of its
// warps. Both warps give the same bits. It is not the order of papilio::scan, whose sums of floats are exact.

namespace papilio::inline PAPILIO_TARGET::collective {

// Lane l gets x[0] op ... op x[l]. Only the first `count` lanes take part; the others
// keep x. log2(W) steps; in the step of distance d, lane l takes what lane l - d has.
//
// Source: Kogge and Stone, IEEE Transactions on Computers C-22(8), 1973.
template <class W, class T, class Op>
PAPILIO_LANEWISE warp::Lanes<W, T> inclusive_scan(warp::Lanes<W, T> x, Op op, int count = W::width) {
  const auto lane = W::lane_id();
  PAPILIO_UNROLL
  for (int distance = 1; distance < W::width; distance *= 2) {
    const auto from = W::apply([distance](std::int32_t l) { return l >= distance ? l - distance : l; }, lane);
    const auto before = W::template shuffle<T>(x, from);
    x = W::apply([op, distance, count](std::int32_t l, const T& earlier,
                                       const T& own) { return l >= distance && l < count ? op(earlier, own) : own; },
                 lane, before, x);
  }
  return x;
}

// Lane l gets what lane l - 1 has; lane 0 gets `first`. This makes an
// inclusive scan an exclusive one if `first` is the neutral element.
template <class W, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> shift_up(warp::Lanes<W, T> x, const T& first) {
  const auto lane = W::lane_id();
  const auto from = W::apply([](std::int32_t l) { return l > 0 ? l - 1 : l; }, lane);
  const auto before = W::template shuffle<T>(x, from);
  return W::apply([&first](std::int32_t l, const T& earlier) { return l > 0 ? earlier : first; }, lane, before);
}

// Every lane gets x[0] op ... op x[W - 1], combined by pairs, pairs of pairs, and so on.
template <class W, class T, class Op>
PAPILIO_LANEWISE warp::Lanes<W, T> reduce(warp::Lanes<W, T> x, Op op) {
  PAPILIO_UNROLL
  for (int distance = 1; distance < W::width; distance *= 2) {
    const auto other = W::template shuffle<T>(x, W::lane_id() ^ distance);
    const auto upper = W::lane_has_bit(distance);
    x = W::apply(op, W::template select<T>(upper, other, x), W::template select<T>(upper, x, other));
  }
  return x;
}

// The value of one lane, in every lane.
template <class W, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> from_lane(warp::Lanes<W, T> x, int lane) {
  return W::template shuffle<T>(x, W::template splat<std::int32_t>(lane));
}

// The last lane, up to this one, at which a segment begins; -1 if none does. Bit l of `heads`: one begins at lane l.
struct LastHead {
  std::uint64_t heads;

  PAPILIO_LANEWISE std::int32_t operator()(std::int32_t lane) const {
    const std::uint64_t seen = heads & (~std::uint64_t{0} >> (63 - lane));
    std::int32_t last = 0;
    PAPILIO_UNROLL
    for (int step = 32; step > 0; step /= 2)
      if (seen >> last >> step != 0) last += step;
    return seen != 0 ? last : -1;
  }
};

// The scan that restarts at each lane whose mask is set. The lanes before the first of these form a segment, too.
template <class W, class T, class Op>
PAPILIO_LANEWISE warp::Lanes<W, T> segmented_scan(warp::Lanes<W, T> x, warp::Mask<W> head, Op op) {
  const auto lane = W::lane_id();
  const auto begin = W::apply(LastHead{W::bits(head)}, lane);
  PAPILIO_UNROLL
  for (int distance = 1; distance < W::width; distance *= 2) {
    const auto from = W::apply([distance](std::int32_t l) { return l >= distance ? l - distance : l; }, lane);
    const auto before = W::template shuffle<T>(x, from);
    x = W::apply(
        [op, distance](std::int32_t l, std::int32_t first, const T& earlier, const T& own) {
          return l >= distance && l - distance >= first ? op(earlier, own) : own;
        },
        lane, begin, before, x);
  }
  return x;
}

// --- Blocks ----------------------------------------------------------------
//
// A block of `warps` warps works in two steps, with a barrier between them: first each warp combines its
// lanes and leaves its total in memory that the block shares; then each warp combines the totals of the warps
// before it with its own values. After the second step there must be a barrier before that memory is reused.
// block_scan.cuh does both for a CUDA block; a host does the first step for all warps, then the second.

// What the warps of a block share.
template <class T, int warps>
struct BlockTotals {
  static_assert(1 <= warps && warps <= 32);
  T total[warps];
  std::int32_t begins[warps];  // of segmented scans: whether a segment begins in the warp
};

// The value of a lane, and the total of the whole block.
template <class Value, class Total = Value>
struct Scanned {
  Value value;
  Total total;
};

// One entry per warp: lane i has that of warp i, and the lanes past the last warp repeat the last entry.
template <class W, int warps, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> entries_of_warps(const T (&entry)[warps]) {
  static_assert(warps <= W::width);
  const auto at = W::apply([](std::int32_t l) { return l < warps ? l : warps - 1; }, W::lane_id());
  return W::gather(&entry[0], at);
}

// First step of a scan: the scan of the warp itself.
template <class W, class T, int warps, class Op>
PAPILIO_LANEWISE warp::Lanes<W, T> begin_scan(BlockTotals<T, warps>& shared, int warp, warp::Lanes<W, T> x, Op op) {
  x = inclusive_scan<W, T>(x, op);
  W::store_lane(&shared.total[warp], x, W::width - 1);
  return x;
}

// Second step; x is what the first step returned. The result is inclusive over the block.
template <class W, class T, int warps, class Op>
PAPILIO_LANEWISE Scanned<warp::Lanes<W, T>> end_scan(const BlockTotals<T, warps>& shared, int warp, warp::Lanes<W, T> x,
                                                     Op op) {
  const auto totals = inclusive_scan<W, T>(entries_of_warps<W>(shared.total), op, warps);
  if (warp > 0) x = W::apply(op, from_lane<W, T>(totals, warp - 1), x);
  return {x, from_lane<W, T>(totals, warps - 1)};
}

// First step of a reduction.
template <class W, class T, int warps, class Op>
PAPILIO_LANEWISE void begin_reduce(BlockTotals<T, warps>& shared, int warp, warp::Lanes<W, T> x, Op op) {
  W::store_lane(&shared.total[warp], reduce<W, T>(x, op), 0);
}

// Second step: the block's total, in every lane.
template <class W, class T, int warps, class Op>
PAPILIO_LANEWISE warp::Lanes<W, T> end_reduce(const BlockTotals<T, warps>& shared, Op op) {
  return from_lane<W, T>(inclusive_scan<W, T>(entries_of_warps<W>(shared.total), op, warps), warps - 1);
}

// The value that a run of neighbours ends with, and whether a segment begins in the run (0: no).
template <class T>
struct RunEnd {
  T value;
  std::int32_t begins;
};

// Joins neighbouring runs: associative where `op` is.
template <class Op>
struct JoinRuns {
  Op op;

  template <class T>
  PAPILIO_LANEWISE RunEnd<T> operator()(const RunEnd<T>& a, const RunEnd<T>& b) const {
    return {b.begins != 0 ? b.value : op(a.value, b.value), a.begins | b.begins};
  }
};

// First step of a segmented scan.
template <class W, class T, int warps, class Op>
PAPILIO_LANEWISE warp::Lanes<W, T> begin_segmented_scan(BlockTotals<T, warps>& shared, int warp, warp::Lanes<W, T> x,
                                                        warp::Mask<W> head, Op op) {
  x = segmented_scan<W, T>(x, head, op);
  W::store_lane(&shared.total[warp], x, W::width - 1);
  W::store_lane(&shared.begins[warp], W::template splat<std::int32_t>(W::bits(head) != 0 ? 1 : 0), 0);
  return x;
}

// Second step; x is what the first step returned. A lane's `begins` says whether a segment begins at it or before it in
// the block. If not, the value continues from where the block before ended: join it to that block's total by JoinRuns.
template <class W, class T, int warps, class Op>
PAPILIO_LANEWISE Scanned<warp::Lanes<W, RunEnd<T>>> end_segmented_scan(const BlockTotals<T, warps>& shared, int warp,
                                                                       warp::Lanes<W, T> x, warp::Mask<W> head, Op op) {
  using Run = RunEnd<T>;
  const auto run_of = [](const T& value, std::int32_t begins) { return Run{value, begins}; };
  const auto run_from = [](const T& value, std::int32_t begin) { return Run{value, begin >= 0 ? 1 : 0}; };
  const JoinRuns<Op> join = {op};
  const auto ends = W::apply(run_of, entries_of_warps<W>(shared.total), entries_of_warps<W>(shared.begins));
  const auto runs = inclusive_scan<W, Run>(ends, join, warps);
  auto run = W::apply(run_from, x, W::apply(LastHead{W::bits(head)}, W::lane_id()));
  if (warp > 0) run = W::apply(join, from_lane<W, Run>(runs, warp - 1), run);
  return {run, from_lane<W, Run>(runs, warps - 1)};
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
