#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/packing_cuda.cuh"

// What a block keeps of the word that it draws: phi of every topic, and running sums of the word part.

namespace papilio::lda {

template <int threads>
__device__ __forceinline__ void wait_for_the_block() {
  if constexpr (threads == 32)
    __syncwarp();
  else
    __syncthreads();
}

template <class Packing>
__device__ __forceinline__ std::uint32_t token_number(const SparseDraw<Packing>& draw, std::int64_t by_word) {
  return draw.documents[draw.document[by_word]].first_token + draw.place[by_word];
}

// The places of a block's memory.
struct WordRow {
  float* phi;            // padded; counts first
  std::uint64_t* ends;   // padded / chunk_topics
  std::uint64_t* warps;  // 16

  __device__ WordRow(void* memory, std::int32_t padded)
      : phi(static_cast<float*>(memory)),
        ends(reinterpret_cast<std::uint64_t*>(phi + padded)),
        warps(ends + padded / chunk_topics) {}
};

// Counts the topics of an item that has all tokens of its word.
template <class Packing, int threads>
__device__ __forceinline__ void count_word(const SparseDraw<Packing>& draw, const SparseItem& item, WordRow& row) {
  const int thread = static_cast<int>(threadIdx.x);
  int* const counts = reinterpret_cast<int*>(row.phi);
  for (int k = 4 * thread; k < draw.topics.padded; k += 4 * threads) {
    *reinterpret_cast<int4*>(counts + k) = make_int4(0, 0, 0, 0);
  }
  wait_for_the_block<threads>();
  for (int t = thread; t < item.count; t += threads) {
    atomicAdd(counts + draw.z[token_number(draw, std::int64_t{item.first} + t)], 1);
  }
  wait_for_the_block<threads>();
}

// phi of four neighbouring topics; returns what they add to the word part.
__device__ __forceinline__ std::uint64_t weigh_four(const SparseTopics& topics, int k, const int4& n, float* phi) {
  const auto beta = static_cast<float>(topics.beta);
  const float4 inverse = __ldg(reinterpret_cast<const float4*>(topics.inverse + k));
  *reinterpret_cast<float4*>(phi + k) =
      make_float4((static_cast<float>(n.x) + beta) * inverse.x, (static_cast<float>(n.y) + beta) * inverse.y,
                  (static_cast<float>(n.z) + beta) * inverse.z, (static_cast<float>(n.w) + beta) * inverse.w);
  std::uint64_t sum = 0;
  if (n.x != 0) sum += topics.unit[k] * static_cast<std::uint64_t>(n.x);
  if (n.y != 0) sum += topics.unit[k + 1] * static_cast<std::uint64_t>(n.y);
  if (n.z != 0) sum += topics.unit[k + 2] * static_cast<std::uint64_t>(n.z);
  if (n.w != 0) sum += topics.unit[k + 3] * static_cast<std::uint64_t>(n.w);
  return sum;
}

// Turns counts, of `frequent` or of the row itself, into phi and the running sums. Each warp
// has a part of the topics, 128 at a time.
template <int threads>
__device__ __forceinline__ void weigh_word(const SparseTopics& topics, const std::int32_t* frequent, WordRow& row) {
  constexpr int warps = threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int part = (topics.padded / row_multiple + warps - 1) / warps * row_multiple;
  const int begin = warp * part, end = min(begin + part, topics.padded);
  const std::int32_t* const counts = frequent != nullptr ? frequent : reinterpret_cast<const std::int32_t*>(row.phi);
  std::uint64_t before = 0;
  for (int k = begin + 4 * lane; k < end; k += row_multiple) {
    const int4 n = *reinterpret_cast<const int4*>(counts + k);
    std::uint64_t sum = weigh_four(topics, k, n, row.phi);
    if (__any_sync(0xFFFF'FFFFu, sum != 0)) {
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const std::uint64_t other = __shfl_up_sync(0xFFFF'FFFFu, static_cast<unsigned long long>(sum), distance);
        if (lane >= distance) sum += other;
      }
      sum += before;
      before = __shfl_sync(0xFFFF'FFFFu, static_cast<unsigned long long>(sum), 31);
    } else {
      sum = before;
    }
    if (k % chunk_topics == chunk_topics - 4) row.ends[k / chunk_topics] = sum;
  }
  if constexpr (warps > 1) {
    if (lane == 0) row.warps[warp] = before;
    __syncthreads();
    std::uint64_t earlier = 0;
    for (int w = 0; w < warp; ++w) earlier += row.warps[w];
    for (int c = begin / chunk_topics + lane; c < end / chunk_topics; c += 32) row.ends[c] += earlier;
  }
  wait_for_the_block<threads>();
}

}  // namespace papilio::lda
