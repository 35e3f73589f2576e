#pragma once

#include <cstdint>

#include "primitives/exact_sum.h"

// An exact sum of floats in one integer of 128 bits, for CPU (tests) and GPU alike. The tiles
// on a device tell each other such a sum if it has enough room, and a LongSum otherwise.

namespace papilio::primitives {

// -2^bits <= x < 2^bits; 0 <= bits < 128.
PAPILIO_LANEWISE bool has_room(Int128 x, int bits) { return x >> bits == x >> 127; }

// integer * 2^(least + place), where `least` is that of the type summed; place >= 0, and arbitrary if the integer is 0.
struct FixedSum {
  Int128 integer = 0;
  int place = 0;

  // The most that a record of 16 bytes has room for.
  static constexpr int record_bits = 115;
  static constexpr int place_bits = 9;

  // Adds another sum, in the lower of the two units; false if the result takes more than `bits` bits.
  PAPILIO_LANEWISE bool add(FixedSum other, int bits) {
    if (other.integer == 0) return true;
    if (integer == 0) {
      *this = other;
    } else {
      if (place > other.place) {
        if (!scale(*this, place - other.place, bits)) return false;
      } else if (!scale(other, other.place - place, bits)) {
        return false;
      }
      integer += other.integer;
    }
    return has_room(integer, bits);
  }

  // From a LongSum; false unless it is finite and its bits, from the first to the last, fit a record.
  template <class T>
  PAPILIO_LANEWISE static bool from(const LongSum<T>& sum, FixedSum& fixed) {
    fixed = {};
    if (sum.special != 0) return false;
    int first = -1, last = 0;
    const std::uint64_t fill = (sum.word[LongSum<T>::words - 1] >> 63) != 0 ? ~std::uint64_t{0} : 0;
    for (int w = 0; w < LongSum<T>::words; ++w) {
      if (first < 0 && sum.word[w] != 0) first = 64 * w + trailing_zeros(sum.word[w]);
      if (sum.word[w] != fill) last = 64 * w + 64 - leading_zeros(sum.word[w] ^ fill);
    }
    if (first < 0) return true;
    if (last - first > record_bits || first >= 1 << place_bits) return false;
    const auto low = static_cast<std::uint64_t>(sum.bits_from(first));
    const auto high = static_cast<std::uint64_t>(sum.bits_from(first + 64));
    fixed = {static_cast<Int128>((static_cast<UInt128>(high) << 64) | low), first};
    return true;
  }

 private:
  PAPILIO_LANEWISE static bool scale(FixedSum& sum, int shift, int bits) {
    if (shift > bits || !has_room(sum.integer, bits - shift)) return false;
    sum.integer <<= shift;
    sum.place -= shift;
    return true;
  }
};

// The record of a tile in two words: the lower 64 bits of the integer; and, from the lowest bit up, a state of 2
// bits, `elsewhere` (the sum did not fit and is kept as digits), the place, and the upper bits of the integer.
struct PackedSum {
  std::uint64_t low;
  std::uint64_t high;

  static constexpr int state_bits = 2;
  static constexpr std::uint64_t elsewhere = 1u << state_bits;
  static constexpr int integer_shift = state_bits + 1 + FixedSum::place_bits;
  static_assert(64 + 64 - integer_shift == FixedSum::record_bits + 1);

  PAPILIO_LANEWISE static PackedSum of(const FixedSum& sum, std::uint32_t state) {
    const auto upper = static_cast<std::uint64_t>(sum.integer >> 64);
    const std::uint64_t place = sum.integer == 0 ? 0 : static_cast<std::uint64_t>(sum.place);
    return {static_cast<std::uint64_t>(sum.integer), upper << integer_shift | place << (state_bits + 1) | state};
  }
  PAPILIO_LANEWISE static std::uint32_t state(std::uint64_t high) { return static_cast<std::uint32_t>(high) & 3u; }
  PAPILIO_LANEWISE bool is_elsewhere() const { return (high & elsewhere) != 0; }
  PAPILIO_LANEWISE FixedSum sum() const {
    const auto upper = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> integer_shift);
    return {static_cast<Int128>((static_cast<UInt128>(upper) << 64) | low),
            static_cast<int>(high >> (state_bits + 1) & ((1u << FixedSum::place_bits) - 1))};
  }
};

}  // namespace papilio::primitives
