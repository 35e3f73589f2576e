#pragma once

#include <cstdint>

#include "primitives/device/float_window.h"
#include "primitives/device/look_back_cuda.cuh"
#include "primitives/device/tile_cuda.cuh"
#include "primitives/device/tile_sums_cuda.cuh"

// A call in the form that its kernels use, and what tiles send each other.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::LongSum;
using primitives::Window;

template <class T>
struct ScanCall {
  const std::int64_t* offsets;  // segments + 1; null: none
  std::int64_t segments;
  const std::uint8_t* flags;  // null: none
  const T* values;
  std::int64_t items;
  T* out;
  bool exclusive;
  bool with_total;
  bool aligned = false;  // values and out to 16 bytes
  std::int64_t tiles = 0;
  std::int64_t* status = nullptr;
  unsigned int* ticket = nullptr;
  const std::int64_t* first_segment =
      nullptr;  // of each tile, and one more: the first whose offset is above the tile's begin
};

// The number of values in the tile that begins at `begin`.
template <class T>
__device__ __forceinline__ int values_in_tile(const ScanCall<T>& call, std::int64_t begin) {
  const std::int64_t left = call.items - begin;
  return static_cast<int>(left < TileShape<T>::size ? left : TileShape<T>::size);
}

// Prefetches the offsets from low to high, which belong to a later tile: one line per thread.
template <class T>
__device__ __forceinline__ void prefetch_offsets(const ScanCall<T>& call, std::int64_t low, std::int64_t high) {
  constexpr int per_line = 128 / sizeof(std::int64_t);
  const std::int64_t s = low + static_cast<int>(threadIdx.x) * per_line;
  if (s < high) asm volatile("prefetch.global.L2 [%0];" ::"l"(call.offsets + s));
}

// Returns the total before a tile whose own total is already published. Then publishes
// the total that includes the tile, unless a segment begins in it. Called by a warp.
template <class P>
__device__ __forceinline__ RecordLanes<P::words> look_back_and_complete(const Records& records, const P& op,
                                                                        std::int64_t tile,
                                                                        const RecordLanes<P::words>& own,
                                                                        bool has_begin) {
  const auto combine = [&](std::uint64_t a, std::uint64_t b, int word) { return op.joined_words(a, b, word); };
  std::uint64_t neutral = 0;
  if constexpr (P::words == 1) neutral = static_cast<std::uint64_t>(op.neutral());
  const RecordLanes<P::words> before = look_back<P::words>(records, tile, neutral, combine);
  if (!has_begin) {
    RecordLanes<P::words> all;
#pragma unroll
    for (int r = 0; r < RecordLanes<P::words>::per_lane; ++r)
      all.word[r] = combine(before.word[r], own.word[r], static_cast<int>(threadIdx.x % 32) + 32 * r);
    publish(records, tile, all, true);
  }
  return before;
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
