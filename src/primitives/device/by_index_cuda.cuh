#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/cells_cuda.cuh"
#include "primitives/device/workspace_cuda.h"
#include "primitives/device_calls.h"

// Reduction by index. The sums of a block's items are first gathered in its shared memory: if there are
// few bins, in a table of all of them, in as many copies as there is room for; otherwise in a table of the
// bins that came first, found by a hash. So a bin with many items is touched often in shared memory only.
// The regimes are those of Henriksen, Hellfritzsch, Sadayappan and Oancea, SC 2020; the hash replaces most
// of their passes over ranges of bins. If the sums of all bins exceed the caches, the items are read once
// per range of bins (the queue, see queue_by_index_cuda.cuh), so that each sum goes to memory only once.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int by_index_threads = 512;
inline constexpr int items_at_once = 8;  // per thread
inline constexpr int by_index_tile = by_index_threads * items_at_once;

template <class Index, class T>
struct ByIndexCall {
  const Index* indices;
  const T* values;  // null for counts
  std::int64_t items;
  std::int64_t bins;
  bool skip_out_of_range;
  std::int64_t* status;
  // The bins of a launch, all or some of them; and whether it reports indices that are out of range.
  std::int64_t first = 0;
  std::uint32_t range = 0;
  bool reports = false;
  const std::int64_t* begin_and_end = nullptr;  // for sorted items: the first one of the launch, and one past the last
  int parts = 0;                                // the distance between these two entries

  __device__ __forceinline__ bool is_bin(Index index) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) < static_cast<std::uint64_t>(bins);
  }
  // The index within the range; `range` or more if it is not in the range, as for -1.
  __device__ __forceinline__ std::uint32_t in_range(Index index) const {
    if constexpr (sizeof(Index) == sizeof(std::uint32_t)) {
      return static_cast<std::uint32_t>(index) - static_cast<std::uint32_t>(first);
    } else {
      const std::uint64_t at = static_cast<std::uint64_t>(index) - static_cast<std::uint64_t>(first);
      return at < range ? static_cast<std::uint32_t>(at) : range;
    }
  }
};

// The table in shared memory: `slots` slots, `copies` copies of each (1 if hashed); their words are in
// planes of slots * copies. If hashed, tags follow: the number of the slot's bin in the range + 1, or 0.
struct SharedTable {
  bool hashed;
  int slots;  // a power of two where hashed
  int copies;
};

template <class C>
struct TableInBlock {
  const SharedTable& shape;
  const C& cells;
  std::uint32_t* words;
  int step;

  __device__ __forceinline__ std::uint32_t* tags() const { return words + C::limbs * step; }

  __device__ __forceinline__ void clear() const {
    const int all = step * (C::limbs + (shape.hashed ? 1 : 0));
    for (int i = static_cast<int>(threadIdx.x); i < all; i += by_index_threads) words[i] = 0;
  }

  // Adds a term to the table; returns false if the table has no slot for this bin.
  __device__ __forceinline__ bool takes(std::uint32_t bin, typename C::Term term) const {
    if (!shape.hashed) {
      const int copy = static_cast<int>(threadIdx.x) & (shape.copies - 1);
      cells.to_shared(words + static_cast<int>(bin) * shape.copies + copy, step, term);
      return true;
    }
    const std::uint32_t tag = bin + 1;
    const std::uint32_t slot = tag * 0x9E3779B9u >> (32 - __ffs(shape.slots) + 1);
    std::uint32_t* const held = tags() + slot;
    std::uint32_t seen = *const_cast<volatile std::uint32_t*>(held);
    if (seen == 0) {
      seen = atomicCAS(held, 0u, tag);
      if (seen == 0) seen = tag;
    }
    if (seen != tag) return false;
    cells.to_shared(words + slot, step, term);
    return true;
  }

  // Moves the table to global memory when all items are in it. Called by whole warps.
  __device__ __forceinline__ void flush() const {
    for (int begin = 0; begin < shape.slots; begin += by_index_threads) {
      const int s = begin + static_cast<int>(threadIdx.x);
      std::uint32_t bin = static_cast<std::uint32_t>(s);
      typename C::Term sum = 0;
      bool active = s < shape.slots;
      if (active && shape.hashed) {
        bin = tags()[s] - 1;
        active = tags()[s] != 0;
        sum = cells.from_shared(words + s, step);
      } else if (active) {
        for (int copy = 0; copy < shape.copies; ++copy)
          sum = C::joined(sum, cells.from_shared(words + s * shape.copies + copy, step));
      }
      cells.add_to_global(active && !C::is_neutral(sum), bin, sum);
    }
  }
};

template <class Term>
__device__ __forceinline__ Term sum_of_warp(Term term) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    if constexpr (sizeof(Term) == 16) {
      const auto low = __shfl_xor_sync(every_lane, static_cast<unsigned long long>(term), distance);
      const auto high = __shfl_xor_sync(every_lane, static_cast<unsigned long long>(term >> 64), distance);
      term += static_cast<Int128>((static_cast<primitives::UInt128>(high) << 64) | low);
    } else if constexpr (sizeof(Term) == 8) {
      term += static_cast<Term>(__shfl_xor_sync(every_lane, static_cast<long long>(term), distance));
    } else {
      term += __shfl_xor_sync(every_lane, term, distance);
    }
  }
  return term;
}

// A warp's items that belong to a range of bins, gathered until there is one for each lane.
template <class T>
struct QueueOfWarp {
  static constexpr unsigned room = 64;
  struct Entries {
    std::uint32_t bin[room];
    T value[room];
  };
  Entries& entries;
  unsigned first = 0, count = 0;  // the same for all lanes

  __device__ __forceinline__ void push(bool active, std::uint32_t bin, T value) {
    const unsigned lanes = __ballot_sync(every_lane, active);
    const unsigned before = __popc(lanes & ((1u << threadIdx.x % 32) - 1));
    if (active) {
      entries.bin[(first + count + before) % room] = bin;
      entries.value[(first + count + before) % room] = value;
    }
    count += __popc(lanes);
    __syncwarp();
  }

  // Calls use(active, bin, value) for up to 32 of the items.
  template <class Use>
  __device__ __forceinline__ void pop(Use use) {
    const unsigned lane = threadIdx.x % 32, some = min(count, 32u);
    const std::uint32_t bin = entries.bin[(first + lane) % room];
    const T value = entries.value[(first + lane) % room];
    first += some;
    count -= some;
    use(lane < some, bin, value);
    __syncwarp();
  }
};

// Which items a launch reads: all; all, of which only few belong to its
// bins; or just those of its bins, which lie together (sort_items_cuda.cuh).
enum class Items : std::uint8_t { all, few, sorted };

template <class C, class Index, class T, Items which>
__global__ void __launch_bounds__(by_index_threads, 2)
    add_by_index(const __grid_constant__ ByIndexCall<Index, T> call, C cells,
                 const __grid_constant__ SharedTable shape) {
  constexpr bool counts = std::is_void_v<typename C::Value>, of_range = which == Items::few;
  extern __shared__ std::uint32_t shared_words[];
  __shared__ typename QueueOfWarp<T>::Entries entries[of_range ? by_index_threads / 32 : 1];
  if (cells.skips()) return;
  const TableInBlock<C> table{shape, cells, shared_words, shape.slots * shape.copies};
  table.clear();
  __syncthreads();
  // Called by whole warps.
  const auto add = [&](bool active, std::uint32_t bin, T value) {
    typename C::Term term = 1;
    if constexpr (!counts) term = cells.term_of(value);
    // A warp whose items all belong to one bin adds them up first.
    const std::uint32_t first = __shfl_sync(every_lane, bin, 0);
    if (__all_sync(every_lane, active && bin == first)) {
      if constexpr (counts)
        term = 32;
      else
        term = sum_of_warp(term);
      active = threadIdx.x % 32 == 0;
    }
    if (active && table.takes(bin, term)) active = false;
    cells.add_to_global(active, bin, term);
  };
  QueueOfWarp<T> queue{entries[of_range ? threadIdx.x / 32 : 0]};
  std::int64_t step = std::int64_t{gridDim.x} * by_index_tile, items = call.items;
  std::int64_t mine = std::int64_t{blockIdx.x} * by_index_tile + threadIdx.x;
  if constexpr (which == Items::sorted) {  // the same number for each block, as there may be few
    const std::int64_t begin = call.begin_and_end[0], end = call.begin_and_end[call.parts];
    const std::int64_t rows = (end - begin + by_index_threads - 1) / by_index_threads;
    const std::int64_t each = (rows + gridDim.x - 1) / gridDim.x * by_index_threads;
    step = by_index_tile;
    mine = begin + blockIdx.x * each + threadIdx.x;
    items = min(end, begin + (blockIdx.x + 1) * each);
  }
  Index index[items_at_once];
  std::uint32_t bin[items_at_once];  // `range` or more: not in the range
  T value[items_at_once];
  const auto load_indices = [&](std::int64_t from) {
#pragma unroll
    for (int k = 0; k < items_at_once; ++k) {
      const std::int64_t i = from + k * by_index_threads;
      index[k] = i < items ? __ldcs(call.indices + i) : Index{-1};
    }
  };
  const auto load_values = [&](std::int64_t from) {
#pragma unroll
    for (int k = 0; k < items_at_once; ++k) {
      const std::int64_t i = from + k * by_index_threads;
      bin[k] = call.in_range(index[k]);
      if constexpr (!counts) value[k] = bin[k] < call.range ? __ldcs(call.values + i) : T{0};
    }
    if (!call.reports) return;
#pragma unroll
    for (int k = 0; k < items_at_once; ++k) {
      const std::int64_t i = from + k * by_index_threads;
      if (i < items && !call.is_bin(index[k])) report(call.status, PrimitiveError::index_out_of_range, i);
    }
  };
  // While the items of a tile are added, its remaining values and the indices of the next tile are being loaded.
  load_indices(mine);
  for (; mine - threadIdx.x < items; mine += step) {
    load_values(mine);
    load_indices(mine + step);
#pragma unroll
    for (int k = 0; k < items_at_once; ++k) {
      const bool active = bin[k] < call.range;
      if constexpr (of_range) {
        if (!__any_sync(every_lane, active)) continue;
        queue.push(active, bin[k], counts ? T{0} : value[k]);
        if (queue.count >= 32) queue.pop(add);
      } else {
        add(active, bin[k], counts ? T{0} : value[k]);
      }
    }
  }
  if constexpr (of_range) {
    if (queue.count > 0) queue.pop(add);
  }
  __syncthreads();
  table.flush();
}

template <class Index, class T>
__global__ void __launch_bounds__(by_index_threads)
    fold_by_index(const __grid_constant__ ByIndexCall<Index, T> call, const __grid_constant__ FoldCells<T> cells) {
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
#pragma unroll 4
  for (std::int64_t i = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x; i < call.items; i += step) {
    const Index index = __ldcs(call.indices + i);
    if (call.is_bin(index))
      cells.to_global(index, __ldcs(call.values + i));
    else if (!call.skip_out_of_range)
      report(call.status, PrimitiveError::index_out_of_range, i);
  }
}

// Writes the sums of a range of bins to `out`; if another range follows, leaves the cells empty. A sum
// that does not fit is an error. A launch for a number of words that the call does not use does nothing.
template <class C, class T>
__global__ void __launch_bounds__(by_index_threads)
    finish_bins(C cells, T* all_bins, std::int64_t first, std::uint32_t range, bool last, std::int64_t* status) {
  if (cells.skips()) return;
  T* const out = all_bins + first;
  const std::uint32_t step = gridDim.x * by_index_threads;
  for (std::uint64_t bin = blockIdx.x * by_index_threads + threadIdx.x; bin < range; bin += step) {
    const auto b = static_cast<std::uint32_t>(bin);
    const Int128 more = cells.sum_of(b);
    if (!last) cells.clear(b);
    if (more == 0) continue;
    if constexpr (std::is_floating_point_v<T>) {
      out[b] = primitives::plus_fixed(out[b], more, cells.grid.place);
    } else {
      const Int128 sum = more + out[b];
      if (sum != static_cast<T>(sum)) report(status, PrimitiveError::sum_overflow, first + b);
      out[b] = static_cast<T>(sum);
    }
  }
}

// --- Sums of floats ---

// Infinities and NaN go directly to the bins; their order does not matter.
template <class T>
__device__ __noinline__ void add_special(T* bin, T value) {
  using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  Word* const word = reinterpret_cast<Word*>(bin);
  Word seen = *const_cast<volatile Word*>(word);
  for (;;) {
    const Word wanted = std::bit_cast<Word>(primitives::plus_special(std::bit_cast<T>(seen), value));
    if (wanted == seen) return;
    const Word old = atomicCAS(word, seen, wanted);
    if (old == seen) return;
    seen = old;
  }
}

// What a thread has found out about its values.
template <class T>
struct MagnitudesOfThread {
  BitsOf<T> largest = 0;
  int last_place = std::numeric_limits<int>::max();

  __device__ __forceinline__ void take(T value) {
    const BitsOf<T> magnitude = primitives::magnitude_bits(value);
    if (magnitude == 0) return;
    largest = max(largest, magnitude);
    last_place = min(last_place, primitives::last_place_of_bits<T>(magnitude));
  }

  // Called by all lanes of a warp together.
  __device__ __forceinline__ void to(FoundMagnitudes* found) const {
    BitsOf<T> most = largest;
    int least = last_place;
    for (int distance = 16; distance > 0; distance /= 2) {
      most = max(most, __shfl_xor_sync(every_lane, most, distance));
      least = min(least, __shfl_xor_sync(every_lane, least, distance));
    }
    if (threadIdx.x % 32 != 0 || most == 0) return;
    atomicMax(&found->largest, static_cast<unsigned long long>(most));
    atomicMax(&found->last_place_complement, ~static_cast<unsigned>(least));
  }
};

template <class Index, class T>
__global__ void __launch_bounds__(by_index_threads)
    find_magnitudes(const __grid_constant__ ByIndexCall<Index, T> call, T* out, FoundMagnitudes* found) {
  constexpr int per_vector = 16 / sizeof(T);
  MagnitudesOfThread<T> magnitudes;
  const auto take = [&](T value, std::int64_t i) {
    const bool special = !primitives::is_finite(value);
    if (call.skip_out_of_range || special) {
      const Index index = call.indices[i];
      if (!call.is_bin(index)) return;
      if (special) return add_special(out + index, value);
    }
    magnitudes.take(value);
  };
  const std::int64_t thread = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
  // Values before the first 16-byte boundary, and those after the last whole vector, are taken one by one.
  const auto beside = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(call.values) % 16 / sizeof(T));
  const std::int64_t before = min(beside == 0 ? 0 : per_vector - beside, call.items);
  const std::int64_t vectors = (call.items - before) / per_vector, after = before + vectors * per_vector;
  if (thread < before) take(call.values[thread], thread);
  if (thread < call.items - after) take(call.values[after + thread], after + thread);
  const auto* const all = reinterpret_cast<const uint4*>(call.values + before);
#pragma unroll 2
  for (std::int64_t v = thread; v < vectors; v += step) {
    const uint4 vector = __ldcs(all + v);
#pragma unroll
    for (int k = 0; k < per_vector; ++k) take(reinterpret_cast<const T*>(&vector)[k], before + v * per_vector + k);
  }
  __syncwarp();
  magnitudes.to(found);
}

// Clears the cells that the first range of `bins` takes; there is room for `cells_of_two` cells of two words.
template <class T>
__global__ void __launch_bounds__(by_index_threads)
    clear_float_cells(unsigned long long* cells, std::int64_t cells_of_two, std::int64_t bins,
                      const FoundMagnitudes* found, std::int64_t items) {
  const bool one_word = grid_of<T>(*found, items).width == Width::one_word;
  const std::int64_t words = min(2 * cells_of_two, one_word ? bins : 2 * bins);
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x; i < words; i += step) cells[i] = 0;
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
