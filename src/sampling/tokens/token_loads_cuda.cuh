#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_logits.h"

// Loads of a row's logits from device memory.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// 16 bytes that are read once and do not enter the L1 cache. If the L2 cache holds them, this takes longer than another
// load.
__device__ __forceinline__ uint4 words_read_once(const uint4* from) {
#if defined(__CUDA_ARCH__)
  uint4 words;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
      : "l"(from));
  return words;
#else
  return *from;
#endif
}

// Four adjacent logits; the first must be aligned to the size of four.
__device__ __forceinline__ float4 four_logits(const float* from) {
  return __ldg(reinterpret_cast<const float4*>(from));
}
template <class S>
__device__ __forceinline__ float4 four_logits(const S* from) {
  struct alignas(8) Four {
    S at[4];
  };
  const auto four = __builtin_bit_cast(Four, __ldg(reinterpret_cast<const uint2*>(from)));
  return {logit_of(four.at[0]), logit_of(four.at[1]), logit_of(four.at[2]), logit_of(four.at[3])};
}

template <class S>
struct LogitsOfRow {
  const S* row;
  std::int64_t stride;

  __device__ __forceinline__ float at(std::int64_t category) const { return logit_of(row[category * stride]); }

  // Whether four categories from `begin` on, and from every fourth one after it, can be loaded at once.
  __device__ __forceinline__ bool four_are_aligned(std::int64_t begin) const {
    return stride == 1 && sizeof(S) > 1 && reinterpret_cast<std::uintptr_t>(row + begin) % (4 * sizeof(S)) == 0;
  }

  // How many categories from `begin` on must be read one by one until loads of four are aligned.
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
