#pragma once

#include <cmath>
#include <cstdint>

#include "warp/portability.h"

// Logarithm and exponential from IEEE additions, multiplications and divisions
// alone, so that what is drawn with them is the same on every machine; a C
// library's own may differ in the last bit. Must be compiled without contraction.
//
// __builtin_bit_cast and not std::bit_cast: kernels of one instruction set may not define functions of the library.

namespace papilio::inline PAPILIO_TARGET::random {

// ln 2 in two parts: the product of the first and a small integer is exact.
inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;

// ln x for normal x > 0, within 2 units in the last place or 2^-53 near x = 1.
//
// x = m 2^e with m in (sqrt(1/2), sqrt(2)]; ln m = 2 artanh(s), s = (m - 1) / (m + 1),
// |s| < 0.172, by its series up to s^21.
PAPILIO_LANEWISE double natural_log(double x) {
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = __builtin_bit_cast(double, (bits & 0x000F'FFFF'FFFF'FFFFu) | 0x3FF0'0000'0000'0000u);
  if (m > 0x1.6a09e667f3bcdp0) {  // sqrt(2)
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double series = 0;
  for (int n = 21; n >= 3; n -= 2) {
    series = (series + 1.0 / n) * square;
  }
  const double e = exponent;
  return e * ln2_high + (2 * s + (2 * s * series + e * ln2_low));
}

// e^x for x <= 700, within 2 units in the last place; 0 where x < -708.
//
// x = k ln 2 + r with |r| < 0.35; e^r by its series up to r^13.
PAPILIO_LANEWISE double exponential(double x) {
  if (x < -708) {
    return 0;
  }
  const double k = std::floor(x * 0x1.71547652b82fep0 + 0.5);  // 1 / ln 2
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 1;
  for (int n = 13; n >= 1; --n) {
    series = 1 + series * r / n;
  }
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023);
  return series * __builtin_bit_cast(double, exponent << 52);
}

}  // namespace papilio::inline PAPILIO_TARGET::random
