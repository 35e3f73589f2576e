#pragma once

#include <cstdint>

#include "collective/draw_slots.cuh"

// Rows of more than 1,024 categories on a GPU: segment by segment, by a warp or by
// several warps. A provider is one of draw_slots.cuh with G = 32 and T = 1.

namespace papilio::inline PAPILIO_TARGET::collective {

__device__ __forceinline__ std::int64_t segments_on_device(std::int64_t categories) {
  return categories <= segment_size ? 1 : (categories + segment_size - 1) / segment_size;
}

// The sum of a segment, in every thread of the warp.
template <class Segment, class V = typename Segment::Sum>
__device__ __forceinline__ V segment_total(const Segment& segment) {
  return warp_sum(lane_sum<depths>(segment.batch_row(0), V{}));
}

// The category of segment `number` in which the rest of
// the target lies. Every thread of the warp gets it.
template <class Rows>
__device__ __forceinline__ std::int64_t draw_in_segment(const Rows& rows, std::int64_t number, double rest) {
  using V = typename Rows::Sum;
  const auto segment = rows.segment(number);
  V sums[1] = {lane_sum<depths>(segment.batch_row(0), V{})};
  const RowTree<32, 1, V> tree(sums);
  const int lane = tree.find(rest);
  return walk_slots<1, depths>(segment, number, lane, rest).category;
}

// Draws from one row of any length by one warp. Thread i keeps the running total at the end of the
// i-th of up to 32 stretches of segments; the segments of the chosen stretch are added up again.
template <class Rows>
__device__ __forceinline__ DrawnRow draw_long_row(const Rows& rows, double u) {
  const int thread = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t segments = segments_on_device(rows.row().size());
  const std::int64_t stretch = (segments + 31) / 32, stretches = (segments + stretch - 1) / stretch;
  double running = 0, mine = 0;
#pragma unroll 2
  for (std::int64_t s = 0; s < segments; ++s) {
    running += static_cast<double>(segment_total(rows.segment(s)));
    if (s / stretch == thread) mine = running;
  }
  const double target = target_of<Lane, typename Rows::Sum, double>(u, running);
  const unsigned above = __ballot_sync(all_threads, thread < stretches && target < mine);
  const int chosen = above != 0 ? __ffs(static_cast<int>(above)) - 1 : static_cast<int>(stretches) - 1;
  double before = __shfl_sync(all_threads, mine, chosen > 0 ? chosen - 1 : 0);
  if (chosen == 0) before = 0;
  std::int64_t s = chosen * stretch;
  const std::int64_t last = (s + stretch < segments ? s + stretch : segments) - 1;
  for (; s < last; ++s) {
    const double after = before + static_cast<double>(segment_total(rows.segment(s)));
    if (target < after) break;
    before = after;
  }
  return {draw_in_segment(rows, s, s == 0 ? target : target - before), running, thread == 0};
}

// A target below every sum: a walk with this target ends at once.
inline constexpr double no_target = -1;

// The target of the row that this thread searches, one of T rows of a whole warp; `no_target` if there is no such row.
// Its sums would all be 0: a walk would leave the row and look for the last positive weight, category by category.
template <int T, class Rows>
__device__ __forceinline__ double target_in_batch(const Rows& rows, double u, double total) {
  const int t = static_cast<int>(threadIdx.x) % 32 / (32 / T);
  return rows.has(t) ? target_of<Lane, typename Rows::Sum, double>(u, total) : no_target;
}

// Draws from T rows of `segments` <= most_segments_at_once segments by a block that has one warp
// per segment; `rows` is the provider of this warp's segment, with G = 32. The warps add up their
// segments and exchange the totals through `totals`, in shared memory. The warp in whose segment
// a row's target lies searches there and owns the result. Every thread of the block must call it;
// `totals` may be used again after the next barrier. Set `often_partial` if batches often have
// fewer than T rows. It costs registers, so leave it false if only the last batch can be partial.
inline constexpr int most_segments_at_once = 8;

template <int T, int together, bool often_partial = false, class Rows, class V = typename Rows::Sum>
__device__ __forceinline__ DrawnRow draw_by_segments(const Rows& rows, unsigned segment, unsigned segments, double u,
                                                     V (&totals)[most_segments_at_once][T]) {
  const unsigned thread = threadIdx.x % 32, t = thread / (32 / T);
  V sums[T];
  lane_sums_of_rows<depths, T, together>(rows, sums);
  const RowTree<32, T, V> tree(sums);
  if (thread % (32 / T) == 0) totals[segment][t] = tree.total();
  __syncthreads();

  double total = 0;
  for (unsigned s = 0; s < segments; ++s) total += static_cast<double>(totals[s][t]);
  double target;
  if constexpr (often_partial)
    target = target_in_batch<T>(rows, u, total);
  else
    target = target_of<Lane, V, double>(u, total);
  double before = 0;
  unsigned chosen = 0;
  for (; chosen + 1 < segments; ++chosen) {
    const double after = before + static_cast<double>(totals[chosen][t]);
    if (target < after) break;
    before = after;
  }
  double rest = chosen == segment ? target - before : no_target;  // no_target if it lies in another warp's segment
  const int lane = tree.find(rest);
  DrawnRow drawn = walk_slots<32 / T, depths>(rows, segment, lane, rest);
  drawn.total = total;
  drawn.owner &= chosen == segment;
  return drawn;
}

// Draws from T rows of two segments each by one warp: `rows` is the provider of the first
// segment, `last` that of the second, which has up to 128 N categories; both with G = 32.
template <int N, int T, class Rows, class Last, class V = typename Rows::Sum>
__device__ __forceinline__ DrawnRow draw_two_segments(const Rows& rows, const Last& last, double u) {
  V sums[T], last_sums[T];
#pragma unroll
  for (int q = 0; q < T; ++q) {  // both segments of a row are loaded together
    sums[q] = last_sums[q] = 0;
    if (rows.has(q)) {
      sums[q] = lane_sum<depths>(rows.batch_row(q), V{});
      last_sums[q] = lane_sum<N>(last.batch_row(q), V{});
    }
  }
  const RowTree<32, T, V> tree(sums), last_tree(last_sums);
  const auto before = static_cast<double>(tree.total());
  const double total = before + static_cast<double>(last_tree.total());
  const double target = target_in_batch<T>(rows, u, total);
  const bool is_last = !(target < before);
  DrawnRow drawn = {};
  if (__any_sync(all_threads, !is_last)) {
    double rest = is_last ? no_target : target;
    const int lane = tree.find(rest);
    drawn = walk_slots<32 / T, depths>(rows, 0, lane, rest);
  }
  if (__any_sync(all_threads, is_last)) {
    double rest = is_last ? target - before : no_target;
    const int lane = last_tree.find(rest);
    const DrawnRow in_last = walk_slots<32 / T, N>(last, 1, lane, rest);
    if (is_last) drawn = in_last;
  }
  drawn.total = total;
  return drawn;
}

// The first segment whose running total exceeds u times the total, by one warp.
// `running` has room for one double per segment; `rest` becomes the target inside it.
template <class V>
__device__ __forceinline__ int find_segment(const V* totals, int segments, double* running, double u, double& rest,
                                            double& total) {
  const int thread = static_cast<int>(threadIdx.x) % 32;
  double sum = 0;
#pragma unroll 8
  for (int s = 0; s < segments; ++s) {  // in order, as on every device
    sum += static_cast<double>(totals[s]);
    if (thread == 0) running[s] = sum;
  }
  __syncwarp();
  total = sum;
  const double target = target_of<Lane, V, double>(u, sum);
  int found = segments - 1;
  for (int first = 0; first < segments; first += 32) {
    const int s = first + thread;
    const unsigned above = __ballot_sync(all_threads, s < segments && target < running[s]);
    if (above != 0) {
      found = first + __ffs(static_cast<int>(above)) - 1;
      break;
    }
  }
  rest = found == 0 ? target : target - running[found - 1];
  return found;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
