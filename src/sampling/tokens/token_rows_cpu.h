#pragma once

#include <cstdint>

#include "sampling/tokens/token_rows.h"
#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// See token_rows_kernel.h.
void stage_tokens(const papilio::sampling::TokenRow& row, float* logits);
void mask_tokens(const std::uint32_t* allowed, std::int64_t count, float* logits);
papilio::sampling::TokenScan scan_tokens(const float* logits, std::int64_t count, float* block_largest);
std::int64_t collect_tokens(const float* logits, std::int64_t first, std::int64_t end, float least,
                            std::uint64_t* keys);
void weigh_tokens(const float* logits, std::int64_t count, const papilio::sampling::TokenScale& scale,
                  std::uint64_t* weights);
std::uint64_t sum_tokens(const float* logits, std::int64_t count, const papilio::sampling::TokenScale& scale);

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
