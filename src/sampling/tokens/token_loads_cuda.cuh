#pragma once

#include <cstdint>

#include "papilio/half.h"

// Logits of a row from device memory.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

__device__ __forceinline__ float stored_logit(float x) { return x; }
__device__ __forceinline__ float stored_logit(BFloat16 x) { return __uint_as_float(std::uint32_t{x.bits} << 16); }
__device__ __forceinline__ float stored_logit(Half x) {
  const std::uint32_t sign = std::uint32_t{x.bits & 0x8000u} << 16, size = x.bits & 0x7FFFu;
  const float small = __uint_as_float(size << 13) * 0x1p112f;  // exact, also where it is subnormal
  const std::uint32_t huge = size >= 0x7C00u ? 0x7F80'0000u : 0u;
  return __uint_as_float(__float_as_uint(small) | huge | sign);
}

template <class S>
struct LogitsOfRow {
  const S* row;
  std::int64_t stride;

  __device__ __forceinline__ float at(std::int64_t category) const { return stored_logit(row[category * stride]); }

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
