#pragma once

#include <cstdint>

#include "sampling/tokens/first/first_few_cuda.cuh"

// The draw among the first few categories of a row, which are sorted. Some warps compute all their weights, and each of
// these writes some of the results; the other warps find the categories' places in numerical order.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// What the draw of a row needs in addition to its logits. Called by one warp.
__device__ __forceinline__ void prepare_few(const TokenCall& call, FewMemory& memory, std::int64_t row,
                                            const TokenFilter& filter) {
  if (filter.temperature == 0 || lane_of_thread() != 0) return;
  const int unit_bits = token_unit_bits(call.categories);
  memory.scale = token_scale(0, filter.temperature, unit_bits);
  memory.number = draw_number_of_row(call, row);
  memory.least = least_weight(filter.min_p, unit_bits);
}

__device__ __forceinline__ void put_token(const TokenCall& call, std::int64_t row, std::int32_t category, float log,
                                          std::int32_t rank, std::int32_t kept) {
  call.tokens[row] = category;
  put(call.log_probabilities, row, log);
  put(call.ranks, row, rank);
  put(call.kept_counts, row, kept);
  put(call.kept_masses, row, 1.0f);  // only asked for at temperature 0
  put(call.status, row, TokenStatus::ok);
}

// Unused entries, after the end of the kept set.
__device__ __forceinline__ void put_no_entries(const TokenCall& call, std::int64_t row, std::int64_t from,
                                               std::int64_t to, int step) {
  for (std::int64_t n = from; n < to; n += step) put_entry(call, row, n, -1, -__builtin_inff());
}

// The results of a row at temperature 0. Called by all threads of a block.
__device__ __forceinline__ void put_largest(const TokenCall& call, const FewMemory& memory, std::int64_t row) {
  put_no_entries(call, row, 1 + static_cast<std::int64_t>(threadIdx.x), call.room, first_threads);
  if (threadIdx.x != 0) return;
  const auto category = static_cast<std::int32_t>(category_of_key(memory.sorted[0]));
  if (call.room > 0) put_entry(call, row, 0, category, 0);
  put_token(call, row, category, 0, 0, 1);
}

// A place in the order, or in numerical order, belongs to a lane in one of several `rounds`. Each of the first warps
// computes all rounds, but writes the results of one.
template <int rounds>
class FewDraw {
 public:
  __device__ FewDraw(const TokenCall& call, FewMemory& memory, std::int64_t row, const TokenFilter& filter, int n)
      : call_(call), memory_(memory), row_(row), filter_(filter), n_(n) {}

  // Called by all threads of a block. Has one barrier.
  __device__ void draw() {
    if (warp_of_thread() >= rounds) {
      find_places();
      __syncthreads();
      return put_no_entries(call_, row_, n_ + static_cast<int>(threadIdx.x) - 32 * rounds, call_.room,
                            first_threads - 32 * rounds);
    }
    const Lanes weights = weigh();
    __syncthreads();
    const unsigned kept = put_kept(weights);
    if (warp_of_thread() == 0) put_no_entries(call_, row_, kept + threadIdx.x, min(call_.room, std::int64_t{n_}), 32);
  }

 private:
  struct Lanes {
    std::uint64_t at[rounds];
  };

  static __device__ int place(int r) { return 32 * r + lane_of_thread(); }
  __device__ float logit(int j) const { return logit_of_order(static_cast<std::uint32_t>(memory_.sorted[j] >> 32)); }

  // The sums up to each place, and the sum of all.
  static __device__ Lanes sum_up(const Lanes& of, std::uint64_t& all) {
    Lanes to;
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) to.at[r] = sum_to_lane(of.at[r]);
    all = 0;
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) {
      const std::uint64_t of_round = __shfl_sync(whole_warp, to.at[r], 31);
      to.at[r] += all;
      all += of_round;
    }
    return to;
  }

  // Counts, for each category, how many have lower numbers. All other warps do this.
  __device__ void find_places() {
    std::uint32_t turned[rounds];
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r)
      turned[r] = place(r) < n_ ? static_cast<std::uint32_t>(memory_.sorted[place(r)]) : 0;
    for (int j = warp_of_thread() - rounds; j < n_; j += first_threads / 32 - rounds) {
      const auto mine = static_cast<std::uint32_t>(memory_.sorted[j]);
      int before = 0;
      PAPILIO_UNROLL
      for (int r = 0; r < rounds; ++r) before += __popc(__ballot_sync(whole_warp, turned[r] > mine));
      if (lane_of_thread() == 0) memory_.places[j] = static_cast<std::uint8_t>(before);
    }
  }

  // The weights that the filters keep, by rank; 0 for the others.
  __device__ Lanes weigh() {
    TokenScale scale = memory_.scale;
    scale.largest = logit(0);
    Lanes weights;
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) weights.at[r] = place(r) < n_ ? weight_of(logit(place(r)), scale) : 0;
    const int share = filter_.top_p < 1 ? keep_share(weights) : n_;
    total_ = 0;
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) {
      if (place(r) >= share || weights.at[r] < memory_.least) weights.at[r] = 0;
      total_ += weights.at[r];
    }
    total_ = sum_of_warp(total_);
    log_total_ = log_of_total(total_, scale.unit_bits);
    return weights;
  }

  // How many categories, from the front, have the share that top_p requires.
  __device__ int keep_share(const Lanes& weights) const {
    std::uint64_t total;
    const Lanes to = sum_up(weights, total);
    const std::uint64_t wanted = top_p_sum(filter_.top_p, total);
    int before = 0;
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) before += __popc(__ballot_sync(whole_warp, place(r) < n_ && to.at[r] < wanted));
    return before + 1;
  }

  // Writes the results in ascending order of category, and draws. Returns how many are kept.
  __device__ unsigned put_kept(const Lanes& by_rank) {
    std::uint64_t* const weight_at = memory_.weights[warp_of_thread()];
    std::uint8_t* const rank_at = memory_.ranks[warp_of_thread()];
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) {
      if (place(r) >= n_) break;
      const int to = memory_.places[place(r)];
      weight_at[to] = by_rank.at[r];
      rank_at[to] = static_cast<std::uint8_t>(place(r));
    }
    __syncwarp();
    Lanes weights;
    unsigned kept = 0, entry = 0;
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r) {
      weights.at[r] = place(r) < n_ ? weight_at[place(r)] : 0;
      const unsigned some = __ballot_sync(whole_warp, weights.at[r] != 0);
      if (r == warp_of_thread()) entry = kept + static_cast<unsigned>(__popc(some & ((1u << lane_of_thread()) - 1)));
      kept += static_cast<unsigned>(__popc(some));
    }
    std::uint64_t all, weight = 0, to = 0;
    const Lanes sums = sum_up(weights, all);
    PAPILIO_UNROLL
    for (int r = 0; r < rounds; ++r)
      if (r == warp_of_thread()) weight = weights.at[r], to = sums.at[r];
    const std::uint64_t target = token_target(memory_.number, total_);
    const bool drawn = target < to && target >= to - weight;
    if (weight == 0 || (!drawn && entry >= call_.room)) return kept;
    const int rank = rank_at[place(warp_of_thread())];
    const float log = log_probability(logit(rank), logit(0), filter_.temperature, log_total_);
    const auto category = static_cast<std::int32_t>(category_of_key(memory_.sorted[rank]));
    if (entry < call_.room) put_entry(call_, row_, entry, category, log);
    if (drawn) put_token(call_, row_, category, log, rank, static_cast<std::int32_t>(kept));
    return kept;
  }

  const TokenCall& call_;
  FewMemory& memory_;
  std::int64_t row_;
  TokenFilter filter_;
  int n_;
  std::uint64_t total_ = 0;
  double log_total_ = 0;
};

inline __device__ __noinline__ void draw_among(const TokenCall& call, FewMemory& memory, std::int64_t row,
                                               const TokenFilter& filter, int n) {
  if (n <= 64)
    FewDraw<2>(call, memory, row, filter, n).draw();
  else
    FewDraw<few_most / 32>(call, memory, row, filter, n).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
