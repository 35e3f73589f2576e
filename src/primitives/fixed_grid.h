#pragma once

#include <cstdint>

#include "primitives/exact_sum.h"

// The fixed point of reduce_by_index for sums of floats, for CPU and GPU alike (include/papilio/primitives.h has the
// rule). Values become integers in units of 2^(least + place), and a bin's integers add in any order.

namespace papilio::primitives {

// How many bits n has: n < 2^b.
PAPILIO_LANEWISE int bits_of_count(std::int64_t n) {
  return n <= 0 ? 0 : 64 - leading_zeros(static_cast<std::uint64_t>(n));
}

// The place of the unit for `items` values, in integers of `width` bits: no sum of the values reaches
// 2^(width - 1). `largest` has the magnitude bits of the largest finite value. For the rule, width is 128.
template <class T>
PAPILIO_LANEWISE int grid_place(BitsOf<T> largest, std::int64_t items, int width = 128) {
  const int place = place_of_bits<T>(largest) + FloatFormat<T>::fraction_bits + 1 + bits_of_count(items) - (width - 1);
  return place > 0 ? place : 0;
}

// A finite value in units of this place, rounded towards 0.
template <class T, class Integer = Int128>
PAPILIO_LANEWISE Integer to_grid(T value, int place) {
  const BitsOf<T> magnitude = magnitude_bits(value);
  const auto significand = static_cast<Integer>(significand_of_bits<T>(magnitude));
  const int shift = place_of_bits<T>(magnitude) - place;
  const Integer units = shift >= 0    ? static_cast<Integer>(significand << shift)
                        : shift > -64 ? static_cast<Integer>(significand >> -shift)
                                      : Integer{0};
  return (bits_of(value) & FloatFormat<T>::sign) != 0 ? static_cast<Integer>(-units) : units;
}

// The place of the last bit set in a finite value with these magnitude bits, which are
// not 0: the value is a whole number of units of this place, and of no higher one.
template <class T>
PAPILIO_LANEWISE int last_place_of_bits(BitsOf<T> magnitude) {
  return place_of_bits<T>(magnitude) + trailing_zeros(significand_of_bits<T>(magnitude));
}

// Whether sums in 64 bits give the same results: that is, whether every value is a whole number of units
// at the place grid_place(largest, items, 64). `last_place` is the least last_place_of_bits of the values.
template <class T>
PAPILIO_LANEWISE bool fits_64_bits(BitsOf<T> largest, int last_place, std::int64_t items) {
  return grid_place<T>(largest, items, 64) <= last_place;
}

// Sums of wider values as two digits of 64 bits, which add without carries: a lower digit in units of
// 2^(least + place), and an upper one in units of 2^(least + place + bits). Each value has `bits` bits in either.
struct TwoDigits {
  int place;  // may be below 0
  int bits;
  bool exact;  // every value is a whole number of units
};

// The digits for `items` values of magnitudes up to `largest` with this least last place.
template <class T>
PAPILIO_LANEWISE TwoDigits two_digits(BitsOf<T> largest, int last_place, std::int64_t items) {
  const int bits = 63 - bits_of_count(items);
  const int place = place_of_bits<T>(largest) + FloatFormat<T>::fraction_bits + 1 - 2 * bits;
  return {place, bits, place <= last_place};
}

// An integer as two digits with its sign, cut towards 0: low + high * 2^bits.
struct DigitPair {
  std::int64_t low, high;
};
PAPILIO_LANEWISE DigitPair digits_of(Int128 integer, int bits) {
  const bool negative = integer < 0;
  const UInt128 magnitude = negative ? -static_cast<UInt128>(integer) : static_cast<UInt128>(integer);
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(magnitude) & ((std::uint64_t{1} << bits) - 1));
  const auto high = static_cast<std::int64_t>(magnitude >> bits);
  return negative ? DigitPair{-low, -high} : DigitPair{low, high};
}
PAPILIO_LANEWISE Int128 joined_digits(const DigitPair& digits, int bits) {
  return static_cast<Int128>(static_cast<UInt128>(static_cast<Int128>(digits.high)) << bits) + digits.low;
}

// A bin after an infinity or NaN has been added. These are added before the
// finite values: if the bin is not finite then, finite values add nothing.
template <class T>
PAPILIO_LANEWISE T plus_special(T old, T special) {
  if (is_nan(old)) return old;
  const bool opposed = !is_finite(old) && bits_of(old) != bits_of(special);
  return is_nan(special) || opposed ? canonical_nan<T>() : special;
}

// A bin after the finite values, whose sum is `sum` units of a place, have been added: old + sum,
// rounded once. The place may be below 0 if the sum is a whole number of units of place 0.
template <class T>
PAPILIO_LANEWISE T plus_fixed(T old, Int128 sum, int place) {
  if (sum == 0 || !is_finite(old)) return old;
  if (place < 0) {
    sum >>= -place;
    place = 0;
  }
  const BitsOf<T> magnitude = magnitude_bits(old);
  if (magnitude == 0) return rounded_fixed<T>(sum, place);
  const int shift = place_of_bits<T>(magnitude) - place;
  const auto significand = static_cast<Int128>(significand_of_bits<T>(magnitude));
  const Int128 limit = Int128{1} << 126;
  if (0 <= shift && shift + FloatFormat<T>::fraction_bits + 1 <= 126 && -limit < sum && sum < limit) {
    const Int128 units = significand << shift;
    return rounded_fixed<T>(sum + ((bits_of(old) & FloatFormat<T>::sign) != 0 ? -units : units), place);
  }
  LongSum<T> exact;
  exact.clear();
  exact.add(old);
  exact.add_integer(sum, place);
  return exact.value();
}

}  // namespace papilio::primitives
