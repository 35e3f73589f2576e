#pragma once

#include <cstdint>

#include "primitives/device/tile_store_cuda.cuh"

// Scans and segmented reductions in one pass: a block per tile of 16 KB. A thread joins its values, warps and the block join
// the threads' sums, a look-back finds what the segment that the tile begins in holds so far, and each thread goes
// through its values once more for the results. A reduction keeps only those of the last value of each segment.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class P, bool reduce>
class TileScan {
  using T = typename P::Value;
  using Sum = typename P::Sum;
  using Shape = TileShape<T>;
  using Store = TileStore<P, reduce>;

 public:
  __device__ TileScan(const ScanCall<T>& call, const Records& records, const P& op, Store& store)
      : call_(call), records_(records), op_(op), store_(store) {}

  __device__ __forceinline__ void run() {
    if (threadIdx.x < Shape::size / 16)
      reinterpret_cast<uint4*>(store_.begins)[threadIdx.x] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) store_.tile = atomicAdd(call_.ticket, 1u);
    __syncthreads();
    tile_ = store_.tile;
    begin_ = tile_ * Shape::size;
    const std::int64_t left = call_.items - begin_;
    count_ = static_cast<int>(left < Shape::size ? left : Shape::size);
    const bool whole = count_ == Shape::size && call_.aligned;
    LoadedChunks<T> loaded;
    if (whole) loaded = load_chunks(call_.values + begin_);
    mark_begins();
    if (whole)
      keep_chunks(loaded, store_.values);
    else
      keep_values(call_.values + begin_, count_, op_.neutral_value(), store_.values);
    __syncwarp();
    take_own(store_.values, own_);
    if constexpr (P::of_floats) find_extremes();
    __syncthreads();
    read_begins();
    if constexpr (P::of_floats) {
      window_ = window();
      if (window_.fits)
        scan();
      else
        scan_one_by_one(call_, records_, op_, tile_, needs_carry_, store_);
    } else {
      scan();
    }
    if constexpr (reduce) {
      __syncthreads();
      write_segments();
    } else {
      if (call_.with_total && call_.items == 0 && threadIdx.x == 0) call_.out[0] = op_.neutral_value();
      __syncwarp();
      if (whole && first_ == 0 && last_ == Shape::size)
        store_chunks(store_.values, call_.out + begin_);
      else
        store_values(store_.values, first_, last_, call_.out + begin_);
    }
  }

 private:
  // --- Where segments begin ---

  __device__ __forceinline__ void mark_begins() {
    first_ = 0;
    last_ = count_;
    if (threadIdx.x == 0) store_.begins[count_] = store_.begins[Shape::size] = 1;
    if (call_.offsets != nullptr)
      mark_offsets();
    else if (call_.flags != nullptr)
      mark_flags();
  }

  __device__ __forceinline__ int clamped(std::int64_t place) const {
    const std::int64_t item = place - begin_;
    return static_cast<int>(item < 0 ? 0 : item > count_ ? count_ : item);
  }

  __device__ __forceinline__ void mark_offsets() {
    first_ = clamped(call_.offsets[0]);
    last_ = clamped(call_.offsets[call_.segments]);
    const std::int64_t low = call_.first_segment[tile_], high = call_.first_segment[tile_ + 1];
    if (threadIdx.x == 0 && tile_ > 0 && low > 0 && call_.offsets[low - 1] == begin_) store_.begins[0] = 1;
#pragma unroll 4
    for (std::int64_t s = low + threadIdx.x; s < high; s += Shape::threads) {
      const std::int64_t offset = call_.offsets[s], item = offset - begin_;
      const std::uint16_t end = end_before(s, offset);
      if (item >= 0 && item < count_) store_.begins[item] = 1;
      if constexpr (reduce) {
        if (s - low < Shape::size) store_.end[s - low] = end;
      }
    }
  }

  // The last item of segment s - 1, which ends at an offset of this tile.
  __device__ __forceinline__ std::uint16_t end_before(std::int64_t s, std::int64_t offset) const {
    const std::int64_t previous = s > 0 ? call_.offsets[s - 1] : 0, item = offset - begin_;
    if (offset < previous || offset > call_.items) {
      report(call_.status, PrimitiveError::offset_out_of_range, s);
      return no_segment;
    }
    if (s == 0) return no_segment;
    if (offset == previous) return empty_segment;
    return item > 0 && item <= count_ ? static_cast<std::uint16_t>(item - 1) : no_segment;
  }

  __device__ __forceinline__ void mark_flags() {
    const int item = static_cast<int>(threadIdx.x) * Shape::items;
    const std::uint8_t* const flags = call_.flags + begin_ + item;
    if (item + Shape::items <= count_ && reinterpret_cast<std::uintptr_t>(flags) % Shape::items == 0) {
      std::uint32_t word[Shape::items / 4];
      if constexpr (Shape::items == 16)
        *reinterpret_cast<uint4*>(word) = __ldcs(reinterpret_cast<const uint4*>(flags));
      else
        *reinterpret_cast<uint2*>(word) = __ldcs(reinterpret_cast<const uint2*>(flags));
#pragma unroll
      for (int w = 0; w < Shape::items / 4; ++w)
        reinterpret_cast<std::uint32_t*>(store_.begins + item)[w] = __vminu4(word[w], 0x01010101u);
    } else {
      for (int k = 0; k < Shape::items; ++k)
        if (item + k < count_) store_.begins[item + k] = flags[k] != 0 ? 1 : 0;
    }
  }

  // This thread's as bits, and that of the item behind them.
  __device__ __forceinline__ void read_begins() {
    const int item = static_cast<int>(threadIdx.x) * Shape::items;
    own_begins_ = 0;
#pragma unroll
    for (int w = 0; w < Shape::items / 4; ++w) {
      const std::uint32_t bytes = reinterpret_cast<const std::uint32_t*>(store_.begins + item)[w];
      own_begins_ |= (bytes * 0x10204080u >> 28) << (4 * w);
    }
    if constexpr (reduce) own_begins_ |= static_cast<std::uint32_t>(store_.begins[item + Shape::items]) << Shape::items;
    needs_carry_ = tile_ > 0 && store_.begins[0] == 0;
  }
  __device__ __forceinline__ bool begins(int k) const { return (own_begins_ >> k & 1) != 0; }
  __device__ __forceinline__ std::uint32_t own_mask() const { return own_begins_ & ((1u << Shape::items) - 1); }

  // --- Sums of floats: the window ---

  __device__ __forceinline__ void find_extremes() {
    std::uint32_t most = 0, least = ~0u;
#pragma unroll
    for (int k = 0; k < Shape::items; ++k) {
      const std::uint32_t upper = primitives::upper_magnitude(own_[k]);
      // A subnormal double may have no upper bits; it must not pass for 0.
      const bool hidden = sizeof(T) == 8 && upper == 0 && own_[k] != 0;
      most = max(most, hidden ? 1u : upper);
      least = min(least, (hidden ? 1u : upper) - 1);
    }
    most = __reduce_max_sync(every_lane, most);
    least = __reduce_min_sync(every_lane, least);
    if (threadIdx.x % 32 == 0) {
      store_.most[threadIdx.x / 32] = most;
      store_.least[threadIdx.x / 32] = least;
    }
  }
  __device__ __forceinline__ WindowOf<P> window() const {
    std::uint32_t most = 0, least = ~0u;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      most = max(most, store_.most[w]);
      least = min(least, store_.least[w]);
    }
    return Window<T>::of(most, least);
  }

  __device__ __forceinline__ Sum sum_of(T value) const {
    if constexpr (P::of_floats)
      return window_.units(value);
    else
      return op_.from(value);
  }

  // --- The scan ---

  __device__ __forceinline__ void scan() {
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    Sum sum = op_.neutral();
#pragma unroll
    for (int k = 0; k < Shape::items; ++k) {
      const Sum value = sum_of(own_[k]);
      sum = begins(k) ? value : op_.joined(sum, value);
    }
    // Lanes, from the last one before or at this that has a begin.
    const unsigned with_begin = __ballot_sync(every_lane, own_mask() != 0);
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    const int start = (with_begin & up_to) != 0 ? 31 - __clz(static_cast<int>(with_begin & up_to)) : 0;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Sum other = shuffle_up(sum, distance);
      if (lane - distance >= start) sum = op_.joined(other, sum);
    }
    Sum before = shuffle_up(sum, 1);
    if (lane == 0) before = op_.neutral();
    if (lane == 31) {
      store_.total[warp] = sum;
      store_.has_begin[warp] = with_begin;
    }
    __syncthreads();
    Sum before_warp = op_.neutral(), total = op_.neutral();
    bool begun = false, begun_before = false;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      if (w == warp) {
        before_warp = total;
        begun_before = begun;
      }
      const bool begins_here = store_.has_begin[w] != 0;
      total = begins_here ? store_.total[w] : op_.joined(total, store_.total[w]);
      begun |= begins_here;
    }
    if (warp == 0) find_carry(total, begun);
    const bool begun_in_warp = (with_begin & below) != 0;
    if (!begun_in_warp) before = op_.joined(before_warp, before);
    if (needs_carry_) __syncthreads();
    results(before, needs_carry_ && !begun_in_warp && !begun_before);
  }

  // By warp 0: what the tile carries in goes to shared memory, what it carries out to the records.
  __device__ __forceinline__ void find_carry(const Sum& total, bool begun) {
    if constexpr (P::of_floats) {
      const int place = window_.place;
      const auto own =
          float_record<P>([&](int digit) { return primitives::digit_of<T>(total, place, digit); }, 0);
      const auto before = exchange(records_, op_, tile_, own, begun, needs_carry_);
      if (!needs_carry_) return;
      keep_float_carry<P>(before, store_.floats);
      if (threadIdx.x == 0) store_.floats.split = CarryInWindow<T>::of(store_.floats.carry, window_);
    } else {
      const auto before = exchange(records_, op_, tile_, op_.record(total), begun, needs_carry_);
      if (!needs_carry_) return;
      const Sum carry = op_.sum_of(before);
      if (threadIdx.x == 0) store_.before = carry;
    }
  }

  // This thread's results, from what its segment holds before it; where it is `open` what came before the tile, too.
  __device__ __forceinline__ void results(Sum running, bool open) {
    if constexpr (P::of_floats) {
      if (open && store_.floats.split.simple) {
        running += store_.floats.split.high;
        open = false;
      }
    } else if (open) {
      running = op_.joined(store_.before, running);
    }
    const int item = static_cast<int>(threadIdx.x) * Shape::items;
#pragma unroll
    for (int k = 0; k < Shape::items; ++k) {
      if (begins(k)) {
        running = op_.neutral();
        open = false;
      }
      const Sum before = running;
      running = op_.joined(running, sum_of(own_[k]));
      if constexpr (reduce) {
        if (begins(k + 1)) store_.values[value_slot<T>(item + k)] = result(running, open, item + k);
      } else {
        if (call_.with_total && item + k == count_ - 1 && begin_ + count_ == call_.items)
          call_.out[call_.items] = result(running, open, count_);
        // A segment's first value comes after none: the neutral element itself.
        own_[k] = result(call_.exclusive ? before : running, open, item + k);
      }
    }
    if constexpr (!reduce) keep_own(own_, store_.values);
  }

  __device__ __forceinline__ T result(const Sum& sum, bool open, int item) const {
    if constexpr (P::of_floats) {
      if (!open) return window_.rounded_sum(sum);
      T rounded;
      const auto& split = store_.floats.split;
      if (!split.hard && split.plus(sum, window_, rounded)) return rounded;
      return exact_plus<T>(store_.floats.carry, sum, window_.place);
    } else {
      if (!op_.fits(sum) && item >= first_ && (item < last_ || call_.with_total))
        report_overflow(reduce ? call_.offsets : nullptr, call_.segments, begin_ + item, call_.status);
      return op_.to(sum);
    }
  }

  __device__ __forceinline__ static Sum shuffle_up(const Sum& sum, int distance) {
    if constexpr (sizeof(Sum) == 8) {
      return static_cast<Sum>(__shfl_up_sync(every_lane, static_cast<long long>(sum), distance));
    } else {
      const auto low = __shfl_up_sync(every_lane, static_cast<unsigned long long>(sum), distance);
      const auto high = __shfl_up_sync(every_lane, static_cast<unsigned long long>(sum >> 64), distance);
      return static_cast<Sum>((static_cast<primitives::UInt128>(high) << 64) | low);
    }
  }

  // --- Results of segments ---

  __device__ __forceinline__ void write_segments() {
    const std::int64_t low = call_.first_segment[tile_], high = call_.first_segment[tile_ + 1];
    for (std::int64_t s = low + threadIdx.x; s < high; s += Shape::threads) {
      const std::uint16_t end = s - low < Shape::size ? store_.end[s - low] : end_before(s, call_.offsets[s]);
      if (end == empty_segment)
        call_.out[s - 1] = op_.neutral_value();
      else if (end != no_segment)
        call_.out[s - 1] = store_.values[value_slot<T>(end)];
    }
  }

  const ScanCall<T>& call_;
  const Records& records_;
  const P& op_;
  Store& store_;
  std::int64_t tile_ = 0, begin_ = 0;
  int count_ = 0;
  int first_ = 0, last_ = 0;  // the items that belong to segments
  alignas(16) T own_[Shape::items];
  std::uint32_t own_begins_ = 0;
  bool needs_carry_ = false;
  WindowOf<P> window_;
};

template <class P, bool reduce>
__global__ void __launch_bounds__(256, sizeof(typename P::Sum) == 8 ? 4 : 2)
    scan_tiles(const __grid_constant__ ScanCall<typename P::Value> call, const __grid_constant__ Records records,
               const __grid_constant__ P op) {
  using Store = TileStore<P, reduce>;
  static_assert(TileShape<typename P::Value>::threads == 256);
  __shared__ alignas(16) unsigned char bytes[sizeof(Store)];
  TileScan<P, reduce>(call, records, op, *reinterpret_cast<Store*>(bytes)).run();
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
