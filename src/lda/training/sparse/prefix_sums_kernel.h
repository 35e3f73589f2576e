#pragma once

#include <cstdint>

#include "warp/native_warp.h"

// Prefix sums over eight lanes in the order of Sklansky, by halves: none is below the one before it, and it is equal to
// it where the lane is 0.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

// Eight lanes on every target: one register of AVX, two of SSE and NEON.
using EightLanes = warp::SimdWarp<8, warp::register_bytes>;
using Floats = warp::Lanes<EightLanes, float>;

// Adds lane `from[l]` to each lane l whose bit is set.
PAPILIO_LANEWISE Floats add_from(Floats x, const std::int32_t (&from)[EightLanes::width], int bit) {
  using W = EightLanes;
  const Floats moved = W::shuffle(x, W::load(from));
  return x + W::select(W::lane_has_bit(bit), moved, W::template splat<float>(0));
}

PAPILIO_LANEWISE Floats prefix_sums(Floats x) {
  constexpr std::int32_t pairs[EightLanes::width] = {0, 0, 2, 2, 4, 4, 6, 6};
  constexpr std::int32_t quads[EightLanes::width] = {0, 1, 1, 1, 4, 5, 5, 5};
  constexpr std::int32_t halves[EightLanes::width] = {0, 1, 2, 3, 3, 3, 3, 3};
  return add_from(add_from(add_from(x, pairs, 1), quads, 2), halves, 4);
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
