#pragma once

#include <cstdint>

#include "sampling/tokens/token_interval.h"
#include "sampling/tokens/top_p/top_p_part_cuda.cuh"

// What the blocks that draw by top_p have in their shared memory besides the list.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int top_p_bins = 256;
inline constexpr int top_p_keys = 512;      // of the bin of the cut, from all blocks
inline constexpr int top_p_rounds = 9;      // of histograms
inline constexpr int top_p_most_depth = 2;  // how often a bin may be divided

template <class Shape>
struct TopPMemory {
  static constexpr int threads = Shape::threads, warps = Shape::warps;

  // From other blocks. Each barrier is used once.
  std::uint64_t largest_arrived, bins_arrived[top_p_rounds], keys_arrived[top_p_rounds];
  std::uint64_t bins_of[most_blocks][top_p_bins];
  std::uint64_t rests[most_blocks], above_of[most_blocks], listed_of[most_blocks];
  std::uint64_t keys_of[top_p_keys], counts_of[most_blocks];
  alignas(16) unsigned orders[most_blocks * warps];
  ClusterExchange<2> kept;  // the sum and the number of what a block keeps

  unsigned low_bins[top_p_bins], high_bins[top_p_bins];  // halves of 64-bit sums
  alignas(8) unsigned buckets[threads][2];  // such halves, of what is kept of adjacent entries, or segments
  unsigned counts[threads];                 // how many
  std::uint64_t keys[top_p_keys / 2];       // of this block, in the bin of the cut
  union {
    // Of each thread, until there are keys: roughly the sum of the powers of logits that reach the list's bound.
    float nears[threads];
    struct alignas(16) {
      std::uint64_t key, weight;
    } cut[top_p_keys];  // of all blocks
  };
  std::uint64_t scratch[warps];
  alignas(8) unsigned kept_of[most_blocks][2];  // of each block, what comes before the cut
  // Of this block. A sum: roughly (a double) of what is not listed, or, with a sample, of all; exactly of all but what
  // is above the window. Of what is above it: the sum and the number.
  std::uint64_t rest_of_block, above_of_block;
  unsigned count_above;
  unsigned listed, found;           // logits in the list, or in the sample; keys in the bin of the cut
  int bin, path[top_p_most_depth];  // where the cut is; the bins that were divided
  std::uint64_t wanted;             // what top_p asks for of the last of these
  std::uint64_t before, cut_key, cut_sum;
  RoughBounds rest;     // of all blocks
  std::uint64_t above;  // of all blocks: the sum from the window's upper end on
  double mass;          // the sum of all powers, roughly
  TopPWindow window;
  WindowMemory guess;
  unsigned bucket;  // that has the token
  TokenScale scale;
  std::uint64_t least_weight, number;  // of the draw
  double log_total;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // By one thread.
  __device__ __forceinline__ void init() {
    listed = 0;
    above = above_of_block = 0;
    expect(&largest_arrived, static_cast<unsigned>(cluster::size()) * warps * 4);
    kept.init(cluster::size());
    init_round(0);
  }
  __device__ __forceinline__ void init_round(int round) {
    const auto blocks = static_cast<unsigned>(cluster::size());
    expect(&bins_arrived[round], blocks * (top_p_bins + 3) * 8);
    expect(&keys_arrived[round], (top_p_keys + blocks) * 8);
    arrival::init_done();
  }

 private:
  static __device__ __forceinline__ void expect(std::uint64_t* arrived, unsigned bytes) {
    arrival::init(arrived);
    arrival::expect(arrived, bytes);
  }
#endif
};

// A sum over the blocks of a cluster. All terms are read at once, also those of blocks that do not exist.
template <class F>
__device__ __forceinline__ std::uint64_t sum_of_blocks(const F& of) {
  const int blocks = cluster::size();
  std::uint64_t sum = 0;
  PAPILIO_UNROLL
  for (int block = 0; block < most_blocks; ++block) {
    const std::uint64_t mine = of(block);
    sum += block < blocks ? mine : 0;
  }
  return sum;
}

// The sum over a block, for all of its threads. Has two barriers.
template <int warps, class T>
__device__ __forceinline__ T sum_of_block(T mine, std::uint64_t* scratch) {
  mine = sum_of_warp(mine);
  if (lane_of_thread() == 0) scratch[warp_of_thread()] = __builtin_bit_cast(std::uint64_t, mine);
  __syncthreads();
  const T of_warp = __builtin_bit_cast(T, scratch[lane_of_thread() % warps]);
  mine = sum_of_warp(lane_of_thread() < warps ? of_warp : T(0));
  __syncthreads();
  return mine;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
