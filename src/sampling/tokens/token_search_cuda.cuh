#pragma once

#include <cstdint>

#include "sampling/tokens/token_slice_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"

// Where a filter cuts the order of a row that the blocks of a cluster hold: a histogram of whole numbers over the
// order, then over the bin in which the cut is, until that bin is few enough to be sorted.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

class TokenSearch {
 public:
  // Looks at the categories from `least_key` on.
  __device__ TokenSearch(const TokenSlice& slice, SliceMemory& memory, const TokenScale& scale, float temperature,
                         std::uint64_t least_key)
      : slice_(slice), memory_(memory), scale_(scale), temperature_(temperature), low_(least_key) {
    const float span = slice.largest() - slice.least();
    to_count_ = static_cast<float>(slice_bins - 1) / span;
    // Nothing beyond has a weight.
    to_sum_ = static_cast<float>(slice_bins - 1) / fminf(span, 44.0f * temperature);
  }

  // The key of the k-th; the least one where there are fewer.
  __device__ std::uint64_t find_count(std::uint64_t k) {
    by_sum_ = false;
    return find(k, false);
  }

  // The key at which the sum of weights reaches a share of `total`, or, if that is 0, of what is looked at.
  __device__ std::uint64_t find_sum(float share, std::uint64_t total, TokenSlice& slice) {
    by_sum_ = true;
    const std::uint64_t least_key = low_;
    // Most often what is near the largest logit is enough: the others need not be counted.
    const float reach = near_temperatures * temperature_;
    const float nearest = fmaxf(slice_.largest() - reach, slice_.least());
    const float wide = to_sum_;
    to_sum_ = static_cast<float>(slice_bins - 1) / fminf(slice_.largest() - slice_.least(), reach);
    set_range(low_, ~std::uint64_t{0});
    clear_bins();
    std::uint64_t all = 0;
    each_four([&](float x, unsigned n) {
      if (!in_range(x, n)) return;
      const std::uint64_t weight = weight_of(x, scale_);
      all += weight;
      if (x >= nearest && weight != 0) add(linear_bin(x), weight);
    });
    std::uint64_t of_block;
    sum_to_thread<slice_threads>(all, memory_.sums, of_block);
    if (threadIdx.x == 0) memory_.part_all = of_block;
    cluster::sync();
    all = joined_by_warp(&memory_.part_all, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    join_bins();
    const std::uint64_t wanted = top_p_sum(share, total == 0 ? all : total);
    if (all < wanted) return least_key;
    const std::uint64_t of_bin = threadIdx.x < slice_bins ? memory_.all_sums[threadIdx.x] : 0;
    std::uint64_t near;
    sum_to_thread<slice_threads>(of_bin, memory_.sums, near);
    if (near >= wanted) {
      low_ = max(low_, token_key(token_order(nearest + 0.0f), 0xFFFF'FFFF));
      return find(wanted, true);
    }
    to_sum_ = wide;
    return find(wanted, false);
  }

 private:
  static constexpr float near_temperatures = 10;

  // `counted`: the bins of the first round are.
  __device__ std::uint64_t find(std::uint64_t wanted, bool counted) {
    const std::uint64_t least_key = low_;
    set_range(low_, ~std::uint64_t{0});
    linear_ = true;
    while (true) {
      if (!counted) count_bins();
      counted = false;
      const auto mine = threadIdx.x < slice_bins ? value(static_cast<int>(threadIdx.x)) : 0;
      if (threadIdx.x == 0) memory_.bin = -1;
      std::uint64_t all;
      const std::uint64_t to = sum_to_thread<slice_threads>(mine, memory_.sums, all);
      if (to >= wanted && to - mine < wanted) {
        memory_.bin = static_cast<int>(threadIdx.x);
        memory_.before = to - mine;
      }
      __syncthreads();
      const int bin = memory_.bin;
      if (bin < 0) return least_key;
      wanted -= memory_.before;
      if (memory_.all_counts[bin] <= slice_candidates) return sorted(bin, wanted);
      narrow(bin);
    }
  }

  __device__ std::uint64_t value(int bin) const { return by_sum_ ? memory_.all_sums[bin] : memory_.all_counts[bin]; }

  // Looks at the keys from `low` to `high`.
  __device__ void set_range(std::uint64_t low, std::uint64_t high) {
    low_ = low;
    high_ = high;
    least_logit_ = low == 0 ? -__builtin_inff() : logit_of_order(static_cast<std::uint32_t>(low >> 32));
    most_logit_ = ~high == 0 ? __builtin_inff() : logit_of_order(static_cast<std::uint32_t>(high >> 32));
  }

  // Whether category n of the part is looked at, x being its logit.
  __device__ __forceinline__ bool in_range(float x, unsigned n) const {
    if (!(x >= least_logit_ && x <= most_logit_ && x > -__builtin_inff())) return false;
    if (x > least_logit_ && x < most_logit_) return true;
    const std::uint64_t key = slice_.key(n);
    return key >= low_ && key <= high_;
  }

  __device__ __forceinline__ int linear_bin(float x) const {
    return static_cast<int>(fminf((slice_.largest() - x) * (by_sum_ ? to_sum_ : to_count_), slice_bins - 1));
  }
  __device__ __forceinline__ int bin_of(float x, unsigned n) const {
    return linear_ ? linear_bin(x) : static_cast<int>((high_ - slice_.key(n)) >> shift_);
  }

  // f(logit, category) for the categories of this part, and -infinity for up to three more.
  template <class F>
  __device__ __forceinline__ void each_four(F f) const {
    const auto count = static_cast<unsigned>(slice_.count());
    PAPILIO_UNROLL_TWO
    for (unsigned n = 4 * threadIdx.x; n < count; n += 4 * slice_threads) {
      const float4 x = slice_.four(n);
      f(x.x, n), f(x.y, n + 1), f(x.z, n + 2), f(x.w, n + 3);
    }
  }

  // f(key) for the categories of one bin that have a weight.
  template <class F>
  __device__ __forceinline__ void each_of_bin(int chosen, F f) const {
    each_four([&](float x, unsigned n) {
      if (!in_range(x, n) || bin_of(x, n) != chosen) return;
      if (!by_sum_ || weight_of(x, scale_) != 0) f(slice_.key(n));
    });
  }

  __device__ void clear_bins() {
    if (threadIdx.x < slice_bins) {
      memory_.bin_sums[threadIdx.x] = 0;
      memory_.bin_counts[threadIdx.x] = 0;
    }
    __syncthreads();
  }

  __device__ __forceinline__ void add(int bin, std::uint64_t weight) {
    atomicAdd(&memory_.bin_counts[bin], 1u);
    if (by_sum_) atomicAdd(&memory_.bin_sums[bin], static_cast<Wide>(weight));
  }

  // The histogram of all blocks.
  __device__ void count_bins() {
    clear_bins();
    each_four([&](float x, unsigned n) {
      if (!in_range(x, n)) return;
      const std::uint64_t weight = by_sum_ ? weight_of(x, scale_) : 1;
      if (weight != 0) add(bin_of(x, n), weight);
    });
    cluster::sync();
    join_bins();
  }

  // After a barrier of the cluster; ends with one.
  __device__ void join_bins() {
    if (threadIdx.x < slice_bins) {
      memory_.all_sums[threadIdx.x] = joined(&memory_.bin_sums[threadIdx.x], [](Wide a, Wide b) { return a + b; });
      memory_.all_counts[threadIdx.x] =
          joined(&memory_.bin_counts[threadIdx.x], [](unsigned a, unsigned b) { return a + b; });
    }
    cluster::sync();
  }

  // Looks at one bin alone, from its first key to its last.
  __device__ void narrow(int chosen) {
    if (threadIdx.x == 0) {
      memory_.lowest_key = ~std::uint64_t{0};
      memory_.highest_key = 0;
    }
    __syncthreads();
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    each_of_bin(chosen, [&](std::uint64_t key) {
      lowest = min(lowest, key);
      highest = max(highest, key);
    });
    PAPILIO_UNROLL
    for (int distance = 16; distance > 0; distance /= 2) {
      lowest = min(lowest, __shfl_xor_sync(whole_warp, lowest, distance));
      highest = max(highest, __shfl_xor_sync(whole_warp, highest, distance));
    }
    if (lane_of_thread() == 0) {
      atomicMin(reinterpret_cast<Wide*>(&memory_.lowest_key), static_cast<Wide>(lowest));
      atomicMax(reinterpret_cast<Wide*>(&memory_.highest_key), static_cast<Wide>(highest));
    }
    cluster::sync();
    const std::uint64_t low =
        joined_by_warp(&memory_.lowest_key, [](std::uint64_t a, std::uint64_t b) { return min(a, b); });
    const std::uint64_t high =
        joined_by_warp(&memory_.highest_key, [](std::uint64_t a, std::uint64_t b) { return max(a, b); });
    cluster::sync();
    set_range(low, high);
    linear_ = false;
    shift_ = max(0, 56 - __clzll(static_cast<long long>(high_ - low_)));
  }

  // The key that is wanted among those of one bin, of which the first block makes a list.
  __device__ std::uint64_t sorted(int chosen, std::uint64_t wanted) {
    int* const candidates = cluster::at(&memory_.candidates, 0);
    std::uint64_t* const keys = cluster::at(&memory_.keys[0], 0);
    each_of_bin(chosen, [&](std::uint64_t key) { keys[atomicAdd(candidates, 1)] = key; });
    cluster::sync();
    if (cluster::rank() == 0) {
      const int count = memory_.candidates;
      sort_keys<slice_threads>(memory_.keys, count);
      by_sum_ ? answer_sum(count, wanted) : answer_count(wanted);
      if (threadIdx.x == 0) memory_.candidates = 0;
    }
    cluster::sync();
    const std::uint64_t answer = *cluster::at(&memory_.answer, 0);
    cluster::sync();
    return answer;
  }

  __device__ void answer_count(std::uint64_t wanted) {
    if (threadIdx.x == 0) memory_.answer = memory_.keys[wanted - 1];
  }

  __device__ void answer_sum(int count, std::uint64_t wanted) {
    const int j = 2 * static_cast<int>(threadIdx.x);
    const auto weight = [&](int n) {
      return n < count ? weight_of(logit_of_order(static_cast<std::uint32_t>(memory_.keys[n] >> 32)), scale_) : 0;
    };
    const std::uint64_t a = weight(j), b = weight(j + 1);
    std::uint64_t all;
    const std::uint64_t to = sum_to_thread<slice_threads>(a + b, memory_.sums, all);
    if (to >= wanted && to - (a + b) < wanted) memory_.answer = memory_.keys[to - b >= wanted ? j : j + 1];
  }

  const TokenSlice& slice_;
  SliceMemory& memory_;
  TokenScale scale_;
  float temperature_;
  std::uint64_t low_, high_ = 0;
  float to_count_, to_sum_;
  float least_logit_ = 0, most_logit_ = 0;
  bool by_sum_ = false, linear_ = true;
  int shift_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
