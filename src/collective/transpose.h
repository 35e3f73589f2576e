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

// Transposes a tile through memory: rows out, columns in. `scratch` holds W * W values.
template <warp::Warp W, class T>
PAPILIO_LANEWISE void transpose_through_scratch(Tile<W, T>& tile, T* scratch) {
  for (int i = 0; i < W::width; ++i) W::store(scratch + i * W::width, tile.row[i]);
  const auto column = W::lane_id() * W::width;
  for (int i = 0; i < W::width; ++i) tile.row[i] = W::gather(scratch, column + i);
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
