#pragma once

#include <cstdint>

#include "primitives/device/tile_store_cuda.cuh"

// The tiles of a block, one after another. While it works on one, the values of the next are on their way to shared
// memory. Tiles are taken as tickets, so that those that a tile waits for are held by blocks that are running.
//
// A block tells what a tile comes to before it waits for what came before any of its tiles: one that waited first would
// hold up all that come after it.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr std::int64_t no_tile = std::int64_t{1} << 62;

template <class T>
class TileTurns {
  using Shape = TileShape<T>;

 public:
  // `shared_next` is shared memory.
  __device__ TileTurns(const ScanCall<T>& call, T neutral, std::int64_t* shared_next)
      : call_(call), neutral_(neutral), shared_next_(shared_next) {}

  // Takes the first tile; with barriers for all threads.
  __device__ __forceinline__ void begin(T* landing) {
    if (asks()) *shared_next_ = limited(atomicAdd(call_.ticket, 1u));
    __syncthreads();
    tile_ = *shared_next_;
    load(tile_, landing);
    __syncthreads();
  }
  __device__ __forceinline__ std::int64_t tile() const { return tile_; }
  __device__ __forceinline__ std::int64_t next() const { return next_; }

  // A turn: ask for the next tile; tell; a barrier; look, and begin to load it; advance.
  __device__ __forceinline__ void ask() {
    if (asks() && tile_ != no_tile) ticket_ = atomicAdd(call_.ticket, 1u);
  }
  __device__ __forceinline__ void tell() {
    if (asks()) *shared_next_ = tile_ == no_tile ? no_tile : limited(ticket_);
  }
  __device__ __forceinline__ void look(T* landing) {
    next_ = *shared_next_;
    load(next_, landing);
  }
  __device__ __forceinline__ void advance() { tile_ = next_; }

 private:
  __device__ __forceinline__ static bool asks() { return threadIdx.x == Shape::threads - 32; }
  __device__ __forceinline__ std::int64_t limited(unsigned int ticket) const {
    return ticket < call_.tiles ? ticket : no_tile;
  }
  __device__ __forceinline__ void load(std::int64_t tile, T* landing) {
    if (tile == no_tile) return;
    const std::int64_t begin = tile * Shape::size, left = call_.items - begin;
    start_load(call_.values + begin, static_cast<int>(left < Shape::size ? left : Shape::size), call_.aligned, neutral_,
               landing);
  }

  const ScanCall<T>& call_;
  T neutral_;
  std::int64_t* shared_next_;
  std::int64_t tile_ = no_tile, next_ = no_tile;
  unsigned int ticket_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
