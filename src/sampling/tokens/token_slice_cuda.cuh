#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_loads_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"
#include "warp/cuda_warp.cuh"

// A row's logits, read once and held by the blocks of a cluster, a part each: in shared memory or, if they do not
// fit there, in the call's workspace.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int slice_threads = 512;
inline constexpr int slice_warps = slice_threads / 32;
inline constexpr int slice_loads = 16;         // by a thread, at the same time
inline constexpr int slice_candidates = 1024;  // keys that one block can sort
inline constexpr int slice_bins = 256;

// The memory of one block. From `largest` on, the other blocks of its cluster may read it.
struct SliceMemory {
  std::uint64_t sums[slice_warps];
  unsigned counts[slice_warps];
  std::uint64_t warp_sums[slice_warps];
  unsigned warp_kept[slice_warps];
  Wide all_sums[slice_bins];
  unsigned all_counts[slice_bins];
  int bin;
  std::uint64_t before;
  std::uint64_t number;  // of the draw

  unsigned largest, least;           // logits as integers in the same order; 0 if there is none
  unsigned faults;                   // what is wrong with this part
  std::uint64_t part_sum, part_all;  // sums of kept weights, and of all
  std::uint64_t lowest_key, highest_key;
  unsigned part_kept;
  Wide bin_sums[slice_bins];  // for this part
  unsigned bin_counts[slice_bins];
  std::uint64_t keys[slice_candidates];  // for the whole row, in the first block
  std::uint64_t answer;
  int candidates;
  std::uint64_t token_key;  // in the block that has the token
  unsigned rank;
};

// Combines a word of all blocks; all threads of all blocks get the same result.
template <class T, class Join>
__device__ __forceinline__ T joined(T* mine, Join join) {
  T all = *cluster::at(mine, 0);
  for (int block = 1; block < cluster::size(); ++block) all = join(all, *cluster::at(mine, block));
  return all;
}

// The same if all threads of a warp ask for the same word: each lane reads one block's. The number of
// blocks of a cluster is a power of 2.
template <class T, class Join>
__device__ __forceinline__ T joined_by_warp(T* mine, Join join) {
  const int blocks = cluster::size();
  T all = *cluster::at(mine, lane_of_thread() & (blocks - 1));
  for (int distance = blocks / 2; distance > 0; distance /= 2)
    all = join(all, __shfl_xor_sync(whole_warp, all, distance));
  return all;
}

class TokenSlice {
 public:
  __device__ TokenSlice(const TokenCall& call, SliceMemory& memory, float* on_chip, std::int64_t row)
      : memory_(memory), begin_(min(call.categories, cluster::rank() * call.in_slice)) {
    count_ = min(call.categories - begin_, call.in_slice);
    values_ = call.staged == nullptr ? on_chip : call.staged + row * call.categories + begin_;
    aligned_ = reinterpret_cast<std::uintptr_t>(values_) % 16 == 0;
  }

  __device__ std::int64_t begin() const { return begin_; }
  __device__ std::int64_t count() const { return count_; }
  __device__ float logit(std::int64_t n) const { return values_[n]; }
  // The logits of four categories from n, a multiple of 4, on; loaded at once if aligned; -infinity past the part.
  __device__ __forceinline__ float4 four(unsigned n) const {
    if (aligned_ && n + 4 <= static_cast<unsigned>(count_)) return *reinterpret_cast<const float4*>(values_ + n);
    const auto one = [&](unsigned m) { return m < static_cast<unsigned>(count_) ? values_[m] : -__builtin_inff(); };
    return {one(n), one(n + 1), one(n + 2), one(n + 3)};
  }
  __device__ std::uint64_t key(std::int64_t n) const { return token_key(token_order(values_[n] + 0.0f), begin_ + n); }
  __device__ float largest() const { return logit_of_order(largest_); }
  __device__ float least() const { return logit_of_order(least_); }

  // Reads the part. Returns what is wrong with the row, if anything; the same in every block.
  template <class S>
  __device__ TokenStatus read(const TokenCall& call, std::int64_t row, const BiasOfRow& bias) {
    if (threadIdx.x == 0) {
      memory_.largest = 0;
      memory_.least = ~0u;
      memory_.faults = 0;
    }
    const LogitsOfRow<S> logits = logits_of_row<S>(call, row);
    const bool biased = bias.count > 0;
    if (!biased && call.allowed == nullptr && aligned_ && logits.four_are_aligned(begin_)) {
      read_fours(logits);
      __syncthreads();  // the words above are set before any warp combines its own with them
      return say_what_was_seen();
    }
    for (std::int64_t first = threadIdx.x; first < count_; first += slice_loads * slice_threads) {
      float x[slice_loads];
      PAPILIO_UNROLL
      for (int e = 0; e < slice_loads; ++e) {
        const std::int64_t n = first + e * slice_threads;
        x[e] = n < count_ ? logits.at(begin_ + n) : -__builtin_inff();
      }
      PAPILIO_UNROLL
      for (int e = 0; e < slice_loads; ++e) {
        const std::int64_t n = first + e * slice_threads;
        if (n < count_) values_[n] = biased ? x[e] : examined(call, row, n, x[e]);
      }
    }
    __syncthreads();
    if (biased) add(call, row, bias);
    return say_what_was_seen();
  }

  // The sum over the threads of all blocks.
  __device__ std::uint64_t sum_of_all(std::uint64_t mine) {
    std::uint64_t all;
    sum_to_thread<slice_threads>(mine, memory_.sums, all);
    if (threadIdx.x == 0) memory_.part_all = all;
    cluster::sync();
    all = joined_by_warp(&memory_.part_all, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    cluster::sync();
    return all;
  }

 private:
  // Reads four categories at a time, without mask or bias.
  template <class S>
  __device__ __forceinline__ void read_fours(const LogitsOfRow<S>& logits) {
    constexpr unsigned at_once = 8;
    const S* const from = logits.row + begin_;
    const auto fours = static_cast<unsigned>(count_ / 4);
    float high = -__builtin_inff(), low = __builtin_inff();
    for (unsigned first = threadIdx.x; first < fours; first += at_once * slice_threads) {
      float4 x[at_once];
      PAPILIO_UNROLL
      for (unsigned e = 0; e < at_once; ++e) {
        const unsigned n = first + e * slice_threads;
        if (n < fours) x[e] = four_logits(from + 4 * std::size_t{n});
      }
      PAPILIO_UNROLL
      for (unsigned e = 0; e < at_once; ++e) {
        const unsigned n = first + e * slice_threads;
        if (n >= fours) continue;
        reinterpret_cast<float4*>(values_)[n] = x[e];
        const float most = greater_or_nan(greater_or_nan(x[e].x, x[e].y), greater_or_nan(x[e].z, x[e].w));
        const float fewest = fminf(fminf(x[e].x, x[e].y), fminf(x[e].z, x[e].w));
        if (most < __builtin_inff() && fewest > -__builtin_inff()) {
          high = fmaxf(high, most);
          low = fminf(low, fewest);
        } else {
          see(x[e].x), see(x[e].y), see(x[e].z), see(x[e].w);
        }
      }
    }
    for (std::int64_t n = 4 * std::int64_t{fours} + threadIdx.x; n < count_; n += slice_threads)
      see(values_[n] = logit_of(from[n]));
    if (high > -__builtin_inff()) see(high), see(low);
  }

  // The logit, or -infinity if it is masked; records what is wrong with it.
  __device__ __forceinline__ float examined(const TokenCall& call, std::int64_t row, std::int64_t n, float x) {
    if (!is_allowed(call, row, begin_ + n)) return -__builtin_inff();
    see(x);
    return x;
  }

  __device__ __forceinline__ void see(float x) {
    if (!(x < __builtin_inff())) {
      faults_ |= x == __builtin_inff() ? fault_infinite : fault_nan;
    } else if (x > -__builtin_inff()) {
      const unsigned order = token_order(x + 0.0f);
      largest_ = max(largest_, order);
      least_ = min(least_, order);
    }
  }

  __device__ void add(const TokenCall& call, std::int64_t row, const BiasOfRow& bias) {
    for (std::int64_t entry = threadIdx.x; entry < bias.count; entry += slice_threads) {
      const std::int64_t n = bias.categories[entry] - begin_;
      if (n >= 0 && n < count_) values_[n] += bias.values[entry];
    }
    __syncthreads();
    for (std::int64_t n = threadIdx.x; n < count_; n += slice_threads) values_[n] = examined(call, row, n, values_[n]);
    __syncthreads();
  }

  __device__ TokenStatus say_what_was_seen() {
    const unsigned largest = __reduce_max_sync(whole_warp, largest_), least = __reduce_min_sync(whole_warp, least_);
    const unsigned faults = __reduce_or_sync(whole_warp, faults_);
    if (lane_of_thread() == 0) {
      atomicMax(&memory_.largest, largest);
      atomicMin(&memory_.least, least);
      atomicOr(&memory_.faults, faults);
    }
    cluster::sync();
    largest_ = joined_by_warp(&memory_.largest, [](unsigned a, unsigned b) { return max(a, b); });
    least_ = joined_by_warp(&memory_.least, [](unsigned a, unsigned b) { return min(a, b); });
    faults_ = joined_by_warp(&memory_.faults, [](unsigned a, unsigned b) { return a | b; });
    if ((faults_ & fault_nan) != 0) return TokenStatus::not_a_number;
    if (faults_ != 0) return TokenStatus::infinite;
    return largest_ == 0 ? TokenStatus::nothing_allowed : TokenStatus::ok;
  }

  SliceMemory& memory_;
  std::int64_t begin_, count_;
  float* values_;
  bool aligned_;
  unsigned largest_ = 0, least_ = ~0u, faults_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
