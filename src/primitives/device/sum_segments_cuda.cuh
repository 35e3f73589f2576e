#pragma once

#include <cstdint>

#include "primitives/device/scan_tiles_cuda.cuh"

// Sums of segments in one pass, by tiles of 16 KB. A tile keeps its running sums, up to each value, in shared memory;
// the sum of a segment is the difference of two, however long it is. (They are exact integers, also for floats:
// units of the tile's window.) What a segment holds from earlier tiles is found by a look-back, for each tile in
// which such a segment ends and for every 64th tile, by the block's scout, while the block sums up its next tile.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class P>
struct SumStore {
  using T = typename P::Value;
  using Sum = typename P::Sum;
  using Shape = TileShape<T>;
  static constexpr int size = Shape::size;

  struct Single {
    alignas(16) T values[size];
    std::uint32_t begins[size / 32];  // a bit per value
    std::uint16_t masks[Shape::threads];
  };
  alignas(16) T landing[size];
  union {
    alignas(16) Sum up_to[size];  // a thread's running sums, up to each of its values
    Single single;                // for a tile without a window
  };
  Sum before_thread[Shape::threads];
  Sum total[Shape::warps];
  std::uint32_t most[Shape::warps], least[Shape::warps];
  TileNumber next_tile;
  FloatStore<P> floats;        // for a tile without a window
  FloatStore<P> scout_floats;  // for the scout

  // A tile for which the scout must look back: its total after its last begin,
  // and its part of an earlier segment that ended in it (below 0: none did).
  struct Told {
    TileNumber tile = no_tile;
    Sum own{};
    int place = 0;  // floats: the place of its window
    bool begun = false;
    std::int64_t segment = -1;
    Sum sum{};
  };
  Told told[2];
};

// The scout: finds what came before a tile, and the sum of the segment that had begun before it.
template <class P>
class SumScout {
  using T = typename P::Value;
  using Sum = typename P::Sum;
  using Store = SumStore<P>;
  using Told = typename Store::Told;

 public:
  __device__ SumScout(const ScanCall<T>& call, const Records& records, const P& op, Store& store)
      : call_(call), records_(records), op_(op), store_(store) {}

  __device__ __forceinline__ void run() {
    for (int parity = 0;; parity ^= 1) {
      meet<told_barrier, 2 * scout_threads>();
      const Told told = store_.told[parity];
      if (told.tile == no_tile) return;
      finish(told);
    }
  }

  __device__ __forceinline__ void finish(const Told& told) {
    if constexpr (P::of_floats) {
      auto& floats = store_.scout_floats;
      look_back_for_floats<P>(records_, op_, told.tile, told.own, told.place, told.begun, floats);
      if (threadIdx.x % 32 != 0 || told.segment < 0) return;
      Window<T> window;
      window.place = told.place;
      if constexpr (sizeof(T) == 4) window.from_units = Window<T>::power(FloatFormat<T>::least + window.place);
      call_.out[told.segment] = floats.split.simple ? window.rounded_sum(floats.split.high + told.sum)
                                                    : plus_carry<P>(floats, window, told.sum);
    } else {
      const auto before = look_back_and_complete(records_, op_, told.tile, op_.record(told.own), told.begun);
      const Sum sum = op_.joined(op_.sum_of(before), told.sum);
      if (threadIdx.x % 32 != 0 || told.segment < 0) return;
      if (!op_.fits(sum)) report(call_.status, PrimitiveError::sum_overflow, told.segment);
      call_.out[told.segment] = op_.to(sum);
    }
  }

 private:
  const ScanCall<T>& call_;
  const Records& records_;
  const P& op_;
  Store& store_;
};

template <class P>
class SegmentSums {
  using T = typename P::Value;
  using Sum = typename P::Sum;
  using Shape = TileShape<T>;
  using Store = SumStore<P>;
  // With more, the first ones would be used long before the last ones arrive.
  static constexpr int most_prefetched = Shape::size / 2;

 public:
  __device__ SegmentSums(const ScanCall<T>& call, const Records& records, const P& op, Store& store)
      : call_(call), records_(records), op_(op), store_(store), turns_(call, op.neutral_value(), &store.next_tile) {}

  __device__ __forceinline__ void run() {
    if (threadIdx.x >= Shape::threads) return SumScout<P>(call_, records_, op_, store_).run();
    turns_.begin(store_.landing);
    read_bounds(turns_.tile());
    for (; turns_.tile() != no_tile; turns_.advance()) turn();
    if (threadIdx.x < 32) hand_over({});
  }

 private:
  // --- A tile's offsets: those from low_ to high_, which are above its begin and up to its end ---

  __device__ __forceinline__ void read_bounds(TileNumber tile) {
    if (tile == no_tile) return;
    next_low_ = call_.first_segment[tile];
    next_high_ = call_.first_segment[tile + 1];
  }
  // The first offsets: each lane's own. In addition, the first lane of a warp
  // reads the one before its own, and the second lane the last one of the tile.
  __device__ __forceinline__ void read_offsets(std::int64_t& offset, std::int64_t& edge) const {
    const std::int64_t s = low_ + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x % 32);
    offset = offset_at(s);
    const std::int64_t after = lane == 0 ? s : lane == 1 ? high_ : 0;
    edge = after > 0 && after <= high_ ? __ldg(call_.offsets + after - 1) : -1;
  }
  __device__ __forceinline__ std::int64_t offset_at(std::int64_t s) const {
    return s < high_ ? __ldg(call_.offsets + s) : 0;
  }

  __device__ __forceinline__ void turn() {
    turns_.ask();
    tile_ = turns_.tile();
    begin_ = std::int64_t{tile_} * Shape::size;
    count_ = values_in_tile(call_, begin_);
    low_ = next_low_;
    high_ = next_high_;
    std::int64_t offset, edge;
    read_offsets(offset, edge);
    wait_for_load();
    take_own(store_.landing, own_);
    if constexpr (P::of_floats) find_extremes<T>(own_, store_.most, store_.least);
    meet<summing_barrier, Shape::threads>();
    if constexpr (P::of_floats) {
      window_ = window_of<T>(store_.most, store_.least);
      if (!window_.fits) return one_by_one();
    }
    sum_up();
    goes_on_ = false;
    if (threadIdx.x < 32) tell(offset, shuffle(edge, 0), shuffle(edge, 1));
    if (next_high_ - next_low_ <= most_prefetched) prefetch_offsets(call_, next_low_, next_high_);
    write_segments(low_ + threadIdx.x, offset, edge);
  }

  // --- Sums ---

  __device__ __forceinline__ Sum sum_of(T value) const {
    if constexpr (P::of_floats)
      return window_.units(value);
    else
      return op_.from(value);
  }

  // Where the sum for an item lies, so that accesses in either order have no bank conflicts.
  __device__ __forceinline__ static int slot(int item) {
    constexpr int per_chunk = 16 / sizeof(Sum);
    return chunk_slot(item / per_chunk) * per_chunk + item % per_chunk;
  }

  __device__ __forceinline__ void sum_up() {
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    const int item = static_cast<int>(threadIdx.x) * Shape::items;
    constexpr int per_chunk = 16 / sizeof(Sum);
    const bool kept = low_ < high_;
    Sum sum = op_.neutral();
#pragma unroll
    for (int k = 0; k < Shape::items; k += per_chunk) {
      alignas(16) Sum chunk[per_chunk];
#pragma unroll
      for (int i = 0; i < per_chunk; ++i) chunk[i] = sum = op_.joined(sum, sum_of(own_[k + i]));
      if (kept) *reinterpret_cast<uint4*>(store_.up_to + slot(item + k)) = *reinterpret_cast<const uint4*>(chunk);
    }
    Sum all = sum;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Sum other = shuffle_up(all, distance);
      if (lane >= distance) all = op_.joined(other, all);
    }
    if (lane == 31) store_.total[warp] = all;
    turns_.tell();
    meet<summing_barrier, Shape::threads>();
    turns_.look(store_.landing);
    read_bounds(turns_.next());
    Sum before = op_.joined(all, -sum);
    total_ = op_.neutral();
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      if (w == warp) before = op_.joined(before, total_);
      total_ = op_.joined(total_, store_.total[w]);
    }
    store_.before_thread[threadIdx.x] = before;
    meet<summing_barrier, Shape::threads>();
  }

  // The sum of the tile's values before an offset.
  __device__ __forceinline__ Sum sum_before(std::int64_t offset) const {
    const std::int64_t place = offset - begin_;
    const int items = static_cast<int>(place < 0 ? 0 : place > count_ ? count_ : place);
    if (items == 0) return op_.neutral();
    return op_.joined(store_.before_thread[(items - 1) / Shape::items], store_.up_to[slot(items - 1)]);
  }

  // --- What is carried from one tile to another, by warp 0 ---

  // Publishes the total of this tile to other tiles, and tells the scout where it has to look back. before_low is the
  // offset before the tile's first, or -1.
  __device__ __forceinline__ void tell(std::int64_t own_offset, std::int64_t before_low, std::int64_t last_offset) {
    const std::int64_t first_offset = __shfl_sync(every_lane, own_offset, 0);
    const bool begun = low_ < high_ || before_low == begin_;  // a segment begins in the tile
    goes_on_ = tile_ > 0 && low_ > 0 && low_ < high_ && before_low < begin_;
    const Sum own = low_ < high_ ? op_.joined(total_, -sum_before(last_offset)) : total_;
    const bool complete = begun || tile_ == 0;
    if constexpr (P::of_floats)
      publish_sum<P>(records_, tile_, {own, window_.place}, complete);
    else
      publish(records_, tile_, op_.record(own), complete);
    if (!goes_on_ && (begun || tile_ == 0 || tile_ % 64 != 0)) return;
    typename Store::Told told{.tile = tile_, .own = own, .begun = begun};
    if (goes_on_) {
      if (is_valid(low_, first_offset, before_low)) told.segment = low_ - 1;
      told.sum = sum_before(first_offset);
    }
    if constexpr (P::of_floats) told.place = window_.place;
    hand_over(told);
  }

  // Waits until the scout is done with the last one. It may still be reading that, so two places are used in turns.
  __device__ __forceinline__ void hand_over(const typename Store::Told& told) {
    if (threadIdx.x == 0) store_.told[handed_ & 1] = told;
    __syncwarp();
    ++handed_;
    meet<told_barrier, 2 * scout_threads>();
  }

  // --- Results ---

  // Whether offset s is neither below the one before it nor beyond the values; otherwise reports it.
  __device__ __forceinline__ bool is_valid(std::int64_t s, std::int64_t offset, std::int64_t previous) const {
    if (offset >= previous && offset <= call_.items) return true;
    report(call_.status, PrimitiveError::offset_out_of_range, s);
    return false;
  }

  __device__ __forceinline__ void write(std::int64_t segment, const Sum& sum) const {
    if constexpr (P::of_floats) {
      call_.out[segment] = window_.rounded_sum(sum);
    } else {
      if (!op_.fits(sum)) report(call_.status, PrimitiveError::sum_overflow, segment);
      call_.out[segment] = op_.to(sum);
    }
  }

  // Segment s - 1 ends at offset s. Each lane passes what it read to the next lane. The
  // first lane takes the last of the 32 before, and also its sum if that is `known`.
  __device__ __forceinline__ void write_segment(std::int64_t s, std::int64_t offset, bool known,
                                                std::int64_t& last_offset, Sum& last_sum) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const Sum sum = sum_before(offset);
    std::int64_t previous = shuffle_up(offset, 1);
    Sum sum_previous = shuffle_up(sum, 1);
    if (lane == 0) {
      if (!known) last_sum = sum_before(last_offset);
      previous = last_offset;
      sum_previous = last_sum;
    }
    last_offset = shuffle(offset, 31);
    last_sum = shuffle(sum, 31);
    if (s < high_ && !(goes_on_ && s == low_) && is_valid(s, offset, previous) && s > 0)
      write(s - 1, op_.joined(sum, -sum_previous));
  }

  // The first offset of each lane is known. The others are read in runs of 128 per warp.
  __device__ __forceinline__ void write_segments(std::int64_t s, std::int64_t offset, std::int64_t edge) {
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    std::int64_t last_offset = max(edge, std::int64_t{0});
    Sum last_sum = op_.neutral();
    if (s - lane < high_) write_segment(s, offset, false, last_offset, last_sum);
    constexpr int depth = 4;
    for (std::int64_t first = low_ + Shape::threads + warp * 32 * depth; first < high_;
         first += depth * Shape::threads) {
      std::int64_t next[depth];
#pragma unroll
      for (int j = 0; j < depth; ++j) next[j] = offset_at(first + 32 * j + lane);
      if (lane == 0) last_offset = __ldg(call_.offsets + first - 1);
#pragma unroll
      for (int j = 0; j < depth; ++j) write_segment(first + 32 * j + lane, next[j], j > 0, last_offset, last_sum);
    }
  }

  // --- A tile of floats without a window ---

  __device__ __forceinline__ void one_by_one() {
    auto& single = store_.single;
    const std::int64_t before_low = low_ > 0 ? call_.offsets[low_ - 1] : -1;
    keep_own(own_, single.values);
    if (threadIdx.x < Shape::size / 32) single.begins[threadIdx.x] = 0;
    turns_.tell();
    meet<summing_barrier, Shape::threads>();
    turns_.look(store_.landing);
    read_bounds(turns_.next());
    if (threadIdx.x == 0 && before_low == begin_) atomicOr(single.begins, 1u);
    for (std::int64_t s = low_ + threadIdx.x; s < high_; s += Shape::threads) {
      const std::int64_t item = call_.offsets[s] - begin_;
      if (item >= 0 && item < count_) atomicOr(single.begins + item / 32, 1u << item % 32);
    }
    meet<summing_barrier, Shape::threads>();
    const int item = static_cast<int>(threadIdx.x) * Shape::items;
    single.masks[threadIdx.x] =
        static_cast<std::uint16_t>(single.begins[item / 32] >> item % 32 & ((1u << Shape::items) - 1));
    meet<summing_barrier, Shape::threads>();
    if (threadIdx.x < 32) {
      const SingleValues<T> values = {single.values, single.masks};
      const unsigned with_begin = sum_one_by_one<P>(values, store_.floats);
      const bool begun = with_begin != 0;
      publish_total<P>(records_, tile_, begun || tile_ == 0, store_.floats);
      const bool needs_carry = tile_ > 0 && (single.begins[0] & 1u) == 0;
      if (needs_carry) look_back_for_floats<P>(records_, op_, tile_, Sum{0}, -1, begun, store_.floats);
      fill_one_by_one<P, true>(call_, begin_, values, with_begin, needs_carry, store_.floats);
    }
    meet<summing_barrier, Shape::threads>();
    for (std::int64_t s = low_ + threadIdx.x; s < high_; s += Shape::threads) {
      const std::int64_t offset = call_.offsets[s], previous = s > 0 ? call_.offsets[s - 1] : 0;
      if (!is_valid(s, offset, previous) || s == 0) continue;
      const std::int64_t last = offset - 1 - begin_;
      if (offset == previous)
        call_.out[s - 1] = op_.neutral_value();
      else if (last >= 0 && last < count_)
        call_.out[s - 1] = single.values[value_slot<T>(static_cast<int>(last))];
    }
  }

  const ScanCall<T>& call_;
  const Records& records_;
  const P& op_;
  Store& store_;
  TileTurns<T> turns_;
  TileNumber tile_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t low_ = 0, high_ = 0, next_low_ = 0, next_high_ = 0;
  int count_ = 0;
  int handed_ = 0;
  bool goes_on_ = false;  // warp 0: a segment that began in an earlier tile ends in this one
  alignas(16) T own_[Shape::items];
  Sum total_{};
  WindowOf<P> window_;
};

template <class P>
__global__ void __launch_bounds__(TileShape<typename P::Value>::threads + scout_threads, sum_blocks<P>)
    sum_segments(const __grid_constant__ ScanCall<typename P::Value> call, const __grid_constant__ Records records,
                 const __grid_constant__ P op) {
  extern __shared__ __align__(16) unsigned char scan_bytes[];
  SegmentSums<P>(call, records, op, *reinterpret_cast<SumStore<P>*>(scan_bytes)).run();
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
