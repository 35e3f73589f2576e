#pragma once

#include <cstdint>

#include "primitives/device/tile_window_cuda.cuh"

// Other blocks tell what came before a tile only some time after they know it. For sums of segments, a block
// therefore has one extra warp, its scout, which looks back while the summing warps are already one tile
// further. These have a barrier of their own, and their first warp meets the scout when it hands it a tile.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int scout_threads = 32;

enum BlockBarrier : int { summing_barrier = 1, told_barrier = 2 };

template <BlockBarrier barrier, int threads>
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cta.sync %0, %1;" ::"n"(static_cast<int>(barrier)), "n"(threads) : "memory");
}
}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
