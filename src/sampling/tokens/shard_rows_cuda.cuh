#pragma once

#include <cstdint>

#include "sampling/tokens/shard_law.h"
#include "sampling/tokens/token_sums_cuda.cuh"

// A shard's rows on a device: the blocks of a cluster hold the shard's part of a row.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

struct ShardCall {
  TokenCall rows;  // `categories` are those that the shard holds; of the results, tokens, log_probabilities and status
  std::int64_t first_category, categories;  // of the whole vocabulary
  std::int64_t number, shards;
  TokenShardState* states;
  TokenShardRecord* records;         // written: one per row
  const TokenShardRecord* gathered;  // read: those of all shards
  std::int64_t shard_stride, row_stride;
};

// The part of a row, once read, that the filters have not yet removed.
class ShardRowOnChip {
 public:
  __device__ ShardRowOnChip(const ShardCall& call, const TokenSlice& slice, const TokenShardState& state,
                            const TokenFilter& f)
      : slice_(slice),
        first_(static_cast<std::uint64_t>(call.first_category)),
        least_key_(state.least_key),
        least_weight_(shard_least_weight(f, call.categories)),
        scale_(token_scale(logit_of_order(state.largest), shard_temperature(f), token_unit_bits(call.categories))) {}

  // The key of category n of this block's part, within the whole vocabulary; 0 if it is removed or masked.
  __device__ __forceinline__ std::uint64_t key(std::int64_t n) const {
    if (!(slice_.logit(n) > -__builtin_inff())) return 0;
    const std::uint64_t key = slice_.key(n) - first_;
    return key < least_key_ ? 0 : key;
  }
  __device__ __forceinline__ std::uint64_t weight(std::int64_t n) const { return weight_of(slice_.logit(n), scale_); }

  // The weight if all filters keep it, else 0.
  __device__ __forceinline__ std::uint64_t kept_weight(std::int64_t n) const {
    if (key(n) == 0) return 0;
    const std::uint64_t w = weight(n);
    return w < least_weight_ ? 0 : w;
  }

 private:
  const TokenSlice& slice_;
  std::uint64_t first_, least_key_, least_weight_;
  TokenScale scale_;
};

// Adds to a bin in shared memory. Most keys of a row have the same first digits; if those of a warp are the same, one
// lane adds for all. Whole warps call this; a digit of -1 adds nothing.
__device__ __forceinline__ void add_to_bin(SliceMemory& memory, int digit, std::uint64_t weight) {
  int same = 0;
  __match_all_sync(whole_warp, digit, &same);
  if (same != 0) {
    if (digit < 0) return;
    weight = sum_of_warp(weight);
    if (lane_of_thread() != 0) return;
    atomicAdd(&memory.bin_sums[digit], static_cast<Wide>(weight));
    atomicAdd(&memory.bin_counts[digit], 32u);
  } else if (digit >= 0) {
    atomicAdd(&memory.bin_sums[digit], static_cast<Wide>(weight));
    atomicAdd(&memory.bin_counts[digit], 1u);
  }
}

__device__ __forceinline__ void count_digits(const ShardRowOnChip& held, const TokenSlice& slice, SliceMemory& memory,
                                             const TokenShardState& state, TokenShardRecord& record) {
  if (threadIdx.x < slice_bins) {
    memory.bin_sums[threadIdx.x] = 0;
    memory.bin_counts[threadIdx.x] = 0;
  }
  __syncthreads();
  for (std::int64_t first = 0; first < slice.count(); first += slice_threads) {
    const std::int64_t n = first + threadIdx.x;
    const std::uint64_t key = n < slice.count() ? held.key(n) : 0;
    const int digit = key == 0 ? -1 : shard_digit(key, state);
    add_to_bin(memory, digit, digit < 0 ? 0 : held.weight(n));
  }
  cluster::sync();
  if (cluster::rank() == 0 && threadIdx.x < slice_bins) {
    const auto plus = [](auto a, auto b) { return a + b; };
    record.sums[threadIdx.x] = joined(&memory.bin_sums[threadIdx.x], plus);
    record.counts[threadIdx.x] = joined(&memory.bin_counts[threadIdx.x], plus);
  }
}

// Reads the shard's part of a row, and finds the status that the CPU would find.
template <class S>
__device__ TokenStatus read_shard_row(const TokenCall& call, TokenSlice& slice, std::int64_t row,
                                      const TokenFilter& filter) {
  const BiasOfRow bias = bias_of_row(call, row);
  if (bias_is_bad(call, bias)) return TokenStatus::bad_bias;
  if (!valid_filter(filter)) return TokenStatus::bad_filter;
  return slice.read<S>(call, row, bias);
}

extern __shared__ float shard_slice[];

template <class S>
__global__ void __launch_bounds__(slice_threads, 2) summarize_rows(const __grid_constant__ ShardCall call) {
  __shared__ SliceMemory memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts;
  for (std::int64_t row = blockIdx.x / parts; row < call.rows.rows; row += step) {
    const TokenShardState state = call.states[row];
    const TokenFilter filter = filter_of_row(call.rows, row);
    TokenShardRecord& record = call.records[row];
    if (cluster::rank() == 0) {
      auto* const words = reinterpret_cast<std::uint64_t*>(&record);
      for (std::size_t n = threadIdx.x; n < sizeof record / 8; n += slice_threads) words[n] = 0;
    }
    __syncthreads();
    if (!valid_shard_state(state) || state.stage == TokenShardState::Stage::done) continue;
    TokenSlice slice(call.rows, memory, shard_slice, row);
    const TokenStatus status = read_shard_row<S>(call.rows, slice, row, filter);
    if (cluster::rank() == 0 && threadIdx.x == 0) {
      record.status = status;
      record.largest = status == TokenStatus::ok ? token_order(slice.largest() + 0.0f) : 0;
    }
    if (status == TokenStatus::ok && state.stage != TokenShardState::Stage::start) {
      const ShardRowOnChip held(call, slice, state, filter);
      if (state.stage == TokenShardState::Stage::sums) {
        std::uint64_t mine = 0;
        for (std::int64_t n = threadIdx.x; n < slice.count(); n += slice_threads) mine += held.kept_weight(n);
        const std::uint64_t sum = slice.sum_of_all(mine);
        if (cluster::rank() == 0 && threadIdx.x == 0) record.sums[0] = sum;
      } else {
        count_digits(held, slice, memory, state, record);
      }
    }
    cluster::sync();
  }
}

template <class S>
__global__ void __launch_bounds__(slice_threads, 2) finish_rows(const __grid_constant__ ShardCall call) {
  __shared__ SliceMemory memory;
  __shared__ SumsMemory sums_memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts;
  for (std::int64_t row = blockIdx.x / parts; row < call.rows.rows; row += step) {
    const TokenShardState state = call.states[row];
    const TokenFilter filter = filter_of_row(call.rows, row);
    __syncthreads();
    if (cluster::rank() == 0 && threadIdx.x == 0) {
      call.rows.tokens[row] = -1;
      put(call.rows.log_probabilities, row, __builtin_nanf(""));
      put(call.rows.status, row, state.status);
    }
    if (!valid_shard_state(state) || state.stage != TokenShardState::Stage::done || state.status != TokenStatus::ok ||
        state.owner != call.number)
      continue;
    TokenSlice slice(call.rows, memory, shard_slice, row);
    if (read_shard_row<S>(call.rows, slice, row, filter) == TokenStatus::ok) {
      const ShardRowOnChip held(call, slice, state, filter);
      const auto weight = [&](std::int64_t n) { return held.kept_weight(n); };
      TokenSums sums(slice, sums_memory);
      if (state.target < sums.sum(weight))
        sums.find(state.target, weight, [&](std::int64_t n) {
          call.rows.tokens[row] = static_cast<std::int32_t>(call.first_category + slice.begin() + n);
          const double log_total = log_of_total(state.total, token_unit_bits(call.categories));
          const float log = filter.temperature == 0
                                ? 0
                                : log_probability(slice.logit(n) + 0.0f, logit_of_order(state.largest),
                                                  filter.temperature, log_total);
          put(call.rows.log_probabilities, row, log);
        });
    }
    cluster::sync();
  }
}

// Combines the records of a row: one block, with a thread per digit.
static __global__ void __launch_bounds__(slice_bins) combine_rows(const __grid_constant__ ShardCall call) {
  using Stage = TokenShardState::Stage;
  __shared__ std::uint64_t sums[slice_bins], counts[slice_bins];
  for (std::int64_t row = blockIdx.x; row < call.rows.rows; row += gridDim.x) {
    const auto record = [&](std::int64_t shard) -> const TokenShardRecord& {
      return call.gathered[shard * call.shard_stride + row * call.row_stride];
    };
    TokenShardState state = call.states[row];
    __syncthreads();
    sums[threadIdx.x] = 0;
    counts[threadIdx.x] = 0;
    for (std::int64_t s = 0; s < call.shards; ++s) {
      sums[threadIdx.x] += record(s).sums[threadIdx.x];
      counts[threadIdx.x] += record(s).counts[threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x != 0 || (valid_shard_state(state) && state.stage == Stage::done)) continue;
    const TokenFilter filter = filter_of_row(call.rows, row);
    if (!valid_shard_state(state)) {
      state.stage = Stage::done;
      state.status = TokenStatus::nothing_allowed;
    } else if (state.stage == Stage::start) {
      begin_shards(state, record, call.shards, filter, call.categories);
    } else if (state.stage == Stage::sums) {
      draw_among_shards(state, record, call.shards, draw_number_of_row(call.rows, row));
    } else {
      take_digit(state, filter, sums, counts);
    }
    call.states[row] = state;
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
