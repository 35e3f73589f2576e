#pragma once

#include <cstdint>

#include "random/elementary_lanes.h"
#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::random {

template <warp::Warp W>
struct NormalPair {
  warp::Lanes<W, float> first, second;
};

// Two independent standard normal numbers from two random words: a point of the plane
// with exponential radius^2 / 2 and a uniform angle. Neither is further than 6.8 from 0.
//
// Source: Box and Muller, "A note on the generation of random normal deviates", Annals of
// Mathematical Statistics 29(2), 1958.
template <warp::Warp W>
PAPILIO_LANEWISE NormalPair<W> normal_pair(warp::Lanes<W, std::uint32_t> radius_word,
                                           warp::Lanes<W, std::uint32_t> angle_word) {
  constexpr float sine[] = {0x1.921fb6p+0f, -0x1.4abbbap-1f, 0x1.465e92p-4f, -0x1.2d9302p-8f};
  constexpr float cosine[] = {0x1.000000p+0f, -0x1.3bd3ccp+0f, 0x1.03c1dap-2f, -0x1.55c4eap-6f, 0x1.d99f54p-11f};
  const auto square = minus_log2_of_word<W>(radius_word) * 0x1.62e43p+0f;  // 2 ln 2
  const auto radius = square * reciprocal_sqrt<W>(square);
  // 30 bits give the angle from an axis, in quarter turns, -1/2 to 1/2; the other two bits choose the axis.
  const auto r = W::template convert<float>(W::template bit_cast<std::int32_t>(angle_word << 2u)) * 0x1p-32f;
  const auto across = r * polynomial<W>(sine, r * r);
  const auto sign = (angle_word & 0x4000'0000u) << 1u;
  const auto along =
      W::template bit_cast<float>(W::template bit_cast<std::uint32_t>(polynomial<W>(cosine, r * r)) ^ sign);
  const auto swapped = W::less(W::template bit_cast<std::int32_t>(angle_word), W::template splat<std::int32_t>(0));
  return {radius * W::select(swapped, across, along), radius * W::select(swapped, along, across)};
}

}  // namespace papilio::inline PAPILIO_TARGET::random
