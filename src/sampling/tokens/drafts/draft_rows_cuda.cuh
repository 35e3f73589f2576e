#pragma once

#include <cstdint>

#include "sampling/tokens/drafts/draft_call_cuda.h"
#include "sampling/tokens/drafts/draft_law.h"
#include "sampling/tokens/token_sums_cuda.cuh"

// Compares rows of the target's logits with a draft. The blocks of a cluster process a row independently of the rows
// before it; which rows count is decided once all of them are known.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::DraftCall;
using papilio::sampling::DraftRow;

// A row's place in its text. If offsets are not in order, this is some place that exists.
struct DraftPlace {
  std::int64_t text;
  std::int64_t first_row;    // first row of the text
  std::int64_t row;          // number among all rows
  std::int64_t draft_token;  // -1: the row is for the token after the draft
};

__device__ __forceinline__ DraftPlace place_of_row(const DraftCall& call, std::int64_t row) {
  std::int64_t begin = 0, end = call.texts;  // finds the last text that does not begin after the row
  while (end - begin > 1) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (call.offsets[middle] <= row - middle)
      begin = middle;
    else
      end = middle;
  }
  const std::int64_t token = row - begin;
  const bool drafted = token < call.offsets[begin + 1] && token < call.drafted;
  return {begin, call.offsets[begin] + begin, row, drafted ? token : -1};
}

__device__ __forceinline__ TokenNumbers numbers_of_row(const DraftCall& call, std::int64_t text, std::int64_t first_row,
                                                       std::int64_t row) {
  const TokenCall& t = call.target;
  const std::uint64_t seed = t.seeds == nullptr ? t.seed : static_cast<std::uint64_t>(t.seeds[text]);
  const std::uint64_t first = t.positions == nullptr ? t.first_position + static_cast<std::uint64_t>(first_row)
                                                     : static_cast<std::uint64_t>(t.positions[text]);
  return token_numbers(seed, t.stream, first + static_cast<std::uint64_t>(row - first_row));
}

// The distribution that a draft token was drawn from, in units of a total.
class DraftLawOfToken {
 public:
  // Called by all threads of a block.
  __device__ DraftLawOfToken(const DraftCall& call, std::int64_t token) : categories_(call.target.categories) {
    if (call.probabilities != nullptr) {
      dense_ = call.probabilities + token * call.probabilities_stride;
      return;
    }
    kept_ = call.kept + token * call.kept_stride;
    logs_ = call.kept_logs + token * call.kept_logs_stride;
    find_end(call.room);
  }

  // Whether this block's part has something out of range or order; called by all threads, with the same result for all.
  __device__ bool is_bad(const TokenSlice& slice) {
    bool bad = false;
    if (dense_ != nullptr) {
      for (std::int64_t n = threadIdx.x; n < slice.count(); n += slice_threads) {
        const float p = dense_[slice.begin() + n];
        bad = bad || !(p >= 0 && p <= 1);
      }
      return __syncthreads_or(bad ? 1 : 0) != 0;
    }
    for (std::int64_t j = threadIdx.x; j < count_; j += slice_threads) {
      const std::int64_t category = kept_[j], before = j == 0 ? -1 : kept_[j - 1];
      bad = bad || category <= before || category >= categories_ || !(logs_[j] <= 0);
    }
    return __syncthreads_or(bad ? 1 : 0) != 0;
  }

  __device__ __forceinline__ std::uint64_t of(std::int64_t category, std::uint64_t total) const {
    const double p = dense_ != nullptr ? static_cast<double>(dense_[category]) : kept_probability(category);
    return p > 0 ? floor_share(p < 1 ? p : 1.0, total) : 0;
  }

 private:
  // A kept set ends at the first -1.
  __device__ void find_end(std::int64_t room) {
    __shared__ Wide end;
    __syncthreads();
    if (threadIdx.x == 0) end = static_cast<Wide>(room);
    __syncthreads();
    for (std::int64_t j = threadIdx.x; j < room; j += slice_threads) {
      if (kept_[j] != -1) continue;
      atomicMin(&end, static_cast<Wide>(j));
      break;
    }
    __syncthreads();
    count_ = static_cast<std::int64_t>(end);
  }

  __device__ double kept_probability(std::int64_t category) const {
    std::int64_t begin = 0, end = count_;
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (kept_[middle] < category)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin < count_ && kept_[begin] == category ? random::exponential(static_cast<double>(logs_[begin])) : 0;
  }

  std::int64_t categories_, count_ = 0;
  const float* dense_ = nullptr;
  const std::int32_t* kept_ = nullptr;
  const float* logs_ = nullptr;
};

// The memory of one block. Other blocks of its cluster read what has a comment.
struct DraftMemory {
  SumsMemory sums;
  unsigned bad;  // something is wrong with this part of the draft's distribution
};

class DraftRowReader {
 public:
  __device__ DraftRowReader(const DraftCall& call, SliceMemory& slice_memory, DraftMemory& memory, float* on_chip,
                            std::int64_t row)
      : call_(call),
        slice_memory_(slice_memory),
        memory_(memory),
        slice_(call.target, slice_memory, on_chip, row),
        sums_(slice_, memory.sums),
        place_(place_of_row(call, row)) {}

  // Reads the row and finds its distribution; returns false if it has none.
  template <class S>
  __device__ bool read() {
    const TokenCall& target = call_.target;
    const TokenFilter given = filter_of_row(target, place_.row), filter = searched_filter(given);
    const BiasOfRow bias = bias_of_row(target, place_.row);
    TokenStatus status = bias_is_bad(target, bias) ? TokenStatus::bad_bias
                         : valid_filter(given)     ? TokenStatus::ok
                                                   : TokenStatus::bad_filter;
    if (status == TokenStatus::ok) status = slice_.read<S>(target, place_.row, bias);
    if (leads()) row().status = status;
    if (status != TokenStatus::ok) return false;
    scale_ = token_scale(slice_.largest(), filter.temperature, token_unit_bits(target.categories));
    kept_ = kept_of_row(slice_, slice_memory_, scale_, filter, target.joint, target.categories);
    return true;
  }

  // Draws from the distribution, and computes the weight of the draft token.
  __device__ void draw() {
    const auto weight = [&](std::int64_t n) { return kept_weight(slice_, n, scale_, kept_); };
    total_ = sums_.sum(weight);
    const std::uint64_t number = numbers_of_row(call_, place_.text, place_.first_row, place_.row).draw;
    sums_.find(token_target(number, total_), weight,
               [&](std::int64_t n) { row().token = static_cast<std::int32_t>(slice_.begin() + n); });
    if (leads()) {
      row().kept = kept_;
      row().total = total_;
    }
    if (place_.draft_token < 0) return;
    const std::int32_t token = call_.tokens[place_.draft_token];
    const std::int64_t n = token - slice_.begin();
    if (threadIdx.x == 0 && n >= 0 && n < slice_.count()) row().target = kept_weight(slice_, n, scale_, kept_);
    if (!call_.has_law || token < 0 || token >= call_.target.categories) return;
    const DraftLawOfToken law(call_, place_.draft_token);
    if (leads()) row().draft = law.of(token, total_);
  }

  // Restores what `read` and `draw` found in an earlier kernel.
  template <class S>
  __device__ void read_again() {
    slice_.read<S>(call_.target, place_.row, bias_of_row(call_.target, place_.row));
    const float temperature = searched_filter(filter_of_row(call_.target, place_.row)).temperature;
    scale_ = token_scale(slice_.largest(), temperature, token_unit_bits(call_.target.categories));
    kept_ = row().kept;
    total_ = row().total;
  }

  // What a share of the target's distribution has beyond the draft's: computes its sum, and draws from it.
  __device__ void hold(std::uint64_t share) {
    DraftLawOfToken law(call_, place_.draft_token);
    const bool bad = law.is_bad(slice_);
    if (threadIdx.x == 0) memory_.bad = bad ? 1 : 0;
    cluster::sync();
    const bool bad_somewhere = joined(&memory_.bad, [](unsigned a, unsigned b) { return a | b; }) != 0;
    if (leads()) row().bad_law = bad_somewhere;
    cluster::sync();
    if (bad_somewhere) return;
    const auto rest = [&](std::int64_t n) -> std::uint64_t {
      const std::uint64_t weight = share_of(kept_weight(slice_, n, scale_, kept_), share);
      if (weight == 0) return 0;
      const std::uint64_t drafted = law.of(slice_.begin() + n, total_);
      return weight - min(weight, drafted);
    };
    const std::uint64_t sum = sums_.sum(rest);
    if (leads()) {
      row().rest = sum;
      if (sum == 0) row().rest_token = row().token;
    }
    if (sum == 0) return;
    const std::uint64_t number = numbers_of_row(call_, place_.text, place_.first_row, place_.row).draw;
    sums_.find(token_target(number, sum), rest,
               [&](std::int64_t n) { row().rest_token = static_cast<std::int32_t>(slice_.begin() + n); });
  }

  __device__ const DraftPlace& place() const { return place_; }

 private:
  __device__ bool leads() const { return threadIdx.x == 0 && cluster::rank() == 0; }
  __device__ DraftRow& row() const { return call_.rows[place_.row]; }

  const DraftCall& call_;
  SliceMemory& slice_memory_;
  DraftMemory& memory_;
  TokenSlice slice_;
  TokenSums sums_;
  DraftPlace place_;
  TokenScale scale_ = {};
  KeptSet kept_ = {0, 1};
  std::uint64_t total_ = 0;
};

extern __shared__ float draft_slice[];

// Every row's distribution and, for the token rule, what all of it has beyond the draft's.
template <class S>
__global__ void __launch_bounds__(slice_threads, 2) read_draft_rows(const __grid_constant__ DraftCall call) {
  __shared__ SliceMemory slice_memory;
  __shared__ DraftMemory memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts;
  if (threadIdx.x == 0) slice_memory.candidates = 0;
  for (std::int64_t row = blockIdx.x / parts; row < call.target.rows; row += step) {
    __syncthreads();
    DraftRowReader reader(call, slice_memory, memory, draft_slice, row);
    if (reader.read<S>()) {
      reader.draw();
      if (call.has_law && call.rule == DraftRule::token && reader.place().draft_token >= 0) reader.hold(whole_share);
    }
    cluster::sync();
  }
}

// For the block rule: what the distributions have beyond the draft's. Which share of a row's distribution counts
// depends on the draft tokens before it.
template <class S>
__global__ void __launch_bounds__(slice_threads, 2) hold_draft_rows(const __grid_constant__ DraftCall call) {
  __shared__ SliceMemory slice_memory;
  __shared__ DraftMemory memory;
  const std::int64_t parts = cluster::size(), step = gridDim.x / parts;
  for (std::int64_t row = blockIdx.x / parts; row < call.target.rows; row += step) {
    __syncthreads();
    DraftRowReader reader(call, slice_memory, memory, draft_slice, row);
    const DraftPlace& place = reader.place();
    if (place.draft_token >= 0 && call.rows[row].status == TokenStatus::ok) {
      std::uint64_t share = whole_share;
      for (std::int64_t before = max(place.first_row, std::int64_t{0}); before < row; ++before)
        share = next_share(share, call.rows[before].target, call.rows[before].draft);
      reader.read_again<S>();
      reader.hold(share);
    }
    cluster::sync();
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
