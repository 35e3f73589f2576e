#pragma once

#include <cstdint>

#include "primitives/device/tile_window_cuda.cuh"

// Where the segments of a tile begin: a byte per value in shared memory, 1 where one does.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

// This thread's part, for a turn that comes after a barrier.
template <class T>
__device__ __forceinline__ void clear_begins(std::uint8_t* begins) {
  using Shape = TileShape<T>;
  std::uint8_t* const own = begins + static_cast<int>(threadIdx.x) * Shape::items;
  if constexpr (Shape::items == 16)
    *reinterpret_cast<uint4*>(own) = make_uint4(0, 0, 0, 0);
  else
    *reinterpret_cast<uint2*>(own) = make_uint2(0, 0);
}

// Marks the begins of a tile by its offsets.
template <class T>
__device__ __forceinline__ void mark_offsets(const ScanCall<T>& call, std::int64_t tile, std::int64_t begin, int count,
                                             std::uint8_t* begins) {
  using Shape = TileShape<T>;
  const std::int64_t low = call.first_segment[tile], high = call.first_segment[tile + 1];
  if (threadIdx.x == 0 && tile > 0 && low > 0 && call.offsets[low - 1] == begin) begins[0] = 1;
  // By fours, as each waits for memory; a lane has the offset before its own from its neighbour.
  constexpr int depth = 4;
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (std::int64_t s = low + threadIdx.x; s - lane < high; s += depth * Shape::threads) {
    std::int64_t offset[depth], before_warp[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::int64_t at = s + j * Shape::threads;
      offset[j] = at < high ? __ldg(call.offsets + at) : 0;
      before_warp[j] = lane == 0 && at > 0 && at < high ? __ldg(call.offsets + at - 1) : 0;
    }
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::int64_t at = s + j * Shape::threads, item = offset[j] - begin;
      std::int64_t previous = shuffle_up(offset[j], 1);
      if (lane == 0) previous = before_warp[j];
      if (at >= high) continue;
      if (offset[j] < previous || offset[j] > call.items) report(call.status, PrimitiveError::offset_out_of_range, at);
      if (offset[j] != previous && item >= 0 && item < count) begins[item] = 1;
    }
  }
}

// The same by flags.
template <class T>
__device__ __forceinline__ void mark_flags(const ScanCall<T>& call, std::int64_t begin, int count,
                                           std::uint8_t* begins) {
  using Shape = TileShape<T>;
  const int item = static_cast<int>(threadIdx.x) * Shape::items;
  const std::uint8_t* const flags = call.flags + begin + item;
  if (item + Shape::items <= count && reinterpret_cast<std::uintptr_t>(flags) % Shape::items == 0) {
    std::uint32_t word[Shape::items / 4];
    if constexpr (Shape::items == 16)
      *reinterpret_cast<uint4*>(word) = __ldcs(reinterpret_cast<const uint4*>(flags));
    else
      *reinterpret_cast<uint2*>(word) = __ldcs(reinterpret_cast<const uint2*>(flags));
#pragma unroll
    for (int w = 0; w < Shape::items / 4; ++w)
      reinterpret_cast<std::uint32_t*>(begins + item)[w] = __vminu4(word[w], 0x01010101u);
  } else {
    for (int k = 0; k < Shape::items; ++k)
      if (item + k < count) begins[item + k] = flags[k] != 0 ? 1 : 0;
  }
}

// Writes the results of the segments that end in a tile, from where their last values were.
template <class T>
__device__ __forceinline__ void write_segment_ends(const ScanCall<T>& call, std::int64_t tile, std::int64_t begin,
                                                   int count, const T* values, T neutral) {
  using Shape = TileShape<T>;
  const std::int64_t low = call.first_segment[tile], high = call.first_segment[tile + 1];
  for (std::int64_t s = low + threadIdx.x; s < high; s += Shape::threads) {
    const std::int64_t offset = call.offsets[s], previous = s > 0 ? call.offsets[s - 1] : 0, item = offset - begin;
    if (s == 0 || offset < previous || offset > call.items) continue;
    if (offset == previous)
      call.out[s - 1] = neutral;
    else if (item > 0 && item <= count)
      call.out[s - 1] = values[value_slot<T>(static_cast<int>(item) - 1)];
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
