#pragma once

#include <cstdint>

#include "collective/warp_scan.cuh"
#include "lda/training/sparse/by_document/batch.h"

// The prior part of theta_collapsed's sparse draws, computed by 16 threads.

namespace papilio::lda {

// The masses alpha_k phi_wk of a thread's four neighbouring topics, as integers; 0 past the last topic.
struct PriorMasses {
  static constexpr int topics = 4;
  std::uint64_t mass[topics];

  __device__ __forceinline__ PriorMasses(const sparse::PriorPart& prior, const float* phi, std::int32_t first) {
#pragma unroll
    for (int i = 0; i < topics; ++i) {
      const std::int32_t k = first + i;
      mass[i] = k < prior.topics ? sparse::prior_mass(__ldg(prior.alpha + k), phi[i], prior.places) : 0;
    }
  }
  __device__ __forceinline__ std::uint64_t sum() const { return (mass[0] + mass[1]) + (mass[2] + mass[3]); }
};

using cuda::collective::all_threads;

// The inclusive sum over the threads of a group of 16.
__device__ __forceinline__ std::uint64_t sum_of_threads(std::uint64_t x) {
  return cuda::collective::warp_scan<sparse::topics_per_line>(x);
}

// One bit for each thread of the group.
__device__ __forceinline__ unsigned ballot_of_group(bool x) {
  return __ballot_sync(all_threads, x) >> (threadIdx.x & 16) & 0xFFFF;
}

// The first topic at which the running sum of a word's masses exceeds `sought`, which is below the total. All
// threads of a warp call it, for two words.
__device__ __forceinline__ std::int32_t find_in_prior(const sparse::PriorPart& prior, std::int32_t word,
                                                      std::uint64_t sought) {
  static_assert(sparse::topics_per_sum == PriorMasses::topics * sparse::topics_per_line);
  constexpr int lanes = sparse::topics_per_line;
  const int l = static_cast<int>(threadIdx.x) % lanes;
  const std::uint64_t* const sums = prior.sums + word * prior.sums_per_word;
  std::int32_t part = 0;
  for (std::int64_t i = 0; i < prior.sums_per_word - 1; i += lanes) {
    const bool is_below = i + l < prior.sums_per_word - 1 && __ldg(sums + i + l) <= sought;
    part += __popc(ballot_of_group(is_below));
  }
  const std::int32_t first = part * sparse::topics_per_sum + l * PriorMasses::topics;
  float phi[PriorMasses::topics] = {};
  if (first < prior.topics) {
    const float4 four = __ldg(reinterpret_cast<const float4*>(prior.phi + word * prior.stride + first));
    phi[0] = four.x, phi[1] = four.y, phi[2] = four.z, phi[3] = four.w;
  }
  const PriorMasses masses(prior, phi, first);
  const std::uint64_t before = part > 0 ? __ldg(sums + part - 1) : 0;
  std::uint64_t sum = before + sum_of_threads(masses.sum()) - masses.sum();
  std::int32_t at = -1;
#pragma unroll
  for (int i = 0; i < PriorMasses::topics; ++i) {
    sum += masses.mass[i];
    if (at < 0 && sum > sought) at = i;
  }
  const int thread = __ffs(static_cast<int>(ballot_of_group(at >= 0))) - 1;
  return __shfl_sync(all_threads, first + at, thread < 0 ? 0 : thread, lanes);
}

}  // namespace papilio::lda
