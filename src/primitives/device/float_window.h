#pragma once

#include <cstdint>
#include <type_traits>

#include "primitives/device/fixed_sum.h"
#include "primitives/exact_sum.h"

// Exact sums of a tile's floats as plain integers, for CPU (tests) and GPU alike. If the values
// of a tile lie within a window of exponents, all are counted in one unit, in integers of 64 bits
// (float) or 128 (double): their sums are exact and are rounded once. The sum of a segment over
// the tiles before is a LongSum; it is split into a part that this unit can take and a rest.

namespace papilio::primitives {

template <class T>
struct WindowFormat;
template <>
struct WindowFormat<float> {
  using Integer = std::int64_t;
  static constexpr int sum_bits = 62;  // sums of a tile stay below 2^62 units
  static constexpr int spread = 26;    // exponents in the window: 24 + 26 bits per value, 2^12 values
  static constexpr int least_place = 23, most_shifted_place = 127 + 149;  // so that only normal numbers scale
};
template <>
struct WindowFormat<double> {
  using Integer = Int128;
  static constexpr int sum_bits = 126;
  static constexpr int spread = 62;  // 53 + 62 bits, 2^11 values
  static constexpr int least_place = 0, most_shifted_place = 4096;
};

// What a tile's window is determined from: the upper 32 bits of the magnitudes, which include the whole exponents.
template <class T>
PAPILIO_LANEWISE std::uint32_t upper_magnitude(T value) {
  if constexpr (sizeof(T) == 4) {
    return magnitude_bits(value);
  } else {
    return static_cast<std::uint32_t>(magnitude_bits(value) >> 32);
  }
}
template <class T>
inline constexpr int upper_fraction_bits = FloatFormat<T>::fraction_bits - (sizeof(T) == 4 ? 0 : 32);

// The unit of a tile: 2^(least + place).
template <class T>
struct Window {
  using Format = WindowFormat<T>;
  using Integer = typename Format::Integer;

  int place = 0;
  bool fits = false;
  T to_units = 1;  // float: 2^-(least + place) and its inverse, both normal
  T from_units = 1;

  // `most` is the largest upper magnitude of the tile's values; `least_less_one` is
  // the least of upper magnitude - 1, in which 0 wraps around and so does not count.
  PAPILIO_LANEWISE static Window of(std::uint32_t most, std::uint32_t least_less_one) {
    constexpr int fraction = upper_fraction_bits<T>;
    constexpr int largest_exponent = static_cast<int>(FloatFormat<T>::infinity >> FloatFormat<T>::fraction_bits);
    Window window;
    const int highest = static_cast<int>(most >> fraction), lowest = static_cast<int>((least_less_one + 1) >> fraction);
    if (highest >= largest_exponent) return window;  // an infinity or NaN
    const int place = highest - 1 - Format::spread;
    window = at(place > Format::least_place ? place : Format::least_place);
    // All values are 0, or those that are not are normal and have no bit below the unit.
    window.fits = most == 0 || (lowest > 0 && lowest - 1 >= window.place);
    return window;
  }

  // The window of a place, whether the values fit it or not.
  PAPILIO_LANEWISE static Window at(int place) {
    Window window;
    window.place = place;
    if constexpr (sizeof(T) == 4) {
      window.to_units = power(-(FloatFormat<T>::least + place));
      window.from_units = power(FloatFormat<T>::least + place);
    }
    return window;
  }

  // A value of the tile, in units.
  PAPILIO_LANEWISE Integer units(T value) const {
    if constexpr (sizeof(T) == 4) {
      return static_cast<Integer>(value * to_units);
    } else {
      const std::uint64_t magnitude = magnitude_bits(value);
      if (magnitude == 0) return 0;
      const auto integer = static_cast<Integer>(significand_of_bits<T>(magnitude))
                           << (place_of_bits<T>(magnitude) - place);
      return (bits_of(value) & FloatFormat<T>::sign) != 0 ? -integer : integer;
    }
  }

  // A sum of values of the tile, rounded once.
  PAPILIO_LANEWISE T rounded_sum(Integer sum) const {
    if constexpr (sizeof(T) == 4) {
      return static_cast<float>(sum) * from_units;
    } else {
      return rounded_fixed<T>(sum, place);
    }
  }

  PAPILIO_LANEWISE static float power(int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
  }
};

// What came before a tile, in a form to which sums of the tile can be added: (high + (low + rest) / 2^shift) * 2^shift
// units, where 0 <= low < 2^shift is an integer, and `rest`, which is in [0, 1), is stored only as whether it is not 0.
template <class T>
struct CarryInWindow {
  using Format = WindowFormat<T>;
  using Integer = typename Format::Integer;

  Integer high = 0;
  Integer low = 0;
  int shift = 0;
  bool rest = false;
  bool simple = true;  // shift is 0 and there is no rest: `high` is all
  bool hard = false;   // needs LongSum
  T from_units = 1;    // float: 2^(least + place + shift)

  PAPILIO_LANEWISE static CarryInWindow of(const LongSum<T>& sum, const Window<T>& window) {
    CarryInWindow carry;
    const int bits = bits_of_sum(sum);
    const int spare = Format::sum_bits - 1;
    carry.shift = bits - window.place > spare ? bits - window.place - spare : 0;
    carry.hard = sum.special != 0 || carry.shift > spare - 1 || window.place + carry.shift > Format::most_shifted_place;
    carry.simple = false;
    if (carry.hard) return carry;
    carry.high = integer_from(sum, window.place + carry.shift);
    carry.low = integer_from(sum, window.place) & ((Integer{1} << carry.shift) - 1);
    for (int w = 0; w < sum.words && 64 * w < window.place; ++w) {
      const int above = window.place - 64 * w;
      carry.rest |= (above >= 64 ? sum.word[w] : sum.word[w] << (64 - above)) != 0;
    }
    carry.simple = carry.shift == 0 && !carry.rest;
    if constexpr (sizeof(T) == 4)
      carry.from_units = Window<T>::power(FloatFormat<T>::least + window.place + carry.shift);
    return carry;
  }

  // The same for a sum in one integer.
  PAPILIO_LANEWISE static CarryInWindow of(const FixedSum& sum, const Window<T>& window) {
    static_assert(sizeof(T) == 4);
    CarryInWindow carry;
    if (sum.integer == 0) return carry;
    const int below = window.place - sum.place;  // bits of the sum below a unit
    if (below == 0 && has_room(sum.integer, Format::sum_bits - 1)) {
      carry.high = static_cast<Integer>(sum.integer);
      carry.from_units = window.power(FloatFormat<T>::least + window.place);
      return carry;
    }
    const auto differs = static_cast<UInt128>(sum.integer ^ (sum.integer >> 127));
    const auto upper = static_cast<std::uint64_t>(differs >> 64), lower = static_cast<std::uint64_t>(differs);
    const int bits = upper != 0 ? 128 - leading_zeros(upper) : lower != 0 ? 64 - leading_zeros(lower) : 0;
    const int spare = Format::sum_bits - 1;
    carry.shift = bits - below > spare ? bits - below - spare : 0;
    carry.hard = carry.shift > spare - 1 || window.place + carry.shift > Format::most_shifted_place;
    carry.simple = false;
    if (carry.hard) return carry;
    const auto from = [&](int bit) { return bit < 0 ? sum.integer << -bit : sum.integer >> (bit < 127 ? bit : 127); };
    carry.high = static_cast<Integer>(from(below + carry.shift));
    carry.low = static_cast<Integer>(from(below)) & ((Integer{1} << carry.shift) - 1);
    carry.rest = below > 0 && (below >= 128 || (static_cast<UInt128>(sum.integer) << (128 - below)) != 0);
    carry.simple = carry.shift == 0 && !carry.rest;
    carry.from_units = Window<T>::power(FloatFormat<T>::least + window.place + carry.shift);
    return carry;
  }

  // carry + `sum` units, rounded once; false if that takes a LongSum. For a carry that is neither simple nor hard.
  PAPILIO_LANEWISE bool plus(Integer sum, const Window<T>& window, T& result) const {
    const Integer below = sum + low;
    const Integer whole = high + (below >> shift);
    const bool more = rest || (below & ((Integer{1} << shift) - 1)) != 0;
    if constexpr (sizeof(T) == 4) {
      // If there is more, the last bit is set: all numbers between a number of 24 bits and the next middle round alike.
      constexpr Integer enough = Integer{1} << 27;
      if (more && -enough < whole && whole < enough) return false;
      result = static_cast<float>(whole | (more ? 1 : 0)) * from_units;
    } else {
      const bool negative = whole < 0;
      const auto magnitude = static_cast<UInt128>(negative ? (more ? ~whole : -whole) : whole);
      const auto upper = static_cast<std::uint64_t>(magnitude >> 64), lower = static_cast<std::uint64_t>(magnitude);
      if (more && upper == 0 && lower >> 60 == 0) return false;
      if (upper == 0 && lower == 0) {
        result = 0;
        return true;
      }
      const int zeros = upper != 0 ? leading_zeros(upper) : 64 + leading_zeros(lower);
      const UInt128 shifted = magnitude << zeros;
      result = rounded<T>(negative, static_cast<std::uint64_t>(shifted >> 64),
                          more || static_cast<std::uint64_t>(shifted) != 0, 127 - zeros + window.place + shift);
    }
    return true;
  }

 private:
  // sum| < 2^bits units of 2^least; `bits` may be one more than needed.
  PAPILIO_LANEWISE static int bits_of_sum(const LongSum<T>& sum) {
    const std::uint64_t fill = (sum.word[sum.words - 1] >> 63) != 0 ? ~std::uint64_t{0} : 0;
    for (int w = sum.words - 1; w >= 0; --w) {
      const std::uint64_t differs = sum.word[w] ^ fill;
      if (differs != 0) return 64 * w + 64 - leading_zeros(differs);
    }
    return 0;
  }

  // The bits from a place upwards, as a signed number; it must fit.
  PAPILIO_LANEWISE static Integer integer_from(const LongSum<T>& sum, int place) {
    if constexpr (sizeof(T) == 4) {
      return sum.bits_from(place);
    } else {
      const auto lower = static_cast<std::uint64_t>(sum.bits_from(place));
      const auto upper = static_cast<std::uint64_t>(sum.bits_from(place + 64));
      return static_cast<Integer>((static_cast<UInt128>(upper) << 64) | lower);
    }
  }
};

// A LongSum as digits that add without carries: 32 bits each, except the
// last, which has all the bits above. Sums of up to 2^30 records stay exact.
template <class T>
inline constexpr int sum_digits = 2 * (LongSum<T>::words - 1) + 1;

template <class T>
PAPILIO_LANEWISE std::int64_t digit_of(const LongSum<T>& sum, int digit) {
  const std::uint64_t word = sum.word[digit / 2];
  if (digit == sum_digits<T> - 1) return static_cast<std::int64_t>(word);
  return static_cast<std::int64_t>(static_cast<std::uint32_t>(digit % 2 == 0 ? word : word >> 32));
}

// The same digit of integer * 2^(least + place).
template <class T, class Integer>
PAPILIO_LANEWISE std::int64_t digit_of(Integer integer, int place, int digit) {
  const bool negative = integer < 0;
  const auto magnitude = static_cast<UInt128>(negative ? -static_cast<Int128>(integer) : static_cast<Int128>(integer));
  const int from = 32 * digit - place;  // the digit's lowest bit, in the integer
  std::uint64_t bits = 0;
  if (from >= 0 && from < 128) {
    bits = static_cast<std::uint64_t>(magnitude >> from);
  } else if (from < 0 && from > -32) {
    bits = static_cast<std::uint64_t>(magnitude) << -from;
  }
  bits = digit == sum_digits<T> - 1 ? bits : bits & 0xFFFF'FFFFu;
  return negative ? -static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(bits);
}

// Joins the digits again.
template <class T>
PAPILIO_LANEWISE void join_digits(const std::int64_t* digits, LongSum<T>& sum) {
  std::int64_t carry = 0;
  for (int w = 0; w < LongSum<T>::words; ++w) {
    const std::int64_t low = digits[2 * w] + carry;
    if (w == LongSum<T>::words - 1) {
      sum.word[w] = static_cast<std::uint64_t>(low);
      break;
    }
    const std::int64_t high = digits[2 * w + 1] + (low >> 32);
    sum.word[w] = static_cast<std::uint32_t>(low) | (static_cast<std::uint64_t>(high) << 32);
    carry = high >> 32;
  }
}

}  // namespace papilio::primitives
