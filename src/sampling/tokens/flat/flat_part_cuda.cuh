#pragma once

#include <cstdint>

#include "sampling/tokens/flat/flat_memory_cuda.cuh"
#include "sampling/tokens/near/near_part_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"

// The readings of a block's part of a flat row.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// What a thread has found of the largest logit and the sum of powers.
struct FlatMass {
  float largest;  // NaN if there is one
  double sum;     // of 2^(x high - top)
};

template <class Shape, class S, bool masked>
__device__ __forceinline__ FlatMass read_mass(const FlatReader<Shape, S, masked, false>& reader, float high,
                                              float top) {
  using Lines = typename NearBatch<S>::Lines;
  const NearPowers<S> powers = {high, top};
  FlatMass mass = {-__builtin_inff(), 0};
  unsigned most = LogitLine<S>::empty().words[0];
  reader.read(
      [&](const Lines& lines, unsigned, unsigned) {
        PAPILIO_UNROLL
        for (unsigned i = 0; i < NearBatch<S>::lines; ++i) most = greater_words(most, greatest_word(lines[i]), S());
        unsigned none = 0;
        mass.sum += powers.sum_below(__builtin_inff(), lines, none);
      },
      [&](float x, std::uint32_t) {
        mass.largest = x;
        mass.sum += static_cast<double>(powers.of(x));
      });
  mass.largest = greater_or_nan(mass.largest, largest_of_word(most, S()));
  return mass;
}

// Calls add(logit, weight) for a batch. By all threads of a warp.
template <class S, class Weights, class Add>
__device__ __forceinline__ void each_weight(const Weights& weights, const typename NearBatch<S>::Lines& lines,
                                            const Add& add) {
  PAPILIO_UNROLL
  for (unsigned i = 0; i < NearBatch<S>::lines; i += Weights::lines) {
    LogitLine<S> some[Weights::lines];
    PAPILIO_UNROLL
    for (unsigned n = 0; n < Weights::lines; ++n) some[n] = lines[i + n];
    weights.each(some, add);
  }
}
template <class S>
using FlatWeights = WeightSums<S, 8, true>;

// The second reading. Logits of the window are collected, and those from its upper end on are summed by segments. Other
// weights are summed as well: `exact`, where so many logits reach the window that all weights are computed together; or
// roughly, and those that reach the window one by one.
template <class Shape, class S, bool masked, bool exact>
class FlatPart {
 public:
  // The scale, with the largest logit, and the window are in shared memory, and stay there: with copies of them in
  // registers, others would be spilled to memory that is slow.
  __device__ __forceinline__ void read(const FlatReader<Shape, S, masked, exact>& reader,
                                       const FlatSegments<Shape>& segments) {
    const unsigned first_segment = segments.first_of(cluster::rank());
    reader.template read<true>(
        [&](const Lines& lines, unsigned first, unsigned batch) { take(lines, first, first_segment + batch); },
        [&](float x, std::uint32_t category) { take_edge(x, category, segments); });
  }

  std::uint64_t between = 0;  // exact sums of weights that are not in segments
  double rough = 0;           // the powers of the rest
  unsigned above = 0;         // how many logits reach the upper end of the window

 private:
  static constexpr unsigned size = NearBatch<S>::size, in_line = LogitLine<S>::size;
  using Lines = typename NearBatch<S>::Lines;

  static __device__ __forceinline__ const TokenScale& scale() { return near_memory<Shape>().scale; }
  static __device__ __forceinline__ const TopPWindow& window() { return flat_memory<Shape>().window; }
  static __device__ __forceinline__ NearPowers<S> powers() { return {scale().high, window().top}; }

  // Called by all threads of a warp.
  __device__ __forceinline__ void take(const Lines& lines, unsigned first, unsigned segment) {
    std::uint64_t of_kept = 0;
    unsigned reach = 0, kept = 0;
    if constexpr (exact) {
      of_kept = sum_all(lines, reach);
    } else {
      rough += powers().sum_below(window().least, lines, reach);
      const float upper = window().upper;
      PAPILIO_UNROLL
      for (unsigned i = 0; i < size; ++i) kept |= lines[i / in_line][i % in_line] >= upper ? 1u << i : 0u;
      asm volatile("" : "+r"(reach), "+r"(kept));
      above += static_cast<unsigned>(__popc(kept));
    }
    of_kept += collect(lines, reach, kept, first);
    add_to_segment(of_kept, segment);
    __syncwarp();
  }

  // Sums all weights. Returns the sum over those that are kept; `in_window` are the others from the window on.
  __device__ __forceinline__ std::uint64_t sum_all(const Lines& lines, unsigned& in_window) {
    const FlatWeights<S> weights(scale());
    const float least = window().least, upper = window().upper;
    double all = weights.none(), kept = all;
    unsigned bit = 1;
    each_weight<S>(weights, lines, [&](float x, double weight) {
      all = __dadd_rz(all, weight);
      const bool is_kept = x >= upper;
      kept = __dadd_rz(kept, is_kept ? weight : 0.0);
      above += is_kept ? 1 : 0;
      in_window |= !is_kept && x >= least ? bit : 0;
      bit *= 2;
    });
    const std::uint64_t of_kept = weights.units(kept);
    between += weights.units(all) - of_kept;
    return of_kept;
  }

  // Collects the logits of the window: those that `reach` it and are not `kept`. Unless that was done before, also sums
  // the weights of all that reach it, and returns the sum over those that are kept.
  __device__ __forceinline__ std::uint64_t collect(const Lines& lines, unsigned reach, unsigned kept, unsigned first) {
    const unsigned in_window = reach & ~kept;
    unsigned some = reach;
    if (some == 0) return 0;
    const NearLines<Shape, S> stored;
    stored.store(lines);
    const auto count = static_cast<unsigned>(__popc(in_window));
    unsigned place = count == 0 ? 0 : add_to_near_count<Shape>(count);
    const bool has_room = place + count <= flat_capacity<Shape>;
    std::uint64_t of_kept = 0;
    for (; some != 0; some &= some - 1) {
      const auto i = static_cast<unsigned>(__ffs(static_cast<int>(some))) - 1;
      const NearLogit logit = stored.at(i, first);
      const bool is_kept = !exact && (kept >> i & 1u) != 0;
      if constexpr (!exact) {
        const std::uint64_t weight = weight_of(logit.x, scale());
        of_kept += is_kept ? weight : 0;
        between += is_kept ? 0 : weight;
      }
      if (!is_kept && has_room) near_logits<Shape>()[place++] = logit;
    }
    return of_kept;
  }

  // Each thread's sum is at most 2^52.
  static __device__ __forceinline__ void add_to_segment(std::uint64_t sum, unsigned segment) {
    if (__any_sync(whole_warp, sum != 0) == 0) return;
    sum = sum_of_warp_by_halves(sum);
    if (lane_of_thread() == 0) add_halves(flat_memory<Shape>().segments[segment], sum);
  }

  __device__ __forceinline__ void take_edge(float x, std::uint32_t category, const FlatSegments<Shape>& segments) {
    if (!exact && !(x >= window().least)) {
      rough += static_cast<double>(powers().of(x));
      return;
    }
    const std::uint64_t weight = weight_of(x, scale());
    if (x >= window().upper) {
      ++above;
      return add_halves(flat_memory<Shape>().segments[segments.of(category)], weight);
    }
    between += weight;
    if (!(x >= window().least)) return;
    const unsigned place = add_to_near_count<Shape>(1);
    if (place < flat_capacity<Shape>) near_logits<Shape>()[place] = {x, category};
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
