#pragma once

#include <cstdint>

#include "collective/partial_sums/slots.h"
#include "collective/warp_scan.cuh"

// The tree over lane sums on a GPU, where a lane is a thread; the same sums and
// the same walk as lane_tree.h.

namespace papilio::inline PAPILIO_TARGET::collective {

// Goes to the left child if the rest of the target is below its sum, else to
// the right one after subtracting that sum. Returns whether it went right.
template <class T>
__device__ __forceinline__ bool descend(double& rest, T left_sum) {
  const double left = left_sum;
  const bool right = !(rest < left);
  if (right) rest -= left;
  return right;
}

__host__ __device__ constexpr int log2_of(int x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

// The trees of T rows over G neighbouring threads of a warp, by one butterfly.
//
// In:  sums[q] in thread l of the group: the sum of logical lane l of row q.
// Out: the G / T threads that begin at t G / T hold row t: its total, and for each
//      level of the tree the sums of the left children.
//
// First the butterfly: in each of log2(T) steps a thread keeps half of its rows
// and sends the sums of the others to its partner, T - 1 exchanges in all. Then
// each row is spread over G / T neighbouring threads, and the remaining levels
// are a plain reduction among them. G and T are powers of two, T <= G <= 32.
// Source: the butterfly of Steele and Tristan, ACM TOPC 6(4):22, 2019,
// section 3, here over the lane sums of T rows instead of over blocks of 32.
template <int G, int T, class V>
class RowTree {
 public:
  static constexpr int threads_per_row = G / T;

  __device__ __forceinline__ explicit RowTree(V (&sums)[T]) {
    const int lane = static_cast<int>(threadIdx.x) % G;
#pragma unroll
    for (int level = 0; level < shared_levels; ++level) {
      const int distance = G >> (level + 1), half = T >> (level + 1);
      const bool upper = (lane & distance) != 0;
#pragma unroll
      for (int q = 0; q < T / 2; ++q) {
        if (q >= half) continue;
        const V kept = upper ? sums[q + half] : sums[q];
        const V sent = upper ? sums[q] : sums[q + half];
        const V got = __shfl_xor_sync(all_threads, sent, distance);
        shared_[level][q] = upper ? got : kept;
        sums[q] = kept + got;
      }
    }
    V sum = sums[0];
#pragma unroll
    for (int level = shared_levels; level < levels; ++level) {
      const int distance = G >> (level + 1);
      const V got = __shfl_xor_sync(all_threads, sum, distance);
      own_[level] = (lane & distance) != 0 ? got : sum;
      sum = sum + got;
    }
    total_ = sum;
  }

  // The sum of this thread's row.
  __device__ __forceinline__ V total() const { return total_; }

  // Walks down the tree of this thread's row. Returns the logical lane; `rest`
  // becomes what is left inside it. All threads of the warp call it.
  __device__ __forceinline__ int find(double& rest) const {
    const int lane = static_cast<int>(threadIdx.x) % G;
    int node = 0;
#pragma unroll
    for (int level = levels - 1; level >= 0; --level) {
      const int distance = G >> (level + 1);
      V left;
      if (level >= shared_levels) {
        left = level == levels - 1 ? own_[level]
                                   : __shfl_sync(all_threads, own_[level], (lane & ~(threads_per_row - 1)) | node, G);
      } else {
        const int half = T >> (level + 1), from = (lane & ~(distance - 1)) | node;
        left = level == levels - 1 ? shared_[level][0] : __shfl_sync(all_threads, shared_[level][0], from, G);
#pragma unroll
        for (int q = 1; q < T / 2; ++q) {
          if (q >= half) continue;
          const V other = __shfl_sync(all_threads, shared_[level][q], from, G);
          if ((lane / threads_per_row & (half - 1)) == q) left = other;
        }
      }
      if (descend(rest, left)) node |= distance;
    }
    return node;
  }

 private:
  static constexpr int levels = log2_of(G);
  static constexpr int shared_levels = log2_of(T);

  V shared_[shared_levels > 0 ? shared_levels : 1][T > 1 ? T / 2 : 1];
  V own_[levels > 0 ? levels : 1];
  V total_;
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
