#pragma once

#include <cstdint>

#include "primitives/device/one_by_one_cuda.cuh"
#include "primitives/device/tile_begins_cuda.cuh"
#include "primitives/device/tile_scout_cuda.cuh"
#include "primitives/device/tile_turns_cuda.cuh"

// Scans in one pass, and segmented reductions by minimum, maximum and bits, by tiles of 16 KB. A thread
// combines its values, then warps and the block combine the threads' sums, and the block publishes the
// total of the tile. One turn later, when it has done the same for the next tile, a look-back finds
// what the segment in which the tile begins holds so far, and each thread goes through its values
// once more for the results. A reduction keeps only the result of the last value of each segment.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class P, bool reduce, bool segmented>
class TileScan {
  using T = typename P::Value;
  using Sum = typename P::Sum;
  using Shape = TileShape<T>;
  using Store = TileStore<P>;
  using Told = typename Store::Told;

  // A tile that has been summed up, with what its results need.
  struct Summed {
    TileNumber tile = no_tile;
    Sum before{};              // the sum, in the tile, of the segment in which the thread begins
    std::uint32_t begins = 0;  // for the thread's values, and for the one after them
    bool needs_carry = false;  // no segment begins with the tile
    bool open = false;         // nor does one in the tile before the thread
    bool filled = false;       // the results have already replaced the values
    int place = 0;             // floats: the place of its window
  };

 public:
  __device__ TileScan(const ScanCall<T>& call, const Records& records, const P& op, Store& store)
      : call_(call), records_(records), op_(op), store_(store), turns_(call, op.neutral_value(), &store.next_tile) {}

  __device__ __forceinline__ void run() {
    if constexpr (segmented) {
      clear_begins<T>(store_.begins[0]);
      clear_begins<T>(store_.begins[1]);
      offsets_.cover(call_);
    }
    turns_.begin(store_.values[current_]);
    if constexpr (segmented) offsets_.find(call_, turns_.tile());
    for (bool more = true; more;) {
      more = turns_.tile() != no_tile;
      turn();
      turns_.advance();
      parity_ ^= 1;
      previous_ = current_;
      current_ = current_ == 2 ? 0 : current_ + 1;
    }
  }

 private:
  // The last turn has no tile of its own.
  __device__ __forceinline__ void turn() {
    Summed now;
    turns_.ask();
    now.tile = turns_.tile();
    if (now.tile != no_tile) {
      mark_begins(now.tile);
      wait_for_load();
      take_own(store_.values[current_], own_);
      if constexpr (P::of_floats) find_extremes<T>(own_, store_.most, store_.least);
    }
    __syncthreads();
    if (now.tile != no_tile) {
      read_begins(now);
      WindowOf<P> window;
      if constexpr (P::of_floats) {
        window = window_of<T>(store_.most, store_.least);
        now.place = window.place;
        now.filled = !window.fits;
      }
      sum_threads(now, window);
    }
    turns_.tell();
    __syncthreads();
    turns_.look(store_.values[current_ == 2 ? 0 : current_ + 1]);
    if constexpr (segmented) offsets_.find(call_, turns_.next());
    if (now.tile != no_tile) sum_tile(now);
    if constexpr (segmented) offsets_.prefetch(call_);
    if (summed_.tile != no_tile) {
      if (summed_.needs_carry && !summed_.filled) {
        if (threadIdx.x < 32) find_carry();
        __syncthreads();
      }
      write_results();
    }
    summed_ = now;
  }

  // --- Where segments begin ---

  __device__ __forceinline__ std::uint8_t* begins() const { return store_.begins[parity_]; }

  __device__ __forceinline__ void mark_begins(TileNumber tile) {
    if constexpr (segmented) {
      const std::int64_t begin = std::int64_t{tile} * Shape::size;
      mark_all(call_, offsets_, begin, values_in_tile(call_, begin), begins());
    }
  }

  __device__ __forceinline__ void read_begins(Summed& now) {
    now.needs_carry = now.tile > 0;
    if constexpr (segmented) {
      now.begins = own_begins<T>(begins(), reduce);
      now.needs_carry = now.tile > 0 && begins()[0] == 0;
      clear_begins<T>(store_.begins[parity_ ^ 1]);  // for the next turn
    }
  }
  __device__ __forceinline__ static bool begins(const Summed& tile, int k) {
    return segmented && (tile.begins & (1u << k)) != 0;
  }

  // --- Sums ---

  __device__ __forceinline__ Sum sum_of(const WindowOf<P>& window, T value) const {
    if constexpr (P::of_floats)
      return window.units(value);
    else
      return op_.from(value);
  }

  // Combines the values of the warp, and finds the sum before this thread's values; each from the last begin.
  __device__ __forceinline__ void sum_threads(Summed& now, const WindowOf<P>& window) {
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    Sum sum = op_.neutral();
    if (!now.filled) {
#pragma unroll
      for (int k = 0; k < Shape::items; ++k) {
        if (begins(now, k)) sum = op_.neutral();
        sum = op_.joined(sum, sum_of(window, own_[k]));
      }
    }
    // Lanes combine from the last lane, up to this one, that has a begin.
    constexpr std::uint32_t own_mask = (1u << Shape::items) - 1;
    const unsigned with_begin = segmented ? __ballot_sync(every_lane, (now.begins & own_mask) != 0) : 0;
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    const int start = (with_begin & up_to) != 0 ? 31 - __clz(static_cast<int>(with_begin & up_to)) : 0;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Sum other = shuffle_up(sum, distance);
      if (lane - distance >= start) sum = op_.joined(other, sum);
    }
    now.before = shuffle_up(sum, 1);
    if (lane == 0) now.before = op_.neutral();
    now.open = (with_begin & below) == 0;
    if (lane == 31) {
      store_.total[warp] = sum;
      store_.has_begin[warp] = with_begin;
    }
    if constexpr (P::of_floats) store_.masks[threadIdx.x] = static_cast<std::uint16_t>(now.begins);
  }

  // The same for the tile, whose total is published.
  __device__ __forceinline__ void sum_tile(Summed& now) {
    const int warp = static_cast<int>(threadIdx.x / 32);
    Told told{.tile = now.tile, .total = op_.neutral()};
    Sum before_warp = op_.neutral();
    bool begun_before = false;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      if (w == warp) {
        before_warp = told.total;
        begun_before = told.begun;
      }
      const bool begins_here = segmented && store_.has_begin[w] != 0;
      told.total = begins_here ? store_.total[w] : op_.joined(told.total, store_.total[w]);
      told.begun |= begins_here;
    }
    if (now.open) now.before = op_.joined(before_warp, now.before);
    now.open = now.open && !begun_before && now.needs_carry;
    if (warp == 0) tell(now, told);
  }

  __device__ __forceinline__ void tell(const Summed& now, Told& told) {
    const bool complete = told.begun || now.tile == 0;
    if constexpr (P::of_floats) {
      told.place = now.place;
      if (now.filled)
        one_by_one(now, told.begun, complete);
      else
        publish_sum<P>(records_, now.tile, {told.total, told.place}, complete);
    } else {
      publish(records_, now.tile, op_.record(told.total), complete);
    }
    if (threadIdx.x == 0) store_.told[parity_] = told;
  }

  // Computes the results of a tile without a window at once. A barrier follows before they are written.
  __device__ __forceinline__ void one_by_one(const Summed& now, bool begun, bool complete) {
    if constexpr (P::of_floats) {
      auto& floats = store_.floats;
      const SingleValues<T> single = {store_.values[current_], store_.masks};
      const unsigned with_begin = sum_one_by_one<P>(single, floats);
      publish_total<P>(records_, now.tile, complete, floats);
      if (now.needs_carry) look_back_for_floats<P>(records_, op_, now.tile, Sum{0}, -1, begun, floats);
      fill_one_by_one<P, reduce>(call_, std::int64_t{now.tile} * Shape::size, single, with_begin, now.needs_carry,
                                 floats);
    }
  }

  // --- Results ---

  // Warp 0 finds what came before the tile whose results are next.
  __device__ __forceinline__ void find_carry() {
    const Told told = store_.told[parity_ ^ 1];
    if constexpr (P::of_floats) {
      look_back_for_floats<P>(records_, op_, told.tile, told.total, told.place, told.begun, store_.floats);
    } else {
      const auto before = look_back_and_complete(records_, op_, told.tile, op_.record(told.total), told.begun);
      const Sum carry = op_.sum_of(before);
      if (threadIdx.x == 0) store_.before = carry;
    }
  }

  __device__ __forceinline__ void write_results() {
    const std::int64_t begin = std::int64_t{summed_.tile} * Shape::size;
    const int count = values_in_tile(call_, begin);
    int first = 0, last = count;
    if constexpr (segmented && !reduce) {
      if (!offsets_.all_covered()) {
        const auto clamped = [&](std::int64_t place) {
          const std::int64_t item = place - begin;
          return static_cast<int>(item < 0 ? 0 : item > count ? count : item);
        };
        first = clamped(call_.offsets[0]);
        last = clamped(call_.offsets[call_.segments]);
      }
    }
    T* const values = store_.values[previous_];
    if (!summed_.filled) {
      take_own(values, own_);
      __syncwarp();
      results(begin, count, first, last);
    }
    if constexpr (reduce) {
      __syncthreads();
      write_segment_ends<T>(call_, summed_.tile, begin, count, values, op_.neutral_value());
    } else {
      if (call_.with_total && call_.items == 0 && threadIdx.x == 0) call_.out[0] = op_.neutral_value();
      __syncwarp();
      if (call_.aligned && first == 0 && last == Shape::size)
        store_chunks(values, call_.out + begin);
      else
        store_values(values, first, last, call_.out + begin);
    }
    __syncwarp();
  }

  // What came before the tile whose results are being written.
  __device__ __forceinline__ const FloatStore<P>& carried() const { return store_.floats; }

  // This thread's results, from what its segment holds before it; if it is open, from what came before the tile, too.
  __device__ __forceinline__ void results(std::int64_t begin, int count, int first, int last) {
    Sum running = summed_.before;
    bool open = summed_.open;
    WindowOf<P> window;
    if constexpr (P::of_floats) {
      window = Window<T>::at(summed_.place);
      if (open && carried().split.simple) {
        running += carried().split.high;
        open = false;
      }
    } else if (open) {
      running = op_.joined(store_.before, running);
    }
    if constexpr (reduce) {
      ends(running, window);
    } else {
      T* const values = store_.values[previous_];
      T total{};  // what follows the last value is neutral
      std::uint32_t wrong = 0;
      if (P::of_floats && open) {
        const Sum start = running;
        const bool good =
            call_.exclusive ? fill_open<true>(running, window, total) : fill_open<false>(running, window, total);
        if (good)
          keep_own(own_, values);
        else
          total = fill_carried(values, window, start);
      } else {
        if (call_.exclusive)
          fill<true>(running, window, wrong);
        else
          fill<false>(running, window, wrong);
        total = result(running, window, Shape::items, wrong);
        keep_own(own_, values);
      }
      const int item = static_cast<int>(threadIdx.x) * Shape::items;
      if (call_.with_total && begin + count == call_.items && item < count && item + Shape::items >= count) {
        call_.out[call_.items] = total;
        if ((wrong >> Shape::items & 1) != 0) report(call_.status, PrimitiveError::sum_overflow, call_.items);
      }
      for (wrong &= (1u << Shape::items) - 1; wrong != 0; wrong &= wrong - 1) {
        const int place = item + __ffs(static_cast<int>(wrong)) - 1;
        if (place >= first && place < last) report(call_.status, PrimitiveError::sum_overflow, begin + place);
      }
    }
  }

  // Replaces each value by its result. If exclusive, the first result of a segment is the neutral element itself.
  template <bool exclusive>
  __device__ __forceinline__ void fill(Sum& running, const WindowOf<P>& window, std::uint32_t& wrong) {
#pragma unroll
    for (int k = 0; k < Shape::items; ++k) {
      if (begins(summed_, k)) running = op_.neutral();
      const Sum value = sum_of(window, own_[k]);
      if (!exclusive) running = op_.joined(running, value);
      own_[k] = result(running, window, k, wrong);
      if (exclusive) running = op_.joined(running, value);
    }
  }

  // The same with a carry for which the window has no room. Returns false if some results must be found exactly.
  template <bool exclusive>
  __device__ __forceinline__ bool fill_open(Sum& running, const WindowOf<P>& window, T& total) {
    if constexpr (P::of_floats) {
      const CarryInWindow<T> split = carried().split;
      if (split.hard) return false;
      bool good = true, open = true;
      const auto result = [&] {
        T rounded;
        good = (split.plus(running, window, rounded) || !open) && good;
        return open ? rounded : window.rounded_sum(running);
      };
#pragma unroll
      for (int k = 0; k < Shape::items; ++k) {
        if (begins(summed_, k)) {
          running = 0;
          open = false;
        }
        const Sum value = sum_of(window, own_[k]);
        if (!exclusive) running += value;
        own_[k] = result();
        if (exclusive) running += value;
      }
      total = result();
      return good;
    }
    return true;
  }
  __device__ __forceinline__ T fill_carried(T* values, const WindowOf<P>& window, const Sum& start) {
    if constexpr (P::of_floats)
      return fill_exactly<P>(carried(), window, values, summed_.begins, start, call_.exclusive);
    else
      return T{};
  }

  // Results only for the last value of each segment.
  __device__ __forceinline__ void ends(Sum running, const WindowOf<P>& window) {
    const int item = static_cast<int>(threadIdx.x) * Shape::items;
    T* const values = store_.values[previous_];
#pragma unroll
    for (int k = 0; k < Shape::items; ++k) {
      if (begins(summed_, k)) running = op_.neutral();
      running = op_.joined(running, sum_of(window, own_[k]));
      if (begins(summed_, k + 1)) values[value_slot<T>(item + k)] = op_.to(running);
    }
  }

  // The result of item k; sets bit k of `wrong` if it does not fit.
  __device__ __forceinline__ T result(const Sum& sum, const WindowOf<P>& window, int k, std::uint32_t& wrong) const {
    if constexpr (P::of_floats) {
      return window.rounded_sum(sum);
    } else {
      if (!op_.fits(sum)) wrong |= 1u << k;
      return op_.to(sum);
    }
  }

  const ScanCall<T>& call_;
  const Records& records_;
  const P& op_;
  Store& store_;
  TileTurns<T> turns_;
  TileOffsets offsets_;
  int parity_ = 0, previous_ = 0, current_ = 0;
  alignas(16) T own_[Shape::items];
  Summed summed_;
};

template <class P, bool reduce, bool segmented>
__global__ void __launch_bounds__(TileShape<typename P::Value>::threads, scan_blocks<P>)
    scan_tiles(const __grid_constant__ ScanCall<typename P::Value> call, const __grid_constant__ Records records,
               const __grid_constant__ P op) {
  extern __shared__ __align__(16) unsigned char scan_bytes[];
  TileScan<P, reduce, segmented>(call, records, op, *reinterpret_cast<TileStore<P>*>(scan_bytes)).run();
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
