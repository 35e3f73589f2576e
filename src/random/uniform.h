#pragma once

#include <cstdint>

#include "warp/portability.h"

// Uniform numbers in [0, 1), never 1, from random words by exact arithmetic:
// the high bits of high:low as an integer, times a power of two.

namespace papilio::inline PAPILIO_TARGET::random {

// 53 bits: every double of the form n 2^-53.
PAPILIO_LANEWISE double uniform53(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

// 24 bits: every float of the form n 2^-24; the leading bits of `uniform53`.
PAPILIO_LANEWISE float uniform24(std::uint32_t high) { return static_cast<float>(high >> 8) * 0x1p-24f; }

}  // namespace papilio::inline PAPILIO_TARGET::random
