#pragma once

#include <cstdint>

#include "random/philox.h"
#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::random {

// `uniform53` in every lane: two exact conversions and an exact sum.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, double> uniform53(warp::Lanes<W, std::uint32_t> low,
                                                  warp::Lanes<W, std::uint32_t> high) {
  return W::template convert<double>(high) * 0x1p-32 + W::template convert<double>(low >> 11u) * 0x1p-53;
}

// `draw_block` in every lane, for the draws that index_low and index_high number.
template <warp::Warp W>
PAPILIO_LANEWISE BlockOf<warp::Lanes<W, std::uint32_t>> draw_blocks(std::uint64_t seed, std::uint64_t stream,
                                                                    warp::Lanes<W, std::uint32_t> index_low,
                                                                    warp::Lanes<W, std::uint32_t> index_high) {
  const BlockOf<warp::Lanes<W, std::uint32_t>> counter = {
      {index_low, index_high, W::template splat<std::uint32_t>(static_cast<std::uint32_t>(stream)),
       W::template splat<std::uint32_t>(static_cast<std::uint32_t>(stream >> 32))}};
  return philox4x32(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

// The same with a seed in every lane.
template <warp::Warp W>
PAPILIO_LANEWISE BlockOf<warp::Lanes<W, std::uint32_t>> draw_blocks_of_seeds(warp::Lanes<W, std::uint32_t> seed_low,
                                                                             warp::Lanes<W, std::uint32_t> seed_high,
                                                                             std::uint64_t stream,
                                                                             warp::Lanes<W, std::uint32_t> index_low,
                                                                             warp::Lanes<W, std::uint32_t> index_high) {
  const BlockOf<warp::Lanes<W, std::uint32_t>> counter = {
      {index_low, index_high, W::template splat<std::uint32_t>(static_cast<std::uint32_t>(stream)),
       W::template splat<std::uint32_t>(static_cast<std::uint32_t>(stream >> 32))}};
  return philox4x32(counter, seed_low, seed_high);
}

}  // namespace papilio::inline PAPILIO_TARGET::random
