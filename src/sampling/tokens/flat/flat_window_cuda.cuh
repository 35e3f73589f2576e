#pragma once

#include <cstdint>

#include "sampling/tokens/flat/flat_memory_cuda.cuh"

// Guesses from a sample between which logits top_p cuts, if the largest logit and the sum of all weights are known.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Bins of a sample, by the distance from the largest logit, and how many of them there are per factor of 2.
inline constexpr int flat_bins = 256, flat_bins_of_two = 8;

// Called by all threads of a block. All blocks of a cluster get the same result.
template <class Shape, class S, bool masked>
class FlatGuess {
 public:
  __device__ FlatGuess(const TokenCall& call, const FlatKnown& known, float top_p)
      : call_(call),
        memory_(near_memory<Shape>()),
        known_(known),
        cut_off_((1 - top_p) * known.mass),
        rounds_(2 * min(8u, max(2u, static_cast<unsigned>(call.categories) / (16 * in_round)))),
        each_(static_cast<float>(call.categories) / static_cast<float>(rounds_ * in_round)) {}

  // The window is in memory then. Has three barriers.
  __device__ __forceinline__ void find(std::int64_t row) const {
    unsigned(&counts)[Shape::buckets] = memory_.buckets.counts;
    if (threadIdx.x < flat_bins) counts[threadIdx.x] = 0;
    __syncthreads();
    const float bins = static_cast<float>(flat_bins_of_two) * memory_.scale.high;
    PAPILIO_UNROLL_NONE
    for (unsigned round = 0; round < rounds_; round += 2) {
      typename NearBatch<S>::Lines lines[2];
      PAPILIO_UNROLL
      for (unsigned n = 0; n < 2; ++n) load_sample<Shape, S, masked>(call_, row, round + n, rounds_, lines[n]);
      PAPILIO_UNROLL
      for (unsigned i = 0; i < 2 * NearBatch<S>::size; ++i) {
        const unsigned in_batch = i % NearBatch<S>::size;
        const float x = lines[i / NearBatch<S>::size][in_batch / in_line][in_batch % in_line];
        const int bin = __float2int_rz((known_.largest - x) * bins);
        if (bin >= 0 && bin < flat_bins) atomicAdd(&counts[bin], 1u);
      }
    }
    __syncthreads();
    if (warp_of_thread() == 0) {
      const FlatWindow window = window_of(bins);
      if (lane_of_thread() == 0) flat_memory<Shape>().window = window;
    }
    __syncthreads();
  }

 private:
  static constexpr unsigned in_line = LogitLine<S>::size, in_round = NearBatch<S>::size * Shape::threads;
  static constexpr int of_lane = flat_bins / 32;
  static constexpr float known_within = 0.003f;  // of itself, the sum of all weights

  // What is beyond the beginning of a bin: the sum of its weights, by the sample, and the variance of that.
  struct Beyond {
    float mass, variance;
  };

  // Called by one warp. Of the three windows the first that is not too large, by the sample, is taken.
  __device__ FlatWindow window_of(float bins) const {
    Beyond beyond[of_lane + 1];
    add_up(beyond);
    constexpr float margin = 1.0f / 32;  // of a bin: masses are not quite even within it
    PAPILIO_UNROLL_NONE
    for (float deviations = 4; deviations > 1.5f; deviations -= 1) {
      float upper = 4 * flat_bins, least = -1;  // distances from the largest, in bins
      PAPILIO_UNROLL
      for (int n = 0; n < of_lane; ++n) {
        const float bin = static_cast<float>(of_lane * lane_of_thread() + n);
        upper = fminf(upper, crossed(bin, beyond[n], beyond[n + 1], -deviations, 4 * flat_bins));
        least = fmaxf(least, crossed(bin, beyond[n], beyond[n + 1], deviations, -1));
      }
      upper = least_of_warp(upper) - margin;
      least = -least_of_warp(-least) + margin;
      if (least < 0) break;                        // the bins do not reach so far
      if (upper < 0 || upper > least) upper = -1;  // all may be cut off
      if (expected(upper, least) > 0.9f * flat_capacity<Shape>) continue;
      const bool is_long = expected(-1, least) > 0.25f * static_cast<float>(call_.categories);
      const float from = upper < 0 ? __builtin_inff() : known_.largest - upper / bins;
      const float to = known_.largest - least / bins;
      return {to, from, top_of(to, memory_.scale.high), has_tops(to, memory_.scale.high), is_long};
    }
    return {0, 0, 0, false, false};
  }

  // Where within a bin, from its beginning to that of the next, the mass beyond, moved by some standard deviations,
  // falls to what is cut off; `none` if it does not.
  __device__ __forceinline__ float crossed(float bin, const Beyond& from, const Beyond& to, float deviations,
                                           float none) const {
    const float before = from.mass + deviations * sqrtf(from.variance),
                behind = to.mass + deviations * sqrtf(to.variance);
    const float cut_off = deviations < 0 ? cut_off_ * (1 + known_within) : cut_off_ * (1 - known_within);
    if (!(before > cut_off && behind <= cut_off)) return none;
    return bin + (before - cut_off) / (before - behind);
  }

  __device__ void add_up(Beyond (&beyond)[of_lane + 1]) const {
    const unsigned first = of_lane * static_cast<unsigned>(lane_of_thread());
    Beyond mine = {0, 0};
    const float more = each_ * fmaxf(0.0f, each_ - 1);  // each^2, less what a sample of all would leave
    PAPILIO_UNROLL
    for (int n = of_lane - 1; n >= 0; --n) {
      const float weight = exp2f(-(static_cast<float>(first + n) + 0.5f) / static_cast<float>(flat_bins_of_two));
      const float sum = static_cast<float>(memory_.buckets.counts[first + n]) * weight;
      mine = {mine.mass + each_ * sum, mine.variance + more * sum * weight};
      beyond[n] = mine;
    }
    // Sums from the last lane on, so that small terms are added first.
    const Beyond behind = {sum_behind(mine.mass), sum_behind(mine.variance)};
    beyond[of_lane] = behind;
    PAPILIO_UNROLL
    for (int n = 0; n < of_lane; ++n) beyond[n] = {beyond[n].mass + behind.mass, beyond[n].variance + behind.variance};
  }
  // The sum over the lanes behind this one.
  static __device__ __forceinline__ float sum_behind(float x) {
    float to = x;
    PAPILIO_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
      const float other = __shfl_down_sync(whole_warp, to, static_cast<unsigned>(distance));
      if (lane_of_thread() + distance < 32) to += other;
    }
    const float behind = __shfl_down_sync(whole_warp, to, 1);
    return lane_of_thread() == 31 ? 0 : behind;
  }
  static __device__ __forceinline__ float least_of_warp(float x) {
    PAPILIO_UNROLL
    for (int distance = 16; distance > 0; distance /= 2) x = fminf(x, __shfl_xor_sync(whole_warp, x, distance));
    return x;
  }

  // How many logits of the row are between two distances.
  __device__ float expected(float upper, float least) const {
    float count = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < of_lane; ++n) {
      const int bin = of_lane * lane_of_thread() + n;
      const float from = fmaxf(upper, static_cast<float>(bin)), to = fminf(least, static_cast<float>(bin + 1));
      count += fmaxf(0.0f, to - from) * static_cast<float>(memory_.buckets.counts[bin]);
    }
    return sum_of_warp(count) * each_;
  }

  const TokenCall& call_;
  NearMemory<Shape>& memory_;
  FlatKnown known_;
  float cut_off_;    // the mass that top_p does not keep
  unsigned rounds_;  // of the sample, which is larger for a longer row: its window has as many logits
  float each_;       // logits of the row, for one of the sample
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
