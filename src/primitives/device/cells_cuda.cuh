#pragma once

#include <cstdint>
#include <type_traits>

#include "papilio/primitives.h"
#include "primitives/device/look_back_cuda.cuh"
#include "primitives/fixed_grid.h"
#include "primitives/operators.h"

// What reduce_by_index keeps per bin on a GPU, for each kind of reduction: in the shared memory of a block while the
// block goes through its items, and in global memory. All of it combines in any order to the same bits.
//
//   Shared          what a block keeps per bin: `limbs` words of 32 bits that lie `step` words apart
//   term            what one item contributes
//   add_to_global   adds the term of each active lane to that lane's bin; all lanes of a warp call it together

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

using primitives::BitsOf;
using primitives::DigitPair;
using primitives::Int128;

// Adds a number of 32 * limbs bits to words that lie `step` apart, modulo its size. The carry out
// of a word comes from the addition to that word, so any order of additions gives the same words.
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

// Adds two words to each bin. Two lanes add to one bin in one access, so
// there are as many accesses as for one word. Old values are not returned.
__device__ __forceinline__ void add_pairs(unsigned long long* cells, bool active, std::uint32_t bin,
                                          const DigitPair& digits) {
  const unsigned active_lanes = __ballot_sync(every_lane, active);
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if ((active_lanes >> (16 * half) & 0xFFFF) == 0) continue;
    const int from = lane / 2 + 16 * half;
    const std::uint32_t its_bin = __shfl_sync(every_lane, bin, from);
    const auto low = __shfl_sync(every_lane, static_cast<long long>(digits.low), from);
    const auto high = __shfl_sync(every_lane, static_cast<long long>(digits.high), from);
    const auto word = static_cast<unsigned long long>(lane % 2 == 0 ? low : high);
    if ((active_lanes >> from & 1) != 0 && word != 0)
      atomicAdd(cells + 2 * static_cast<std::size_t>(its_bin) + lane % 2, word);
  }
}

// Adds to a sum of 128 bits: the old value of the lower word tells the carry.
__device__ __forceinline__ void add_with_carry(unsigned long long* cell, Int128 term) {
  const auto low = static_cast<unsigned long long>(term);
  auto high = static_cast<unsigned long long>(term >> 64);
  if (low != 0) {
    const unsigned long long old = atomicAdd(cell, low);
    high += old + low < old ? 1 : 0;
  }
  if (high != 0) atomicAdd(cell + 1, high);
}

__device__ __forceinline__ Int128 carried_sum(const unsigned long long* cell) {
  return static_cast<Int128>((static_cast<primitives::UInt128>(cell[1]) << 64) | cell[0]);
}
__device__ __forceinline__ Int128 sum_of_digits(const unsigned long long* cell, int bits) {
  return primitives::joined_digits({static_cast<std::int64_t>(cell[0]), static_cast<std::int64_t>(cell[1])}, bits);
}

// Clears a cell unless it is clear.
template <int words>
__device__ __forceinline__ void clear_cell(unsigned long long* cell) {
#pragma unroll
  for (int w = 0; w < words; ++w)
    if (cell[w] != 0) cell[w] = 0;
}

// Counts, directly in `out`. They only grow: if an addition overflows the type, the sum of the bin does not fit.
template <class T>
struct CountCells {
  using Value = void;
  static constexpr int limbs = 1;
  using Term = std::uint32_t;
  T* out;  // its first entry is that of the range's first bin
  std::int64_t first;
  std::int64_t* status;

  __device__ bool skips() const { return false; }
  __device__ void to_shared(std::uint32_t* words, int, Term term) const { atomicAdd(words, term); }
  __device__ Term from_shared(const std::uint32_t* words, int) const { return words[0]; }
  __device__ static bool is_neutral(Term term) { return term == 0; }
  __device__ static Term joined(Term a, Term b) { return a + b; }
  __device__ __forceinline__ void add_to_global(bool active, std::uint32_t bin, Term term) const {
    if (!active) return;
    using Unsigned = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    const auto old = static_cast<T>(atomicAdd(reinterpret_cast<Unsigned*>(out + bin), static_cast<Unsigned>(term)));
    if (old > std::numeric_limits<T>::max() - static_cast<T>(term))
      report(status, PrimitiveError::sum_overflow, first + bin);
  }
};

// Sums of integers, in cells that they fit: one word for int32; for
// int64 two digits, if there are fewer than 2^31 items, or 128 bits.
template <class T>
struct IntegerCells {
  using Value = T;
  static constexpr int cell_words = sizeof(T) == 4 ? 1 : 2;
  static constexpr int limbs = 2 * cell_words;
  static constexpr int digit_bits = 32;
  using Term = std::conditional_t<sizeof(T) == 4, std::int64_t, Int128>;
  unsigned long long* cells;
  bool in_digits;

  IntegerCells(unsigned long long* its_cells, std::int64_t items)
      : cells(its_cells), in_digits(items < std::int64_t{1} << 31) {}

  __device__ bool skips() const { return false; }
  __device__ Term term_of(T value) const { return value; }
  __device__ void to_shared(std::uint32_t* words, int step, Term term) const { add_limbs<limbs>(words, step, term); }
  __device__ Term from_shared(const std::uint32_t* words, int step) const {
    return static_cast<Term>(limbs_of<limbs>(words, step));
  }
  __device__ static bool is_neutral(Term term) { return term == 0; }
  __device__ static Term joined(Term a, Term b) { return a + b; }
  __device__ __forceinline__ void add_to_global(bool active, std::uint32_t bin, Term term) const {
    if constexpr (cell_words == 1) {
      if (active) atomicAdd(cells + bin, static_cast<unsigned long long>(term));
    } else if (in_digits) {
      add_pairs(cells, active, bin, primitives::digits_of(term, digit_bits));
    } else if (active) {
      add_with_carry(cells + 2 * static_cast<std::size_t>(bin), term);
    }
  }
  // What the call adds to a bin, as a whole.
  __device__ Int128 sum_of(std::uint32_t bin) const {
    if constexpr (cell_words == 1) return static_cast<long long>(cells[bin]);
    const unsigned long long* const cell = cells + 2 * static_cast<std::size_t>(bin);
    return in_digits ? sum_of_digits(cell, digit_bits) : carried_sum(cell);
  }
  __device__ void clear(std::uint32_t bin) const {
    clear_cell<cell_words>(cells + cell_words * static_cast<std::size_t>(bin));
  }
};

// What a call found out about its finite values, in the workspace: the bits of the largest
// magnitude, and the complement of the least place of any last bit (fixed_grid.h).
struct FoundMagnitudes {
  unsigned long long largest;
  unsigned last_place_complement;
};

// Which fixed point a call uses (fixed_grid.h).
enum class Width : std::uint8_t {
  one_word,    // all values are whole numbers of units, and their sums fit 64 bits
  two_digits,  // the same, with sums in two digits
  carried,     // the 128 bits of the rule
};
struct Grid {
  int place;
  Width width;
  int digit_bits;
};
template <class T>
__device__ __forceinline__ Grid grid_of(const FoundMagnitudes& found, std::int64_t items) {
  const auto largest = static_cast<BitsOf<T>>(found.largest);
  const int last_place = static_cast<int>(~found.last_place_complement);
  if (largest == 0 || primitives::fits_64_bits<T>(largest, last_place, items))
    return {primitives::grid_place<T>(largest, items, 64), Width::one_word, 0};
  const primitives::TwoDigits digits = primitives::two_digits<T>(largest, last_place, items);
  if (digits.exact) return {digits.place, Width::two_digits, digits.bits};
  return {primitives::grid_place<T>(largest, items), Width::carried, 0};
}

// Sums of floats in fixed point. A launch for a number of words that the call does not use does nothing.
template <class T, int cell_words_>
struct FloatCells {
  using Value = T;
  static constexpr int cell_words = cell_words_;
  static constexpr int limbs = 2 * cell_words;
  using Term = std::conditional_t<cell_words == 1, std::int64_t, Int128>;
  unsigned long long* cells;
  const FoundMagnitudes* found;
  std::int64_t items;
  Grid grid = {};

  __device__ bool skips() {
    grid = grid_of<T>(*found, items);
    return (grid.width == Width::one_word) != (cell_words == 1);
  }
  __device__ Term term_of(T value) const {
    return primitives::is_finite(value) ? primitives::to_grid<T, Term>(value, grid.place) : Term{0};
  }
  __device__ void to_shared(std::uint32_t* words, int step, Term term) const { add_limbs<limbs>(words, step, term); }
  __device__ Term from_shared(const std::uint32_t* words, int step) const {
    return static_cast<Term>(limbs_of<limbs>(words, step));
  }
  __device__ static bool is_neutral(Term term) { return term == 0; }
  __device__ static Term joined(Term a, Term b) { return a + b; }
  __device__ __forceinline__ void add_to_global(bool active, std::uint32_t bin, Term term) const {
    if constexpr (cell_words == 1) {
      if (active && term != 0) atomicAdd(cells + bin, static_cast<unsigned long long>(term));
    } else if (grid.width == Width::two_digits) {
      add_pairs(cells, active, bin, primitives::digits_of(term, grid.digit_bits));
    } else if (active) {
      add_with_carry(cells + 2 * static_cast<std::size_t>(bin), term);
    }
  }
  // What the call adds to a bin as a whole, in units of the grid's place.
  __device__ Int128 sum_of(std::uint32_t bin) const {
    if constexpr (cell_words == 1) return static_cast<long long>(cells[bin]);
    const unsigned long long* const cell = cells + 2 * static_cast<std::size_t>(bin);
    return grid.width == Width::two_digits ? sum_of_digits(cell, grid.digit_bits) : carried_sum(cell);
  }
  __device__ void clear(std::uint32_t bin) const {
    clear_cell<cell_words>(cells + cell_words * static_cast<std::size_t>(bin));
  }
};

// Minimum, maximum and the operators on bits: directly in `out`, which is written only if it changes.
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
