#pragma once

#include <cstdint>

#include "collective/draw_slots.h"
#include "collective/rows.h"
#include "random/uniform_lanes.h"
#include "sampling/rows/row_batch.h"

// Draws a batch of rows on one CPU thread: the body that every instruction-set
// target compiles.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::RowBatch;

// Why a row cannot be drawn from, by reading all of it; `ok` where it can.
// Cold: only for rows whose sum or signs look wrong.
template <class Rows>
[[gnu::noinline, gnu::cold]] DrawStatus examine(const Rows& rows, int q, double total) {
  using T = typename Rows::Weight;
  bool positive = false;
  for (std::int64_t k = 0; k < rows.size(q); ++k) {
    const T w = rows.weight(q, k);
    if (w != w) return DrawStatus::not_a_number;
    if (w < 0) return DrawStatus::negative;
    if (w - w != 0) return DrawStatus::infinite;
    positive |= w > 0;
  }
  if (rows.size(q) == 0) return DrawStatus::empty;
  if (!positive) return DrawStatus::all_zero;
  return total - total == 0 ? DrawStatus::ok : DrawStatus::overflow;
}

// W numbers of 64 bits as lanes of their halves.
template <warp::Warp W>
struct Halves {
  warp::Lanes<W, std::uint32_t> low, high;
};
template <warp::Warp W>
PAPILIO_LANEWISE Halves<W> halves(const std::uint64_t* numbers) {
  std::uint32_t low[W::width], high[W::width];
  for (int q = 0; q < W::width; ++q) {
    low[q] = static_cast<std::uint32_t>(numbers[q]);
    high[q] = static_cast<std::uint32_t>(numbers[q] >> 32);
  }
  return {W::load(low), W::load(high)};
}

// The block of random words of each row of a tile, by the rows' ids and seeds.
template <warp::Warp W, class T>
PAPILIO_LANEWISE random::BlockOf<warp::Lanes<W, std::uint32_t>> random_words(const RowBatch<T>& batch,
                                                                             std::int64_t tile) {
  const Halves<W> id = halves<W>(batch.ids + tile);
  if (batch.seeds == nullptr) return random::draw_blocks<W>(batch.seed, batch.stream, id.low, id.high);
  const Halves<W> seed = halves<W>(batch.seeds + tile);
  return random::draw_blocks_of_seeds<W>(seed.low, seed.high, batch.stream, id.low, id.high);
}

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
