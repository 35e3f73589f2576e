#pragma once

#include <cstdint>

#include "warp/native_warp.h"

// Prefix sums over eight lanes in Sklansky's order, by divide and conquer: no prefix is below the previous one, and it
// equals the previous one if the lane is 0.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

// Eight lanes on every target: one AVX register, two of SSE or NEON.
using EightLanes = warp::SimdWarp<8, warp::register_bytes>;
using Floats = warp::Lanes<EightLanes, float>;

// Adds lane `from[l]` to every lane l for which `is_added[l]` is -1 rather than 0.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> add_from(warp::Lanes<W, float> x, const std::int32_t* from,
                                                const std::int32_t* is_added) {
  const auto moved = W::template bit_cast<std::int32_t>(W::shuffle(x, W::load(from)));
  return x + W::template bit_cast<float>(moved & W::load(is_added));
}

// Over eight lanes, or over each half of sixteen.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> prefix_sums(warp::Lanes<W, float> x) {
  static_assert(W::width == 8 || W::width == 16);
  alignas(64) static constexpr std::int32_t pairs[] = {0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14};
  alignas(64) static constexpr std::int32_t odd[] = {0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1};
  alignas(64) static constexpr std::int32_t quads[] = {0, 1, 1, 1, 4, 5, 5, 5, 8, 9, 9, 9, 12, 13, 13, 13};
  alignas(64) static constexpr std::int32_t upper_pairs[] = {0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1};
  alignas(64) static constexpr std::int32_t halves[] = {0, 1, 2, 3, 3, 3, 3, 3, 8, 9, 10, 11, 11, 11, 11, 11};
  alignas(64) static constexpr std::int32_t upper_half[] = {0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1};
  x = add_from<W>(x, pairs, odd);
  x = add_from<W>(x, quads, upper_pairs);
  return add_from<W>(x, halves, upper_half);
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
