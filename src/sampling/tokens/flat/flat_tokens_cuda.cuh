#pragma once

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/flat/flat_draw_cuda.cuh"
#include "sampling/tokens/flat/flat_part_cuda.cuh"
#include "sampling/tokens/flat/flat_window_cuda.cuh"
#include "sampling/tokens/near/near_blocks_cuda.cuh"

// Draws from the flat rows that the kernel for rows near their largest logits left over, step by step: the largest
// logit and the sum of all weights, unless that kernel has said them; the window; the second reading; the draw, by the
// first block.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// A reader of this block's part of a row.
template <class Reader>
__device__ __forceinline__ Reader reader_of_part(const TokenCall& call, std::int64_t row) {
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  return Reader(call, row, begin, min(call.categories, begin + call.in_slice));
}

// The largest logit of a sample, the same for all blocks of a cluster. Has a barrier.
template <class Shape, class S, bool masked>
__device__ __forceinline__ float largest_of_sample(const TokenCall& call, std::int64_t row) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  typename NearBatch<S>::Lines lines;
  load_sample<Shape, S, masked>(call, row, 0, 1, lines);
  float largest = -__builtin_inff();
  PAPILIO_UNROLL
  for (unsigned i = 0; i < NearBatch<S>::size; ++i)
    largest = fmaxf(largest, lines[i / LogitLine<S>::size][i % LogitLine<S>::size]);
  const unsigned order = __reduce_max_sync(whole_warp, token_order(largest + 0.0f));
  if (lane_of_thread() == 0) memory.least_of_warp[warp_of_thread()] = order;
  __syncthreads();
  return logit_of_order(__reduce_max_sync(whole_warp, memory.least_of_warp[lane_of_thread() % Shape::warps]));
}

// Finds the largest logit and the sum of all weights. All blocks of a cluster get the same.
template <class Shape, class S, bool masked>
__device__ __forceinline__ FlatKnown find_known(const TokenCall& call, std::int64_t row) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  FlatMemory& flat = flat_memory<Shape>();
  const float sampled = largest_of_sample<Shape, S, masked>(call, row), high = memory.scale.high;
  if (!has_tops(sampled, high)) return {0, 0, false};
  const float top = top_of(sampled, high);
  const FlatMass mine = read_mass(reader_of_part<FlatReader<Shape, S, masked, false>>(call, row), high, top);
  __syncwarp();
  // Every NaN becomes the same key, above that of +infinity.
  const bool is_nan = mine.largest != mine.largest;
  const unsigned order = __reduce_max_sync(whole_warp, is_nan ? ~0u : token_order(mine.largest + 0.0f));
  if (lane_of_thread() == 0) memory.largest_of_warp[warp_of_thread()] = order;
  double sum = rest_of_block<Shape>(mine.sum);
  unsigned most = __reduce_max_sync(whole_warp, memory.largest_of_warp[lane_of_thread() % Shape::warps]);
  if (cluster::size() > 1) {
    cluster::sync();  // all blocks are at this row
    if (static_cast<int>(threadIdx.x) < cluster::size()) {
      *cluster::at(&flat.rough_of[cluster::rank()], static_cast<int>(threadIdx.x)) = sum;
      *cluster::at(&flat.orders_of[cluster::rank()], static_cast<int>(threadIdx.x)) = most;
    }
    cluster::sync();
    sum = 0, most = 0;
    for (int block = 0; block < cluster::size(); ++block)
      sum += flat.rough_of[block], most = max(most, flat.orders_of[block]);
  }
  const float largest = logit_of_order(most);
  const double unit = exp2(static_cast<double>(top) - static_cast<double>(largest) * static_cast<double>(high));
  const auto mass = static_cast<float>(sum * unit);
  return {largest, mass, fabsf(largest) < __builtin_inff() && mass < 0x1p30f};
}

// The second reading. Call after a barrier. The result is of the block.
template <class Shape, class S, bool masked, bool exact>
__device__ __forceinline__ FlatRow read_flat_part(const TokenCall& call, std::int64_t row) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  FlatPart<Shape, S, masked, exact> part;
  part.read(reader_of_part<FlatReader<Shape, S, masked, exact>>(call, row), FlatSegments<Shape>(call, row, S()));
  __syncwarp();
  std::uint64_t between, above;
  sum_to_thread<Shape::threads>(part.between, memory.scratch[0], between);
  sum_to_thread<Shape::threads>(std::uint64_t{part.above}, memory.scratch[1], above);
  return {between, rest_of_block<Shape>(part.rough), static_cast<unsigned>(above)};
}

// Sends what other blocks than the first have found to that one.
template <class Shape>
__device__ __forceinline__ void join_flat_parts(const FlatSegments<Shape>& segments, FlatRow& of) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  FlatMemory& flat = flat_memory<Shape>();
  const int rank = cluster::rank();
  join_parts<Shape>(of.rough, flat_capacity<Shape>, [&] {
    if (threadIdx.x == 0) {
      *cluster::at(&flat.between_of[rank], 0) = of.between;
      *cluster::at(&flat.above_of[rank], 0) = of.above;
    }
    const unsigned first = segments.first_of(rank);
    for (unsigned n = threadIdx.x; n < 2 * segments.of_part(); n += Shape::threads) {
      unsigned* const half = &flat.segments[first + n / 2][n % 2];
      *cluster::at(half, 0) = *half;
    }
  });
  if (rank != 0) return;
  for (int block = 1; block < cluster::size(); ++block) {
    of.rough += memory.rest_of_block[block];
    of.between += flat.between_of[block];
    of.above += flat.above_of[block];
  }
}

// Prepares the memory of a block for a row.
template <class Shape>
__device__ __forceinline__ void begin_flat_row(const TokenCall& call, std::int64_t row, const TokenFilter& filter) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  const int unit_bits = token_unit_bits(call.categories);
  __syncthreads();  // the previous row is done
  if (threadIdx.x == 0) memory.count = 0;
  if (threadIdx.x == 32) memory.scale = token_scale(0, filter.temperature, unit_bits);
  if (threadIdx.x == 64) memory.least_weight = least_weight(filter.min_p, unit_bits);
  if (threadIdx.x == 96) memory.number = draw_number_of_row(call, row);
  for (unsigned n = threadIdx.x; n < 2 * most_segments; n += Shape::threads)
    flat_memory<Shape>().segments[n / 2][n % 2] = 0;
  __syncthreads();
}

// Called by all blocks of a cluster. `token`: that of the row, which was left over. Returns false if it is again; only
// the first block's answer counts.
template <class Shape, class S, bool masked>
__device__ __forceinline__ bool draw_flat_row(const TokenCall& call, std::int64_t row, std::int32_t token) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  FlatMemory& flat = flat_memory<Shape>();
  const TokenFilter filter = filter_of_row(call, row);
  begin_flat_row<Shape>(call, row, filter);
  FlatKnown known = {0, 0, true};
  if (token < left_over) {
    const FlatRowLeft left = left_of_token(token);
    known.largest = logit_of(static_cast<const S*>(call.logits)[row * call.row_stride + left.category]);
    known.mass = left.mass;
  } else {
    known = find_known<Shape, S, masked>(call, row);
  }
  if (!known.is_known) return false;
  FlatGuess<Shape, S, masked>(call, known, filter.top_p).find(row);
  if (!flat.window.is_good) return false;
  if (threadIdx.x == 0) memory.scale.largest = known.largest;
  __syncthreads();
  if (flat.window.upper < __builtin_inff()) {  // nothing from there on may be too light for min_p
    const std::uint64_t weight = weight_of(flat.window.upper, memory.scale);
    if (weight < memory.least_weight + (memory.least_weight >> 20) + 2) return false;
  }
  FlatRow of = flat.window.is_long ? read_flat_part<Shape, S, masked, true>(call, row)
                                   : read_flat_part<Shape, S, masked, false>(call, row);
  if (cluster::size() > 1) join_flat_parts<Shape>(FlatSegments<Shape>(call, row, S()), of);
  return cluster::rank() != 0 || FlatDraw<Shape, S, masked>(call, row, filter, of).draw();
}

__device__ __forceinline__ bool may_be_flat(const TokenCall& call, std::int64_t row) {
  return way_of_row(call, row) == TokenWay::near && can_be_flat(call, filter_of_row(call, row));
}

// Whether so few rows are left over that the kernel on chip, whose clusters have eight blocks, takes less time: as many
// as it has room for at the same time. Rows that have been drawn from meanwhile are not counted, so blocks can get
// different answers; all blocks of a cluster get that of the first.
template <class Shape>
__device__ __forceinline__ bool are_few_left(const TokenCall& call) {
  constexpr std::int64_t looked_at = 4096;
  const std::int64_t few = call.categories <= 131072 ? 48 : 16;
  const std::int64_t every = (call.rows - 1) / looked_at + 1;
  std::int64_t count = 0;
  for (std::int64_t first = 0; first < call.rows; first += every * Shape::threads) {
    const std::int64_t row = first + every * threadIdx.x;
    const bool is_left = row < call.rows && token_of_row(call, row) <= left_over && may_be_flat(call, row);
    count += __syncthreads_count(is_left ? 1 : 0);
  }
  const bool are_few = count * every < few;
  if (cluster::size() == 1) return are_few;
  bool& answer = flat_memory<Shape>().are_few;
  cluster::sync();  // all blocks are running
  const auto block = static_cast<int>(threadIdx.x);
  if (cluster::rank() == 0 && block < cluster::size()) *cluster::at(&answer, block) = are_few;
  cluster::sync();
  return answer;
}

// If it may have rows, it does not let the next kernel come early, whose clusters need empty multiprocessors.
template <class S, bool masked>
__global__ void __launch_bounds__(FewNear::threads, FewNear::blocks)
    draw_flat_tokens(const __grid_constant__ TokenCall call) {
  const std::int64_t step = rows_at_once();
  if (!may_be_any_row(call, row_of_cluster(), step, [&](std::int64_t row) { return may_be_flat(call, row); })) {
    execution::let_next_kernel_come();
    return execution::end_after_kernel_before();
  }
  execution::wait_for_kernel_before();
  const bool are_few = are_few_left<FewNear>(call);
  for (std::int64_t row = row_of_cluster(); row < call.rows; row += step) {
    const std::int32_t token = token_of_row(call, row);
    if (token > left_over || !may_be_flat(call, row)) continue;
    if (cluster::size() > 1) cluster::sync();  // all blocks have read it
    const bool done = !are_few && draw_flat_row<FewNear, S, masked>(call, row, token);
    if (!done && cluster::rank() == 0 && threadIdx.x == 0) call.tokens[row] = left_over;
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
