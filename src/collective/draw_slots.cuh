#pragma once

#include <cstdint>

#include "collective/partial_sums/slots.h"
#include "collective/row_tree.cuh"
#include "collective/target.h"
#include "warp/cuda_warp.cuh"

// Draws in the canonical slot order on a GPU: the device functions from which papilio's own kernels are built. Your own
// kernels may use them too (docs/cuda.md).
//
// G neighbouring threads of a warp draw from T rows together. They add up each row
// in turn, coalesced, four categories per thread and load. One butterfly over the sums
// then gives each row to G / T threads, which walk down its tree, read again the
// slot in which the walk ends, and walk along it. A draw takes the same additions in
// the same order as draw_slots.h, so the category is the same, bit for bit.
//
// A provider says where weights come from; each thread has its own copy of it:
//   Sum                        float or double: the type in which weights are added up
//   Element                    what a category's weight is computed from, with
//                                weight()   its weight, rounded to Sum
//                                plus(s)    s + the weight (fused if the weight is a product)
//   batch_row(q)               row q of the batch, 0 <= q < T, as seen by this thread l of
//                              the group: quad(v, e) gives the elements of its categories
//                              4 (v G + l) ... + 3, of weight 0 past the end
//   has(q)                     whether there is a row q; if G = 32, the whole warp gets the same answer
//                              (for short rows nobody asks: every row of the batch is read, and some discarded)
//   mine<n>(v, l, i, e)        categories 4 (v G + l) + n i ... + n - 1 (n = 1, 2, 4) of
//                              the row that this thread searches, t = thread / (G / T)
//   row()                      that row as a value with size() and weight(k)
//   segment(s)                 for long rows: the provider of the categories from 1,024 s on
// `ComputedRows` is a provider whose weights a function computes. v is known at compile time.
// Source: docs/numerics.md; the butterfly: Steele and Tristan, ACM TOPC 6(4):22, 2019.

namespace papilio::inline PAPILIO_TARGET::collective {

// A thread as one lane of its warp.
using Lane = warp::CudaWarp<32>;

// What a draw leaves in the threads of a row.
struct DrawnRow {
  std::int64_t category;  // meaningful where the total is positive and finite
  double total;           // the sum of the row
  bool owner;             // the one thread of the row whose category counts
};

// Rarely called: see last_positive_before in draw_slots.h, with which it agrees.
template <class Row>
__device__ __noinline__ std::int64_t last_positive_on_device(const Row row, std::int64_t segment, int step) {
  const std::int64_t here = segment * segment_size + step;
  const std::int64_t end = (row.size() + segment_size - 1) / segment_size * segment_size;
  for (int pass = 0; pass < 2; ++pass) {  // backwards from here, then on from here
    for (std::int64_t at = pass == 0 ? here - 1 : here; at >= 0 && at < end; at += pass == 0 ? -1 : 1) {
      const std::int64_t k = at / segment_size * segment_size + category_of_step(static_cast<int>(at % segment_size));
      if (k < row.size() && row.weight(k) > 0) return k;
    }
  }
  return -1;
}

template <class V>
__device__ __forceinline__ V sum_of_four(const V (&s)[4]) {
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// Draws from rows of at most 4 G N <= 128 categories, in which each slot is one
// weight: thread l holds the logical lanes l, l + G, ... of a row as N vectors.
template <int G, int N, int T, class Rows>
__device__ __forceinline__ DrawnRow draw_short_rows(const Rows& rows, double u) {
  static_assert(4 * G * N <= slots && T <= G && G <= logical_lanes);
  using V = typename Rows::Sum;
  constexpr int places = 1 << log2_of(2 * N - 1);  // N rounded up to a power of two

  // One level of the tree inside a thread: adds vectors i and i + nodes.
  const auto fold = [](V(&part)[places], int nodes) {
#pragma unroll
    for (int i = 0; i < places / 2; ++i)
      if (i < nodes && i + nodes < N) part[i] = part[i] + part[i + nodes];
  };
  V sums[T];
#pragma unroll
  for (int q = 0; q < T; ++q) {
    const auto row = rows.batch_row(q);
    V part[places];
#pragma unroll
    for (int v = 0; v < N; ++v) {
      typename Rows::Element e[4];
      row.quad(v, e);
      const V w[4] = {e[0].weight(), e[1].weight(), e[2].weight(), e[3].weight()};
      part[v] = sum_of_four(w);
    }
#pragma unroll
    for (int nodes = places / 2; nodes > 0; nodes /= 2) fold(part, nodes);
    sums[q] = part[0];
  }

  const RowTree<G, T, V> tree(sums);
  const double total = tree.total();
  double rest = target_of<Lane, V, double>(u, total);
  const int thread = tree.find(rest);

  // Reads the vectors of that thread again, and walks the levels inside it.
  V w[N][4], part[places], left[places];  // left[n + i]: the left child of node i of n
#pragma unroll
  for (int v = 0; v < N; ++v) {
    typename Rows::Element e[4];
    rows.template mine<4>(v, thread, 0, e);
#pragma unroll
    for (int i = 0; i < 4; ++i) w[v][i] = e[i].weight();
    part[v] = sum_of_four(w[v]);
  }
#pragma unroll
  for (int nodes = places / 2; nodes > 0; nodes /= 2) {
#pragma unroll
    for (int i = 0; i < places / 2; ++i)
      if (i < nodes) left[nodes + i] = i < N ? part[i] : V{0};
    fold(part, nodes);
  }
  int vector = 0;
#pragma unroll
  for (int nodes = 1; nodes < places; nodes *= 2) {
    V sum = left[nodes];
#pragma unroll
    for (int i = 1; i < places / 2; ++i)
      if (i < nodes && vector == i) sum = left[nodes + i];
    if (descend(rest, sum)) vector += nodes;
  }
  V four[4] = {0, 0, 0, 0};
#pragma unroll
  for (int v = 0; v < N; ++v)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (vector == v) four[i] = w[v][i];

  // The last levels of the walk, whose right children are padding (lanes of zeros): if the rest
  // is not below the sum of the lane, the walk goes right at these levels, out of the row.
  constexpr int padding = (logical_lanes - 1) & ~(places * G - 1);
  const bool in_padding = padding != 0 && !(rest < static_cast<double>(sum_of_four(four)));
  int slot = descend(rest, four[0] + four[1]) ? 2 : 0;
  V weight = slot != 0 ? four[2] : four[0];
  if (descend(rest, weight)) {
    weight = slot != 0 ? four[3] : four[1];
    slot += 1;
  }
  const int lane = vector * G + thread;
  std::int64_t category = 4 * lane + slot;
  if (in_padding || !(rest < static_cast<double>(weight))) [[unlikely]] {
    const int end = in_padding ? lane | padding : lane;
    category = last_positive_on_device(rows.row(), 0, step_of_category(4 * end + slot) + depths);
  }
  return {category, total, threadIdx.x % (G / T) == 0};
}

// Walks along the four slots of logical lane `lane` of a segment: to the pair, the
// slot and the weight. R threads share a row, R = 1, 2 or 4, each with 4 / R
// neighbouring slots of N depths.
template <int R, int N, class Rows>
__device__ __forceinline__ DrawnRow walk_slots(const Rows& rows, std::int64_t segment, int lane, double rest) {
  using V = typename Rows::Sum;
  constexpr int own = 4 / R;
  const int thread = static_cast<int>(threadIdx.x) % 32, member = thread % R;
  V sum[own], w[own][N];
#pragma unroll
  for (int j = 0; j < N; ++j) {
    typename Rows::Element e[own];
    rows.template mine<own>(j, lane, member, e);
#pragma unroll
    for (int i = 0; i < own; ++i) {
      w[i][j] = e[i].weight();
      sum[i] = j == 0 ? w[i][j] : e[i].plus(sum[i]);
    }
  }
  int slot = 0;  // of the four; in a thread that has no slot of the pair, its last bit means nothing
  if constexpr (R == 4) {
    const V pair = sum[0] + __shfl_xor_sync(all_threads, sum[0], 1);
    if (descend(rest, __shfl_sync(all_threads, pair, thread & ~3))) slot = 2;
    if (descend(rest, __shfl_sync(all_threads, sum[0], (thread & ~3) | slot))) slot += 1;
  } else if constexpr (R == 2) {
    if (descend(rest, __shfl_sync(all_threads, sum[0] + sum[1], thread & ~1))) slot = 2;
    if (descend(rest, sum[0])) slot += 1;
  } else {
    if (descend(rest, sum[0] + sum[1])) slot = 2;
    if (descend(rest, slot != 0 ? sum[2] : sum[0])) slot += 1;
  }
  // Along the slot: the first depth whose weight exceeds what is left.
  const bool odd = (slot & 1) != 0, upper = (slot & 2) != 0;
  int depth = 0;
  bool searching = true;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    V weight = w[0][j];
    if constexpr (own >= 2) weight = odd ? w[1][j] : weight;
    if constexpr (own == 4) weight = upper ? (odd ? w[3][j] : w[2][j]) : weight;
    if (searching) {
      searching = descend(rest, weight);
      if (searching) depth += 1;
    }
  }
  const bool owner = member == slot / own;
  std::int64_t category = segment * segment_size + slots * depth + 4 * lane + slot;
  if (searching && owner) [[unlikely]]
    category = last_positive_on_device(rows.row(), segment, step_of_category(4 * lane + slot) + depths);
  return {category, 0, owner};
}

// The sum of the four slots that this thread has in a row of at most N depths, read by a whole warp.
template <int N, class Row, class V>
__device__ __forceinline__ V lane_sum(const Row& row, V) {
  V slot[4];
#pragma unroll
  for (int v = 0; v < N; ++v) {
    typename Row::Element e[4];
    row.quad(v, e);
#pragma unroll
    for (int i = 0; i < 4; ++i) slot[i] = v == 0 ? e[i].weight() : e[i].plus(slot[i]);
  }
  return sum_of_four(slot);
}

// For thread l: the sums of lane l in T rows of at most 128 N categories, read by a whole warp.
//
// `together` rows are loaded before the first of them is added up:
// enough to keep memory busy, but few enough for the registers.
template <int N, int T, int together, class Rows, class V>
__device__ __forceinline__ void lane_sums_of_rows(const Rows& rows, V (&sums)[T]) {
#pragma unroll
  for (int first = 0; first < T; first += together) {
    if (rows.has(first)) {  // the branch also stops the compiler from loading more than `together` rows at a time
#pragma unroll
      for (int q = first; q < first + together && q < T; ++q) sums[q] = lane_sum<N>(rows.batch_row(q), V{});
    } else {
#pragma unroll
      for (int q = first; q < first + together && q < T; ++q) sums[q] = 0;
    }
  }
}

// Draws from rows of more than 128 and at most 128 N <= 1,024 categories, T = 8, 16 or
// 32 of them, by a whole warp (G = 32): thread l adds up the slots 4 l ... 4 l + 3.
template <int N, int T, int together, class Rows>
__device__ __forceinline__ DrawnRow draw_rows(const Rows& rows, double u) {
  using V = typename Rows::Sum;
  V sums[T];
  lane_sums_of_rows<N, T, together>(rows, sums);
  const RowTree<32, T, V> tree(sums);
  const double total = tree.total();
  double rest = target_of<Lane, V, double>(u, total);
  const int lane = tree.find(rest);
  DrawnRow drawn = walk_slots<32 / T, N>(rows, 0, lane, rest);
  drawn.total = total;
  return drawn;
}

// How a batch is laid out for rows of at most `most` categories.
template <int most>
struct BatchShape {
  static_assert(most == 16 || most == 32 || most == 64 || most == 128 || most == 256 || most == 512 || most == 1024);
  static constexpr int threads = most <= 16 ? 4 : most <= 32 ? 8 : most <= 128 ? 16 : 32;  // G
  static constexpr int rows = most <= 16 ? 4 : 8;                                          // T
  static constexpr int vectors = most / (4 * threads);                                     // N
};

// Draws from a batch: BatchShape<most>::rows rows by ::threads neighbouring
// threads. Every thread of the warp takes part. u, in [0, 1), is that of the
// row t that this thread searches. `together` is as for `lane_sums_of_rows`:
// larger if weights stream from far away, smaller if they cost registers.
template <int most, int together = 1, class Rows>
__device__ __forceinline__ DrawnRow draw_batch(const Rows& rows, double u) {
  using Shape = BatchShape<most>;
  if constexpr (most <= slots)
    return draw_short_rows<Shape::threads, Shape::vectors, Shape::rows>(rows, u);
  else
    return draw_rows<Shape::vectors, Shape::rows, together>(rows, u);
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
