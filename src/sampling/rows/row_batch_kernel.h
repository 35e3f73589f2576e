#pragma once

#include <cstdint>

#include "random/uniform_lanes.h"
#include "sampling/rows/examine.h"
#include "sampling/rows/row_batch.h"

// What all methods do with a batch of rows on one CPU thread.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::RowBatch;

// Why row q cannot be drawn from, found by reading all of it; `ok` if
// it can. Rarely called: only for rows whose sum or signs look wrong.
template <class Rows>
[[gnu::noinline, gnu::cold]] DrawStatus examine(const Rows& rows, int q, double total) {
  return examine_row(rows.size(q), total, [&](std::int64_t k) { return rows.weight(q, k); });
}

// W numbers of 64 bits, as lanes of their low and high halves.
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

// The block of random words for each row of a tile, by the rows' ids and seeds.
template <warp::Warp W, class T>
PAPILIO_LANEWISE random::BlockOf<warp::Lanes<W, std::uint32_t>> random_words(const RowBatch<T>& batch,
                                                                             std::int64_t tile) {
  const Halves<W> id = halves<W>(batch.ids + tile);
  if (batch.seeds == nullptr) return random::draw_blocks<W>(batch.seed, batch.stream, id.low, id.high);
  const Halves<W> seed = halves<W>(batch.seeds + tile);
  return random::draw_blocks_of_seeds<W>(seed.low, seed.high, batch.stream, id.low, id.high);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
