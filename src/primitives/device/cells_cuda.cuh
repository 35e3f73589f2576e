#pragma once

#include <cstdint>
#include <type_traits>

#include "papilio/primitives.h"
#include "primitives/device/look_back_cuda.cuh"
#include "primitives/fixed_grid.h"
#include "primitives/operators.h"

// What reduce_by_index keeps per bin on a GPU, for each kind of reduction: in the shared memory of a block while it goes
// through its items, and in global memory. All of it combines in any order to the same bits.
//
//   Shared   what a block keeps of a bin, made of `limbs` words of 32 bits that lie `step` words apart
//   term     what an item contributes

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::BitsOf;
using primitives::Int128;

// Adds a number of 32 * limbs bits to words that lie `step` apart, modulo its size. Each word's carry is known from its
// own addition, so any order of additions gives the same words.
template <int limbs>
__device__ __forceinline__ void add_limbs(std::uint32_t* words, int step, Int128 term) {
  std::uint32_t carry = 0;
#pragma unroll
  for (int l = 0; l < limbs; ++l) {
    const auto part = static_cast<std::uint32_t>(term >> (32 * l));
    const std::uint32_t more = part + carry;
    const std::uint32_t carried = more < carry ? 1 : 0;  // then `more` is 0
    carry = carried;
    if (more == 0) continue;
    if (l + 1 < limbs) {
      const std::uint32_t old = atomicAdd(words + l * step, more);
      carry |= old + more < old ? 1u : 0u;
    } else {
      atomicAdd(words + l * step, more);
    }
  }
}

template <int limbs>
__device__ __forceinline__ Int128 limbs_of(const std::uint32_t* words, int step) {
  primitives::UInt128 bits = 0;
#pragma unroll
  for (int l = 0; l < limbs; ++l) bits |= static_cast<primitives::UInt128>(words[l * step]) << (32 * l);
  if constexpr (limbs == 1) return static_cast<Int128>(bits);  // counts
  if constexpr (limbs == 2) return static_cast<std::int64_t>(bits);
  return static_cast<Int128>(bits);
}

// Adds to a sum of 64 or 128 bits in global memory.
template <int words>
__device__ __forceinline__ void add_to_cell(unsigned long long* cell, Int128 term) {
  const auto low = static_cast<unsigned long long>(term);
  if constexpr (words == 1) {
    atomicAdd(cell, low);
  } else {
    const unsigned long long old = atomicAdd(cell, low);
    const unsigned long long high = static_cast<unsigned long long>(term >> 64) + (old + low < old ? 1 : 0);
    if (high != 0) atomicAdd(cell + 1, high);
  }
}

// Counts, straight into `out`. They only grow: where an addition leaves the type, the bin's sum does not fit.
template <class T>
struct CountCells {
  using Value = void;
  static constexpr int limbs = 1;
  using Term = std::uint32_t;
  T* out;
  std::int64_t* status;

  __device__ bool skips() const { return false; }
  __device__ void to_shared(std::uint32_t* words, int, Term term) const { atomicAdd(words, term); }
  __device__ Term from_shared(const std::uint32_t* words, int) const { return words[0]; }
  __device__ static bool is_neutral(Term term) { return term == 0; }
  __device__ static Term joined(Term a, Term b) { return a + b; }
  __device__ void to_global(std::int64_t bin, Term term) const {
    using Unsigned = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    const auto old = static_cast<T>(atomicAdd(reinterpret_cast<Unsigned*>(out + bin), static_cast<Unsigned>(term)));
    if (old > std::numeric_limits<T>::max() - static_cast<T>(term)) report(status, PrimitiveError::sum_overflow, bin);
  }
};

// Sums of integers, in cells that they fit.
template <class T>
struct IntegerCells {
  using Value = T;
  static constexpr int cell_words = sizeof(T) == 4 ? 1 : 2;
  static constexpr int limbs = 2 * cell_words;
  using Term = std::conditional_t<sizeof(T) == 4, std::int64_t, Int128>;
  unsigned long long* cells;

  __device__ bool skips() const { return false; }
  __device__ Term term_of(T value) const { return value; }
  __device__ void to_shared(std::uint32_t* words, int step, Term term) const { add_limbs<limbs>(words, step, term); }
  __device__ Term from_shared(const std::uint32_t* words, int step) const {
    return static_cast<Term>(limbs_of<limbs>(words, step));
  }
  __device__ static bool is_neutral(Term term) { return term == 0; }
  __device__ static Term joined(Term a, Term b) { return a + b; }
  __device__ void to_global(std::int64_t bin, Term term) const { add_to_cell<cell_words>(cells + bin * cell_words, term); }
};

// The magnitudes of a call's finite values, in the workspace: the largest, and the complement of the least that is not 0.
struct FoundMagnitudes {
  unsigned long long largest;
  unsigned long long least_complement;
};

// The fixed point of a call (fixed_grid.h).
struct Grid {
  int place;
  bool narrow;  // 64 bits are enough
};
template <class T>
__device__ __forceinline__ Grid grid_of(const FoundMagnitudes& found, std::int64_t items) {
  const auto largest = static_cast<BitsOf<T>>(found.largest), least = static_cast<BitsOf<T>>(~found.least_complement);
  Grid grid;
  grid.narrow = largest == 0 || primitives::fits_64_bits<T>(largest, least, items);
  grid.place = primitives::grid_place<T>(largest, items, grid.narrow ? 64 : 128);
  return grid;
}

// Sums of floats in fixed point, of 64 or 128 bits. A launch for the width that the call does not need does nothing.
template <class T, int cell_words_>
struct FloatCells {
  using Value = T;
  static constexpr int cell_words = cell_words_;
  static constexpr int limbs = 2 * cell_words;
  using Term = std::conditional_t<cell_words == 1, std::int64_t, Int128>;
  unsigned long long* cells;
  const FoundMagnitudes* found;
  std::int64_t items;
  int place = 0;

  __device__ bool skips() {
    const Grid grid = grid_of<T>(*found, items);
    place = grid.place;
    return grid.narrow != (cell_words == 1);
  }
  __device__ Term term_of(T value) const {
    return primitives::is_finite(value) ? primitives::to_grid<T, Term>(value, place) : Term{0};
  }
  __device__ void to_shared(std::uint32_t* words, int step, Term term) const { add_limbs<limbs>(words, step, term); }
  __device__ Term from_shared(const std::uint32_t* words, int step) const {
    return static_cast<Term>(limbs_of<limbs>(words, step));
  }
  __device__ static bool is_neutral(Term term) { return term == 0; }
  __device__ static Term joined(Term a, Term b) { return a + b; }
  __device__ void to_global(std::int64_t bin, Term term) const {
    if (term != 0) add_to_cell<cell_words>(cells + bin * cell_words, term);
  }
};

// Minimum, maximum and the operators on bits: straight into `out`, which is only written where it changes.
template <class T>
struct FoldCells {
  using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  T* out;
  ReduceOp op;

  __device__ T joined(T a, T b) const {
    return op == ReduceOp::minimum ? primitives::least_of(a, b) : primitives::greatest_of(a, b);
  }
  __device__ __forceinline__ void to_global(std::int64_t bin, T term) const {
    Word* const word = reinterpret_cast<Word*>(out + bin);
    if constexpr (std::is_integral_v<T>) {
      const auto bits = static_cast<Word>(term);
      if (op == ReduceOp::bit_and) return void(atomicAnd(word, bits));
      if (op == ReduceOp::bit_or) return void(atomicOr(word, bits));
      if (op == ReduceOp::bit_xor) return void(atomicXor(word, bits));
    }
    Word seen = *const_cast<volatile Word*>(word);
    for (;;) {
      const Word wanted = std::bit_cast<Word>(joined(std::bit_cast<T>(seen), term));
      if (wanted == seen) return;
      const Word old = atomicCAS(word, seen, wanted);
      if (old == seen) return;
      seen = old;
    }
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
