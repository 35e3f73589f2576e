#pragma once

#include <cstdint>

#include "primitives/device/by_index_cuda.cuh"

// Sorts the items of a reduction by index by ranges of bins ("parts"), in no particular order within a part.
// Then the cells that a part needs stay in the cache, and every item is read three times instead of once
// per range. Sums are exact: neither the order of blocks nor the order of items within a part changes them.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int most_parts = 64;
inline constexpr int sorted_at_once = 8;  // per thread
inline constexpr int sorted_tile = by_index_threads * sorted_at_once;

// Where items go. Part p has the bins b with b >> shift == p.
template <class T>
struct SortedItems {
  int shift;
  unsigned long long* counts;  // most_parts: the items of each part; later, the place of its next item
  std::int64_t* begins;        // most_parts + 1
  std::uint32_t* bins;
  T* values;
};

// The lanes of a warp whose item belongs to the same part as this lane's. Called by all lanes. It has
// no loop over the parts that occur, so the cost does not depend on how many items meet in one part.
__device__ __forceinline__ unsigned lanes_of_part(std::uint32_t part, bool active) {
  unsigned same = __ballot_sync(every_lane, active);
#pragma unroll
  for (int bit = 1; bit < most_parts; bit *= 2) {
    const bool mine = (part & static_cast<unsigned>(bit)) != 0;
    const unsigned set = __ballot_sync(every_lane, mine);
    same &= mine ? set : ~set;
  }
  return same;
}

// Counts the items of each part, and reports indices that are not those of a bin. `counts` must be 0.
template <class Index, class T>
__global__ void __launch_bounds__(by_index_threads)
    count_parts(const __grid_constant__ ByIndexCall<Index, T> call, const __grid_constant__ SortedItems<T> sorted) {
  __shared__ unsigned counted[most_parts];
  if (threadIdx.x < most_parts) counted[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 4
  for (std::int64_t first = std::int64_t{blockIdx.x} * by_index_threads; first < call.items; first += step) {
    const std::int64_t i = first + threadIdx.x;
    const Index index = i < call.items ? __ldcs(call.indices + i) : Index{-1};
    const bool active = call.is_bin(index);
    if (!active && i < call.items && !call.skip_out_of_range)
      report(call.status, PrimitiveError::index_out_of_range, i);
    const std::uint32_t part = active ? static_cast<std::uint32_t>(index) >> sorted.shift : 0;
    const unsigned same = lanes_of_part(part, active);
    if (active && (same & ((1u << lane) - 1)) == 0) atomicAdd(counted + part, __popc(same));
  }
  __syncthreads();
  if (threadIdx.x < most_parts && counted[threadIdx.x] != 0)
    atomicAdd(sorted.counts + threadIdx.x, static_cast<unsigned long long>(counted[threadIdx.x]));
}

// Computes where parts begin. One block of most_parts threads.
template <class T>
__global__ void __launch_bounds__(most_parts) begin_parts(const __grid_constant__ SortedItems<T> sorted) {
  __shared__ unsigned long long counted[most_parts];
  counted[threadIdx.x] = sorted.counts[threadIdx.x];
  __syncthreads();
  unsigned long long begin = 0;
  for (unsigned p = 0; p < threadIdx.x; ++p) begin += counted[p];
  sorted.counts[threadIdx.x] = begin;
  sorted.begins[threadIdx.x] = static_cast<std::int64_t>(begin);
  if (threadIdx.x == most_parts - 1)
    sorted.begins[most_parts] = static_cast<std::int64_t>(begin + counted[threadIdx.x]);
}

// What a block of sort_items shares: the items of a tile, by part.
template <class T>
struct SortStore {
  T values[sorted_tile];
  std::uint32_t bins[sorted_tile];
  unsigned counted[most_parts];
  unsigned first[most_parts];  // in the tile
  std::int64_t to[most_parts];
  unsigned all;

  // Called by warp 0 when a tile is counted: finds where its parts lie in the tile, and where they go.
  __device__ __forceinline__ void place(unsigned long long* next) {
    const unsigned lane = threadIdx.x, one = counted[2 * lane], two = counted[2 * lane + 1];
    unsigned up_to = one + two;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const unsigned other = __shfl_up_sync(every_lane, up_to, distance);
      if (lane >= static_cast<unsigned>(distance)) up_to += other;
    }
    if (lane == 31) all = up_to;
    const unsigned begin[2] = {up_to - one - two, up_to - two};
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned part = 2 * lane + half, count = counted[part];
      first[part] = begin[half];
      if (count != 0)
        to[part] = static_cast<std::int64_t>(atomicAdd(next + part, static_cast<unsigned long long>(count))) -
                   static_cast<std::int64_t>(begin[half]);
    }
  }
};

template <class Index, class T>
__global__ void __launch_bounds__(by_index_threads, 3)
    sort_items(const __grid_constant__ ByIndexCall<Index, T> call, const __grid_constant__ SortedItems<T> sorted) {
  extern __shared__ __align__(16) unsigned char sort_bytes[];
  SortStore<T>& store = *reinterpret_cast<SortStore<T>*>(sort_bytes);
  const unsigned lane = threadIdx.x % 32;
  for (std::int64_t begin = std::int64_t{blockIdx.x} * sorted_tile; begin < call.items;
       begin += std::int64_t{gridDim.x} * sorted_tile) {
    if (threadIdx.x < most_parts) store.counted[threadIdx.x] = 0;
    Index index[sorted_at_once];
    T value[sorted_at_once];
#pragma unroll
    for (int k = 0; k < sorted_at_once; ++k) {
      const std::int64_t i = begin + k * by_index_threads + threadIdx.x;
      index[k] = i < call.items ? __ldcs(call.indices + i) : Index{-1};
      value[k] = i < call.items ? __ldcs(call.values + i) : T{0};
    }
    __syncthreads();
    unsigned rank[sorted_at_once];
#pragma unroll
    for (int k = 0; k < sorted_at_once; ++k) {
      const bool active = call.is_bin(index[k]);
      const std::uint32_t part = active ? static_cast<std::uint32_t>(index[k]) >> sorted.shift : 0;
      const unsigned same = lanes_of_part(part, active), below = same & ((1u << lane) - 1);
      unsigned before = 0;
      if (active && below == 0) before = atomicAdd(store.counted + part, __popc(same));
      before = __shfl_sync(every_lane, before, active ? __ffs(static_cast<int>(same)) - 1 : 0);
      rank[k] = before + __popc(below);
    }
    __syncthreads();
    if (threadIdx.x < 32) store.place(sorted.counts);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < sorted_at_once; ++k) {
      if (!call.is_bin(index[k])) continue;
      const auto bin = static_cast<std::uint32_t>(index[k]);
      const unsigned at = store.first[bin >> sorted.shift] + rank[k];
      store.bins[at] = bin;
      store.values[at] = value[k];
    }
    __syncthreads();
    for (unsigned at = threadIdx.x; at < store.all; at += by_index_threads) {
      const std::uint32_t bin = store.bins[at];
      const std::int64_t to = store.to[bin >> sorted.shift] + at;
      sorted.bins[to] = bin;
      sorted.values[to] = store.values[at];
    }
    __syncthreads();
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
