#pragma once

#include <cstdint>

#include "sampling/tokens/near/near_buckets_cuda.cuh"
#include "sampling/tokens/near/near_part_cuda.cuh"
#include "sampling/tokens/token_interval.h"

// Guesses from a sample of a row which logits are worth collecting. After a good guess the filters cut among few
// collected logits. Whether the guess was good is known once the row was read.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int near_bins = 256,
                     near_bins_of_two = 8;  // of the sample; the second is the number of bins per factor of 2

struct NearBound {
  float least;  // logits that reach this are collected
  bool all;     // all other logits are -infinity
  bool given_up;
};

// Called by all threads of a block. All blocks of a cluster get the same result.
template <class Shape, class S, bool masked>
class NearGuess {
 public:
  __device__ NearGuess(const TokenCall& call, const TokenFilter& filter)
      : call_(call), memory_(near_memory<Shape>()), filter_(filter) {}

  // The scale must be in memory after the next barrier. Takes two or three barriers, or none for short rows.
  __device__ __forceinline__ NearBound of(std::int64_t row) const {
    constexpr float lowest = -0x1.fffffep127f;
    if (call_.categories <= Shape::capacity) return {lowest, true, false};
    LogitLine<S> lines[loads];
    load_sample<Shape, S, masked>(call_, row, 0, 1, lines);
    float largest = -__builtin_inff();
    PAPILIO_UNROLL
    for (unsigned i = 0; i < loads * in_line; ++i) largest = fmaxf(largest, lines[i / in_line][i % in_line]);
    if (threadIdx.x < near_bins) memory_.buckets.counts[threadIdx.x] = 0;
    __syncwarp();
    const unsigned order = __reduce_max_sync(whole_warp, token_order(largest + 0.0f));
    if (lane_of_thread() == 0) memory_.largest_of_warp[warp_of_thread()] = order;
    __syncthreads();
    largest = logit_of_order(__reduce_max_sync(whole_warp, memory_.largest_of_warp[lane_of_thread() % Shape::warps]));
    const float bins = static_cast<float>(near_bins_of_two) * memory_.scale.high;
    PAPILIO_UNROLL
    for (unsigned i = 0; i < loads * in_line; ++i) {
      const int bin = __float2int_rz((largest - lines[i / in_line][i % in_line]) * bins);
      if (bin >= 0 && bin < near_bins) atomicAdd(&memory_.buckets.counts[bin], 1u);
    }
    __syncthreads();
    if (largest == __builtin_inff()) return {largest, false, false};
    if (largest == -__builtin_inff()) return {lowest, true, false};
    if (warp_of_thread() == 0) {
      const NearGuessed guess = guess_bins();
      if (lane_of_thread() == 0) memory_.guess = guess;
    }
    __syncthreads();
    const float least = largest - static_cast<float>(memory_.guess.bins) / bins;
    return least > lowest ? NearBound{least, false, memory_.guess.given_up} : NearBound{lowest, true, false};
  }

 private:
  static constexpr unsigned in_line = LogitLine<S>::size, loads = NearBatch<S>::lines;
  static constexpr int of_lane = near_bins / 32;

  // Computes how many bins to collect, from the largest logit of the sample on. Called by one warp.
  __device__ NearGuessed guess_bins() const {
    const unsigned first = of_lane * static_cast<unsigned>(lane_of_thread());
    unsigned counts[of_lane], count = 0;
    float masses[of_lane], mass = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < of_lane; ++n) {
      counts[n] = memory_.buckets.counts[first + n];
      masses[n] = static_cast<float>(counts[n]) *
                  exp2f(-(static_cast<float>(first + n) + 0.5f) / static_cast<float>(near_bins_of_two));
      count += counts[n];
      mass += masses[n];
    }
    const unsigned count_before = sum_to_lane(count) - count;
    const float mass_to = sum_to_lane(mass), mass_before = mass_to - mass, all = __shfl_sync(whole_warp, mass_to, 31);
    const float each = static_cast<float>(call_.categories) / Shape::sample;  // of the row, for one of the sample
    // The four largest logits of the sample count once, not as a sample: most samples would not contain them.
    float few = 0;
    count = count_before;
    PAPILIO_UNROLL
    for (int n = 0; n < of_lane; ++n) {
      few += count < 4 ? masses[n] : 0;
      count += counts[n];
    }
    few = sum_of_warp(few) * (1 - 1 / each);
    // At least 16 of the sample: so many of fewer logits of the row would be rare.
    const float wanted = fmaxf(2 * static_cast<float>(filter_.top_k) + 32, 16 * each);
    const float rest = 0.6f * (1 - filter_.top_p);
    int at_most = 0, by_count = 0, by_mass = 0;
    count = count_before, mass = mass_before;
    PAPILIO_UNROLL
    for (int n = 0; n < of_lane; ++n) {
      count += counts[n];
      mass += masses[n];
      const float in_row = static_cast<float>(count) * each;
      at_most += in_row <= static_cast<float>(Shape::aimed_at) ? 1 : 0;
      by_count += in_row < wanted ? 1 : 0;
      by_mass += count < 16 || all - mass > rest * fmaxf(0.0f, mass - few) ? 1 : 0;  // too few to judge
    }
    at_most = __reduce_add_sync(whole_warp, at_most);
    by_count = __reduce_add_sync(whole_warp, by_count) + 1;
    by_mass = __reduce_add_sync(whole_warp, by_mass) + 1;
    const bool counts_first = has_top_k(call_, filter_);
    int bins = near_bins;
    if (counts_first)
      bins = by_count;
    else if (filter_.top_p < 1)
      bins = by_mass;
    // For top_p after top_k all of the first k count, even those that are too light for min_p.
    const bool by_min_p = filter_.min_p > 0 && !(counts_first && filter_.top_p < 1);
    const int by_weight = by_min_p ? __float2int_rz(-log2f(filter_.min_p) * near_bins_of_two) + 2 : near_bins;
    const bool weight_is_enough = by_weight <= bins;
    const int taken = min(min(bins, by_weight), min(at_most, near_bins));
    const bool is_cut_beyond =
        weight_is_enough ? 2 * at_most < by_weight : is_hopeless(taken, counts, masses, all, each, counts_first);
    return {taken, at_most == 0 || is_cut_beyond};
  }

  // Whether the filters very probably keep more than these bins. Most samples lack the row's largest logits, so a row
  // is less flat than its sample; but few such rows are left for the larger blocks.
  __device__ bool is_hopeless(int taken, const unsigned (&counts)[of_lane], const float (&masses)[of_lane], float all,
                              float each, bool counts_first) const {
    unsigned count = 0;
    float mass = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < of_lane; ++n) {
      const bool is_taken = of_lane * lane_of_thread() + n < taken;
      count += is_taken ? counts[n] : 0;
      mass += is_taken ? masses[n] : 0;
    }
    count = __reduce_add_sync(whole_warp, count);
    mass = sum_of_warp(mass);
    if (counts_first) return static_cast<float>(count) * each < 1.1f * static_cast<float>(filter_.top_k);
    return filter_.top_p < 1 && mass < Shape::least_mass * filter_.top_p * all;
  }

  const TokenCall& call_;
  NearMemory<Shape>& memory_;
  TokenFilter filter_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
