#pragma once

#include <cstdint>

#include "primitives/device/float_records_cuda.cuh"

// Tiles of floats that fit no window: the lanes of one warp add value by value, in long integers. Rare, and slow.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

// Such a tile in shared memory: its values and, as bits for each thread, where its segments begin.
template <class T>
struct SingleValues {
  T* values;
  const std::uint16_t* masks;

  __device__ bool begins(int item) const {
    return (masks[item / TileShape<T>::items] >> item % TileShape<T>::items & 1) != 0;
  }
};

// Writes the sums of each lane's values after its last begin to store.of_lane, and the
// sum of the tile to store.total. Returns which lanes have a begin. Called by a warp.
template <class P>
__device__ __noinline__ unsigned sum_one_by_one(const SingleValues<typename P::Value>& tile, FloatStore<P>& store) {
  using T = typename P::Value;
  constexpr int items = TileShape<T>::size / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  LongSum<T>& own = store.of_lane[lane];
  own.clear();
  bool has_begin = false;
  for (int i = lane * items; i < (lane + 1) * items; ++i) {
    if (tile.begins(i)) {
      own.clear();
      has_begin = true;
    }
    own.add(tile.values[value_slot<T>(i)]);
  }
  const unsigned with_begin = __ballot_sync(every_lane, has_begin);
  __syncwarp();
  if (lane == 0) {
    store.total = store.of_lane[31];
    for (int l = 30; l >= 0 && with_begin >> (l + 1) == 0; --l) store.total.add(store.of_lane[l]);
  }
  __syncwarp();
  return with_begin;
}

// Replaces the values of such a tile, which has been summed, by results: for each value or, when
// reducing, for the last one of each segment. Uses store.carry if it is needed. Called by a warp.
template <class P, bool reduce>
__device__ __noinline__ void fill_one_by_one(const ScanCall<typename P::Value>& call, std::int64_t begin,
                                             SingleValues<typename P::Value> tile, unsigned with_begin,
                                             bool needs_carry, FloatStore<P>& store) {
  using T = typename P::Value;
  constexpr int items = TileShape<T>::size / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned below = with_begin & ((1u << lane) - 1);
  LongSum<T> running;
  running.clear();
  for (int l = below != 0 ? 31 - __clz(static_cast<int>(below)) : 0; l < lane; ++l) running.add(store.of_lane[l]);
  if (needs_carry && below == 0) running.add(store.carry);
  for (int i = lane * items; i < (lane + 1) * items; ++i) {
    T& place = tile.values[value_slot<T>(i)];
    const T value = place;
    if (tile.begins(i)) running.clear();
    if (call.exclusive && !reduce) place = running.value();
    running.add(value);
    const bool last = i + 1 == TileShape<T>::size || begin + i + 1 >= call.items || tile.begins(i + 1);
    if (reduce ? last : !call.exclusive) place = running.value();
    if (!reduce && call.with_total && begin + i == call.items - 1) call.out[call.items] = running.value();
  }
  __syncwarp();
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
