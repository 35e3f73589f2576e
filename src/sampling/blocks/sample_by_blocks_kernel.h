#pragma once

#include <cstdint>

#include "sampling/blocks/block_methods.h"
#include "sampling/rows/row_batch_kernel.h"
#include "warp/native_warp.h"

// Draws a batch by the methods of the papers on one CPU thread:
// on every target 32 rows at a time, in blocks of 32 categories.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Lanes of the papers' warps, on every target.
inline constexpr int block_lanes = 32;
using BlockWarp = warp::SimdWarp<block_lanes, warp::register_bytes>;

template <PartialSums method, class Rows, class T = typename Rows::Weight>
[[gnu::noinline]] void draw_batch_by_blocks(const Rows& rows, const RowBatch<T>& batch, std::int64_t* drawn,
                                            DrawStatus* status) {
  using W = BlockWarp;
  T* const scratch = static_cast<T*>(batch.scratch);
  T* const table = scratch + block_scratch_size<W>(method);
  for (std::int64_t tile = 0; tile < batch.count; tile += W::width) {
    const Rows here = rows.from(tile);
    const auto u = uniform_of_type<W, T>(random_words<W>(batch, tile));
    const auto draw = draw_by_method<method, W>(here, u, table, scratch, batch.remnant_first);
    std::int32_t category[W::width];
    T total[W::width];
    W::store(category, draw.category);
    W::store(total, draw.total);
    for (int q = 0; q < W::width && tile + q < batch.count; ++q) {
      const bool look = batch.check_negative || !(total[q] > 0) || total[q] - total[q] != 0;
      const DrawStatus state = look ? examine(here, q, static_cast<double>(total[q])) : DrawStatus::ok;
      status[tile + q] = state;
      drawn[tile + q] =
          state == DrawStatus::ok ? collective::positive_at_or_before(here, q, std::int64_t{category[q]}) : -1;
    }
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
