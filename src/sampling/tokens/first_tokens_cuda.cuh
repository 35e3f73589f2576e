#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_loads_cuda.cuh"
#include "warp/cuda_warp.cuh"

// Draws from the first few categories of each row: one reading, and nothing else in memory. The blocks of a cluster
// share a row. Each goes through its part of the categories and collects those that can be among the first k, which
// fewer and fewer can: what is below the k-th so far is passed over. The first block joins what is left and draws.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int first_threads = 512;
inline constexpr int first_capacity = 4096;                 // keys that are collected
inline constexpr int first_most = 1024;                     // of top_k
inline constexpr int first_at_once = 4;                     // loads of four
inline constexpr int first_part = 4 * first_threads;        // categories of a load of all threads
inline constexpr int first_tile = first_at_once * first_part;
inline constexpr int first_enough = 1024;                   // collected keys that are worth thinning out

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

inline constexpr unsigned fault_nan = 1, fault_infinite = 2;

// What one block collects of a row.
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

  __device__ int filled() const { return filled_; }

  // Takes the categories of a tile, those of every thread four by four; later ones than all before.
  __device__ void take(const float (&x)[4 * first_at_once], std::int64_t first) {
    unsigned passing = 0;
    PAPILIO_UNROLL
    for (int e = 0; e < 4 * first_at_once; ++e) passing |= (x[e] <= least_ ? 0u : 1u) << e;
    if (__any_sync(whole_warp, passing != 0)) {
      PAPILIO_UNROLL
      for (int e = 0; e < 4 * first_at_once; ++e)
        if ((passing >> e & 1u) != 0 && !admits(x[e], category(first, e), false)) passing &= ~(1u << e);
      write(x, passing, first);
    }
    if (count() <= first_capacity) {
      filled_ = memory_.count;
      __syncthreads();
      if (filled_ > first_enough && filled_ > 4 * k_) thin();
      return;
    }
    __syncthreads();
    if (threadIdx.x == 0) memory_.count = filled_;
    for (int part = 0; part < first_at_once; ++part) {
      keep_at_most(first_capacity - first_part);
      unsigned some = passing & 0xFu << 4 * part;
      PAPILIO_UNROLL
      for (int e = 0; e < 4 * first_at_once; ++e)
        if (x[e] <= least_) some &= ~(1u << e);
      __syncthreads();
      write(x, some, first);
      filled_ = count();
      __syncthreads();
    }
  }

  // Takes the categories of [begin, end) that have a bias.
  template <class S>
  __device__ void take_biased(const LogitsOfRow<S>& logits, std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = 0; n < bias_.count; n += first_threads) {
      keep_at_most(first_capacity - first_threads);
      __syncthreads();
      const std::int64_t entry = n + threadIdx.x;
      std::int64_t category = -1;
      float x = 0;
      if (entry < bias_.count) {
        category = bias_.categories[entry];
        if (category >= begin && category < end) x = logits.at(category) + bias_.values[entry];
      }
      const bool here = category >= begin && category < end && !(x < least_) && admits(x, category, true);
      const unsigned place = reserve(here ? 1 : 0);
      if (here) memory_.keys[place] = token_key(token_order(x + 0.0f), category);
      filled_ = count();
      __syncthreads();
    }
  }

  // Drops keys that are not among the first k until there are no more than `most`, which is not below k.
  __device__ void keep_at_most(int most) {
    if (filled_ > most) thin();
    if (filled_ > most) cut();
  }

  // Sorts what is left, the first k.
  __device__ void sort() {
    keep_at_most(first_most);
    cut();
  }

  // All keys of another block's collection are to be here: how many.
  __device__ void joined() { filled_ = memory_.count; }

 private:
  static __device__ __forceinline__ std::int64_t category(std::int64_t first, int e) {
    return first + e / 4 * first_part + 4 * static_cast<int>(threadIdx.x) + e % 4;
  }

  // Between two barriers for everybody.
  __device__ __forceinline__ int count() const {
    __syncthreads();
    return memory_.count;
  }

  __device__ bool admits(float x, std::int64_t category, bool biased) const {
    if (x == -__builtin_inff() || !is_allowed(call_, row_, category)) return false;
    if (!biased && bias_.count > 0 && bias_.find(category) >= 0) return false;
    if (x < __builtin_inff()) return true;
    atomicOr(&memory_.faults, x == __builtin_inff() ? fault_infinite : fault_nan);
    return false;
  }

  // Places for the keys of all lanes; the first of this one's.
  __device__ unsigned reserve(int keys) {
    const int to = sum_to_lane(keys);
    int first = 0;
    if (lane_of_thread() == 31 && to > 0) first = atomicAdd(&memory_.count, to);
    return static_cast<unsigned>(__shfl_sync(whole_warp, first, 31) + to - keys);
  }

  __device__ void write(const float (&x)[4 * first_at_once], unsigned which, std::int64_t first) {
    unsigned place = reserve(__popc(which));
    PAPILIO_UNROLL
    for (int e = 0; e < 4 * first_at_once; ++e)
      if ((which >> e & 1u) != 0) {
        if (place < first_capacity) memory_.keys[place] = token_key(token_order(x[e] + 0.0f), category(first, e));
        ++place;
      }
  }

  // Keeps the first k and those about as large as the last of them: counts keys in bins of equal width, the greatest
  // first, and keeps the bins up to that of the k-th.
  __device__ void thin() {
    constexpr int per_thread = first_capacity / first_threads;
    __syncthreads();
    std::uint64_t key[per_thread];
    unsigned lowest = ~0u, highest = 0;
    PAPILIO_UNROLL
    for (int e = 0; e < per_thread; ++e) {
      const int n = e * first_threads + static_cast<int>(threadIdx.x);
      key[e] = n < filled_ ? memory_.keys[n] : 0;
      const auto order = static_cast<unsigned>(key[e] >> 32);
      lowest = n < filled_ ? min(lowest, order) : lowest;
      highest = max(highest, order);
    }
    if (threadIdx.x < 256) memory_.bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
      memory_.lowest = ~0u;
      memory_.highest = 0;
      memory_.count = 0;
    }
    __syncthreads();
    lowest = __reduce_min_sync(whole_warp, lowest);
    highest = __reduce_max_sync(whole_warp, highest);
    if (lane_of_thread() == 0) {
      atomicMin(&memory_.lowest, lowest);
      atomicMax(&memory_.highest, highest);
    }
    __syncthreads();
    lowest = memory_.lowest;
    highest = memory_.highest;
    const int shift = max(0, 24 - __clz(static_cast<int>(highest - lowest)));
    const auto bin_of = [&](std::uint64_t k) { return (highest - static_cast<unsigned>(k >> 32)) >> shift; };
    PAPILIO_UNROLL
    for (int e = 0; e < per_thread; ++e)
      if (key[e] != 0) atomicAdd(&memory_.bins[bin_of(key[e])], 1u);
    const unsigned last = bin_of_kth();
    PAPILIO_UNROLL
    for (int e = 0; e < per_thread; ++e) {
      const bool keep = key[e] != 0 && bin_of(key[e]) <= last;
      const unsigned place = reserve(keep ? 1 : 0);
      if (keep) memory_.keys[place] = key[e];
    }
    filled_ = count();
    __syncthreads();
    if (filled_ < k_) return;
    // None that is kept is below this, and k are kept.
    const unsigned below = ((last + 1) << shift) - 1;
    least_ = logit_of_order(highest - lowest > below ? highest - below : lowest);
  }

  // The first bin up to which there are k keys; the last one where there are fewer.
  __device__ unsigned bin_of_kth() {
    if (threadIdx.x == 0) memory_.cut = 255;
    __syncthreads();
    const unsigned mine = threadIdx.x < 256 ? memory_.bins[threadIdx.x] : 0;
    unsigned all;
    const unsigned to = sum_to_thread<first_threads>(mine, memory_.counts, all);
    const auto k = static_cast<unsigned>(k_);
    if (to >= k && to - mine < k) memory_.cut = static_cast<int>(threadIdx.x);
    __syncthreads();
    return static_cast<unsigned>(memory_.cut);
  }

  // Sorts, and keeps the first k.
  __device__ void cut() {
    sort_keys<first_threads>(memory_.keys, filled_);
    filled_ = min(filled_, k_);
    if (threadIdx.x == 0) memory_.count = filled_;
    if (filled_ == k_) least_ = logit_of_order(static_cast<unsigned>(memory_.keys[k_ - 1] >> 32));
    __syncthreads();
  }

  const TokenCall& call_;
  FirstMemory& memory_;
  std::int64_t row_;
  BiasOfRow bias_;
  int k_;
  int filled_ = 0;
  float least_ = -__builtin_inff();
};

// Draws from the first n categories of a row, which are in order; by one block.
class FirstDraw {
 public:
  __device__ FirstDraw(const TokenCall& call, FirstMemory& memory, std::int64_t row, const TokenFilter& filter, int n)
      : call_(call), memory_(memory), row_(row), filter_(filter), n_(n) {}

  __device__ void draw() {
    const float temperature = filter_.temperature == 0 ? 1.0f : filter_.temperature;
    const int unit_bits = token_unit_bits(call_.categories);
    const TokenScale scale = token_scale(logit(0), temperature, unit_bits);
    for (int j = static_cast<int>(threadIdx.x); j < n_; j += first_threads)
      memory_.weights[j] = token_weights<warp::CudaWarp<32>>(logit(j), scale);
    __syncthreads();
    if (filter_.temperature == 0) n_ = 1;
    if (filter_.temperature != 0 && filter_.top_p < 1) n_ = keep_share();
    const std::uint64_t least = least_weight(filter_.temperature == 0 ? 0 : filter_.min_p, unit_bits);
    std::uint64_t mine = 0, total;
    unsigned some = 0, kept;
    for (int j = static_cast<int>(threadIdx.x); j < n_; j += first_threads) {
      if (memory_.weights[j] < least) memory_.weights[j] = 0;
      mine += memory_.weights[j];
      some += memory_.weights[j] != 0 ? 1 : 0;
    }
    sum_to_thread<first_threads>(mine, memory_.sums, total);
    sum_to_thread<first_threads>(some, memory_.counts, kept);
    log_total_ = filter_.temperature == 0 ? 0 : log_of_total(total, unit_bits);
    const std::uint64_t target = token_target(draw_number_of_row(call_, row_), total);
    for (int j = static_cast<int>(threadIdx.x); j < n_; j += first_threads)
      if (memory_.weights[j] != 0) place(j, target, kept);
    for (std::int64_t n = kept + threadIdx.x; n < call_.room; n += first_threads) {
      call_.kept_categories[row_ * call_.kept_stride + n] = -1;
      if (call_.kept_logs != nullptr) call_.kept_logs[row_ * call_.kept_logs_stride + n] = -__builtin_inff();
    }
  }

 private:
  __device__ float logit(int j) const { return logit_of_order(static_cast<std::uint32_t>(memory_.keys[j] >> 32)); }

  // How many from the front have the share that top_p asks for.
  __device__ int keep_share() {
    const int j = 2 * static_cast<int>(threadIdx.x);
    const std::uint64_t a = j < n_ ? memory_.weights[j] : 0, b = j + 1 < n_ ? memory_.weights[j + 1] : 0;
    std::uint64_t total;
    const std::uint64_t to = sum_to_thread<first_threads>(a + b, memory_.sums, total);
    const std::uint64_t wanted = top_p_sum(filter_.top_p, total);
    if (threadIdx.x == 0) memory_.cut = n_;
    __syncthreads();
    if (to >= wanted && to - (a + b) < wanted) memory_.cut = to - b >= wanted ? j + 1 : j + 2;
    __syncthreads();
    return memory_.cut;
  }

  // Where category j of the order is among those that are kept, by ascending number; the results of the row where the
  // draw falls on it.
  __device__ void place(int j, std::uint64_t target, unsigned kept) const {
    const std::uint64_t key = memory_.keys[j], weight = memory_.weights[j];
    const auto turned = static_cast<std::uint32_t>(key);
    std::uint64_t before = 0;
    std::int64_t place = 0;
    for (int i = 0; i < n_; ++i) {
      const bool lower = static_cast<std::uint32_t>(memory_.keys[i]) > turned && memory_.weights[i] != 0;
      before += lower ? memory_.weights[i] : 0;
      place += lower ? 1 : 0;
    }
    const float log = filter_.temperature == 0
                          ? 0.0f
                          : log_probability(logit(j), logit(0), filter_.temperature, log_total_);
    const auto category = static_cast<std::int32_t>(category_of_key(key));
    if (place < call_.room) {
      call_.kept_categories[row_ * call_.kept_stride + place] = category;
      if (call_.kept_logs != nullptr) call_.kept_logs[row_ * call_.kept_logs_stride + place] = log;
    }
    if (target < before || target - before >= weight) return;
    call_.tokens[row_] = category;
    put(call_.log_probabilities, row_, log);
    put(call_.ranks, row_, j);
    put(call_.kept_counts, row_, static_cast<std::int32_t>(kept));
    put(call_.kept_masses, row_, 1.0f);  // asked for with a temperature of 0 alone
    put(call_.status, row_, TokenStatus::ok);
  }

  const TokenCall& call_;
  FirstMemory& memory_;
  std::int64_t row_;
  TokenFilter filter_;
  int n_;
  double log_total_ = 0;
};

// This block's part of a row, collected.
template <class S>
__device__ void collect_part(const TokenCall& call, std::int64_t row, FirstCollection& collection) {
  const LogitsOfRow<S> logits = logits_of_row<S>(call, row);
  const std::int64_t begin = min(call.categories, cluster::rank() * call.in_slice);
  const std::int64_t end = min(call.categories, begin + call.in_slice);
  const bool adjacent = logits.stride == 1;
  const std::int64_t first = adjacent ? min(end, begin + logits.before_aligned(begin)) : begin;
  float now[4 * first_at_once], next[4 * first_at_once];
  const auto load = [&](std::int64_t from, float (&x)[4 * first_at_once]) {
    PAPILIO_UNROLL
    for (int j = 0; j < first_at_once; ++j)
      logits.four(from + j * first_part + 4 * static_cast<int>(threadIdx.x), end, adjacent, x + 4 * j);
  };
  if (first > begin) {
    PAPILIO_UNROLL
    for (float& x : now) x = -__builtin_inff();
    if (threadIdx.x == 0) logits.four(begin, first, false, now);
    collection.take(now, begin);
  }
  if (first < end) load(first, now);
  for (std::int64_t from = first; from < end; from += first_tile) {
    if (from + first_tile < end) load(from + first_tile, next);
    collection.take(now, from);
    PAPILIO_UNROLL
    for (int e = 0; e < 4 * first_at_once; ++e) now[e] = next[e];
  }
  collection.take_biased(logits, begin, end);
}

__device__ __forceinline__ void send_keys(FirstMemory& memory, int keys) {
  if (threadIdx.x == 0) {
    memory.cut = atomicAdd(cluster::at(&memory.count, 0), keys);
    if (memory.faults != 0) atomicOr(cluster::at(&memory.faults, 0), memory.faults);
  }
  __syncthreads();
  std::uint64_t* to = cluster::at(&memory.keys[0], 0) + memory.cut;
  for (int n = static_cast<int>(threadIdx.x); n < keys; n += first_threads) to[n] = memory.keys[n];
}

template <class S>
__global__ void __launch_bounds__(first_threads, 2) draw_first_tokens(const TokenCall call) {
  __shared__ FirstMemory memory;
  const int parts = cluster::size(), part = cluster::rank();
  const std::int64_t step = gridDim.x / parts;
  for (std::int64_t row = blockIdx.x / parts; row < call.rows; row += step) {
    const TokenFilter filter = filter_of_row(call, row);
    if (!among_few(call, filter)) continue;
    const BiasOfRow bias = bias_of_row(call, row);
    const bool bad_bias = bias_is_bad(call, bias);
    if (bad_bias || !valid_filter(filter)) {
      if (part == 0) put_none(call, row, bad_bias ? TokenStatus::bad_bias : TokenStatus::bad_filter);
      continue;
    }
    const int k = filter.temperature == 0 ? 1 : filter.top_k;
    FirstCollection collection(call, memory, row, bias, k);
    collect_part<S>(call, row, collection);
    collection.keep_at_most(first_capacity / parts);
    if (parts > 1) {
      cluster::sync();
      if (part != 0) send_keys(memory, collection.filled());
      cluster::sync();
      if (part != 0) continue;
      collection.joined();
    }
    collection.sort();
    const unsigned faults = memory.faults;
    if (faults != 0 || collection.filled() == 0)
      put_none(call, row,
               faults == 0                    ? TokenStatus::nothing_allowed
               : (faults & fault_nan) != 0 ? TokenStatus::not_a_number
                                              : TokenStatus::infinite);
    else
      FirstDraw(call, memory, row, filter, collection.filled()).draw();
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
