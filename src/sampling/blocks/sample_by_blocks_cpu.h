#pragma once

#include <cstdint>

#include "sampling/rows/row_batch.h"
#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Draws a batch by a method of the papers, for T = float and double.
template <class T>
void draw_by_blocks(const papilio::sampling::RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status);

// Bytes of RowBatch::scratch for rows of up to `longest_row` weights of `weight_bytes` bytes.
std::int64_t block_scratch_bytes(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes);

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
