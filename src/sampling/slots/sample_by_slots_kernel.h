#pragma once

#include <cstdint>

#include "collective/draw_slots.h"
#include "collective/rows.h"
#include "sampling/rows/row_batch_kernel.h"

// Draws a batch of rows on one CPU thread: the body that every instruction-set
// target compiles.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The u of each row of a tile: 53 bits of its block.
template <warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, double> uniforms(const RowBatch<T>& batch, std::int64_t tile) {
  const auto block = random_words<W>(batch, tile);
  return random::uniform53<W>(block.word[0], block.word[1]);
}

template <warp::Warp W, class Signs, class Rows, class T = typename Rows::Weight>
void draw_batch_by_slots(const Rows& rows, const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < batch.count; ++i) longest = batch.sizes[i] > longest ? batch.sizes[i] : longest;
  const std::int64_t lane_sums =
      collective::segments_of(longest) * collective::SlotScratch<W, T>::lane_sums_per_segment;
  const collective::SlotScratch<W, T> scratch = {static_cast<T*>(batch.scratch),
                                                 reinterpret_cast<double*>(static_cast<T*>(batch.scratch) + lane_sums)};

  for (std::int64_t tile = 0; tile < batch.count; tile += W::width) {
    const Rows here = rows.from(tile);
    collective::Drawn<W> result;
    for (std::int64_t i = tile + W::width; i < tile + 2 * W::width && i < batch.count; ++i)
      rows.template prefetch<W>(i);
    const auto u = uniforms<W>(batch, tile);
    collective::draw_slots<W, Signs>(here, u, scratch, result);
    for (int q = 0; q < W::width && tile + q < batch.count; ++q) {
      DrawStatus state = DrawStatus::ok;
      if (!(result.total[q] > 0) || result.total[q] - result.total[q] != 0 || result.sign[q]) [[unlikely]]
        state = examine(here, q, result.total[q]);
      drawn[tile + q] = state == DrawStatus::ok ? result.category[q] : -1;
      status[tile + q] = state;
    }
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
