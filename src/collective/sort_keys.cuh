#pragma once

#include "warp/cuda_warp.cuh"

namespace papilio::inline PAPILIO_TARGET::collective {

// Sorts the 32 n keys of a warp, n a power of two: afterwards key i of
// thread l is number n l + i of all. Every thread of the warp takes part.
//
// A bitonic network: runs of `run` keys are merged, alternately ascending and descending. Within a merge, keys
// `distance` apart are compared and exchanged; if the distance is less than n, both are in the same thread.
// Source: Batcher, "Sorting networks and their applications", AFIPS 1968.
template <int n>
__device__ __forceinline__ void sort_keys(unsigned (&key)[n]) {
  constexpr unsigned size = n;
  const unsigned first = size * (threadIdx.x % 32);
#pragma unroll
  for (unsigned run = 2; run <= 32 * size; run *= 2) {
#pragma unroll
    for (unsigned distance = run / 2; distance >= size; distance /= 2) {
      const bool up = (first & run) == 0, low = (first & distance) == 0;
#pragma unroll
      for (unsigned i = 0; i < size; ++i) {
        const unsigned other = __shfl_xor_sync(warp::all_threads, key[i], static_cast<int>(distance / size));
        key[i] = up == low ? min(key[i], other) : max(key[i], other);
      }
    }
    if constexpr (n > 1) {
#pragma unroll
      for (unsigned distance = run / 2 < size / 2 ? run / 2 : size / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (unsigned i = 0; i < size; ++i) {
          if ((i & distance) != 0) continue;
          const bool up = ((first + i) & run) == 0;
          const unsigned a = key[i], b = key[i + distance];
          key[i] = up ? min(a, b) : max(a, b);
          key[i + distance] = up ? max(a, b) : min(a, b);
        }
      }
    }
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
