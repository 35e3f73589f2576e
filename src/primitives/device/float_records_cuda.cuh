#pragma once

#include <cstdint>

#include "primitives/device/float_window.h"
#include "primitives/device/look_back_cuda.cuh"
#include "primitives/device/tile_store_cuda.cuh"

// What tiles of floats send each other. A sum of doubles is sent as the digits of a
// LongSum, each in its own word. A sum of floats is sent in one access of 16 bytes
// (PackedSum) if it fits, which it nearly always does, and otherwise as digits.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::CarryInWindow;
using primitives::FixedSum;
using primitives::PackedSum;

// What is in shared memory for sums of floats only.
template <class P, bool = P::of_floats>
struct FloatStore {};
template <class P>
struct FloatStore<P, true> {
  using T = typename P::Value;
  LongSum<T> carry;      // what came before the tile, unless `fixed`
  FixedSum fixed_carry;  // the same, if `fixed`
  bool fixed;
  CarryInWindow<T> split;  // either of them, for sums in the tile's window
  LongSum<T> total;
  LongSum<T> of_lane[32];
  std::int64_t digits[P::words];
};

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

// Joins the digits of a record in shared memory. Called by a warp.
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

__device__ __forceinline__ void publish_packed(const Records& records, std::int64_t tile, const FixedSum& sum,
                                               bool complete) {
  const PackedSum packed = PackedSum::of(sum, complete ? complete_published : part_published);
  if (threadIdx.x % 32 == 0) store_together(records.together + tile, packed.low, packed.high);
}

__device__ __forceinline__ FixedSum shuffle_xor(const FixedSum& sum, int distance) {
  const auto low = __shfl_xor_sync(every_lane, static_cast<unsigned long long>(sum.integer), distance);
  const auto high = __shfl_xor_sync(every_lane, static_cast<unsigned long long>(sum.integer >> 64), distance);
  return {static_cast<primitives::Int128>((static_cast<primitives::UInt128>(high) << 64) | low),
          __shfl_xor_sync(every_lane, sum.place, distance)};
}

// Adds sums of different units. Not inlined, because most have the same unit.
__device__ __noinline__ inline bool add_apart(FixedSum& sum, FixedSum other) {
  return sum.add(other, FixedSum::record_bits);
}
__device__ __forceinline__ bool add_fixed(FixedSum& sum, const FixedSum& other) {
  if (sum.place != other.place && sum.integer != 0 && other.integer != 0) {
    FixedSum apart = sum;
    const bool good = add_apart(apart, other);
    sum = apart;
    return good;
  }
  if (other.integer != 0) sum.place = other.place;
  sum.integer += other.integer;
  return primitives::has_room(sum.integer, FixedSum::record_bits);
}
__device__ __noinline__ inline bool join_lanes_apart(FixedSum& sum) {
  bool good = true;
  for (int distance = 16; distance > 0; distance /= 2)
    good = sum.add(shuffle_xor(sum, distance), FixedSum::record_bits) && good;
  return good;
}

// The sum over all tiles before `tile`, back to the nearest complete one. Returns false if
// one of them is elsewhere or if their units lie too far apart. Called by a warp; tile > 0.
__device__ __forceinline__ bool look_back_packed(const Records& records, std::int64_t tile, FixedSum& sum) {
  FixedSum own;
  bool good = true;
  visit_records(
      records, tile, {0, before_the_first}, [](const StateAndWord& found) { return PackedSum::state(found.state); },
      [&](const StateAndWord& found) {
        const PackedSum packed = {found.word, found.state};
        good = good && !packed.is_elsewhere() && add_fixed(own, packed.sum());
      });
  const int place = static_cast<int>(__reduce_max_sync(every_lane, own.integer != 0 ? own.place : 0));
  if (__all_sync(every_lane, own.integer == 0 || own.place == place)) {
    own.place = place;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) own.integer += shuffle_xor(own, distance).integer;
    good = good && primitives::has_room(own.integer, FixedSum::record_bits);
  } else {
    FixedSum apart = own;
    good = join_lanes_apart(apart) && good;
    own = apart;
  }
  sum = own;
  return __all_sync(every_lane, good);
}

// --- Digits, for sums that 16 bytes cannot hold. Rare. ---

template <class P>
__device__ __forceinline__ void publish_digits(const Records& records, std::int64_t tile,
                                               const RecordLanes<P::words>& record, bool complete) {
  static_assert(P::words <= 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::uint64_t* const to = (complete ? records.complete : records.part) + tile * P::words;
  if (lane < P::words) __stcg(reinterpret_cast<unsigned long long*>(to) + lane, record.word[0]);
  __threadfence();
  __syncwarp();
  if (lane == 0) {
    __threadfence();
    store_together(records.together + tile, 0, PackedSum::elsewhere | (complete ? complete_published : part_published));
  }
}

template <class P>
__device__ __forceinline__ RecordLanes<P::words> look_back_digits(const Records& records, const P& op,
                                                                  std::int64_t tile) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  RecordLanes<P::words> sum = {};
  bool ends = false;
  for (std::int64_t nearest = tile - 1; !ends; nearest -= 32) {
    StateAndWord found = {0, before_the_first};
    const int count = wait_for_tiles(
        [&] {
          if (nearest >= lane) found = load_together(records.together + nearest - lane);
          return PackedSum::state(found.state);
        },
        ends);
    __threadfence();
    __syncwarp();
    for (int i = 0; i < count; ++i) {
      const PackedSum packed = {__shfl_sync(every_lane, found.word, i), __shfl_sync(every_lane, found.state, i)};
      const std::uint32_t state = PackedSum::state(packed.high);
      if (state == before_the_first) break;
      std::uint64_t word = 0;
      if (!packed.is_elsewhere()) {
        const FixedSum its = packed.sum();
        if (lane < P::digits)
          word = static_cast<std::uint64_t>(primitives::digit_of<typename P::Value>(its.integer, its.place, lane));
      } else if (lane < P::words) {
        const std::uint64_t* const from =
            (state == complete_published ? records.complete : records.part) + (nearest - i) * P::words;
        word = __ldcg(reinterpret_cast<const unsigned long long*>(from) + lane);
      }
      sum.word[0] = op.joined_words(sum.word[0], word, lane);
    }
  }
  return sum;
}

// Writes the carry of a tile, whose own total is already published, to `store`.
// Then publishes the total with the carry, unless a segment begins in the tile.
template <class P>
__device__ __noinline__ void look_back_to_store(const Records& records, const P& op, std::int64_t tile,
                                                RecordLanes<P::words> own, bool has_begin, FloatStore<P>& store) {
  const RecordLanes<P::words> before = look_back_digits<P>(records, op, tile);
  keep_float_carry<P>(before, store);
  if (has_begin) return;
  own.word[0] = op.joined_words(own.word[0], before.word[0], static_cast<int>(threadIdx.x % 32));
  publish_digits<P>(records, tile, own, true);
}

// --- The exchange: a tile publishes its total after its last begin; later it looks for the total before the tile ---

template <class P>
__device__ __forceinline__ RecordLanes<P::words> digits_of(const FixedSum& sum) {
  return float_record<P>(
      [&](int digit) { return primitives::digit_of<typename P::Value>(sum.integer, sum.place, digit); }, 0);
}
template <class P>
__device__ __forceinline__ RecordLanes<P::words> digits_of(const LongSum<typename P::Value>& sum) {
  return float_record<P>([&](int digit) { return primitives::digit_of<typename P::Value>(sum, digit); }, sum.special);
}

template <class P>
__device__ __forceinline__ void publish_sum(const Records& records, std::int64_t tile, const FixedSum& own,
                                            bool complete) {
  if constexpr (P::packed)
    publish_packed(records, tile, own, complete);
  else
    publish(records, tile, digits_of<P>(own), complete);
}

// Writes what came before a tile to `store`: for a tile with a window also as store.split;
// for one without (`place` is below 0, and store.total is its own sum) always as store.carry.
// Not inlined: one warp needs more registers here than the other warps can spare.
template <class P>
__device__ __noinline__ void look_back_for_floats(const Records& records, const P& op, std::int64_t tile,
                                                  typename P::Sum own_units, int place, bool has_begin,
                                                  FloatStore<P>& store) {
  using T = typename P::Value;
  const bool single = place < 0;
  bool fixed = false;
  FixedSum before;
  if constexpr (P::packed) {
    FixedSum own = {own_units, place};
    const bool own_fits = !single || FixedSum::from(store.total, own);
    FixedSum all = own;
    fixed = own_fits && look_back_packed(records, tile, before) && (has_begin || add_fixed(all, before));
    if (!fixed)
      look_back_to_store<P>(records, op, tile, single ? digits_of<P>(store.total) : digits_of<P>(own), has_begin,
                            store);
    else if (!has_begin)
      publish_packed(records, tile, all, true);
  } else {
    const auto own = single ? digits_of<P>(store.total) : digits_of<P>(FixedSum{own_units, place});
    keep_float_carry<P>(look_back_and_complete(records, op, tile, own, has_begin), store);
  }
  if (threadIdx.x % 32 == 0) {
    store.fixed = fixed;
    store.fixed_carry = before;
    if (single && fixed) {
      store.carry.clear();
      store.carry.add_integer(before.integer, before.place);
    }
    if (!single) {
      Window<T> window;
      window.place = place;
      if constexpr (P::packed) {
        store.split = fixed ? CarryInWindow<T>::of(before, window) : CarryInWindow<T>::of(store.carry, window);
      } else {
        store.split = CarryInWindow<T>::of(store.carry, window);
      }
    }
  }
  __syncwarp();
}

// The carry plus `sum` units, for what no window has room for. Rare.
template <class P>
__device__ __noinline__ typename P::Value exact_plus(const FloatStore<P>& store, typename P::Sum sum, int place) {
  LongSum<typename P::Value> exact = store.carry;
  if (store.fixed) {
    exact.clear();
    exact.add_integer(store.fixed_carry.integer, store.fixed_carry.place);
  }
  exact.add_integer(sum, place);
  return exact.value();
}

// The carry plus `sum` units, rounded once, in every case.
template <class P>
__device__ __forceinline__ typename P::Value plus_carry(const FloatStore<P>& store,
                                                        const Window<typename P::Value>& window, typename P::Sum sum) {
  typename P::Value rounded;
  if (!store.split.hard && store.split.plus(sum, window, rounded)) return rounded;
  return exact_plus(store, sum, window.place);
}

// The results of a thread, whose values are in `values`, if some of them need exact_plus.
template <class P>
__device__ __noinline__ typename P::Value fill_exactly(const FloatStore<P>& store, Window<typename P::Value> window,
                                                       typename P::Value* values, std::uint32_t begins,
                                                       typename P::Sum running, bool exclusive) {
  using T = typename P::Value;
  constexpr int items = TileShape<T>::items;
  bool open = true;
  const auto result = [&] { return open ? exact_plus(store, running, window.place) : window.rounded_sum(running); };
  for (int k = 0; k < items; ++k) {
    T& place = values[value_slot<T>(static_cast<int>(threadIdx.x) * items + k)];
    const T value = place;
    if ((begins >> k & 1) != 0) {
      running = 0;
      open = false;
    }
    if (exclusive) place = result();
    running += window.units(value);
    if (!exclusive) place = result();
  }
  return result();
}

// Publishes store.total, the sum of a tile without a window.
template <class P>
__device__ __noinline__ void publish_total(const Records& records, std::int64_t tile, bool complete,
                                           FloatStore<P>& store) {
  if constexpr (P::packed) {
    FixedSum own;
    if (FixedSum::from(store.total, own))
      publish_packed(records, tile, own, complete);
    else
      publish_digits<P>(records, tile, digits_of<P>(store.total), complete);
  } else {
    publish(records, tile, digits_of<P>(store.total), complete);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
