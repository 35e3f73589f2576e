#pragma once

#include "warp/cuda_warp.cuh"

// Sums and running sums over the threads of a warp, or over each group of `width` neighbours in it; `width` is a power
// of two. Every thread of the warp takes part.

namespace papilio::inline PAPILIO_TARGET::collective {

using warp::all_threads;

// The sum over the group, in each of its threads: pairs `width` / 2 apart first.
template <int width = 32, class T>
__device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2) {
    x = x + __shfl_xor_sync(all_threads, x, distance, width);
  }
  return x;
}

// The sum over the threads of the group up to this one. T: integers, or numbers whose sums are exact in any order.
template <int width = 32, class T>
__device__ __forceinline__ T warp_scan(T x) {
  const int thread = static_cast<int>(threadIdx.x) % width;
#pragma unroll
  for (int distance = 1; distance < width; distance *= 2) {
    const T before = __shfl_up_sync(all_threads, x, distance, width);
    if (thread >= distance) x = x + before;
  }
  return x;
}

// The same for floating-point numbers >= 0, in the order of Sklansky, by halves. No sum is below
// that of the thread before, and the two are equal if this thread's own number is 0. Source:
// Sklansky, "Conditional-sum addition logic", IRE Transactions on Electronic Computers EC-9, 1960.
template <int width = 32, class T>
__device__ __forceinline__ T warp_scan_by_halves(T x) {
  const int thread = static_cast<int>(threadIdx.x) % width;
#pragma unroll
  for (int half = 1; half < width; half *= 2) {
    const T before = __shfl_sync(all_threads, x, (thread & ~(2 * half - 1)) + half - 1, width);
    if ((thread & half) != 0) x = x + before;
  }
  return x;
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
