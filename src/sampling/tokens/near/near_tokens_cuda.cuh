#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_bound_cuda.cuh"
#include "sampling/tokens/near/near_draw_cuda.cuh"
#include "sampling/tokens/near/near_part_cuda.cuh"

// Draws from rows whose filters keep only logits near the largest. A row is read once, and only what can be kept is
// held in shared memory. The blocks of a cluster share a row; the first block draws from what all of them collected.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Sends the collected logits of this block to the first block. Call after a barrier.
__device__ __forceinline__ void join_parts(double rest) {
  NearMemory& memory = near_memory();
  NearLogit* const logits = near_logits();
  const unsigned count = memory.count;
  cluster::sync();  // the first block has collected
  if (cluster::rank() != 0) {
    if (threadIdx.x == 0) {
      memory.gathered = atomicAdd(cluster::at(&memory.count, 0), count);
      *cluster::at(&memory.rest_of_block[cluster::rank()], 0) = rest;
    }
    __syncthreads();
    const unsigned begin = memory.gathered;
    NearLogit* const to = cluster::at(logits, 0);
    if (begin + count <= near_capacity)
      for (unsigned n = threadIdx.x; n < count; n += near_threads) to[begin + n] = logits[n];
  }
  cluster::sync();
}

// The sum of `rest` over a block, for all of its threads. Has a barrier.
__device__ __forceinline__ double rest_of_block(double rest) {
  NearMemory& memory = near_memory();
  __syncwarp();
  rest = sum_of_warp(rest);
  if (lane_of_thread() == 0) memory.rest_of_warp[warp_of_thread()] = rest;
  __syncthreads();
  return sum_of_warp(lane_of_thread() < near_warps ? memory.rest_of_warp[lane_of_thread() % near_warps] : 0.0);
}

// Starts to prefetch the beginning of a part into the L2 cache.
template <class S>
__device__ __forceinline__ void expect_part(const S* from, std::int64_t count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr std::int64_t most = 65536;
  if (threadIdx.x != 0) return;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(from) + 15) & ~std::uintptr_t{15};
  const std::int64_t behind = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from + count) - begin);
  const auto bytes = static_cast<unsigned>(max(std::int64_t{0}, min(most, behind))) & ~15u;
  if (bytes != 0)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                     __cvta_generic_to_global(reinterpret_cast<const void*>(begin))),
                 "r"(bytes)
                 : "memory");
#endif
}

// Functions of their own keep the kernel within its registers.
template <class S>
__device__ __noinline__ NearBound guess_bound(const TokenCall& call, const S* row, const TokenFilter& filter) {
  return NearGuess<S>(call, filter).of(row);
}
template <class S, bool summed>
__device__ __forceinline__ double read_part(const S* row, std::int64_t begin, std::int64_t end, float least, float high,
                                            float top) {
  return NearPart<S, summed>(row, begin, end, least, high, top).read();
}
__device__ __noinline__ bool draw_near(const TokenCall& call, std::int64_t row, const TokenFilter& filter,
                                       const NearRow& of, double rest) {
  return NearDraw(call, row, filter).draw(of, rest);
}

// Called by all blocks of a cluster.
template <class S>
__device__ __forceinline__ void draw_near_row(const TokenCall& call, std::int64_t row, const TokenFilter& filter,
                                              std::int64_t step) {
  NearMemory& memory = near_memory();
  const int unit_bits = token_unit_bits(call.categories);
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  const std::int64_t end = min(call.categories, begin + call.in_slice);
  const S* const from = static_cast<const S*>(call.logits) + row * call.row_stride;
  if (row < step) expect_part(from + begin, end - begin);
  __syncthreads();  // the previous row is done
  if (threadIdx.x == 0) memory.count = 0;
  if (threadIdx.x == 32) memory.scale = token_scale(0, filter.temperature, unit_bits);
  if (threadIdx.x == 64) memory.least_weight = least_weight(filter.min_p, unit_bits);
  if (threadIdx.x == 96) memory.number = draw_number_of_row(call, row);
  __syncwarp();
  const NearBound bound = guess_bound<S>(call, from, filter);
  if (bound.given_up) {
    if (cluster::rank() == 0 && threadIdx.x == 0) call.tokens[row] = left_over;
    return;
  }
  if (bound.all) __syncthreads();  // otherwise there was a barrier
  const float high = memory.scale.high;
  const bool has_top = has_tops(bound.least, high);
  const float top = has_top ? top_of(bound.least, high) : 0.0f;
  const bool summed = needs_rest(call, filter);
  double rest = summed ? read_part<S, true>(from, begin, end, bound.least, high, top)
                       : read_part<S, false>(from, begin, end, bound.least, high, top);
  if (row + step < call.rows) expect_part(from + step * call.row_stride + begin, end - begin);
  rest = rest_of_block(rest);
  if (cluster::size() > 1) {
    join_parts(rest);
    if (cluster::rank() != 0) return;
    for (int block = 1; block < cluster::size(); ++block) rest += memory.rest_of_block[block];
  }
  const bool done = draw_near(call, row, filter, {bound, summed && has_top, NearPart<S, true>::additions}, rest);
  if (!done && threadIdx.x == 0) call.tokens[row] = left_over;
}

template <class S>
__global__ void __launch_bounds__(near_threads, near_blocks) draw_near_tokens(const __grid_constant__ TokenCall call) {
  const std::int64_t step = gridDim.x / static_cast<unsigned>(cluster::size());
  for (std::int64_t row = blockIdx.x / static_cast<unsigned>(cluster::size()); row < call.rows; row += step) {
    const TokenFilter filter = filter_of_row(call, row);
    if (is_near(call, filter)) draw_near_row<S>(call, row, filter, step);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
