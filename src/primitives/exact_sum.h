#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warp/portability.h"

// Sums of floating-point numbers without rounding, for CPU and GPU alike. A sum is an integer, in units so small that
// every value is a whole number of them, and is rounded once, when it is read. Integers add in any order and grouping.
//
// "Place" p stands for the unit 2^(least + p), where 2^least is the least positive number of the type. So every finite
// value is significand * 2^(least + place) with an integer significand and place >= 0.

namespace papilio::primitives {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

template <class T>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23;
  static constexpr int least = -149;
  static constexpr int sum_words = 5;  // 277 bits for one value, and 2^42 of them
  static constexpr Bits infinity = 0x7f800000u;
  static constexpr Bits nan = 0x7fc00000u;
  static constexpr Bits sign = 0x80000000u;
};
template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52;
  static constexpr int least = -1074;
  static constexpr int sum_words = 34;  // 2,098 bits for one value, and 2^77 of them
  static constexpr Bits infinity = 0x7ff0000000000000u;
  static constexpr Bits nan = 0x7ff8000000000000u;
  static constexpr Bits sign = 0x8000000000000000u;
};

template <class T>
using BitsOf = typename FloatFormat<T>::Bits;

template <class T>
PAPILIO_LANEWISE BitsOf<T> bits_of(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}

// The bits without the sign: finite values have the order of their magnitudes, and infinity and NaN are above them.
template <class T>
PAPILIO_LANEWISE BitsOf<T> magnitude_bits(T value) {
  return bits_of(value) & ~FloatFormat<T>::sign;
}

template <class T>
PAPILIO_LANEWISE bool is_finite(T value) {
  return magnitude_bits(value) < FloatFormat<T>::infinity;
}
template <class T>
PAPILIO_LANEWISE bool is_nan(T value) {
  return magnitude_bits(value) > FloatFormat<T>::infinity;
}

// The only NaN that the library produces.
template <class T>
PAPILIO_LANEWISE T canonical_nan() {
  return std::bit_cast<T>(FloatFormat<T>::nan);
}

PAPILIO_LANEWISE int leading_zeros(std::uint64_t word) {  // of a word that is not 0
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(word));
#else
  return __builtin_clzll(word);
#endif
}
PAPILIO_LANEWISE int trailing_zeros(std::uint64_t word) {  // of a word that is not 0
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}

// The place of a finite value with these magnitude bits: 0 for subnormal numbers and the least binade of normal ones.
template <class T>
PAPILIO_LANEWISE int place_of_bits(BitsOf<T> magnitude) {
  const int exponent = static_cast<int>(magnitude >> FloatFormat<T>::fraction_bits);
  return exponent > 0 ? exponent - 1 : 0;
}

// The significand of a finite value with these magnitude bits, below 2^(fraction_bits + 1).
template <class T>
PAPILIO_LANEWISE std::uint64_t significand_of_bits(BitsOf<T> magnitude) {
  constexpr std::uint64_t hidden = std::uint64_t{1} << FloatFormat<T>::fraction_bits;
  const std::uint64_t fraction = magnitude & (hidden - 1);
  return magnitude < hidden ? fraction : fraction | hidden;
}

// The value nearest to a number whose highest bit is worth 2^(least + highest): `top` has its highest 64 bits, the
// first of which is set, and `more` says whether any bit below those is set. Ties go to even. Subnormal results,
// too, are rounded only once. The result is infinity if the nearest would be beyond the largest finite number.
template <class T>
PAPILIO_LANEWISE T rounded(bool negative, std::uint64_t top, bool more, int highest) {
  using Format = FloatFormat<T>;
  using Bits = BitsOf<T>;
  constexpr int precision = Format::fraction_bits + 1;
  Bits bits;
  if (highest < precision) {  // exact, in units of 2^least
    bits = static_cast<Bits>(top >> (63 - highest));
  } else {
    const int place = highest - (precision - 1);
    constexpr int most_places = static_cast<int>(Format::infinity >> Format::fraction_bits);
    std::uint64_t kept = top >> (64 - precision);
    const std::uint64_t rest = top << precision;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    if (rest > half || (rest == half && (more || (kept & 1) != 0))) ++kept;
    // The addition carries from the fraction into the exponent if the significand has become the next power of two.
    bits = place >= most_places
               ? Format::infinity
               : static_cast<Bits>((static_cast<std::uint64_t>(place) << Format::fraction_bits) + kept);
    if (bits > Format::infinity) bits = Format::infinity;
  }
  return std::bit_cast<T>(static_cast<Bits>(negative ? bits | Format::sign : bits));
}

// sum * 2^(least + place), rounded once; place >= 0.
template <class T>
PAPILIO_LANEWISE T rounded_fixed(Int128 sum, int place) {
  if (sum == 0) return T{0};
  const bool negative = sum < 0;
  const UInt128 magnitude = negative ? -static_cast<UInt128>(sum) : static_cast<UInt128>(sum);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const auto low = static_cast<std::uint64_t>(magnitude);
  if (high == 0) {
    const int zeros = leading_zeros(low);
    return rounded<T>(negative, low << zeros, false, 63 - zeros + place);
  }
  const int zeros = leading_zeros(high);
  const UInt128 shifted = magnitude << zeros;
  return rounded<T>(negative, static_cast<std::uint64_t>(shifted >> 64), static_cast<std::uint64_t>(shifted) != 0,
                    127 - zeros + place);
}

// The sum of any finite values, and which special values have been added. FloatFormat has its capacity.
template <class T>
struct LongSum {
  using Format = FloatFormat<T>;
  static constexpr int words = Format::sum_words;

  enum : std::uint32_t { nan_seen = 1, infinity_seen = 2, minus_infinity_seen = 4 };

  std::uint64_t word[words];  // two's complement, the lowest first, in units of 2^least
  std::uint32_t special;      // which of the enumerators above apply

  PAPILIO_LANEWISE void clear() {
    for (int i = 0; i < words; ++i) word[i] = 0;
    special = 0;
  }

  PAPILIO_LANEWISE void add(T value) {
    const BitsOf<T> magnitude = magnitude_bits(value);
    const bool negative = (bits_of(value) & Format::sign) != 0;
    if (magnitude >= Format::infinity) {
      special |= magnitude > Format::infinity ? nan_seen : negative ? minus_infinity_seen : infinity_seen;
      return;
    }
    const auto significand = static_cast<std::int64_t>(significand_of_bits<T>(magnitude));
    add_integer(negative ? -significand : significand, place_of_bits<T>(magnitude));
  }

  // Adds integer * 2^(least + place); place >= 0.
  PAPILIO_LANEWISE void add_integer(Int128 integer, int place) {
    if (integer == 0) return;
    const bool negative = integer < 0;
    const UInt128 magnitude = negative ? -static_cast<UInt128>(integer) : static_cast<UInt128>(integer);
    const int shift = place & 63;
    const UInt128 low = magnitude << shift;
    const std::uint64_t part[3] = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
                                   shift == 0 ? 0 : static_cast<std::uint64_t>(magnitude >> (128 - shift))};
    std::uint64_t carry = 0;
    for (int i = 0, w = place / 64; w < words && (i < 3 || carry != 0); ++i, ++w) {
      const std::uint64_t other = i < 3 ? part[i] : 0;
      carry = negative ? subtract(word[w], other, carry) : sum(word[w], other, carry);
    }
  }

  // Adds a double that is a multiple of 2^least, for example an exact sum of values.
  PAPILIO_LANEWISE void add_exact(double value) {
    const std::uint64_t magnitude = magnitude_bits(value);
    std::uint64_t significand = significand_of_bits<double>(magnitude);
    if (significand == 0) return;
    int place = place_of_bits<double>(magnitude) + FloatFormat<double>::least - Format::least;
    if (place < 0) {
      significand >>= -place;
      place = 0;
    }
    const auto integer = static_cast<std::int64_t>(significand);
    add_integer(value < 0 ? -integer : integer, place);
  }

  PAPILIO_LANEWISE void add(const LongSum& other) {
    std::uint64_t carry = 0;
    for (int w = 0; w < words; ++w) carry = sum(word[w], other.word[w], carry);
    special |= other.special;
  }

  // The 64 bits from a place on; if they reach the sign, as a signed number.
  PAPILIO_LANEWISE std::int64_t bits_from(int place) const {
    const int w = place / 64, shift = place & 63;
    const std::uint64_t fill = (word[words - 1] >> 63) != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t low = w < words ? word[w] : fill;
    const std::uint64_t high = w + 1 < words ? word[w + 1] : fill;
    return static_cast<std::int64_t>(shift == 0 ? low : (low >> shift) | (high << (64 - shift)));
  }

  // Rounded to nearest, ties to even; +0 for a sum of 0; NaN and infinities as ReduceOp::sum says.
  PAPILIO_LANEWISE T value() const {
    if (special != 0) {
      const bool both = special == (infinity_seen | minus_infinity_seen);
      if ((special & nan_seen) != 0 || both) return canonical_nan<T>();
      const BitsOf<T> sign = special == minus_infinity_seen ? Format::sign : BitsOf<T>{0};
      return std::bit_cast<T>(static_cast<BitsOf<T>>(Format::infinity | sign));
    }
    const bool negative = (word[words - 1] >> 63) != 0;
    std::uint64_t magnitude[words];
    std::uint64_t carry = negative ? 1 : 0;
    int highest = -1;
    for (int w = 0; w < words; ++w) {
      magnitude[w] = negative ? ~word[w] + carry : word[w];
      carry = carry != 0 && magnitude[w] == 0 ? 1 : 0;
      if (magnitude[w] != 0) highest = w;
    }
    if (highest < 0) return T{0};
    const int zeros = leading_zeros(magnitude[highest]);
    const std::uint64_t next = highest > 0 ? magnitude[highest - 1] : 0;
    const std::uint64_t top = zeros == 0 ? magnitude[highest] : (magnitude[highest] << zeros) | (next >> (64 - zeros));
    bool more = (next << zeros) != 0;
    for (int w = 0; w + 1 < highest; ++w) more |= magnitude[w] != 0;
    return rounded<T>(negative, top, more, 64 * highest + 63 - zeros);
  }

 private:
  // a += b + carry; returns the carry.
  PAPILIO_LANEWISE static std::uint64_t sum(std::uint64_t& a, std::uint64_t b, std::uint64_t carry) {
    const UInt128 s = static_cast<UInt128>(a) + b + carry;
    a = static_cast<std::uint64_t>(s);
    return static_cast<std::uint64_t>(s >> 64);
  }
  // a -= b + borrow; returns the borrow.
  PAPILIO_LANEWISE static std::uint64_t subtract(std::uint64_t& a, std::uint64_t b, std::uint64_t borrow) {
    const UInt128 d = static_cast<UInt128>(a) - b - borrow;
    a = static_cast<std::uint64_t>(d);
    return static_cast<std::uint64_t>(d >> 64) & 1;
  }
};

}  // namespace papilio::primitives
