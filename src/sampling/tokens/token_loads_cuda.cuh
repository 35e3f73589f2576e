#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_logits.h"

// Logits of a row from device memory.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

template <class S>
struct LogitsOfRow {
  const S* row;
  std::int64_t stride;

  __device__ __forceinline__ float at(std::int64_t category) const { return logit_of(row[category * stride]); }

  // How many categories from `begin` on are to be read one by one before loads of four are aligned.
  __device__ __forceinline__ int before_aligned(std::int64_t begin) const {
    const auto place = reinterpret_cast<std::uintptr_t>(row + begin) / sizeof(S);
    return static_cast<int>((4 - place % 4) % 4);
  }
};

template <class S>
__device__ __forceinline__ LogitsOfRow<S> logits_of_row(const TokenCall& call, std::int64_t row) {
  return {static_cast<const S*>(call.logits) + row * call.row_stride, call.column_stride};
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
