#pragma once

#include <cstdint>

#include "sampling/tokens/flat/flat_memory_cuda.cuh"

// Guesses from a sample between which logits top_p cuts, if the largest logit and the sum of all weights are known.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Called by all threads of a block. All blocks of a cluster get the same result.
template <class Shape, class S, bool masked>
class FlatGuess {
 public:
  __device__ FlatGuess(const TokenCall& call, const FlatKnown& known, float top_p)
      : call_(call),
        memory_(near_memory<Shape>()),
        known_(known),
        cut_off_((1 - top_p) * known.mass),
        rounds_(2 * min(8u, max(2u, static_cast<unsigned>(call.categories) / (16 * in_round)))) {}

  // The window is in memory then. Has six barriers.
  __device__ __forceinline__ void find(std::int64_t row) const {
    unsigned(&counts)[Shape::buckets] = memory_.buckets.counts;
    if (threadIdx.x < window_bins) counts[threadIdx.x] = 0;
    __syncthreads();
    const float bins = static_cast<float>(window_bins_of_two) * memory_.scale.high;
    PAPILIO_UNROLL_NONE
    for (unsigned round = 0; round < rounds_; round += 2) {
      typename NearBatch<S>::Lines lines[2];
      PAPILIO_UNROLL
      for (unsigned n = 0; n < 2; ++n) load_sample<Shape, S, masked>(call_, row, round + n, rounds_, lines[n]);
      PAPILIO_UNROLL
      for (unsigned i = 0; i < 2 * NearBatch<S>::size; ++i) {
        const unsigned in_batch = i % NearBatch<S>::size;
        count_in_window_bin(counts, known_.largest,
                            lines[i / NearBatch<S>::size][in_batch / in_line][in_batch % in_line], bins);
      }
    }
    __syncthreads();
    FlatMemory& flat = flat_memory<Shape>();
    const float each = static_cast<float>(call_.categories) / static_cast<float>(rounds_ * in_round);
    const TopPWindow window =
        WindowGuess(each, known_.largest, cut_off_, memory_.scale.high, call_.categories, 0.9f * flat_capacity<Shape>)
            .of(counts, flat.guess);
    if (threadIdx.x == 0) flat.window = window;
    __syncthreads();
  }

 private:
  static constexpr unsigned in_line = LogitLine<S>::size, in_round = NearBatch<S>::size * Shape::threads;

  const TokenCall& call_;
  NearMemory<Shape>& memory_;
  FlatKnown known_;
  float cut_off_;    // the mass that top_p does not keep
  unsigned rounds_;  // of the sample, which is larger for a longer row: its window has as many logits
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
