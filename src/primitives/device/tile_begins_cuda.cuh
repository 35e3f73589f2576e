#pragma once

#include <cstdint>

#include "primitives/device/tile_turns_cuda.cuh"

// Where the segments of a tile begin: one byte per value in shared memory, 1 if a segment begins there.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

// Clears this thread's part, for a turn that comes after a barrier.
template <class T>
__device__ __forceinline__ void clear_begins(std::uint8_t* begins) {
  using Shape = TileShape<T>;
  std::uint8_t* const own = begins + static_cast<int>(threadIdx.x) * Shape::items;
  if constexpr (Shape::items == 16)
    *reinterpret_cast<uint4*>(own) = make_uint4(0, 0, 0, 0);
  else
    *reinterpret_cast<uint2*>(own) = make_uint2(0, 0);
}

// The offsets that belong to a tile: those from low() to high().
// These are found one turn ahead, because each read waits for memory.
class TileOffsets {
 public:
  // Finds out whether the segments cover all values.
  template <class T>
  __device__ __forceinline__ void cover(const ScanCall<T>& call) {
    all_covered_ = call.offsets == nullptr || (call.offsets[0] <= 0 && call.offsets[call.segments] >= call.items);
  }
  __device__ __forceinline__ bool all_covered() const { return all_covered_; }

  // For the next tile: finds where its offsets are; `prefetch` then brings them into the cache.
  template <class T>
  __device__ __forceinline__ void find(const ScanCall<T>& call, TileNumber tile) {
    if (tile == no_tile || call.offsets == nullptr) return;
    low_ = call.first_segment[tile];
    high_ = call.first_segment[tile + 1];
  }
  template <class T>
  __device__ __forceinline__ void prefetch(const ScanCall<T>& call) const {
    if (call.offsets != nullptr) prefetch_offsets(call, low_, high_);
  }

  __device__ __forceinline__ std::int64_t low() const { return low_; }
  __device__ __forceinline__ std::int64_t high() const { return high_; }

 private:
  bool all_covered_ = true;
  std::int64_t low_ = 0, high_ = 0;
};

// Marks the begins of a tile by its offsets, in runs of 32 per warp, several at a time
// because each waits for memory. A lane gets the offset before its own from its neighbour.
template <class T>
__device__ __forceinline__ void mark_offsets(const ScanCall<T>& call, const TileOffsets& offsets, std::int64_t begin,
                                             int count, std::uint8_t* begins) {
  using Shape = TileShape<T>;
  constexpr int depth = 4;
  const std::int64_t low = offsets.low(), high = offsets.high();
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  if (threadIdx.x == 0 && begin > 0 && low > 0 && __ldg(call.offsets + low - 1) == begin) begins[0] = 1;
  const int in_row = high - low > Shape::threads ? depth : 1;
  for (std::int64_t first = low + warp * 32 * in_row; first < high; first += in_row * Shape::threads) {
    std::int64_t offset[depth];
    std::int64_t last = lane == 0 && first > 0 ? __ldg(call.offsets + first - 1) : 0;
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::int64_t s = first + 32 * j + lane;
      offset[j] = j < in_row && s < high ? __ldg(call.offsets + s) : 0;
    }
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      if (j >= in_row) break;
      const std::int64_t s = first + 32 * j + lane, item = offset[j] - begin;
      std::int64_t previous = shuffle_up(offset[j], 1);
      if (lane == 0) previous = last;
      last = shuffle(offset[j], 31);
      if (s >= high) continue;
      if (offset[j] < previous || offset[j] > call.items) report(call.status, PrimitiveError::offset_out_of_range, s);
      if (offset[j] != previous && item >= 0 && item < count) begins[item] = 1;
    }
  }
}

// Marks the begins of a tile by flags.
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

template <class T>
__device__ __forceinline__ void mark_all(const ScanCall<T>& call, const TileOffsets& offsets, std::int64_t begin,
                                         int count, std::uint8_t* begins) {
  if (threadIdx.x == 0) begins[count] = begins[TileShape<T>::size] = 1;
  if (call.offsets != nullptr)
    mark_offsets(call, offsets, begin, count, begins);
  else if (call.flags != nullptr)
    mark_flags(call, begin, count, begins);
}

// The begins of this thread's values as bits; if `behind`, also that of the value after them.
template <class T>
__device__ __forceinline__ std::uint32_t own_begins(const std::uint8_t* begins, bool behind) {
  using Shape = TileShape<T>;
  const std::uint8_t* const own = begins + static_cast<int>(threadIdx.x) * Shape::items;
  std::uint32_t bits = 0;
#pragma unroll
  for (int w = 0; w < Shape::items / 4; ++w)
    bits |= (reinterpret_cast<const std::uint32_t*>(own)[w] * 0x10204080u >> 28) << (4 * w);
  return behind ? bits | static_cast<std::uint32_t>(own[Shape::items]) << Shape::items : bits;
}

// Writes the results of the segments that end in a tile; they are where the segments' last values were.
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
