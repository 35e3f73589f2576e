#pragma once

#include <cstdint>

#include "random/normal_lanes.h"
#include "random/philox.h"
#include "warp/warp.h"

// The standard normal numbers of a system: number i is word i mod 4 of block i / 4.
// The counter of that block holds i / 4 and the random block of the system itself.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

// The source of one system per lane.
template <class Word>
struct NoiseSource {
  std::uint32_t key[2];
  Word system[3];
};

template <warp::Warp W>
struct FourNormals {
  warp::Lanes<W, float> at[4];
};

// The numbers 4 group ... 4 group + 3.
template <warp::Warp W>
PAPILIO_LANEWISE FourNormals<W> four_normals(const NoiseSource<warp::Lanes<W, std::uint32_t>>& source,
                                             warp::Lanes<W, std::uint32_t> group) {
  const auto block = random::philox4x32(
      random::BlockOf<warp::Lanes<W, std::uint32_t>>{{group, source.system[0], source.system[1], source.system[2]}},
      source.key[0], source.key[1]);
  const auto low = random::normal_pair<W>(block.word[0], block.word[1]);
  const auto high = random::normal_pair<W>(block.word[2], block.word[3]);
  return {{low.first, low.second, high.first, high.second}};
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
