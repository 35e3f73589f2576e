#pragma once

#include <cstdint>

#include "execution/cuda/dependent_launch.cuh"
#include "sampling/tokens/token_search_cuda.cuh"

// Draws from rows of which any number of categories may be kept: the blocks of a cluster hold a row, find where the
// filters cut its order, and sum the kept weights in ascending order of category.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

class FilteredDraw {
 public:
  __device__ FilteredDraw(const TokenCall& call, SliceMemory& memory, const TokenSlice& slice, std::int64_t row,
                          const TokenFilter& filter)
      : call_(call), memory_(memory), slice_(slice), row_(row), filter_(filter) {
    unit_bits_ = token_unit_bits(call.categories);
    scale_ = token_scale(slice.largest(), filter.temperature, unit_bits_);
  }

  // Finds which categories the filters keep.
  __device__ void filter(TokenSlice& slice) {
    if (filter_.top_k > 0 && filter_.top_k < call_.categories)
      kept_.least_key = search().find_count(static_cast<std::uint64_t>(filter_.top_k));
    if (filter_.top_p < 1) {
      std::uint64_t total = 0;
      if (call_.joint && kept_.least_key != 0) total = slice.sum_of_all(sum_of_thread());
      kept_.least_key = search().find_sum(filter_.top_p, total, slice);
    }
    if (filter_.min_p > 0) kept_.least_weight = least_weight(filter_.min_p, unit_bits_);
  }

  __device__ void draw() {
    find_cut();
    sum_warps();
    // Lane b has the sum of block b.
    const std::uint64_t part =
        lane_of_thread() < cluster::size() ? *cluster::at(&memory_.part_sum, lane_of_thread()) : 0;
    const std::uint64_t to = sum_to_lane(part);
    total_ = __shfl_sync(whole_warp, to, 31);
    const auto plus = [](auto a, auto b) { return a + b; };
    const unsigned kept = joined_by_warp(&memory_.part_kept, plus);
    const std::uint64_t all = call_.kept_masses == nullptr ? 0 : joined_by_warp(&memory_.part_all, plus);
    std::uint64_t target = token_target(memory_.number, total_);
    const int owner = __ffs(static_cast<int>(__ballot_sync(whole_warp, target < to))) - 1;
    target -= __shfl_sync(whole_warp, to - part, owner);
    if (call_.room > 0) log_total_ = log_of_total(total_, unit_bits_);
    if (owner == cluster::rank()) find(target, kept, all);
    if (call_.ranks != nullptr) rank(owner);
    if (call_.room > 0) list(kept);
  }

 private:
  __device__ TokenSearch search() const {
    return TokenSearch(slice_, memory_, scale_, filter_.temperature, kept_.least_key);
  }

  __device__ std::uint64_t sum_of_thread() const {
    std::uint64_t sum = 0;
    for (std::int64_t n = threadIdx.x; n < slice_.count(); n += slice_threads)
      sum += weight_of(slice_.logit(n), scale_);
    return sum;
  }

  // The groups of four categories that belong to a thread, and to a warp; they are adjacent.
  __device__ unsigned fours_of_thread() const {
    return static_cast<unsigned>((slice_.count() + 4 * slice_threads - 1) / (4 * slice_threads));
  }
  __device__ std::int64_t of_warp() const { return 128 * std::int64_t{fours_of_thread()}; }

  // Finds the logit and category of the last key that is kept.
  __device__ void find_cut() {
    if (kept_.least_key == 0) return;
    cut_ = logit_of_order(static_cast<std::uint32_t>(kept_.least_key >> 32));
    last_at_cut_ = category_of_key(kept_.least_key);
  }

  // The weight of category n of this part if it is kept, else 0. `weight` gets it in any case, if kept masses need it.
  __device__ __forceinline__ std::uint64_t kept_weight(float x, std::int64_t n, std::uint64_t& weight) const {
    weight = 0;
    const bool late = x < cut_ || (x == cut_ && slice_.begin() + n > last_at_cut_);
    if (late && call_.kept_masses == nullptr) return 0;
    weight = weight_of(x, scale_);
    return late || weight < kept_.least_weight ? 0 : weight;
  }

  // Sums what each thread, each warp and the part keep. Threads begin at different groups, to avoid bank conflicts.
  __device__ void sum_warps() {
    const auto count = static_cast<unsigned>(slice_.count());
    const unsigned fours = fours_of_thread(), begin = 4 * fours * threadIdx.x;
    std::uint64_t all = 0;
    unsigned kept = 0;
    const auto take = [&](float x, unsigned n) {
      std::uint64_t weight;
      const std::uint64_t mine = kept_weight(x, n, weight);
      sum_ += mine;
      all += weight;
      kept += mine != 0 ? 1 : 0;
    };
    unsigned at = fours == 0 ? 0 : threadIdx.x % fours;
    PAPILIO_UNROLL_TWO
    for (unsigned j = 0; j < fours; ++j) {
      const unsigned n = begin + 4 * at;
      at = at + 1 == fours ? 0 : at + 1;
      if (n >= count) continue;
      const float4 x = slice_.four(n);
      take(x.x, n), take(x.y, n + 1), take(x.z, n + 2), take(x.w, n + 3);
    }
    const std::uint64_t sum = sum_of_warp(sum_);
    kept = __reduce_add_sync(whole_warp, kept);
    if (call_.kept_masses != nullptr) {
      std::uint64_t of_block;
      sum_to_thread<slice_threads>(all, memory_.sums, of_block);
      if (threadIdx.x == 0) memory_.part_all = of_block;
    }
    if (lane_of_thread() == 0) {
      memory_.warp_sums[warp_of_thread()] = sum;
      memory_.warp_kept[warp_of_thread()] = kept;
    }
    if (threadIdx.x == 0) memory_.number = draw_number_of_row(call_, row_);
    __syncthreads();
    if (warp_of_thread() == 0) {
      const bool some = lane_of_thread() < slice_warps;
      const std::uint64_t of_part = sum_of_warp(some ? memory_.warp_sums[lane_of_thread()] : 0);
      const unsigned kept_of_part = __reduce_add_sync(whole_warp, some ? memory_.warp_kept[lane_of_thread()] : 0);
      if (threadIdx.x == 0) {
        memory_.part_sum = of_part;
        memory_.part_kept = kept_of_part;
        memory_.rank = 0;
      }
    }
    cluster::sync();
  }

  // Finds the token in whose interval the target falls, if it is in this part. Called by the warp that has it.
  __device__ void find(std::uint64_t target, unsigned kept, std::uint64_t all) {
    int warp = 0;
    for (; target >= memory_.warp_sums[warp]; ++warp) target -= memory_.warp_sums[warp];
    if (warp != warp_of_thread()) return;
    const std::uint64_t up_to = sum_to_lane(sum_);
    const int lane = __ffs(static_cast<int>(__ballot_sync(whole_warp, target < up_to))) - 1;
    target -= __shfl_sync(whole_warp, up_to - sum_, lane);
    const std::int64_t of_thread = 4 * std::int64_t{fours_of_thread()}, begin = (32 * warp + lane) * of_thread;
    const std::int64_t end = min(slice_.count(), begin + of_thread);
    for (std::int64_t first = begin;; first += 32) {
      const std::int64_t n = first + lane_of_thread();
      std::uint64_t weight = 0;
      const std::uint64_t mine = n < end ? kept_weight(slice_.logit(n), n, weight) : 0;
      const std::uint64_t to = sum_to_lane(mine);
      if (target < to && target >= to - mine) drawn(n, kept, all);
      const std::uint64_t here = __shfl_sync(whole_warp, to, 31);
      if (target < here) return;
      target -= here;
    }
  }

  __device__ float log_of(std::int64_t n) const {
    return log_probability(slice_.logit(n), slice_.largest(), filter_.temperature, log_total_);
  }

  __device__ void drawn(std::int64_t n, unsigned kept, std::uint64_t all) {
    log_total_ = log_of_total(total_, unit_bits_);
    memory_.token_key = slice_.key(n);
    call_.tokens[row_] = static_cast<std::int32_t>(slice_.begin() + n);
    put(call_.log_probabilities, row_, log_of(n));
    put(call_.kept_counts, row_, static_cast<std::int32_t>(kept));
    if (call_.kept_masses != nullptr) call_.kept_masses[row_] = mass_of(total_, all);
    put(call_.status, row_, TokenStatus::ok);
  }

  // Counts how many categories come before the token.
  __device__ void rank(int owner) const {
    cluster::sync();
    const std::uint64_t key = *cluster::at(&memory_.token_key, owner);
    unsigned before = 0;
    for (std::int64_t n = threadIdx.x; n < slice_.count(); n += slice_threads)
      before += slice_.logit(n) > -__builtin_inff() && slice_.key(n) > key ? 1 : 0;
    before = sum_of_warp(before);
    if (lane_of_thread() == 0 && before != 0) atomicAdd(cluster::at(&memory_.rank, owner), before);
    cluster::sync();
    if (cluster::rank() == owner && threadIdx.x == 0) call_.ranks[row_] = static_cast<std::int32_t>(memory_.rank);
  }

  // Writes the kept set, in ascending order of category.
  __device__ void list(unsigned kept) const {
    std::int64_t place = 0;
    for (int block = 0; block < cluster::rank(); ++block) place += *cluster::at(&memory_.part_kept, block);
    for (int w = 0; w < warp_of_thread(); ++w) place += memory_.warp_kept[w];
    const std::int64_t begin = warp_of_thread() * of_warp(), end = min(slice_.count(), begin + of_warp());
    for (std::int64_t first = begin; first < end && place < call_.room; first += 32) {
      const std::int64_t n = first + lane_of_thread();
      std::uint64_t weight = 0;
      const bool keep = n < end && kept_weight(slice_.logit(n), n, weight) != 0;
      const unsigned all = __ballot_sync(whole_warp, keep);
      if (keep) entry(place + __popc(all & ((1u << lane_of_thread()) - 1)), slice_.begin() + n, log_of(n));
      place += __popc(all);
    }
    if (cluster::rank() != 0) return;
    for (std::int64_t n = kept + threadIdx.x; n < call_.room; n += slice_threads) entry(n, -1, -__builtin_inff());
  }

  __device__ void entry(std::int64_t place, std::int64_t category, float log) const {
    if (place >= call_.room) return;
    call_.kept_categories[row_ * call_.kept_stride + place] = static_cast<std::int32_t>(category);
    if (call_.kept_logs != nullptr) call_.kept_logs[row_ * call_.kept_logs_stride + place] = log;
  }

  const TokenCall& call_;
  SliceMemory& memory_;
  const TokenSlice& slice_;
  std::int64_t row_;
  TokenFilter filter_;
  TokenScale scale_;
  KeptSet kept_ = {0, 1};
  float cut_ = -__builtin_inff();
  std::int64_t last_at_cut_ = std::int64_t{1} << 32;
  std::uint64_t sum_ = 0;  // of what this thread keeps
  std::uint64_t total_ = 0;
  double log_total_ = 0;
  int unit_bits_;
};

// A row is left for this kernel if no other kernel takes it, or if one has left it over. The first function looks only
// at the row's filter.
__device__ __forceinline__ bool may_be_left(const TokenCall& call, std::int64_t row) {
  return way_of_row(call, row) >= TokenWay::near;
}
__device__ __forceinline__ bool is_left(const TokenCall& call, std::int64_t row) {
  const TokenWay way = way_of_row(call, row);
  return way == TokenWay::any || (way >= TokenWay::near && token_of_row(call, row) == left_over);
}

extern __shared__ float slice_values[];

// Draws from a row that the blocks of a cluster hold. `filter` is the row's own, which is checked; the draw goes by
// `searched`. All threads of the cluster return the same status.
template <class S>
__device__ __forceinline__ TokenStatus draw_filtered_row(const TokenCall& call, SliceMemory& memory, std::int64_t row,
                                                         const TokenFilter& filter, const TokenFilter& searched) {
  const BiasOfRow bias = bias_of_row(call, row);
  __syncthreads();
  TokenStatus status = bias_is_bad(call, bias) ? TokenStatus::bad_bias
                       : valid_filter(filter)  ? TokenStatus::ok
                                               : TokenStatus::bad_filter;
  TokenSlice slice(call, memory, slice_values, row);
  if (status == TokenStatus::ok) status = slice.read<S>(call, row, bias);
  if (status == TokenStatus::ok) {
    FilteredDraw draw(call, memory, slice, row, searched);
    draw.filter(slice);
    draw.draw();
  } else if (cluster::rank() == 0) {
    put_none(call, row, status);
  }
  cluster::sync();
  return status;
}

template <class S>
__global__ void __launch_bounds__(slice_threads, 2) draw_filtered_tokens(const __grid_constant__ TokenCall call) {
  __shared__ SliceMemory memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts, first = blockIdx.x / parts;
  if (call.left && !may_be_any_row(call, first, step, [&](std::int64_t row) { return may_be_left(call, row); }))
    return execution::end_after_kernel_before();
  execution::wait_for_kernel_before();
  if (call.left && !any_row(call, first, step, [&](std::int64_t row) { return is_left(call, row); })) return;
  if (threadIdx.x == 0) memory.candidates = 0;
  for (std::int64_t row = first; row < call.rows; row += step) {
    if (!is_left(call, row)) continue;
    const TokenFilter filter = filter_of_row(call, row);
    draw_filtered_row<S>(call, memory, row, filter, filter);
  }
}

// The log probabilities of the tokens under the logits as passed: `call` has neither bias nor mask.
template <class S>
__global__ void __launch_bounds__(slice_threads, 2) find_raw_logs(const __grid_constant__ TokenCall call) {
  __shared__ SliceMemory memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts;
  const int unit_bits = token_unit_bits(call.categories);
  for (std::int64_t row = blockIdx.x / parts; row < call.rows; row += step) {
    const std::int32_t token = call.tokens[row];
    if (token < 0) continue;
    __syncthreads();
    TokenSlice slice(call, memory, slice_values, row);
    float log = __builtin_nanf("");
    if (slice.read<S>(call, row, {nullptr, nullptr, 0, false}) == TokenStatus::ok) {
      const TokenScale scale = token_scale(slice.largest(), 1, unit_bits);
      const auto count = static_cast<unsigned>(slice.count());
      std::uint64_t mine = 0;
      PAPILIO_UNROLL_TWO
      for (unsigned n = 4 * threadIdx.x; n < count; n += 4 * slice_threads) {
        const float4 x = slice.four(n);
        mine += weight_of(x.x, scale) + weight_of(x.y, scale) + weight_of(x.z, scale) + weight_of(x.w, scale);
      }
      const double log_total = log_of_total(slice.sum_of_all(mine), unit_bits);
      log = log_probability(logits_of_row<S>(call, row).at(token), slice.largest(), 1, log_total);
    }
    if (cluster::rank() == 0 && threadIdx.x == 0) call.raw_log_probabilities[row] = log;
    cluster::sync();
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
