#pragma once

#include <cstdint>

#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// A W x W matrix spread over a warp: element (i, r) is lane r of row[i].
template <warp::Warp W, class T>
struct Tile {
  warp::Lanes<W, T> row[W::width];
};

// Transposes a tile by exchanges between lanes: for each bit, the off-diagonal
// halves of every 2 x 2 block of blocks change places. W/2 log2(W) exchanges,
// no memory.
//
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, section 3, Figure 2.
template <warp::Warp W, class T>
PAPILIO_LANEWISE void transpose_in_registers(Tile<W, T>& tile) {
  PAPILIO_UNROLL
  for (int bit = 1; bit < W::width; bit *= 2) {
    const auto odd = W::lane_has_bit(bit);
    PAPILIO_UNROLL_TILE
    for (int pair = 0; pair < W::width / 2; ++pair) {
      const int low = (pair & ~(bit - 1)) * 2 + (pair & (bit - 1)), high = low + bit;
      const auto sent = W::select(odd, tile.row[low], tile.row[high]);
      const auto got = W::shuffle_xor(sent, bit);
      tile.row[low] = W::select(odd, got, tile.row[low]);
      tile.row[high] = W::select(odd, tile.row[high], got);
    }
  }
}

// Writes a tile to memory, row i to p + i * stride.
template <warp::Warp W, class T>
PAPILIO_LANEWISE void store_tile(const Tile<W, T>& tile, T* p, int stride = W::width) {
  PAPILIO_UNROLL_TILE
  for (int i = 0; i < W::width; ++i) W::store(p + i * stride, tile.row[i]);
}

// The distance, in values, between rows of a transposition's scratch. On a GPU it is one
// more than the length of a row, so that neither rows nor columns have bank conflicts.
template <warp::Warp W>
PAPILIO_LANEWISE constexpr int scratch_stride() {
  if constexpr (requires { W::scratch_stride; })
    return W::scratch_stride;
  else
    return W::width;
}

// Transposes a tile through memory: rows out, columns in. `scratch` holds
// W * scratch_stride values.
template <warp::Warp W, class T>
PAPILIO_LANEWISE void transpose_through_scratch(Tile<W, T>& tile, T* scratch) {
  constexpr int stride = scratch_stride<W>();
  store_tile(tile, scratch, stride);
  W::sync();
  const auto column = W::lane_id() * stride;
  PAPILIO_UNROLL_TILE
  for (int i = 0; i < W::width; ++i) tile.row[i] = W::gather(scratch, column + i);
  W::sync();  // the next tile may overwrite it
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
