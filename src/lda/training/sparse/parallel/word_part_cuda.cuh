#pragma once

#include <cstdint>

#include "collective/block.cuh"
#include "collective/warp_scan.cuh"
#include "lda/training/sparse/parallel/entries_cuda.cuh"

// What a block keeps for the word that it draws, and how it searches it: phi of every topic, and running sums of the
// word part. Sums are integers, so the sum without a token's old topic is the sum with it minus what the topic takes.

namespace papilio::lda {

using cuda::collective::wait_for_the_others;

template <class Entry>
__device__ __forceinline__ std::uint32_t token_number(const SparseDraw<Entry>& draw, std::int64_t by_word) {
  const std::int32_t d = draw.document[by_word];
  if (d >= draw.listed_documents) return __ldg(draw.single_tokens + (d - draw.listed_documents));
  return draw.documents[d].first_token + draw.place[by_word];
}

// Where these are in a block's memory.
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
template <class Entry, int threads>
__device__ __forceinline__ void count_word(const SparseDraw<Entry>& draw, const SparseItem& item, WordRow& row) {
  const int thread = static_cast<int>(threadIdx.x);
  int* const counts = reinterpret_cast<int*>(row.phi);
  for (int k = 4 * thread; k < draw.masses.padded; k += 4 * threads) {
    *reinterpret_cast<int4*>(counts + k) = make_int4(0, 0, 0, 0);
  }
  wait_for_the_others<threads>();
  for (int t = thread; t < item.count; t += threads) {
    atomicAdd(counts + draw.z[token_number(draw, std::int64_t{item.first} + t)], 1);
  }
  wait_for_the_others<threads>();
}

// Computes phi of four neighbouring topics; returns what they add to the word part.
__device__ __forceinline__ std::uint64_t weigh_four(const PaddedTopicMasses& masses, int k, const int4& n, float* phi) {
  const auto beta = static_cast<float>(masses.beta);
  const float4 inverse = __ldg(reinterpret_cast<const float4*>(masses.inverse + k));
  *reinterpret_cast<float4*>(phi + k) =
      make_float4(sparse::phi_of_count(n.x, beta, inverse.x), sparse::phi_of_count(n.y, beta, inverse.y),
                  sparse::phi_of_count(n.z, beta, inverse.z), sparse::phi_of_count(n.w, beta, inverse.w));
  std::uint64_t sum = 0;
  if (n.x != 0) sum += masses.word_masses[k] * static_cast<std::uint64_t>(n.x);
  if (n.y != 0) sum += masses.word_masses[k + 1] * static_cast<std::uint64_t>(n.y);
  if (n.z != 0) sum += masses.word_masses[k + 2] * static_cast<std::uint64_t>(n.z);
  if (n.w != 0) sum += masses.word_masses[k + 3] * static_cast<std::uint64_t>(n.w);
  return sum;
}

// Turns counts, those in `frequent` or in the row itself, into phi and the running sums. Each warp has a
// part of the topics, 128 at a time.
template <int threads>
__device__ __forceinline__ void weigh_word(const PaddedTopicMasses& masses, const std::int32_t* frequent,
                                           WordRow& row) {
  using cuda::collective::all_threads;
  constexpr int warps = threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int part = (masses.padded / row_multiple + warps - 1) / warps * row_multiple;
  const int begin = warp * part, end = min(begin + part, masses.padded);
  const std::int32_t* const counts = frequent != nullptr ? frequent : reinterpret_cast<const std::int32_t*>(row.phi);
  std::uint64_t before = 0;
  for (int k = begin + 4 * lane; k < end; k += row_multiple) {
    const int4 n = *reinterpret_cast<const int4*>(counts + k);
    std::uint64_t sum = weigh_four(masses, k, n, row.phi);
    if (__any_sync(all_threads, sum != 0)) {
      sum = cuda::collective::warp_scan(sum) + before;
      before = __shfl_sync(all_threads, sum, 31);
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
  wait_for_the_others<threads>();
}

// The word of an item, mostly in shared memory.
struct WordOfItem {
  const PaddedTopicMasses& masses;
  const float* row;            // phi: padded
  const std::uint64_t* ends;   // running sums of the word part at the end of each chunk
  const std::int32_t* counts;  // n_wk if the word is frequent; if null, counts are recovered from phi
  std::uint64_t mass;          // of the word part: the last of `ends`

  __device__ __forceinline__ float phi(std::int32_t k) const { return row[k] * masses.unscale; }
  __device__ __forceinline__ float scaled_phi(std::uint32_t place) const {
    return *reinterpret_cast<const float*>(reinterpret_cast<const char*>(row) + place);
  }

  // phi is fl(fl(n + beta) inverse). The roundings there and below change n by less than 1/2, for n up to 2^20. A topic
  // without tokens gives 0 / 0, whose conversion to an integer is 0.
  __device__ __forceinline__ std::int32_t count(std::int32_t k) const {
    if (counts != nullptr) return __ldg(counts + k);
    return __float2int_rn(__fdividef(row[k], __ldg(masses.inverse + k)) - static_cast<float>(masses.beta));
  }

  // The counts of four neighbouring topics.
  __device__ __forceinline__ int4 four_counts(std::int32_t k) const {
    if (counts != nullptr) return __ldg(reinterpret_cast<const int4*>(counts + k));
    const auto beta = static_cast<float>(masses.beta);
    const float4 phi_of = *reinterpret_cast<const float4*>(row + k);
    const float4 inverse = __ldg(reinterpret_cast<const float4*>(masses.inverse + k));
    return make_int4(
        __float2int_rn(__fdividef(phi_of.x, inverse.x) - beta), __float2int_rn(__fdividef(phi_of.y, inverse.y) - beta),
        __float2int_rn(__fdividef(phi_of.z, inverse.z) - beta), __float2int_rn(__fdividef(phi_of.w, inverse.w) - beta));
  }

  // The first topic other than `without` (-1: none) whose running sum of the word part, minus what `without` takes from
  // it (`taken`), exceeds x; there is one.
  __device__ __forceinline__ std::int32_t find(std::uint64_t x, std::int32_t without, std::uint64_t taken) const {
    // Beyond the chunks before that of `without`, its share is skipped.
    const int shifted = without / chunk_topics;
    if (x >= (shifted > 0 ? ends[shifted - 1] : 0)) x += taken;
    int chunk = 0;  // all earlier chunks end at x or before
    for (int left = masses.padded / chunk_topics; left > 1;) {
      const int half = left / 2;
      if (ends[chunk + half - 1] <= x) chunk += half;
      left -= half;
    }
    std::uint64_t sum = chunk > 0 ? ends[chunk - 1] : 0;
    if (chunk == shifted) x -= taken;
    std::int32_t found = chunk * chunk_topics;
#pragma unroll 1
    for (int k = chunk * chunk_topics; k < (chunk + 1) * chunk_topics; k += 4) {
      const int4 n = four_counts(k);
      const ulonglong2 a = __ldg(reinterpret_cast<const ulonglong2*>(masses.word_masses + k));
      const ulonglong2 b = __ldg(reinterpret_cast<const ulonglong2*>(masses.word_masses + k) + 1);
      const auto pass = [&](int i, std::int32_t count, std::uint64_t mass) {
        if (k + i != without) sum += mass * static_cast<std::uint64_t>(static_cast<std::uint32_t>(count));
        found += sum > x ? 0 : 1;
      };
      pass(0, n.x, a.x), pass(1, n.y, a.y), pass(2, n.z, b.x), pass(3, n.w, b.y);
    }
    return found;
  }
};

// The first topic whose running sum of the prior part, minus what `without` takes, exceeds x; there is one.
__device__ __forceinline__ std::int32_t find_in_prior(const sparse::TopicMasses& masses, std::uint64_t x,
                                                      std::int32_t without, std::uint64_t taken) {
  std::int32_t found = 0, left = masses.topics;
  while (left > 0) {
    const std::int32_t half = left / 2, k = found + half;
    if (masses.prior_sums[k] - (k >= without ? taken : 0) > x) {
      left = half;
    } else {
      found += half + 1;
      left -= half + 1;
    }
  }
  return found;
}

}  // namespace papilio::lda
