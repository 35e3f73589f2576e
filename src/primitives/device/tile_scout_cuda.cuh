#pragma once

#include <cstdint>

#include "primitives/device/tile_window_cuda.cuh"

// What came before a tile is told by other blocks, some time after they know it. In sums of segments a block has one
// warp more that looks back for it, its scout: those that sum are a tile further by then. They have a barrier of their
// own, and the first of them meets the scout when it hands it a tile.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int scout_threads = 32;

enum BlockBarrier : int { summing_barrier = 1, told_barrier = 2 };

template <BlockBarrier barrier, int threads>
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cta.sync %0, %1;" ::"n"(static_cast<int>(barrier)), "n"(threads) : "memory");
}
}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
