#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math.h"

// How a call is spread over a GPU. No choice here changes a bit of a result.

namespace papilio::primitives {

// Unknowns of the longest system that is solved within a block.
constexpr std::int64_t most_resident_rows(bool interleaved) { return interleaved ? 1024 : 4096; }

// Systems of a block, of `chunks` chunks each. Interleaved: a power of two, as many as make whole sectors of 32 bytes
// at least, so that a block of the longest ones has 512 threads of float or 256 of double.
constexpr int resident_systems(std::int64_t systems, int chunks, bool interleaved, std::int64_t number_bytes) {
  if (!interleaved) return static_cast<int>(std::min<std::int64_t>(systems, std::max(1, 128 / chunks)));
  const int most_threads = number_bytes == 4 ? 512 : 256;
  int wanted = 128;
  while (wanted > 32 && wanted * chunks > 128) wanted /= 2;
  while (wanted * chunks > most_threads) wanted /= 2;
  while (wanted > 1 && wanted / 2 >= systems) wanted /= 2;
  return wanted;
}

constexpr std::int64_t workspace_part(std::int64_t bytes) { return base::round_up<std::int64_t>(bytes, 256); }

// Bytes of a level of equations between separators.
constexpr std::int64_t split_bytes(std::int64_t chunks_of_all, std::int64_t number_bytes) {
  return 7 * workspace_part(chunks_of_all * number_bytes);
}

}  // namespace papilio::primitives
