#pragma once

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/near/near_blocks_cuda.cuh"
#include "sampling/tokens/near/near_bound_cuda.cuh"
#include "sampling/tokens/near/near_draw_cuda.cuh"
#include "sampling/tokens/near/near_part_cuda.cuh"

// Draws from rows whose filters keep only logits near the largest. A row is read once, and only what can be kept is
// held in shared memory. The blocks of a cluster share a row; the first block draws from what all of them collected.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Functions of their own keep the kernel within its registers.
template <class Shape, class S, bool masked>
__device__ __noinline__ NearBound guess_bound(const TokenCall& call, std::int64_t row, const TokenFilter& filter) {
  return NearGuess<Shape, S, masked>(call, filter).of(row);
}
template <class Part>
__device__ __forceinline__ double read_part(const TokenCall& call, std::int64_t row, std::int64_t begin,
                                            std::int64_t end, float least, float high, float top) {
  return Part(call, row, begin, end, least, high, top).read();
}
template <class Shape>
__device__ __noinline__ bool draw_near(const TokenCall& call, std::int64_t row, const TokenFilter& filter,
                                       const NearRow& of, double rest) {
  return NearDraw<Shape>(call, row, filter).draw(of, rest);
}

// Called by all blocks of a cluster. `next`: the cluster's next row, -1 if there is none.
template <class Shape, class S, bool masked>
__device__ __forceinline__ void draw_near_row(const TokenCall& call, std::int64_t row, const TokenFilter& filter,
                                              std::int64_t next) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  const int unit_bits = token_unit_bits(call.categories);
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  const std::int64_t end = min(call.categories, begin + call.in_slice);
  const S* const logits = static_cast<const S*>(call.logits);
  __syncthreads();  // the previous row is done
  if (threadIdx.x == 0) memory.count = 0, memory.left = left_over;
  if (threadIdx.x == 32) memory.scale = token_scale(0, filter.temperature, unit_bits);
  if (threadIdx.x == 64) memory.least_weight = least_weight(filter.min_p, unit_bits);
  if (threadIdx.x == 96) memory.number = draw_number_of_row(call, row);
  __syncwarp();
  const NearBound bound = guess_bound<Shape, S, masked>(call, row, filter);
  if (bound.given_up) {
    if (cluster::rank() == 0 && threadIdx.x == 0) call.tokens[row] = left_over;
    return;
  }
  if (bound.all) __syncthreads();  // otherwise there was a barrier
  const float high = memory.scale.high;
  const bool has_top = has_tops(bound.least, high);
  const float top = has_top ? top_of(bound.least, high) : 0.0f;
  const bool summed = needs_rest(call, filter);
  using Summed = NearPart<Shape, S, true, masked>;
  using Collected = NearPart<Shape, S, false, masked>;
  double rest = summed ? read_part<Summed>(call, row, begin, end, bound.least, high, top)
                       : read_part<Collected>(call, row, begin, end, bound.least, high, top);
  if (next >= 0 && threadIdx.x == 0) prefetch(logits + next * call.row_stride + begin, end - begin);
  rest = rest_of_block<Shape>(rest);
  if (cluster::size() > 1) {
    join_parts<Shape>(rest, Shape::capacity, [] {});
    if (cluster::rank() != 0) return;
    for (int block = 1; block < cluster::size(); ++block) rest += memory.rest_of_block[block];
  }
  const NearRow of = {bound, summed && has_top, NearPowers<S>::additions};
  const bool done = draw_near<Shape>(call, row, filter, of, rest);
  if (!done && threadIdx.x == 0) call.tokens[row] = memory.left;
}

template <class S, bool masked>
__global__ void __launch_bounds__(FewNear::threads, FewNear::blocks)
    draw_near_tokens(const __grid_constant__ TokenCall call) {
  execution::let_next_kernel_come();
  const std::int64_t first = row_of_cluster(), step = rows_at_once();
  if (threadIdx.x == 0 && first < call.rows) {
    const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
    prefetch(static_cast<const S*>(call.logits) + first * call.row_stride + begin,
             min(call.categories - begin, call.in_slice));
  }
  for (std::int64_t row = first; row < call.rows; row += step) {
    if (way_of_row(call, row) == TokenWay::near)
      draw_near_row<FewNear, S, masked>(call, row, filter_of_row(call, row), row + step < call.rows ? row + step : -1);
  }
  execution::end_after_kernel_before();
}

// Draws from rows that the kernel above left over and that are not flat: with larger blocks, which collect more. If it
// may have rows, it does not let the next kernel come early, whose clusters need empty multiprocessors.
template <class S, bool masked>
__global__ void __launch_bounds__(ManyNear::threads, ManyNear::blocks)
    draw_many_near_tokens(const __grid_constant__ TokenCall call) {
  const std::int64_t step = rows_at_once();
  const auto may_be_left = [&](std::int64_t row) {
    return way_of_row(call, row) == TokenWay::near && !can_be_flat(call, filter_of_row(call, row));
  };
  if (!may_be_any_row(call, row_of_cluster(), step, may_be_left)) {
    execution::let_next_kernel_come();
    return execution::end_after_kernel_before();
  }
  execution::wait_for_kernel_before();
  const auto is_left = [&](std::int64_t row) { return token_of_row(call, row) == left_over && may_be_left(row); };
  // All threads see a row before its draw is written.
  if (!any_row(call, row_of_cluster(), step, is_left)) return;
  for (std::int64_t row = row_of_cluster(); row < call.rows; row += step) {
    if (!is_left(row)) continue;
    const std::int64_t next = row + step;
    draw_near_row<ManyNear, S, masked>(call, row, filter_of_row(call, row),
                                       next < call.rows && is_left(next) ? next : -1);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
