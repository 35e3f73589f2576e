#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/cells_cuda.cuh"
#include "primitives/device/workspace_cuda.h"
#include "primitives/device_calls.h"

// Reduction by index. Sums of a block's items are gathered in its shared memory first: in a table of all bins where they are
// few, in as many copies as there is room for, else in a table of those bins that came first, found by a hash. So
// a bin that many items meet is touched by many items in shared memory only. The regimes are those of Henriksen,
// Hellfritzsch, Sadayappan and Oancea, SC 2020; the hash takes the place of their passes over ranges of bins.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int by_index_threads = 512;
inline constexpr int items_at_once = 8;  // of a thread
inline constexpr int by_index_tile = by_index_threads * items_at_once;

template <class Index, class T>
struct ByIndexCall {
  const Index* indices;
  const T* values;  // null for counts
  std::int64_t items;
  std::int64_t bins;
  bool skip_out_of_range;
  std::int64_t* status;

  __device__ __forceinline__ bool is_bin(Index index) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) < static_cast<std::uint64_t>(bins);
  }
};

// The table in shared memory: `slots` of them, `copies` of each (1 where hashed), their words in planes of slots * copies;
// where hashed, tags behind them: a bin's number + 1, or 0.
struct SharedTable {
  bool hashed;
  int slots;  // a power of two where hashed; 0: no table
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

  __device__ __forceinline__ void add(std::int64_t bin, typename C::Term term) const {
    if (!shape.hashed) {
      const int copy = static_cast<int>(threadIdx.x) & (shape.copies - 1);
      return cells.to_shared(words + static_cast<int>(bin) * shape.copies + copy, step, term);
    }
    if (shape.slots == 0) return cells.to_global(bin, term);
    const std::uint32_t tag = static_cast<std::uint32_t>(bin) + 1;
    const std::uint32_t slot = tag * 0x9E3779B9u >> (32 - __ffs(shape.slots) + 1);
    std::uint32_t* const held = tags() + slot;
    std::uint32_t seen = *const_cast<volatile std::uint32_t*>(held);
    if (seen == 0) {
      seen = atomicCAS(held, 0u, tag);
      if (seen == 0) seen = tag;
    }
    if (seen == tag)
      cells.to_shared(words + slot, step, term);
    else
      cells.to_global(bin, term);
  }

  // To global memory, when all items are in.
  __device__ __forceinline__ void flush() const {
    for (int s = static_cast<int>(threadIdx.x); s < shape.slots; s += by_index_threads) {
      if (shape.hashed) {
        if (tags()[s] != 0) cells.to_global(static_cast<std::int64_t>(tags()[s]) - 1, cells.from_shared(words + s, step));
        continue;
      }
      typename C::Term sum = 0;
      for (int copy = 0; copy < shape.copies; ++copy)
        sum = C::joined(sum, cells.from_shared(words + s * shape.copies + copy, step));
      if (!C::is_neutral(sum)) cells.to_global(s, sum);
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

template <class C, class Index, class T>
__global__ void __launch_bounds__(by_index_threads, 2)
    add_by_index(const __grid_constant__ ByIndexCall<Index, T> call, C cells, const __grid_constant__ SharedTable shape) {
  extern __shared__ std::uint32_t shared_words[];
  if (cells.skips()) return;
  const TableInBlock<C> table{shape, cells, shared_words, shape.slots * shape.copies};
  table.clear();
  __syncthreads();
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_tile;
  for (std::int64_t begin = std::int64_t{blockIdx.x} * by_index_tile; begin < call.items; begin += step) {
    Index index[items_at_once];
    T value[items_at_once];
#pragma unroll
    for (int k = 0; k < items_at_once; ++k) {
      const std::int64_t i = begin + k * by_index_threads + threadIdx.x;
      index[k] = i < call.items ? __ldcs(call.indices + i) : Index{0};
      if constexpr (!std::is_void_v<typename C::Value>) value[k] = i < call.items ? __ldcs(call.values + i) : T{0};
    }
#pragma unroll
    for (int k = 0; k < items_at_once; ++k) {
      const std::int64_t i = begin + k * by_index_threads + threadIdx.x;
      const bool is_bin = call.is_bin(index[k]), counts = i < call.items && is_bin;
      if (i < call.items && !is_bin && !call.skip_out_of_range)
        report(call.status, PrimitiveError::index_out_of_range, i);
      typename C::Term term = 1;
      if constexpr (!std::is_void_v<typename C::Value>) term = cells.term_of(value[k]);
      // A warp whose items all meet one bin adds them up first.
      const Index first = __shfl_sync(every_lane, index[k], 0);
      if (__all_sync(every_lane, counts && index[k] == first)) {
        if constexpr (std::is_void_v<typename C::Value>)
          term = 32;
        else
          term = sum_of_warp(term);
        if (threadIdx.x % 32 == 0) table.add(index[k], term);
      } else if (counts) {
        table.add(index[k], term);
      }
    }
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

// --- Sums of floats ---

// Infinities and NaN go straight to the bins; their order does not matter.
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

template <class Index, class T>
__global__ void __launch_bounds__(by_index_threads)
    find_magnitudes(const __grid_constant__ ByIndexCall<Index, T> call, T* out, FoundMagnitudes* found) {
  BitsOf<T> largest = 0, least_complement = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
#pragma unroll 4
  for (std::int64_t i = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x; i < call.items; i += step) {
    const T value = call.values[i];
    const bool special = !primitives::is_finite(value);
    if (call.skip_out_of_range || special) {
      const Index index = call.indices[i];
      if (!call.is_bin(index)) continue;
      if (special) {
        add_special(out + index, value);
        continue;
      }
    }
    const BitsOf<T> magnitude = primitives::magnitude_bits(value);
    largest = max(largest, magnitude);
    if (magnitude != 0) least_complement = max(least_complement, static_cast<BitsOf<T>>(~magnitude));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    largest = max(largest, __shfl_xor_sync(every_lane, largest, distance));
    least_complement = max(least_complement, __shfl_xor_sync(every_lane, least_complement, distance));
  }
  if (threadIdx.x % 32 != 0) return;
  // In 64 bits, so that the complement is that of 64 bits.
  constexpr unsigned long long upper = sizeof(T) == 4 ? 0xFFFF'FFFF'0000'0000ull : 0;
  if (largest != 0) atomicMax(&found->largest, static_cast<unsigned long long>(largest));
  if (least_complement != 0) atomicMax(&found->least_complement, upper | least_complement);
}

template <class T>
__global__ void __launch_bounds__(by_index_threads)
    clear_float_cells(unsigned long long* cells, std::int64_t bins, const FoundMagnitudes* found, std::int64_t items) {
  const std::int64_t all = grid_of<T>(*found, items).narrow ? bins : 2 * bins;
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x; i < all; i += step) cells[i] = 0;
}

__device__ __forceinline__ Int128 wide_cell(const unsigned long long* cell) {
  return static_cast<Int128>((static_cast<primitives::UInt128>(cell[1]) << 64) | cell[0]);
}

template <class T>
__global__ void __launch_bounds__(by_index_threads)
    finish_floats(T* out, const unsigned long long* cells, std::int64_t bins, const FoundMagnitudes* found,
                  std::int64_t items) {
  const Grid grid = grid_of<T>(*found, items);
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
  for (std::int64_t b = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x; b < bins; b += step) {
    const Int128 sum = grid.narrow ? static_cast<Int128>(static_cast<long long>(cells[b])) : wide_cell(cells + 2 * b);
    if (sum != 0) out[b] = primitives::plus_fixed(out[b], sum, grid.place);
  }
}

template <class T>
__global__ void __launch_bounds__(by_index_threads)
    finish_integers(T* out, const unsigned long long* cells, std::int64_t bins, std::int64_t* status) {
  const std::int64_t step = std::int64_t{gridDim.x} * by_index_threads;
  for (std::int64_t b = std::int64_t{blockIdx.x} * by_index_threads + threadIdx.x; b < bins; b += step) {
    const Int128 more =
        sizeof(T) == 4 ? static_cast<Int128>(static_cast<long long>(cells[b])) : wide_cell(cells + 2 * b);
    if (more == 0) continue;
    const Int128 sum = more + out[b];
    if (sum != static_cast<T>(sum)) report(status, PrimitiveError::sum_overflow, b);
    out[b] = static_cast<T>(sum);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
