#pragma once

#include <cstdint>

#include "primitives/device/float_window.h"
#include "primitives/device/look_back_cuda.cuh"
#include "primitives/device/tile_cuda.cuh"
#include "primitives/device/tile_sums_cuda.cuh"

// What the blocks of a scan share, what they tell each other, and how they treat tiles of floats that no window holds.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::CarryInWindow;
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
  std::int64_t* status = nullptr;
  unsigned int* ticket = nullptr;
  const std::int64_t* first_segment =
      nullptr;  // of each tile, and one more: the first whose offset is above the tile's begin
};

struct NoWindow {};
template <class P>
using WindowOf = typename std::conditional_t<P::of_floats, std::type_identity<Window<typename P::Value>>,
                                             std::type_identity<NoWindow>>::type;

// What only sums of floats keep in shared memory.
template <class P, bool = P::of_floats>
struct FloatStore {};
template <class P>
struct FloatStore<P, true> {
  using T = typename P::Value;
  LongSum<T> carry;
  CarryInWindow<T> split;
  LongSum<T> total;
  LongSum<T> of_lane[32];
  std::int64_t digits[P::words];
};

template <class P, bool reduce>
struct TileStore {
  using T = typename P::Value;
  static constexpr int size = TileShape<T>::size;
  static constexpr int warps = TileShape<T>::warps;
  alignas(16) T values[size];
  alignas(16) std::uint8_t begins[size + 16];  // 1 where a segment begins, and behind the last value
  typename P::Sum total[warps];
  typename P::Sum before;
  std::uint32_t has_begin[warps];
  std::uint32_t most[warps], least[warps];
  std::int64_t tile;
  std::uint16_t end[reduce ? size : 1];  // of the segment before each offset: its last item, or one of these:
  FloatStore<P> floats;
};
inline constexpr std::uint16_t empty_segment = 0xFFFF, no_segment = 0xFFFE;

// carry + sum, when no window has room for it.
template <class T>
__device__ __noinline__ T exact_plus(const LongSum<T>& carry, typename Window<T>::Integer sum, int place) {
  LongSum<T> exact = carry;
  exact.add_integer(sum, place);
  return exact.value();
}

// The sum that ends at a value does not fit; for a reduction (with offsets), that of its segment, if it ends there: a
// sum at the end of a tile may be one on the way, which does not count. Rare.
__device__ __noinline__ inline void report_overflow(const std::int64_t* offsets, std::int64_t segments,
                                                    std::int64_t place, std::int64_t* status) {
  if (status == nullptr) return;
  if (offsets != nullptr) {  // the last segment whose offset is not above it
    std::int64_t low = 0, high = segments;
    while (low + 1 < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offsets[middle] <= place)
        low = middle;
      else
        high = middle;
    }
    if (offsets[low + 1] != place + 1) return;
    place = low;
  }
  report(status, PrimitiveError::sum_overflow, place);
}

// Tells other tiles what this one comes to after its last begin, and finds what came before it. By a warp.
template <class P>
__device__ __forceinline__ RecordLanes<P::words> exchange(const Records& records, const P& op, std::int64_t tile,
                                                          const RecordLanes<P::words>& own, bool has_begin,
                                                          bool needs_carry) {
  publish(records, tile, own, has_begin || tile == 0);
  if (!needs_carry) return own;
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

template <class P, class Digit>
__device__ __forceinline__ RecordLanes<P::words> float_record(const Digit& digit, std::uint32_t special) {
  RecordLanes<P::words> record;
#pragma unroll
  for (int r = 0; r < RecordLanes<P::words>::per_lane; ++r) {
    const int w = static_cast<int>(threadIdx.x % 32) + 32 * r;
    record.word[r] = w < P::digits ? static_cast<std::uint64_t>(digit(w)) : w == P::digits ? special : 0;
  }
  return record;
}

// Joins the digits of a record in shared memory. By a warp.
template <class P>
__device__ __forceinline__ void keep_float_carry(const RecordLanes<P::words>& before, FloatStore<P>& store) {
#pragma unroll
  for (int r = 0; r < RecordLanes<P::words>::per_lane; ++r) {
    const int w = static_cast<int>(threadIdx.x % 32) + 32 * r;
    if (w < P::words) store.digits[w] = static_cast<std::int64_t>(before.word[r]);
  }
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    primitives::join_digits(store.digits, store.carry);
    store.carry.special = static_cast<std::uint32_t>(store.digits[P::digits]);
  }
  __syncwarp();
}

template <class P, bool reduce>
__device__ __forceinline__ void result_one_by_one(const ScanCall<typename P::Value>& call, std::int64_t begin,
                                                  LongSum<typename P::Value>& running, int item,
                                                  TileStore<P, reduce>& store) {
  using T = typename P::Value;
  T& place = store.values[value_slot<T>(item)];
  const T value = place;
  if (store.begins[item] != 0) running.clear();
  if (call.exclusive && !reduce) place = running.value();
  running.add(value);
  if (!call.exclusive || reduce) place = running.value();
  if (!reduce && call.with_total && begin + item == call.items - 1) call.out[call.items] = running.value();
}

// A tile of floats that no window holds: by the lanes of one warp, value by value; results take the values' places.
template <class P, bool reduce>
__device__ __noinline__ void scan_one_by_one(const ScanCall<typename P::Value>& call, const Records& records,
                                             const P& op, std::int64_t tile, bool needs_carry,
                                             TileStore<P, reduce>& store) {
  using T = typename P::Value;
  if (threadIdx.x < 32) {
    constexpr int items = TileShape<T>::size / 32;
    const int lane = static_cast<int>(threadIdx.x), from = lane * items;
    LongSum<T>& own = store.floats.of_lane[lane];
    own.clear();
    bool has_begin = false;
    for (int i = from; i < from + items; ++i) {
      if (store.begins[i] != 0) {
        own.clear();
        has_begin = true;
      }
      own.add(store.values[value_slot<T>(i)]);
    }
    const unsigned with_begin = __ballot_sync(every_lane, has_begin), below = with_begin & ((1u << lane) - 1);
    __syncwarp();
    LongSum<T> running;
    running.clear();
    for (int l = below != 0 ? 31 - __clz(static_cast<int>(below)) : 0; l < lane; ++l)
      running.add(store.floats.of_lane[l]);
    __syncwarp();
    if (lane == 31) {
      store.floats.total = own;
      if (!has_begin) store.floats.total.add(running);
    }
    __syncwarp();
    const auto record = float_record<P>([&](int digit) { return primitives::digit_of<T>(store.floats.total, digit); },
                                        store.floats.total.special);
    const auto before = exchange(records, op, tile, record, with_begin != 0, needs_carry);
    if (needs_carry) {
      keep_float_carry<P>(before, store.floats);
      if (below == 0) running.add(store.floats.carry);
    }
    for (int i = from; i < from + items; ++i) result_one_by_one(call, tile * TileShape<T>::size, running, i, store);
  }
  __syncthreads();
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
