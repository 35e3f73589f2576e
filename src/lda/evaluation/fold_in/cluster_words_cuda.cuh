#pragma once

#include <cstdint>

#include "lda/evaluation/fold_in/cluster_numbers_cuda.cuh"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"

// The words of a document that a cluster of blocks has, and what the warps of a block do with them.

namespace papilio::lda {

namespace cluster = sampling_kernel::cluster;

inline constexpr int words_of_warp = 32 / probability_lanes;

// Rows in shared memory, and theta, are in the order in which the eight lanes of a probability read them: two numbers
// of a lane side by side, then those of the next lane. They end with zeros.
__device__ __forceinline__ std::int32_t place_of(std::int32_t k) { return (k & ~15) + (k & 7) * 2 + (k >> 3 & 1); }
__device__ __forceinline__ std::int32_t topic_at(std::int32_t place) {
  return (place & ~15) + (place & 1) * 8 + (place >> 1 & 7);
}

// Folded topics take the place of theta, sixteen of sixteen. Threads read eight of them at a time, in pairs that are in
// different banks.
__device__ __forceinline__ std::int32_t folded_place_of(std::int32_t k) { return k ^ (k >> 4 & 3) << 1; }

struct FoldedInOrder {
  const double* folded;

  __device__ double at(std::int64_t k) const { return folded[folded_place_of(static_cast<std::int32_t>(k))]; }
  __device__ double2 pair(std::int64_t k, std::int64_t) const {
    return *reinterpret_cast<const double2*>(folded + folded_place_of(static_cast<std::int32_t>(k)));
  }
};

// The words of a document, dealt out to the blocks of a cluster.
struct ClusterWords {
  const double* phi;
  const std::int32_t* rows;
  std::int32_t topics, count;
  std::int32_t per_block, cached;

  __device__ __forceinline__ const double* row(std::int32_t i) const { return phi + std::int64_t{rows[i]} * topics; }
  __device__ __forceinline__ std::int32_t first(int block) const { return min(block * per_block, count); }
};

// A lane's sum and those of the others of its word.
__device__ __forceinline__ double sum_of_word(double sum) {
#pragma unroll
  for (int distance = 16; distance >= words_of_warp; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  return sum;
}

// FixedPhi::probability, by lanes `lane`, lane + 4, ... of a warp for the word of lane % 4.
__device__ __forceinline__ double probability_of_cached(const double* theta, const double* row, std::int32_t padded) {
  const int lane = static_cast<int>(threadIdx.x) % 32 / words_of_warp;
  const auto* const t = reinterpret_cast<const double2*>(theta) + lane;
  const auto* const r = reinterpret_cast<const double2*>(row) + lane;
  double sum = 0;
  const auto add = [&](const double2& a, const double2& b) {
    sum += a.x * b.x;
    sum += a.y * b.y;
  };
  double2 t0 = t[0], r0 = r[0], t1 = t[probability_lanes], r1 = r[probability_lanes];
#pragma unroll 4
  for (std::int32_t i = 2 * probability_lanes; i < padded / 2; i += 2 * probability_lanes) {
    const double2 t2 = t[i], r2 = r[i], t3 = t[i + probability_lanes], r3 = r[i + probability_lanes];
    add(t0, r0);
    add(t1, r1);
    t0 = t2, r0 = r2, t1 = t3, r1 = r3;
  }
  add(t0, r0);
  add(t1, r1);
  return sum_of_word(sum);
}

__device__ __forceinline__ double probability_of_row(const double* theta, const double* row, std::int32_t topics) {
  const int lane = static_cast<int>(threadIdx.x) % 32 / words_of_warp;
  double sum = 0;
#pragma unroll 16
  for (std::int32_t k = lane; k < topics; k += probability_lanes) sum += theta[place_of(k)] * row[k];
  return sum_of_word(sum);
}

// The same for words of a block, of which those of a warp may be in shared memory or not.
__device__ __forceinline__ double probability_of_own(const double* theta, const double* cache, std::int32_t stride,
                                                     std::int32_t padded, const ClusterWords& document,
                                                     std::int32_t first_word, std::int32_t own_words,
                                                     std::int32_t first) {
  const std::int32_t i = min(first + static_cast<std::int32_t>(threadIdx.x) % words_of_warp, own_words - 1);
  double p = 0;
  if (first < document.cached) {
    p = probability_of_cached(theta, cache + min(i, document.cached - 1) * stride, padded);
  }
  if (min(first + words_of_warp, own_words) > document.cached) {
    const double of_row = probability_of_row(theta, document.row(first_word + i), document.topics);
    if (i >= document.cached) p = of_row;
  }
  return p;
}

// Words beyond those in registers are read from the shared memory of the block that has them, or from phi.
template <int columns, int words>
__device__ __forceinline__ void fold_other_words(const ClusterWords& document, double* cache, std::int32_t stride,
                                                 const double* factors, const std::int32_t (&place)[columns],
                                                 double (&share)[columns]) {
  if (document.count <= words) return;
  constexpr int at_once = 8 / columns;
  int block = words / document.per_block;
  std::int32_t in_block = words % document.per_block;
  for (std::int32_t i = words; i < document.count; i += at_once) {
    double phi[at_once][columns];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const bool is_word = i + u < document.count, is_cached = is_word && in_block < document.cached;
      const double* const row = is_cached ? cluster::at(cache, block) + in_block * stride
                                          : document.row(is_word ? i + u : document.count - 1);
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        phi[u][c] = is_word && place[c] >= 0 ? row[is_cached ? place[c] : topic_at(place[c])] : 0;
      }
      if (++in_block == document.per_block) {
        in_block = 0;
        ++block;
      }
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const double factor = i + u < document.count ? factors[i + u] : 0;
#pragma unroll
      for (int c = 0; c < columns; ++c) share[c] += factor * phi[u][c];
    }
  }
}

// Folded topics become theta. A warp has sixteen that change places with one another.
__device__ __forceinline__ void normalise(double* theta, std::int32_t topics, std::int32_t padded, double total,
                                          double reciprocal) {
  constexpr int at_once = 8;
  const std::int32_t threads = static_cast<std::int32_t>(blockDim.x), thread = static_cast<std::int32_t>(threadIdx.x);
  for (std::int32_t first = thread; first < padded; first += threads * at_once) {
    double result[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::int32_t k = min(first + i * threads, padded - 1);
      const double theta_k = normalised(theta[folded_place_of(k)], total, reciprocal);
      result[i] = k < topics ? theta_k : 0;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::int32_t k = first + i * threads;
      if (k < padded) theta[place_of(k)] = result[i];
    }
  }
}

}  // namespace papilio::lda
