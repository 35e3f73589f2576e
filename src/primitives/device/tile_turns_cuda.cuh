#pragma once

#include <cstdint>

#include "primitives/device/tile_scout_cuda.cuh"

// The tiles of a block, one after another. While the block works on a tile, the values of the next one are being copied
// to shared memory. Tiles are taken as tickets, so the tiles for which a tile waits belong to blocks that are running.
//
// A block publishes the total of a tile before it waits for the total before
// any of its tiles. If it waited first, it would delay all later tiles.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class T>
class TileTurns {
  using Shape = TileShape<T>;

 public:
  // `shared_next` is shared memory.
  __device__ TileTurns(const ScanCall<T>& call, T neutral, TileNumber* shared_next)
      : call_(call), neutral_(neutral), shared_next_(shared_next) {}

  // Takes the first tile. All threads that sum must call it, as it has barriers.
  __device__ __forceinline__ void begin(T* landing) {
    if (asks()) *shared_next_ = limited(atomicAdd(call_.ticket, 1u));
    meet<summing_barrier, Shape::threads>();
    tile_ = *shared_next_;
    load(tile_, landing);
    meet<summing_barrier, Shape::threads>();
  }
  __device__ __forceinline__ TileNumber tile() const { return tile_; }
  __device__ __forceinline__ TileNumber next() const { return next_; }

  // A turn: ask for the next tile; tell the block; a barrier; look it up and begin to load it; advance.
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
  __device__ __forceinline__ TileNumber limited(unsigned int ticket) const {
    return ticket < call_.tiles ? static_cast<TileNumber>(ticket) : no_tile;
  }
  __device__ __forceinline__ void load(TileNumber tile, T* landing) {
    if (tile == no_tile) return;
    const std::int64_t begin = std::int64_t{tile} * Shape::size;
    start_load(call_.values + begin, values_in_tile(call_, begin), call_.aligned, neutral_, landing);
  }

  const ScanCall<T>& call_;
  T neutral_;
  TileNumber* shared_next_;
  TileNumber tile_ = no_tile, next_ = no_tile;
  unsigned int ticket_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
