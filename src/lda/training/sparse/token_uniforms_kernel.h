#pragma once

#include <cstdint>

#include "lda/training/sparse/prefix_sums_kernel.h"
#include "random/uniform_lanes.h"
#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

// u[i] = the uniform number of the token whose number is tokens[i]. `u` has room for a multiple of eight.
PAPILIO_LANEWISE void token_uniforms(std::uint64_t seed, std::uint64_t stream, const std::uint32_t* tokens,
                                     std::int64_t count, double* u) {
  using W = EightLanes;
  const auto zeros = W::template splat<std::uint32_t>(0);
  for (std::int64_t i = 0; i < count; i += W::width) {
    const std::int64_t here = count - i < W::width ? count - i : W::width;
    const auto block = random::draw_blocks<W>(seed, stream, W::load(tokens + i, here), zeros);
    W::store(u + i, random::uniform53<W>(block.word[0], block.word[1]));
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
