#pragma once

#include <cstdint>

// A tile of values as the threads of a block hold it: each thread some neighbours, moved between threads through shared
// memory so that memory is read and written in whole lines.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class T>
struct TileShape {
  static constexpr int threads = 256;
  static constexpr int warps = threads / 32;
  static constexpr int items = sizeof(T) == 4 ? 16 : 8;  // of a thread
  static constexpr int size = threads * items;
  static constexpr int per_chunk = 16 / sizeof(T);       // values in 16 bytes
  static constexpr int chunks = items / per_chunk;       // of a thread
  static constexpr int warp_items = 32 * items;
};

// Where a chunk of 16 bytes lies, so that neither order of access meets itself in one bank.
__device__ __forceinline__ int chunk_slot(int chunk) { return chunk ^ (chunk >> 3 & 7); }

template <class T>
__device__ __forceinline__ int value_slot(int item) {
  using Shape = TileShape<T>;
  return chunk_slot(item / Shape::per_chunk) * Shape::per_chunk + item % Shape::per_chunk;
}

__device__ __forceinline__ bool is_chunk_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

// The chunks of a whole tile as a thread loads them: lane by lane, in the part of its warp.
template <class T>
struct LoadedChunks {
  uint4 chunk[TileShape<T>::chunks];
};

template <class T>
__device__ __forceinline__ LoadedChunks<T> load_chunks(const T* tile) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const uint4* const from = reinterpret_cast<const uint4*>(tile) + warp * 32 * Shape::chunks + lane;
  LoadedChunks<T> loaded;
#pragma unroll
  for (int j = 0; j < Shape::chunks; ++j) loaded.chunk[j] = __ldcs(from + 32 * j);
  return loaded;
}

// To shared memory. The warp's part is whole for its own lanes after __syncwarp.
template <class T>
__device__ __forceinline__ void keep_chunks(const LoadedChunks<T>& loaded, T* kept) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int j = 0; j < Shape::chunks; ++j)
    reinterpret_cast<uint4*>(kept)[chunk_slot(warp * 32 * Shape::chunks + 32 * j + lane)] = loaded.chunk[j];
}

// The same for any address and a tile that may end early, filled up with `neutral`.
template <class T>
__device__ __forceinline__ void keep_values(const T* tile, int count, T neutral, T* kept) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int item = warp * Shape::warp_items + 32 * k + lane;
    kept[value_slot<T>(item)] = item < count ? tile[item] : neutral;
  }
}

// This thread's neighbours, from shared memory and to it.
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

// A whole tile from shared memory to an aligned address.
template <class T>
__device__ __forceinline__ void store_chunks(const T* kept, T* tile) {
  using Shape = TileShape<T>;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  uint4* const to = reinterpret_cast<uint4*>(tile) + warp * 32 * Shape::chunks + lane;
#pragma unroll
  for (int j = 0; j < Shape::chunks; ++j)
    __stcs(to + 32 * j, reinterpret_cast<const uint4*>(kept)[chunk_slot(warp * 32 * Shape::chunks + 32 * j + lane)]);
}

// The items [first, last) of it, to any address.
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
