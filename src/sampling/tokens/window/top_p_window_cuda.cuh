#pragma once

#include <cstdint>

#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_interval.h"
#include "sampling/tokens/weight_sums_cuda.cuh"

// Guesses from a sample of a row between which two logits top_p cuts. The largest logit and roughly the sum of all
// weights must be known.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Bins of the sample, by the distance from the largest logit, and how many of them there are per factor of 2.
inline constexpr int window_bins = 256, window_bins_of_two = 8;
// A window has four standard deviations on both sides of the cut, or three or two if it would have too many logits.
inline constexpr int most_window_deviations = 4, window_tries = 3;

// Counts a logit in its bin, if it has one. `bins`: window_bins_of_two times the scale's `high`.
__device__ __forceinline__ void count_in_window_bin(unsigned* counts, float largest, float x, float bins) {
  const int bin = __float2int_rz((largest - x) * bins);
  if (bin >= 0 && bin < window_bins) atomicAdd(&counts[bin], 1u);
}

// Logits from `upper` on are kept; those from `least` on may be.
struct TopPWindow {
  float least, upper;
  float top;  // of sums of powers of 2 of smaller logits
  bool is_good;
  bool is_long;  // a large part of the row reaches it
};

// What is beyond a logit: the sum of its weights, by the sample, and the variance of that.
struct WindowMass {
  float mass, variance;
};

struct WindowMemory {
  WindowMass of_warp[window_bins / 32];
  int upper[window_tries], least[window_tries];  // distances from the largest logit, in bins: floats, as integers
  TopPWindow tried[window_tries];
  bool is_too_large[window_tries];
};

class WindowGuess {
 public:
  // `each`: how many logits of the row are for one of the sample. `cut_off`: the mass that top_p does not keep, in
  // units of the weight of the largest logit, which has the scale's `high`. `most`: logits that a window may have.
  __device__ __forceinline__ WindowGuess(float each, float largest, float cut_off, float high, std::int64_t categories,
                                         float most)
      : each_(each),
        largest_(largest),
        cut_off_(cut_off),
        high_(high),
        categories_(static_cast<float>(categories)),
        most_(most) {}

  // Called by all threads of a block, at least one for each bin, after a barrier that ends the counting. Has three
  // barriers.
  __device__ __forceinline__ TopPWindow of(const unsigned* counts, WindowMemory& memory) const {
    // Sums from the last bin on, so that small terms are added first.
    const int bin = window_bins - 1 - static_cast<int>(threadIdx.x);
    WindowMass mine = {0, 0};
    if (bin >= 0) mine = mass_of(bin, counts[bin]);
    WindowMass from = {sum_to_lane(mine.mass), sum_to_lane(mine.variance)};
    if (bin >= 0 && lane_of_thread() == 31) memory.of_warp[warp_of_thread()] = from;
    if (threadIdx.x < window_tries) {
      memory.upper[threadIdx.x] = __float_as_int(4 * window_bins);
      memory.least[threadIdx.x] = __float_as_int(-1);
    }
    __syncthreads();
    if (bin >= 0) {
      PAPILIO_UNROLL
      for (int w = 0; w < window_bins / 32; ++w) {
        from.mass += w < warp_of_thread() ? memory.of_warp[w].mass : 0;
        from.variance += w < warp_of_thread() ? memory.of_warp[w].variance : 0;
      }
      find_crossings(bin, from, {from.mass - mine.mass, from.variance - mine.variance}, memory);
    }
    __syncthreads();
    const int n = warp_of_thread();
    if (n < window_tries) try_window(n, counts, memory);
    __syncthreads();
    int taken = 0;
    while (taken < window_tries - 1 && memory.is_too_large[taken]) ++taken;
    return memory.tried[taken];
  }

 private:
  static constexpr float known_within = 0.003f;  // of itself, the sum of all weights

  __device__ __forceinline__ WindowMass mass_of(int bin, unsigned count) const {
    const float weight = rough_power(-(static_cast<float>(bin) + 0.5f) / window_bins_of_two);
    const float sum = static_cast<float>(count) * weight;
    const float more = each_ * fmaxf(0.0f, each_ - 1);  // each^2, less what a sample of all would leave
    return {each_ * sum, more * sum * weight};
  }

  // Looks for the cut within a bin, from what is beyond its beginning and beyond its end.
  __device__ __forceinline__ void find_crossings(int bin, const WindowMass& from, const WindowMass& to,
                                                 WindowMemory& memory) const {
    const float deviation_from = rough_root(from.variance), deviation_to = rough_root(fmaxf(0.0f, to.variance));
    PAPILIO_UNROLL_NONE
    for (int n = 0; n < window_tries; ++n) {
      const auto deviations = static_cast<float>(most_window_deviations - n);
      const float more_from = deviations * deviation_from, more_to = deviations * deviation_to;
      const float upper = crossed(from.mass - more_from, to.mass - more_to, cut_off_ * (1 + known_within));
      const float least = crossed(from.mass + more_from, to.mass + more_to, cut_off_ * (1 - known_within));
      const auto begin = static_cast<float>(bin);
      if (upper >= 0) atomicMin(&memory.upper[n], __float_as_int(begin + upper));
      if (least >= 0) atomicMax(&memory.least[n], __float_as_int(begin + least));
    }
  }

  // Where within a bin the mass beyond falls to `cut_off`; -1 if it does not.
  static __device__ __forceinline__ float crossed(float from, float to, float cut_off) {
    return from > cut_off && to <= cut_off ? __fdividef(from - cut_off, from - to) : -1;
  }

  // Called by one warp.
  __device__ __forceinline__ void try_window(int n, const unsigned* counts, WindowMemory& memory) const {
    constexpr float margin = 1.0f / 32;  // of a bin: masses are not quite even within it
    const float bins = static_cast<float>(window_bins_of_two) * high_;
    float upper = __int_as_float(memory.upper[n]) - margin;
    const float least = __int_as_float(memory.least[n]) + margin;
    if (upper < 0 || upper > least) upper = -1;  // all may be cut off
    float in_window = 0, reach = 0;
    PAPILIO_UNROLL_NONE
    for (int bin = lane_of_thread(); bin < window_bins; bin += 32) {
      const auto from = static_cast<float>(bin), to = fminf(least, from + 1);
      const auto count = static_cast<float>(counts[bin]);
      in_window += fmaxf(0.0f, to - fmaxf(upper, from)) * count;
      reach += fmaxf(0.0f, to - from) * count;
    }
    in_window = sum_of_warp(in_window) * each_, reach = sum_of_warp(reach) * each_;
    if (lane_of_thread() != 0) return;
    const bool is_reached = least >= 0;  // by the bins
    memory.is_too_large[n] = is_reached && in_window > most_;
    const float to = largest_ - __fdividef(least, bins);
    memory.tried[n] = {to, upper < 0 ? __builtin_inff() : largest_ - __fdividef(upper, bins), top_of(to, high_),
                       is_reached && in_window <= most_ && has_tops(to, high_), reach > 0.25f * categories_};
  }

  static __device__ __forceinline__ float rough_root(float x) {
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
  }

  float each_, largest_, cut_off_, high_, categories_, most_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
