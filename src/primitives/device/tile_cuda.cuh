#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

// A tile of values as the threads of a block hold it: each thread has neighbouring values. Values
// move between threads through shared memory, so that memory is read and written in whole lines.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class T>
struct TileShape {
  static constexpr int threads = 256;
  static constexpr int warps = threads / 32;
  static constexpr int items = sizeof(T) == 4 ? 16 : 8;  // per thread
  static constexpr int size = threads * items;
  static constexpr int per_chunk = 16 / sizeof(T);  // values in 16 bytes
  static constexpr int chunks = items / per_chunk;  // per thread
  static constexpr int warp_items = 32 * items;
};

using TileNumber = std::int32_t;
inline constexpr TileNumber no_tile = 0x7FFF'FFFF;

// Where a chunk of 16 bytes lies, so that accesses in either order have no bank conflicts.
__device__ __forceinline__ int chunk_slot(int chunk) { return chunk ^ (chunk >> 3 & 7); }

template <class T>
__device__ __forceinline__ int value_slot(int item) {
  using Shape = TileShape<T>;
  return chunk_slot(item / Shape::per_chunk) * Shape::per_chunk + item % Shape::per_chunk;
}

// Begins to copy a tile to shared memory, each warp its own part; `aligned`: to 16 bytes. Places from
// `count` on are filled with `neutral`. After wait_for_load a part is complete for the lanes of its warp.
template <class T>
__device__ __forceinline__ void start_load(const T* tile, int count, bool aligned, T neutral, T* kept) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (aligned && count == Shape::size) {
    const int first = warp * 32 * Shape::chunks + lane;
#pragma unroll
    for (int j = 0; j < Shape::chunks; ++j)
      __pipeline_memcpy_async(reinterpret_cast<uint4*>(kept) + chunk_slot(first + 32 * j),
                              reinterpret_cast<const uint4*>(tile) + first + 32 * j, 16);
  } else {
#pragma unroll 4
    for (int k = 0; k < Shape::items; ++k) {
      const int item = warp * Shape::warp_items + 32 * k + lane;
      if (item < count)
        __pipeline_memcpy_async(kept + value_slot<T>(item), tile + item, sizeof(T));
      else
        kept[value_slot<T>(item)] = neutral;
    }
  }
  __pipeline_commit();
}
__device__ __forceinline__ void wait_for_load() {
  __pipeline_wait_prior(0);
  __syncwarp();
}

// Moves this thread's neighbouring values from shared memory, and back to it.
template <class T>
__device__ __forceinline__ void take_own(const T* kept, T (&own)[TileShape<T>::items]) {
  using Shape = TileShape<T>;
#pragma unroll
  for (int j = 0; j < Shape::chunks; ++j)
    reinterpret_cast<uint4*>(own)[j] =
        reinterpret_cast<const uint4*>(kept)[chunk_slot(static_cast<int>(threadIdx.x) * Shape::chunks + j)];
}
template <class T>
__device__ __forceinline__ void keep_own(const T (&own)[TileShape<T>::items], T* kept) {
  using Shape = TileShape<T>;
#pragma unroll
  for (int j = 0; j < Shape::chunks; ++j)
    reinterpret_cast<uint4*>(kept)[chunk_slot(static_cast<int>(threadIdx.x) * Shape::chunks + j)] =
        reinterpret_cast<const uint4*>(own)[j];
}

// Copies a whole tile from shared memory to an aligned address.
template <class T>
__device__ __forceinline__ void store_chunks(const T* kept, T* tile) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  uint4* const to = reinterpret_cast<uint4*>(tile) + warp * 32 * Shape::chunks + lane;
#pragma unroll
  for (int j = 0; j < Shape::chunks; ++j)
    __stcs(to + 32 * j, reinterpret_cast<const uint4*>(kept)[chunk_slot(warp * 32 * Shape::chunks + 32 * j + lane)]);
}

// Copies the items [first, last) of it to any address.
template <class T>
__device__ __forceinline__ void store_values(const T* kept, int first, int last, T* tile) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int item = warp * Shape::warp_items + 32 * k + lane;
    if (item >= first && item < last) tile[item] = kept[value_slot<T>(item)];
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
