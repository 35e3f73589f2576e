#pragma once

#include <cstdint>

#include "sampling/tokens/on_chip/staged_part_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_weights_cuda.cuh"

// Finds where top_k and top_p cut the order of a row on chip. An integer histogram over the distance from the largest
// logit gives the bin of the cut; this bin is divided again until it is small enough to be sorted. While all weights
// are summed, the logits near the largest are listed. Usually no other logits need to be read again.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int on_chip_threads = 256, on_chip_blocks = 3;  // of a block; on a multiprocessor
// The most entries that a block lists, so that three of these blocks fit on a multiprocessor.
inline constexpr unsigned on_chip_listed = 1536;
// Logits that all threads of a block load together.
constexpr unsigned on_chip_group(int threads) { return 4 * static_cast<unsigned>(threads); }

template <int threads_of_block>
struct OnChipMemory {
  static constexpr int threads = threads_of_block, warps = threads / 32;

  std::uint64_t arrived;
  ClusterExchange<1> largest;  // by token_order
  ClusterExchange<3> sums;     // of kept weights and of all weights; the number kept
  unsigned largest_of_block;
  std::uint64_t thread_sums[threads];
  std::uint64_t warp_sums[warps], warp_all[warps];
  unsigned warp_kept[warps];
  TokenScale scale;
  std::uint64_t least_weight, number;  // of the draw

  // By one thread.
  __device__ void init() {
    largest_of_block = 0;
    arrival::init(&arrived);
    largest.init(cluster::size());
    sums.init(cluster::size());
  }
  // Prepares for another row. Called by one thread, after a barrier of the cluster.
  __device__ void end() {
    arrival::end(&arrived);
    largest.end();
    sums.end();
  }
};

// Other blocks of the cluster read or write the members that have a comment.
template <int threads_of_block>
struct OnChipCutMemory : OnChipMemory<threads_of_block> {
  using Base = OnChipMemory<threads_of_block>;
  using Base::threads, Base::warps;
  static constexpr int bins = threads;
  static constexpr int sorted = threads;  // the most keys that a block sorts

  ClusterExchange<2> answers[2];              // from the first block, by count and by sum: a key, and the sum up to it
  alignas(8) unsigned sums_of_bins[bins][2];  // of the part; two halves of 64-bit integers
  unsigned counts_of_bins[bins];              // of the part
  std::uint64_t part_all;                     // the sum of all weights of the part
  std::uint64_t keys[sorted];                 // in the first block
  unsigned candidates[2];                     // in the first block
  std::uint64_t scratch[warps];
  std::uint16_t list[on_chip_listed];
  unsigned listed;
  std::uint64_t before_sum, before_count, in_bin, answer_key, answer_sum;
  int bin;
  double log_total;

  __device__ void init() {
    Base::init();
    answers[0].init(1);
    answers[1].init(1);
    candidates[0] = candidates[1] = listed = 0;
  }
  __device__ void end() {
    Base::end();
    answers[0].end();
    answers[1].end();
  }
};

// The same for kernels that also compute ranks.
template <class Memory>
struct OnChipRankMemory : Memory {
  ClusterExchange<1> token;  // its key, from the block that holds it
  int owner;                 // that block
  unsigned rank;             // in the first block

  __device__ void init() {
    Memory::init();
    token.init(1);
    rank = 0;
  }
  __device__ void end() {
    Memory::end();
    token.end();
  }
};

// By all threads of all blocks of a cluster.
template <class S, int threads>
class OnChipCut {
  using Memory = OnChipCutMemory<threads>;
  static constexpr int bins = Memory::bins;
  static constexpr unsigned in_group = on_chip_group(threads);

 public:
  // `begin`: the first category of the part.
  __device__ OnChipCut(const StagedPart<S>& part, Memory& memory, const TokenScale& scale, float temperature,
                       std::int64_t begin)
      : part_(part), memory_(memory), scale_(scale), temperature_(temperature), begin_(begin) {}

  // Returns false if the bin of the cut has too many categories to be sorted.
  __device__ bool find(const TokenFilter& f, bool joint, std::int64_t categories) {
    reach(near_temperatures);
    weigh_all();
    std::uint64_t limit = all_;  // the sum of what top_k keeps
    if (f.top_k > 0 && f.top_k < categories) {
      const auto k = static_cast<std::uint64_t>(f.top_k);
      if (reached(first_count_) < k) widen();
      // All weights beyond are 0.
      if (reached(first_count_) >= k) {
        if (!search(false, k)) return false;
        least_key_ = memory_.answers[0].of[0][0];
        limit = memory_.answers[0].of[1][0];
      }
    }
    if (!(f.top_p < 1)) return true;
    const std::uint64_t wanted = top_p_sum(f.top_p, joint ? all_ : limit);
    if (wanted > limit) return true;
    if (reached(first_sum_) < wanted) widen();
    if (!search(true, wanted)) return false;
    least_key_ = memory_.answers[1].of[0][0];
    return true;
  }

  // 0 if nothing is cut off.
  __device__ std::uint64_t least_key() const { return least_key_; }
  // Whether the list contains everything that is kept.
  __device__ bool is_listed() const { return is_listed_ && least_key_ != 0; }
  __device__ std::uint64_t all() const { return all_; }

 private:
  static constexpr float near_temperatures = 10;  // usually far enough
  static constexpr float all_temperatures = 44;   // all weights beyond are 0
  static constexpr int most_depth = 2;

  __device__ void reach(float temperatures) { per_bin_ = static_cast<float>(bins) / (temperatures * temperature_); }

  // The bin of a logit at the current depth; -1 if it is outside the current bin.
  __device__ __forceinline__ int bin_of(float x) const {
    float place = (scale_.largest - x) * per_bin_;
    PAPILIO_UNROLL
    for (int d = 0; d < most_depth; ++d) {
      if (d >= depth_) break;
      if (__float2int_rz(place) != path_[d]) return -1;
      place = (place - static_cast<float>(path_[d])) * static_cast<float>(bins);
    }
    return place < static_cast<float>(bins) ? __float2int_rz(place) : -1;
  }

  // Calls f(logit, entry) for the entries of the part that can be in a bin.
  template <class F>
  __device__ __forceinline__ void each(F f) const {
    if (is_listed_) {
      for (unsigned n = threadIdx.x; n < memory_.listed; n += threads) f(part_[memory_.list[n]], memory_.list[n]);
      return;
    }
    for (unsigned group = 0; group < part_.groups(); ++group) {
      const unsigned entry = group * in_group + 4 * threadIdx.x;
      const float4 x = part_.four(entry);
      f(x.x, entry), f(x.y, entry + 1), f(x.z, entry + 2), f(x.w, entry + 3);
    }
  }

  __device__ void clear_bins() const {
    memory_.sums_of_bins[threadIdx.x][0] = memory_.sums_of_bins[threadIdx.x][1] = 0;
    memory_.counts_of_bins[threadIdx.x] = 0;
    __syncthreads();
  }

  __device__ __forceinline__ void add(int bin, std::uint64_t weight) const {
    add_halves(memory_.sums_of_bins[bin], weight);
    atomicAdd(&memory_.counts_of_bins[bin], 1u);
  }

  // Sums this thread's bin over all blocks.
  __device__ void join_bins(std::uint64_t& sum, std::uint64_t& count) const {
    sum = count = 0;
    const int blocks = cluster::size();
    PAPILIO_UNROLL
    for (int block = 0; block < most_blocks; ++block) {
      if (block >= blocks) break;
      sum += *reinterpret_cast<const std::uint64_t*>(cluster::at(&memory_.sums_of_bins[threadIdx.x][0], block));
      count += *cluster::at(&memory_.counts_of_bins[threadIdx.x], block);
    }
  }

  // Sums all weights, lists the logits near the largest, and fills the bins of the first depth.
  __device__ void weigh_all() {
    clear_bins();
    const float nearest = nearest_logit(scale_);
    const float bound = scale_.largest - 1.0001f * near_temperatures * temperature_;
    std::uint64_t all = 0;
    for (unsigned group = 0; group < part_.groups(); ++group) {
      const unsigned entry = group * in_group + 4 * threadIdx.x;
      const float4 x = part_.four(entry);
      if (!(fminf(fminf(x.x, x.y), fminf(x.z, x.w)) < nearest)) {
        all = plus_weight(all, digits_of_near(x.x, scale_)), all = plus_weight(all, digits_of_near(x.y, scale_));
        all = plus_weight(all, digits_of_near(x.z, scale_)), all = plus_weight(all, digits_of_near(x.w, scale_));
      } else {
        all = plus_weight(all, digits_of(x.x, scale_)), all = plus_weight(all, digits_of(x.y, scale_));
        all = plus_weight(all, digits_of(x.z, scale_)), all = plus_weight(all, digits_of(x.w, scale_));
      }
      if (fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)) >= bound) list_four(x, entry, bound);
    }
    std::uint64_t of_block;
    sum_to_thread<threads>(all, memory_.scratch, of_block);
    if (threadIdx.x == 0) memory_.part_all = of_block;
    is_listed_ = memory_.listed <= on_chip_listed && part_.groups() * in_group <= 65536;
    fill_bins();
    cluster::sync();
    join_bins(first_sum_, first_count_);
    const bool some = lane_of_thread() < cluster::size();
    all_ = sum_of_warp(some ? *cluster::at(&memory_.part_all, lane_of_thread()) : 0);
  }

  // Adds to the list those of four entries that reach the bound, as long as there is room.
  __device__ __forceinline__ void list_four(const float4& x, unsigned entry, float bound) const {
    const bool a = x.x >= bound, b = x.y >= bound, c = x.z >= bound, d = x.w >= bound;
    unsigned at = atomicAdd(&memory_.listed, (a ? 1u : 0u) + (b ? 1u : 0u) + (c ? 1u : 0u) + (d ? 1u : 0u));
    const auto put = [&](bool some, unsigned which) {
      if (some && at < on_chip_listed) memory_.list[at] = static_cast<std::uint16_t>(which);
      at += some ? 1 : 0;
    };
    put(a, entry), put(b, entry + 1), put(c, entry + 2), put(d, entry + 3);
  }

  __device__ void fill_bins() const {
    each([&](float x, unsigned) {
      const int bin = bin_of(x);
      if (bin >= 0) add(bin, weight_of(x, scale_));
    });
  }

  // Fills the bins again, for the current depth.
  __device__ void refill_bins(std::uint64_t& sum, std::uint64_t& count) const {
    cluster::sync();  // all blocks have read the old bins
    clear_bins();
    fill_bins();
    cluster::sync();
    join_bins(sum, count);
  }

  __device__ std::uint64_t reached(std::uint64_t of_bin) const {
    std::uint64_t all;
    sum_to_thread<threads>(of_bin, memory_.scratch, all);
    return all;
  }

  __device__ void widen() {
    reach(all_temperatures);
    depth_ = 0;
    is_listed_ = false;
    refill_bins(first_sum_, first_count_);
  }

  // Finds the key at which the count or the sum reaches `wanted`, which is at most the total of the bins.
  __device__ bool search(bool by_sum, std::uint64_t wanted) {
    std::uint64_t sum = first_sum_, count = first_count_, sum_before = 0;
    depth_ = 0;
    while (true) {
      std::uint64_t all;
      const std::uint64_t to_sum = sum_to_thread<threads>(sum, memory_.scratch, all);
      const std::uint64_t to_count = sum_to_thread<threads>(count, memory_.scratch, all);
      const std::uint64_t to = by_sum ? to_sum : to_count, from = to - (by_sum ? sum : count);
      if (to >= wanted && from < wanted) {
        memory_.bin = static_cast<int>(threadIdx.x);
        memory_.before_sum = to_sum - sum;
        memory_.before_count = to_count - count;
        memory_.in_bin = count;
      }
      __syncthreads();
      wanted -= by_sum ? memory_.before_sum : memory_.before_count;
      sum_before += memory_.before_sum;
      const int bin = memory_.bin;
      if (memory_.in_bin <= Memory::sorted) {
        sort(bin, by_sum, wanted, sum_before);
        return true;
      }
      if (depth_ == most_depth) return false;
      (depth_ == 0 ? path_[0] : path_[1]) = bin;
      ++depth_;
      refill_bins(sum, count);
    }
  }

  // The first block sorts the keys of a bin and sends the answer to all blocks.
  __device__ void sort(int bin, bool by_sum, std::uint64_t wanted, std::uint64_t sum_before) const {
    unsigned* const candidates = cluster::at(&memory_.candidates[by_sum ? 1 : 0], 0);
    std::uint64_t* const keys = cluster::at(&memory_.keys[0], 0);
    each([&](float x, unsigned entry) {
      if (bin_of(x) == bin)
        keys[atomicAdd(candidates, 1u)] = token_key(token_order(x + 0.0f), begin_ + entry - part_.before());
    });
    cluster::sync();
    ClusterExchange<2>& answer = memory_.answers[by_sum ? 1 : 0];
    if (cluster::rank() == 0) {
      const int count = static_cast<int>(memory_.candidates[by_sum ? 1 : 0]);
      sort_keys<threads>(memory_.keys, count);
      answer_of_sorted(count, by_sum, wanted);
      __syncthreads();
      if (warp_of_thread() == 0) {
        answer.tell(0, memory_.answer_key);
        answer.tell(1, sum_before + memory_.answer_sum);
      }
    }
    answer.wait_block();
  }

  __device__ void answer_of_sorted(int count, bool by_sum, std::uint64_t wanted) const {
    const int n = static_cast<int>(threadIdx.x);
    const std::uint64_t key = n < count ? memory_.keys[n] : 0;
    const std::uint64_t mine = n < count ? weight_of(logit_of_order(static_cast<std::uint32_t>(key >> 32)), scale_) : 0;
    std::uint64_t all;
    const std::uint64_t to = sum_to_thread<threads>(mine, memory_.scratch, all);
    const bool it = by_sum ? to >= wanted && to - mine < wanted : static_cast<std::uint64_t>(n) + 1 == wanted;
    if (n >= count || !it) return;
    memory_.answer_key = key;
    memory_.answer_sum = to;
  }

  const StagedPart<S>& part_;
  Memory& memory_;
  TokenScale scale_;
  float temperature_;
  std::int64_t begin_;
  float per_bin_ = 0;
  int depth_ = 0, path_[most_depth] = {};
  std::uint64_t first_sum_ = 0, first_count_ = 0;  // of this thread's bin at the first depth, over the row
  std::uint64_t all_ = 0, least_key_ = 0;
  bool is_listed_ = false;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
