#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_buckets_cuda.cuh"

// Which rows a cluster has, and how the threads of a block and the blocks of a cluster put together what they found.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The first row of this block's cluster, and how far its rows are apart.
__device__ __forceinline__ std::int64_t row_of_cluster() { return blockIdx.x / static_cast<unsigned>(cluster::size()); }
__device__ __forceinline__ std::int64_t rows_at_once() { return gridDim.x / static_cast<unsigned>(cluster::size()); }

// Sends the collected logits of this block to the first block, if there is room for so many. Blocks that are not the
// first also do `more` while that one waits. Call after a barrier.
template <class Shape, class More>
__device__ __forceinline__ void join_parts(double rest, unsigned capacity, const More& more) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  NearLogit* const logits = near_logits<Shape>();
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
    if (begin + count <= capacity)
      for (unsigned n = threadIdx.x; n < count; n += Shape::threads) to[begin + n] = logits[n];
    more();
  }
  cluster::sync();
}

// The sum of `rest` over a block, for all of its threads. Has a barrier.
template <class Shape>
__device__ __forceinline__ double rest_of_block(double rest) {
  NearMemory<Shape>& memory = near_memory<Shape>();
  __syncwarp();
  rest = sum_of_warp(rest);
  if (lane_of_thread() == 0) memory.rest_of_warp[warp_of_thread()] = rest;
  __syncthreads();
  return sum_of_warp(lane_of_thread() < Shape::warps ? memory.rest_of_warp[lane_of_thread() % Shape::warps] : 0.0);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
