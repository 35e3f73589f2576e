// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/tokens/token_rows_cpu.h"

#include "sampling/tokens/token_rows_kernel.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using W = warp::NativeWarp<float>;

void stage_tokens(const TokenRow& row, float* logits) {
  using papilio::sampling::Storage;
  switch (row.storage) {
    case Storage::half:
      return stage_row<Half>(row, logits);
    case Storage::bfloat16:
      return stage_row<BFloat16>(row, logits);
    default:
      return stage_row<float>(row, logits);
  }
}

void mask_tokens(const std::uint32_t* allowed, std::int64_t count, float* logits) { mask_row(allowed, count, logits); }

TokenScan scan_tokens(const float* logits, std::int64_t count, float* block_largest) {
  return scan_row<W>(logits, count, block_largest);
}

std::int64_t collect_tokens(const float* logits, std::int64_t first, std::int64_t end, float least,
                            std::uint64_t* keys) {
  return collect_row<W>(logits, first, end, least, keys);
}

void weigh_tokens(const float* logits, std::int64_t count, const TokenScale& scale, std::uint64_t* weights) {
  weigh_row<W>(logits, count, scale, weights);
}

std::uint64_t sum_tokens(const float* logits, std::int64_t count, const TokenScale& scale) {
  return sum_row<W>(logits, count, scale);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
