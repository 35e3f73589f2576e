#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/packing_cuda.cuh"

// Searches of the word part and the smoothing part, by one thread. Sums are integers, so that those
// without a token's old topic are those with it less what the topic takes.

namespace papilio::lda {

// The word of an item, in shared memory for the most part.
template <class Packing>
struct SparseWord {
  const SparseTopics& topics;
  const float* phi;            // padded
  const std::uint64_t* ends;   // running sums of the word part at the end of each chunk
  const std::int32_t* counts;  // n_wk where the word is frequent; null: they are recovered from phi
  std::uint64_t mass;          // Q_w, the last of `ends`

  // phi is fl(fl(n + beta) inverse): this and what follows here is some roundings, which move n by less than
  // 1/2 up to 2^20. A topic without tokens gives 0 / 0, whose integer is 0.
  __device__ __forceinline__ std::int32_t count(std::int32_t k) const {
    if (counts != nullptr) return __ldg(counts + k);
    return __float2int_rn(__fdividef(phi[k], __ldg(topics.inverse + k)) - static_cast<float>(topics.beta));
  }

  // The first topic but `without` (-1: none is left out) whose running sum of the word part, less the latter's
  // `taken`, exceeds x; there is one.
  __device__ __forceinline__ std::int32_t find(std::uint64_t x, std::int32_t without, std::uint64_t taken) const {
    const int shifted = without / chunk_topics;  // the first chunk whose end has `taken` in it
    const auto end_of = [&](int chunk) { return ends[chunk] - (chunk >= shifted ? taken : 0); };
    int chunk = 0;  // so many chunks end at x or before
    int left = topics.padded / chunk_topics;
    while (left > 0) {
      const int half = left / 2;
      if (end_of(chunk + half) > x) {
        left = half;
      } else {
        chunk += half + 1;
        left -= half + 1;
      }
    }
    std::uint64_t sum = chunk > 0 ? end_of(chunk - 1) : 0;
    const int first = chunk * chunk_topics;
#pragma unroll 1
    for (int k = first; k < first + chunk_topics; ++k) {
      const std::int32_t n = count(k);
      if (n == 0 || k == without) continue;
      sum += topics.unit[k] * static_cast<std::uint64_t>(n);
      if (sum > x) return k;
    }
    return first;  // never: the chunk's end exceeds x
  }
};

// The first topic whose running sum of the smoothing part, less what `without` has taken, exceeds x; there is one.
__device__ __forceinline__ std::int32_t find_in_smoothing(const SparseTopics& topics, std::uint64_t x,
                                                          std::int32_t without, std::uint64_t taken) {
  std::int32_t found = 0, left = topics.topics;
  while (left > 0) {
    const std::int32_t half = left / 2, k = found + half;
    if (topics.smoothing[k] - (k >= without ? taken : 0) > x) {
      left = half;
    } else {
      found += half + 1;
      left -= half + 1;
    }
  }
  return found;
}

// A real number of units as an integer below `mass`, which is positive.
__device__ __forceinline__ std::uint64_t unit_below(double units, std::uint64_t mass) {
  if (!(units < static_cast<double>(mass))) return mass - 1;
  const std::uint64_t x = __double2ull_rz(units);
  return x < mass - 1 ? x : mass - 1;
}

}  // namespace papilio::lda
