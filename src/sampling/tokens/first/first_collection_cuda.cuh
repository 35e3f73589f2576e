#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_loads_cuda.cuh"

// One block collects the categories of a row that may be among the first k.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int first_threads = 512;
inline constexpr int first_blocks = 2;                // per multiprocessor
inline constexpr int first_capacity = 4096;           // keys that can be collected
inline constexpr int first_most = 1024;               // largest top_k
inline constexpr int first_at_once = 4;               // loads of four categories
inline constexpr int first_part = 4 * first_threads;  // categories loaded by all threads at once
inline constexpr int first_tile = first_at_once * first_part;
inline constexpr int first_enough = 1024;  // with more collected keys than this, thinning them out pays

struct FirstMemory {
  std::uint64_t keys[first_capacity];
  std::uint64_t weights[first_most];
  std::uint64_t sums[first_threads / 32];
  unsigned counts[first_threads / 32];
  unsigned bins[256];
  unsigned lowest, highest;
  unsigned faults;
  int count, cut;
};

// --- What is rarely done, kept out of the loop that reads

// The smallest and the largest word of all threads; also clears the bins.
__device__ __forceinline__ void span_words(FirstMemory& memory, unsigned low, unsigned high, unsigned& lowest,
                                           unsigned& highest) {
  if (threadIdx.x < 256) memory.bins[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    memory.lowest = ~0u;
    memory.highest = 0;
    memory.cut = 255;
  }
  __syncthreads();
  low = __reduce_min_sync(whole_warp, low);
  high = __reduce_max_sync(whole_warp, high);
  if (lane_of_thread() == 0) {
    atomicMin(&memory.lowest, low);
    atomicMax(&memory.highest, high);
  }
  __syncthreads();
  lowest = memory.lowest;
  highest = memory.highest;
}

__device__ __forceinline__ int bin_shift(unsigned lowest, unsigned highest) {
  return max(0, 24 - __clz(static_cast<int>(highest - lowest)));
}

// A lower bound for all keys in the bins up to `last`.
__device__ __forceinline__ float edge_of(unsigned last, int shift, unsigned lowest, unsigned highest) {
  const unsigned below = ((last + 1) << shift) - 1;
  return logit_of_order(highest - lowest > below ? highest - below : lowest);
}

// The first bin such that it and the bins before it have k keys; the last bin if there are fewer keys.
__device__ __forceinline__ unsigned bin_of_kth(FirstMemory& memory, int k) {
  __syncthreads();
  const unsigned mine = threadIdx.x < 256 ? memory.bins[threadIdx.x] : 0;
  unsigned all;
  const unsigned to = sum_to_thread<first_threads>(mine, memory.counts, all);
  const auto wanted = static_cast<unsigned>(k);
  if (to >= wanted && to - mine < wanted) memory.cut = static_cast<int>(threadIdx.x);
  __syncthreads();
  return static_cast<unsigned>(memory.cut);
}

// A lower bound for the largest logits of k threads; `least` if fewer threads have one.
inline __device__ __noinline__ float bound_of_threads(FirstMemory& memory, int k, float largest, float least) {
  const bool any = largest > -__builtin_inff();
  if (__syncthreads_count(any ? 1 : 0) < k) return least;
  const unsigned order = any ? token_order(largest + 0.0f) : 0;
  unsigned lowest, highest;
  span_words(memory, any ? order : ~0u, order, lowest, highest);
  const int shift = bin_shift(lowest, highest);
  if (any) atomicAdd(&memory.bins[(highest - order) >> shift], 1u);
  return edge_of(bin_of_kth(memory, k), shift, lowest, highest);
}

// Keeps the first k keys and those in the same bin as the last of them: counts keys in bins of equal width, the largest
// first, and keeps the bins up to that of the k-th.
inline __device__ __noinline__ float thin_keys(FirstMemory& memory, int k, float least) {
  constexpr int per_thread = first_capacity / first_threads;
  const int filled = min(memory.count, first_capacity);
  std::uint64_t key[per_thread];
  unsigned lowest = ~0u, highest = 0;
  PAPILIO_UNROLL
  for (int e = 0; e < per_thread; ++e) {
    const int n = e * first_threads + static_cast<int>(threadIdx.x);
    key[e] = n < filled ? memory.keys[n] : 0;
    const auto order = static_cast<unsigned>(key[e] >> 32);
    lowest = n < filled ? min(lowest, order) : lowest;
    highest = max(highest, order);
  }
  span_words(memory, lowest, highest, lowest, highest);
  if (threadIdx.x == 0) memory.count = 0;
  const int shift = bin_shift(lowest, highest);
  const auto bin_of = [&](std::uint64_t of) { return (highest - static_cast<unsigned>(of >> 32)) >> shift; };
  PAPILIO_UNROLL
  for (int e = 0; e < per_thread; ++e)
    if (key[e] != 0) atomicAdd(&memory.bins[bin_of(key[e])], 1u);
  const unsigned last = bin_of_kth(memory, k);
  PAPILIO_UNROLL
  for (int e = 0; e < per_thread; ++e)
    if (key[e] != 0 && bin_of(key[e]) <= last) memory.keys[atomicAdd(&memory.count, 1)] = key[e];
  if (filled >= k) least = edge_of(last, shift, lowest, highest);
  __syncthreads();
  return least;
}

// Sorts the keys, and keeps the first k.
inline __device__ __noinline__ float cut_keys(FirstMemory& memory, int k, float least) {
  const int filled = min(memory.count, first_capacity);
  sort_keys<first_threads>(memory.keys, filled);
  if (threadIdx.x == 0) memory.count = min(filled, k);
  if (filled >= k) least = logit_of_order(static_cast<unsigned>(memory.keys[k - 1] >> 32));
  __syncthreads();
  return least;
}

// Whether a category counts with its stored logit: it is allowed and has no bias.
inline __device__ __noinline__ bool counts_alone(const TokenCall& call, const BiasOfRow& bias, std::int64_t row,
                                                 std::int64_t category) {
  return is_allowed(call, row, category) && (bias.count == 0 || bias.find(category) < 0);
}

// What one block collects from a row.
class FirstCollection {
 public:
  __device__ FirstCollection(const TokenCall& call, FirstMemory& memory, std::int64_t row, const BiasOfRow& bias, int k)
      : call_(call), memory_(memory), row_(row), bias_(bias), k_(k) {
    __syncthreads();
    if (threadIdx.x == 0) {
      memory_.count = 0;
      memory_.faults = 0;
    }
    __syncthreads();
  }

  // The number of keys; valid once no more are being collected.
  __device__ int filled() const { return min(memory_.count, first_capacity); }

  // Finds a lower bound for k logits of a first tile: the k-th of the threads' largest logits.
  template <class Tile>
  __device__ void begin(const Tile& x, std::int64_t first) {
    float largest = -__builtin_inff();
    if (k_ <= first_threads) {
      PAPILIO_UNROLL
      for (int e = 0; e < 4 * first_at_once; ++e)
        if (x[e] > largest && x[e] < __builtin_inff() && is_candidate(category(first, e))) largest = x[e];
      least_ = bound_of_threads(memory_, k_, largest, least_);
    }
    take(x, first, (1u << 4 * first_at_once) - 1);
  }

  // Collects from a tile, four by four categories of every thread; all come after those collected before.
  template <class Tile>
  __device__ void take_later(const Tile& x, std::int64_t first) {
    unsigned passing = 0;
    PAPILIO_UNROLL
    for (int e = 0; e < 4 * first_at_once; ++e) passing |= (x[e] <= least_ ? 0u : 1u) << e;
    take(x, first, passing);
  }

  // Collects categories that may come before others.
  template <class Tile>
  __device__ void take_any(const Tile& x, std::int64_t first) {
    take(x, first, (1u << 4 * first_at_once) - 1);
  }

  // Collects the categories of [begin, end) that have a bias.
  template <class S>
  __device__ void take_biased(const LogitsOfRow<S>& logits, std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = 0; n < bias_.count; n += first_threads) {
      const std::int64_t entry = n + threadIdx.x;
      std::int64_t category = -1;
      float x = 0;
      if (entry < bias_.count) {
        category = bias_.categories[entry];
        if (category >= begin && category < end) x = logits.at(category) + bias_.values[entry];
      }
      bool waiting = category >= begin && category < end && is_allowed(call_, row_, category) && is_finite(x);
      while (wait_for(waiting, x, category)) make_room();
    }
  }

  // Drops keys that are not among the first k until at most `most` are left, which must be at least k.
  __device__ void keep_at_most(int most) {
    __syncthreads();
    if (filled() > most) least_ = thin_keys(memory_, k_, least_);
    if (filled() > most) least_ = cut_keys(memory_, k_, least_);
  }

  // Sorts the remaining keys, and keeps the first k.
  __device__ void sort() {
    __syncthreads();
    if (filled() > 2 * k_ + 64) least_ = thin_keys(memory_, k_, least_);
    keep_at_most(first_most);
    least_ = cut_keys(memory_, k_, least_);
  }

 private:
  static __device__ __forceinline__ std::int64_t category(std::int64_t first, int e) {
    return first + e / 4 * first_part + 4 * static_cast<int>(threadIdx.x) + e % 4;
  }

  // Whether a category counts with its stored logit.
  __device__ bool is_candidate(std::int64_t category) const {
    return (call_.allowed == nullptr && bias_.count == 0) || counts_alone(call_, bias_, row_, category);
  }

  // Whether a logit has a place in the order; records what is wrong with it otherwise.
  __device__ bool is_finite(float x) const {
    if (x < __builtin_inff()) return x > -__builtin_inff();
    atomicOr(&memory_.faults, x == __builtin_inff() ? fault_infinite : fault_nan);
    return false;
  }

  // Collects those of a tile that are in `waiting` and large enough. Has one barrier if there is room for all.
  template <class Tile>
  __device__ void take(const Tile& x, std::int64_t first, unsigned waiting) {
    bool many = put_keys(x, first, waiting, true);
    while (__syncthreads_or(waiting != 0 || many ? 1 : 0) != 0) {
      make_room();
      put_keys(x, first, waiting, false);
      many = false;
    }
  }

  // Stores the keys in `waiting` while there is room; the others stay in it. Returns whether there are many keys now.
  template <class Tile>
  __device__ bool put_keys(const Tile& x, std::int64_t first, unsigned& waiting, bool examine) {
    bool many = false;
    PAPILIO_UNROLL
    for (int group = 0; group < first_at_once; ++group) {
      __syncwarp();
      if (!__any_sync(whole_warp, (waiting >> 4 * group & 0xFu) != 0)) continue;
      PAPILIO_UNROLL
      for (int e = 4 * group; e < 4 * group + 4; ++e) {
        if ((waiting >> e & 1u) == 0) continue;
        if (x[e] < least_ || (examine && !(is_candidate(category(first, e)) && is_finite(x[e])))) {
          waiting &= ~(1u << e);
          continue;
        }
        const int place = atomicAdd(&memory_.count, 1);
        many = many || place >= first_enough;
        if (place >= first_capacity) continue;
        memory_.keys[place] = token_key(token_order(x[e] + 0.0f), category(first, e));
        waiting &= ~(1u << e);
      }
    }
    return many && k_ <= first_enough / 4;
  }

  // Stores one key of a thread, if it is waiting. Has a barrier; returns true while some thread has found no room.
  __device__ bool wait_for(bool& waiting, float x, std::int64_t category) {
    waiting = waiting && !(x < least_);
    if (waiting) {
      const int place = atomicAdd(&memory_.count, 1);
      if (place < first_capacity) {
        memory_.keys[place] = token_key(token_order(x + 0.0f), category);
        waiting = false;
      }
    }
    return __syncthreads_or(waiting ? 1 : 0) != 0;
  }

  // Called after a barrier: makes room for keys that wait.
  __device__ void make_room() {
    least_ = thin_keys(memory_, k_, least_);
    const bool much = filled() > first_capacity / 2;
    __syncthreads();
    if (much) least_ = cut_keys(memory_, k_, least_);
  }

  const TokenCall& call_;
  FirstMemory& memory_;
  std::int64_t row_;
  BiasOfRow bias_;
  int k_;
  float least_ = -__builtin_inff();
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
