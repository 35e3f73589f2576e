#pragma once

#include <cstdint>

#include "sampling/tokens/token_search_cuda.cuh"

// Sums of whole numbers by ascending category over a row that the blocks of a cluster hold, and the category in whose
// interval a target falls. The caller defines the weight of a category: a weight that a filter kept, or what a draft
// left of one.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

struct SumsMemory {
  std::uint64_t warp_sums[slice_warps];
  std::uint64_t part;  // of the block; read by the others of its cluster
};

class TokenSums {
 public:
  __device__ TokenSums(const TokenSlice& slice, SumsMemory& memory) : slice_(slice), memory_(memory) {}

  // The sum of weight(n) over the categories of all blocks, by all threads of all blocks. What `find` needs stays.
  template <class Weight>
  __device__ std::uint64_t sum(Weight weight) {
    const std::int64_t begin = first_of_warp(), end = min(slice_.count(), begin + of_warp());
    std::uint64_t mine = 0;
    PAPILIO_UNROLL_FEW
    for (std::int64_t n = begin + lane_of_thread(); n < end; n += 32) mine += weight(n);
    mine = sum_of_warp(mine);
    cluster::sync();  // nobody reads the sums before these any more
    if (lane_of_thread() == 0) memory_.warp_sums[warp_of_thread()] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
      memory_.part = 0;
      for (int w = 0; w < slice_warps; ++w) memory_.part += memory_.warp_sums[w];
    }
    cluster::sync();
    return joined(&memory_.part, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }

  // Calls found(n) in the one thread of the one block whose category has the target, below the sum, in its interval.
  // After `sum`, by all threads of all blocks, with the same weights.
  template <class Weight, class Found>
  __device__ void find(std::uint64_t target, Weight weight, Found found) const {
    int owner = 0;
    for (std::uint64_t part; target >= (part = *cluster::at(&memory_.part, owner)); ++owner) target -= part;
    if (owner == cluster::rank()) find_in_part(target, weight, found);
  }

  // The same within what one block or cluster holds of a longer row, if the target is there at all.
  template <class Weight, class Found>
  __device__ void find_in_part(std::uint64_t target, Weight weight, Found found) const {
    int warp = 0;
    for (; target >= memory_.warp_sums[warp]; ++warp) target -= memory_.warp_sums[warp];
    if (warp != warp_of_thread()) return;
    const std::int64_t end = min(slice_.count(), (warp + 1) * of_warp());
    for (std::int64_t first = warp * of_warp();; first += 32) {
      const std::int64_t n = first + lane_of_thread();
      const std::uint64_t mine = n < end ? weight(n) : 0;
      const std::uint64_t to = sum_to_lane(mine);
      if (target < to && target >= to - mine) found(n);
      const std::uint64_t here = __shfl_sync(whole_warp, to, 31);
      if (target < here) return;
      target -= here;
    }
  }

 private:
  // The categories of a warp: next to each other.
  __device__ std::int64_t of_warp() const { return (slice_.count() + slice_threads - 1) / slice_threads * 32; }
  __device__ std::int64_t first_of_warp() const { return min(slice_.count(), warp_of_thread() * of_warp()); }

  const TokenSlice& slice_;
  SumsMemory& memory_;
};

// The filters as they are searched for: greedy is the first of the order alone.
__device__ __forceinline__ TokenFilter searched_filter(const TokenFilter& f) {
  return f.temperature == 0 ? TokenFilter{1, 1, 1, 0} : f;
}

// What the filters keep of a row that is `ok`.
__device__ __forceinline__ KeptSet kept_of_row(TokenSlice& slice, SliceMemory& memory, const TokenScale& scale,
                                               const TokenFilter& filter, bool joint, std::int64_t categories) {
  KeptSet kept = {0, least_weight(filter.min_p, scale.unit_bits)};
  const auto search = [&] { return TokenSearch(slice, memory, scale, filter.temperature, kept.least_key); };
  if (filter.top_k > 0 && filter.top_k < categories)
    kept.least_key = search().find_count(static_cast<std::uint64_t>(filter.top_k));
  if (!(filter.top_p < 1)) return kept;
  std::uint64_t total = 0;
  if (joint && kept.least_key != 0) {
    std::uint64_t mine = 0;
    for (std::int64_t n = threadIdx.x; n < slice.count(); n += slice_threads) mine += weight_of(slice.logit(n), scale);
    total = slice.sum_of_all(mine);
  }
  kept.least_key = search().find_sum(filter.top_p, total, slice);
  return kept;
}

// The weight of category n of a part, 0 where it is not kept.
__device__ __forceinline__ std::uint64_t kept_weight(const TokenSlice& slice, std::int64_t n, const TokenScale& scale,
                                                     const KeptSet& kept) {
  if (slice.key(n) < kept.least_key) return 0;
  const std::uint64_t weight = weight_of(slice.logit(n), scale);
  return weight < kept.least_weight ? 0 : weight;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
