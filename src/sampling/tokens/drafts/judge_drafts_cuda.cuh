#pragma once

#include <cstdint>

#include "sampling/tokens/drafts/draft_call_cuda.h"
#include "sampling/tokens/drafts/draft_rows_cuda.cuh"

// The results of texts, once their rows are known: the rows are visited in the order in which the CPU reads them, and
// the first fault that is found counts.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int judge_threads = 128;

class TextJudge {
 public:
  __device__ TextJudge(const DraftCall& call, std::int64_t text)
      : call_(call), text_(text), begin_(call.offsets[text]), count_(call.offsets[text + 1] - begin_) {}

  __device__ TokenStatus judge(std::int32_t& accepted, std::int32_t& next) const {
    for (std::int64_t r = 0; r < count_; ++r)
      if (token(r) < 0 || token(r) >= call_.target.categories) return TokenStatus::bad_draft;
    if (!call_.has_law) return follow(accepted, next);
    return call_.rule == DraftRule::token ? by_token(accepted, next) : by_block(accepted, next);
  }

 private:
  __device__ TokenStatus follow(std::int32_t& accepted, std::int32_t& next) const {
    for (std::int64_t r = 0;; ++r) {
      if (row(r).status != TokenStatus::ok) return row(r).status;
      next = row(r).token;
      accepted = static_cast<std::int32_t>(r);
      if (r == count_ || next != token(r)) return TokenStatus::ok;
    }
  }

  __device__ TokenStatus by_token(std::int32_t& accepted, std::int32_t& next) const {
    for (std::int64_t r = 0;; ++r) {
      if (row(r).status != TokenStatus::ok) return row(r).status;
      accepted = static_cast<std::int32_t>(r);
      next = row(r).token;
      if (r == count_) return TokenStatus::ok;
      if (row(r).bad_law) return TokenStatus::bad_draft;
      if (accepts(test_number(r), row(r).draft, row(r).target)) continue;
      next = row(r).rest_token;
      return TokenStatus::ok;
    }
  }

  __device__ TokenStatus by_block(std::int32_t& accepted, std::int32_t& next) const {
    std::int64_t last = 0;
    std::uint64_t share = whole_share;
    for (std::int64_t r = 0; r < count_; ++r) {
      if (row(r).status != TokenStatus::ok) return row(r).status;
      if (row(r).bad_law) return TokenStatus::bad_draft;
      if (r > 0 && block_accepts(test_number(r - 1), row(r).rest, row(r).total, share)) last = r;
      share = next_share(share, row(r).target, row(r).draft);
    }
    if (count_ > 0 && share_accepts(test_number(count_ - 1), share)) last = count_;
    if (row(last).status != TokenStatus::ok) return row(last).status;
    accepted = static_cast<std::int32_t>(last);
    next = last == count_ ? row(last).token : row(last).rest_token;
    return TokenStatus::ok;
  }

  __device__ const DraftRow& row(std::int64_t r) const { return call_.rows[begin_ + text_ + r]; }
  __device__ std::int32_t token(std::int64_t r) const { return call_.tokens[begin_ + r]; }
  __device__ std::uint64_t test_number(std::int64_t r) const {
    return numbers_of_row(call_, text_, begin_ + text_, begin_ + text_ + r).test;
  }

  const DraftCall& call_;
  std::int64_t text_, begin_, count_;
};

// Whether offsets start with 0, do not decrease and end with the draft; by all threads of a block, the same for all.
__device__ __forceinline__ bool offsets_are_bad(const DraftCall& call) {
  bool bad = call.offsets[0] != 0 || call.offsets[call.texts] != call.drafted;
  for (std::int64_t i = threadIdx.x; i < call.texts; i += blockDim.x)
    bad = bad || call.offsets[i + 1] < call.offsets[i];
  return __syncthreads_or(bad ? 1 : 0) != 0;
}

static __global__ void __launch_bounds__(judge_threads) judge_drafts(const __grid_constant__ DraftCall call) {
  const bool bad_offsets = offsets_are_bad(call);
  const std::int64_t step = std::int64_t{gridDim.x} * judge_threads;
  for (std::int64_t text = std::int64_t{blockIdx.x} * judge_threads + threadIdx.x; text < call.texts; text += step) {
    std::int32_t accepted = -1, next = -1;
    const TokenStatus status = bad_offsets ? TokenStatus::bad_draft : TextJudge(call, text).judge(accepted, next);
    call.accepted[text] = status == TokenStatus::ok ? accepted : -1;
    call.next_tokens[text] = status == TokenStatus::ok ? next : -1;
    put(call.status, text, status);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
