#pragma once

#include <cstdint>

#include "sampling/tokens/first/few_draw_cuda.cuh"
#include "sampling/tokens/first/group_maxima_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"

// Rows at temperature 0 without mask or bias: finds the lowest category that has the largest logit. The blocks of a
// cluster share a row. Each reads its part once, and reads again what a thread loaded together with the largest.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int largest_threads = 256, largest_blocks = 4;  // per multiprocessor
inline constexpr int largest_warps = largest_threads / 32;

template <class S>
using LargestMaxima = GroupMaxima<S, largest_threads>;

struct LargestMemory {
  ClusterExchange<1> keys;  // of each block: the largest logit, and the lowest category that has it
  unsigned warp_orders[largest_warps], lowest;
  float maxima[LargestMaxima<float>::most_groups * largest_threads];
};

// The key of a part's first category, in one thread; NaN comes first of all. Called by all threads of a block.
template <class S>
__device__ __forceinline__ std::uint64_t largest_key(LargestMemory& memory, const LargestMaxima<S>& part,
                                                     bool streams) {
  const float largest = part.read(streams);
  const unsigned order = largest != largest ? ~0u : token_order(largest + 0.0f);
  const unsigned of_warp = __reduce_max_sync(whole_warp, order);
  if (lane_of_thread() == 0) memory.warp_orders[warp_of_thread()] = of_warp;
  __syncthreads();
  const unsigned most = __reduce_max_sync(whole_warp, memory.warp_orders[lane_of_thread() % largest_warps]);
  unsigned lowest = ~0u;
  if (order == most && largest > -__builtin_inff())
    part.find(largest, [&](float, std::int64_t category) { lowest = min(lowest, static_cast<unsigned>(category)); });
  if (of_warp == most) {
    lowest = __reduce_min_sync(whole_warp, lowest);
    if (lane_of_thread() == 0) atomicMin(&memory.lowest, lowest);
  }
  __syncthreads();
  return token_key(most, memory.lowest);
}

__device__ __forceinline__ void put_first(const TokenCall& call, std::int64_t row, std::uint64_t key) {
  const auto order = static_cast<unsigned>(key >> 32);
  const float largest = order == ~0u ? __builtin_nanf("") : logit_of_order(order);
  if (!(largest < __builtin_inff()) || largest == -__builtin_inff()) return put_nothing(call, row, largest);
  const auto category = static_cast<std::int32_t>(category_of_key(key));
  put_no_entries(call, row, 1 + static_cast<std::int64_t>(threadIdx.x), call.room, largest_threads);
  if (threadIdx.x != 0) return;
  if (call.room > 0) put_entry(call, row, 0, category, 0);
  put_token(call, row, category, 0, 0, 1);
}

// A cluster has one row.
template <class S>
__global__ void __launch_bounds__(largest_threads, largest_blocks)
    draw_largest_tokens(const __grid_constant__ TokenCall call) {
  __shared__ LargestMemory memory;
  const std::int64_t row = blockIdx.x / static_cast<unsigned>(cluster::size());
  if (!valid_filter(filter_of_row(call, row))) {
    if (cluster::rank() == 0) put_none(call, row, TokenStatus::bad_filter);
    return;
  }
  if (threadIdx.x == 0) {
    memory.lowest = ~0u;
    memory.keys.init(cluster::size());
    arrival::init_done();
  }
  cluster::begin();
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  const std::int64_t end = min(call.categories, begin + call.in_slice);
  const S* const logits = static_cast<const S*>(call.logits) + row * call.row_stride;
  const std::uint64_t key = largest_key<S>(memory, LargestMaxima<S>(logits, begin, end, memory.maxima), call.streams);
  cluster::begun();
  if (warp_of_thread() == 0) memory.keys.tell(0, key);
  memory.keys.wait_block();
  if (cluster::rank() != 0) return;
  std::uint64_t first = 0;
  for (int block = 0; block < cluster::size(); ++block) first = max(first, memory.keys.of[0][block]);
  put_first(call, row, first);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
