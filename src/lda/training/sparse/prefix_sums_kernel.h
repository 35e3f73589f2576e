#pragma once

#include <cstdint>

#include "warp/native_warp.h"

// Prefix sums over eight lanes in the order of Sklansky, by halves: none is below the one before it, and it is equal to
// it where the lane is 0.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

// Eight lanes on every target: one register of AVX, two of SSE and NEON.
using EightLanes = warp::SimdWarp<8, warp::register_bytes>;
using Floats = warp::Lanes<EightLanes, float>;

// Adds lane `from[l]` to each lane l where `is_added[l]` is -1, not 0.
PAPILIO_LANEWISE Floats add_from(Floats x, const std::int32_t (&from)[EightLanes::width],
                                 const std::int32_t (&is_added)[EightLanes::width]) {
  using W = EightLanes;
  const auto moved = W::bit_cast<std::int32_t>(W::shuffle(x, W::load(from)));
  return x + W::bit_cast<float>(moved & W::load(is_added));
}

PAPILIO_LANEWISE Floats prefix_sums(Floats x) {
  alignas(32) static constexpr std::int32_t pairs[EightLanes::width] = {0, 0, 2, 2, 4, 4, 6, 6};
  alignas(32) static constexpr std::int32_t odd[EightLanes::width] = {0, -1, 0, -1, 0, -1, 0, -1};
  alignas(32) static constexpr std::int32_t quads[EightLanes::width] = {0, 1, 1, 1, 4, 5, 5, 5};
  alignas(32) static constexpr std::int32_t upper_pairs[EightLanes::width] = {0, 0, -1, -1, 0, 0, -1, -1};
  alignas(32) static constexpr std::int32_t halves[EightLanes::width] = {0, 1, 2, 3, 3, 3, 3, 3};
  alignas(32) static constexpr std::int32_t upper_half[EightLanes::width] = {0, 0, 0, 0, -1, -1, -1, -1};
  return add_from(add_from(add_from(x, pairs, odd), quads, upper_pairs), halves, upper_half);
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
