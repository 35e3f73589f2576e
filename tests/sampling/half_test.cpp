// The conversions of 16-bit and 8-bit numbers, all of them: every number there is, and every float at
// which rounding changes its mind.

#include "papilio/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace papilio {
namespace {

// What the formats say, by arithmetic on powers of two instead of bits. `infinity` follows the largest
// number; in E4M3 it is NaN.
struct HalfFormat {
  using Number = Half;
  static constexpr int fraction_bits = 10, bias = 15, infinity = 0x7C00, sign = 0x8000;
  static Number round(float x) { return to_half(x); }
};
struct BFloat16Format {
  using Number = BFloat16;
  static constexpr int fraction_bits = 7, bias = 127, infinity = 0x7F80, sign = 0x8000;
  static Number round(float x) { return to_bfloat16(x); }
};
struct E4M3Format {
  using Number = Float8E4M3FN;
  static constexpr int fraction_bits = 3, bias = 7, infinity = 0x7F, sign = 0x80;
  static Number round(float x) { return to_float8_e4m3fn(x); }
};
struct E5M2Format {
  using Number = Float8E5M2;
  static constexpr int fraction_bits = 2, bias = 15, infinity = 0x7C, sign = 0x80;
  static Number round(float x) { return to_float8_e5m2(x); }
};

// The value of a number >= 0 below infinity; infinity itself counts as the next power of two.
template <class Format>
double value_of(int bits) {
  const int exponent = bits >> Format::fraction_bits, fraction = bits & ((1 << Format::fraction_bits) - 1);
  if (exponent == 0) return std::ldexp(fraction, 1 - Format::bias - Format::fraction_bits);
  return std::ldexp((1 << Format::fraction_bits) + fraction, exponent - Format::bias - Format::fraction_bits);
}

template <class Format>
class NarrowNumbers : public ::testing::Test {
 protected:
  using Number = typename Format::Number;
  static Number number(int bits) { return {static_cast<decltype(Number::bits)>(bits)}; }

  // x and -x round to `bits` with and without the sign.
  static void expect_rounds_to(float x, int bits) {
    ASSERT_EQ(Format::round(x).bits, bits) << x;
    ASSERT_EQ(Format::round(-x).bits, bits | Format::sign) << -x;
  }
};
using Formats = ::testing::Types<HalfFormat, BFloat16Format, E4M3Format, E5M2Format>;
TYPED_TEST_SUITE(NarrowNumbers, Formats);

TYPED_TEST(NarrowNumbers, EveryNumberHasItsValue) {
  for (int bits = 0; bits < TypeParam::infinity; ++bits) {
    ASSERT_EQ(static_cast<double>(to_float(this->number(bits))), value_of<TypeParam>(bits)) << bits;
    ASSERT_EQ(static_cast<double>(to_float(this->number(bits | TypeParam::sign))), -value_of<TypeParam>(bits)) << bits;
    ASSERT_EQ(std::signbit(to_float(this->number(bits | TypeParam::sign))), true) << bits;
  }
  constexpr bool infinite = !std::is_same_v<TypeParam, E4M3Format>;
  if (infinite) {
    EXPECT_EQ(to_float(this->number(TypeParam::infinity)), std::numeric_limits<float>::infinity());
    EXPECT_EQ(to_float(this->number(TypeParam::infinity | TypeParam::sign)), -std::numeric_limits<float>::infinity());
  }
  for (int bits = TypeParam::infinity + infinite; bits < TypeParam::sign; ++bits) {
    ASSERT_TRUE(std::isnan(to_float(this->number(bits)))) << bits;
    ASSERT_TRUE(std::isnan(to_float(this->number(bits | TypeParam::sign)))) << bits;
  }
}

TYPED_TEST(NarrowNumbers, EveryNumberComesBack) {
  for (int bits = 0; bits < 2 * TypeParam::sign; ++bits) {
    const auto back = TypeParam::round(to_float(this->number(bits)));
    if ((bits & (TypeParam::sign - 1)) <= TypeParam::infinity)
      ASSERT_EQ(back.bits, bits);
    else
      ASSERT_TRUE(std::isnan(to_float(back))) << bits;
  }
}

// Between neighbours: below the middle down, above it up, in it to the even one. Rounding is
// monotone, so nothing is left in between; the last neighbour is infinity.
TYPED_TEST(NarrowNumbers, EveryMiddleGoesToTheEvenNeighbour) {
  for (int bits = 0; bits < TypeParam::infinity; ++bits) {
    const double low = value_of<TypeParam>(bits), high = value_of<TypeParam>(bits + 1), middle = (low + high) / 2;
    const auto at = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(at), middle);  // a float holds every middle
    this->expect_rounds_to(at, bits % 2 == 0 ? bits : bits + 1);
    this->expect_rounds_to(std::nextafter(at, 0.0f), bits);
    this->expect_rounds_to(std::nextafter(at, std::numeric_limits<float>::infinity()), bits + 1);
    this->expect_rounds_to(std::nextafter(static_cast<float>(low), std::numeric_limits<float>::infinity()), bits);
  }
}

// Floats all over, each against its distance from both neighbours.
TYPED_TEST(NarrowNumbers, FloatsGoToTheNearest) {
  for (std::uint64_t pattern = 0; pattern <= 0x7F80'0000u; pattern += 1009) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
    const int bits = TypeParam::round(x).bits;
    ASSERT_LE(bits, TypeParam::infinity) << x;
    const double exact = x, distance = std::abs(value_of<TypeParam>(bits) - exact);
    if (bits < TypeParam::infinity) {
      ASSERT_LE(distance, std::abs(value_of<TypeParam>(bits + 1) - exact)) << x;
    }
    if (bits > 0 && (bits < TypeParam::infinity || exact < value_of<TypeParam>(bits))) {
      ASSERT_LE(distance, std::abs(value_of<TypeParam>(bits - 1) - exact)) << x;
    }
    this->expect_rounds_to(x, bits);
  }
}

TYPED_TEST(NarrowNumbers, ExtremesAndNotANumber) {
  const float infinity = std::numeric_limits<float>::infinity(), huge = std::numeric_limits<float>::max();
  this->expect_rounds_to(0.0f, 0);
  this->expect_rounds_to(infinity, TypeParam::infinity);
  this->expect_rounds_to(huge, TypeParam::infinity);
  this->expect_rounds_to(std::numeric_limits<float>::denorm_min(), 0);
  for (const std::uint32_t pattern : {0x7FC0'0000u, 0x7F80'0001u, 0x7FFF'FFFFu, 0xFFC0'0000u, 0xFF80'0001u}) {
    const auto rounded = TypeParam::round(std::bit_cast<float>(pattern));
    EXPECT_TRUE(std::isnan(to_float(rounded))) << std::hex << pattern;
    EXPECT_EQ(rounded.bits >= TypeParam::sign, pattern >> 31 != 0) << std::hex << pattern;
  }
}

TEST(Half, KnownNumbers) {
  EXPECT_EQ(to_half(1.0f).bits, 0x3C00);
  EXPECT_EQ(to_half(-2.0f).bits, 0xC000);
  EXPECT_EQ(to_half(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(to_half(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(to_half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(to_half(0x1p-14f).bits, 0x0400);
  EXPECT_EQ(to_half(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(to_half(0x1p-25f).bits, 0x0000);
  EXPECT_EQ(to_half(0x1.8p-25f).bits, 0x0001);
  EXPECT_EQ(to_half(1.0f / 3).bits, 0x3555);
  static_assert(to_float(to_half(0.5f)) == 0.5f);
}

TEST(BFloat16, KnownNumbers) {
  EXPECT_EQ(to_bfloat16(1.0f).bits, 0x3F80);
  EXPECT_EQ(to_bfloat16(-2.0f).bits, 0xC000);
  EXPECT_EQ(to_bfloat16(1.0f / 3).bits, 0x3EAB);
  EXPECT_EQ(to_bfloat16(3.3895314e38f).bits, 0x7F7F);
  static_assert(to_float(to_bfloat16(0.5f)) == 0.5f);
}

TEST(Float8, KnownNumbers) {
  EXPECT_EQ(to_float8_e4m3fn(1.0f).bits, 0x38);
  EXPECT_EQ(to_float8_e4m3fn(-2.0f).bits, 0xC0);
  EXPECT_EQ(to_float8_e4m3fn(448.0f).bits, 0x7E);
  EXPECT_EQ(to_float8_e4m3fn(464.0f).bits, 0x7E);
  EXPECT_EQ(to_float8_e4m3fn(464.0001f).bits, 0x7F);
  EXPECT_EQ(to_float8_e4m3fn(0x1p-9f).bits, 0x01);
  EXPECT_EQ(to_float8_e4m3fn(0x1p-10f).bits, 0x00);
  EXPECT_EQ(to_float8_e4m3fn(1.0f / 3).bits, 0x2B);
  EXPECT_EQ(to_float8_e5m2(1.0f).bits, 0x3C);
  EXPECT_EQ(to_float8_e5m2(-2.0f).bits, 0xC0);
  EXPECT_EQ(to_float8_e5m2(57344.0f).bits, 0x7B);
  EXPECT_EQ(to_float8_e5m2(61440.0f).bits, 0x7C);
  EXPECT_EQ(to_float8_e5m2(0x1p-16f).bits, 0x01);
  EXPECT_EQ(to_float8_e5m2(0x1p-17f).bits, 0x00);
  EXPECT_EQ(to_float8_e5m2(1.0f / 3).bits, 0x35);
  static_assert(to_float(to_float8_e4m3fn(0.5f)) == 0.5f);
  static_assert(to_float(to_float8_e5m2(0.5f)) == 0.5f);
}

}  // namespace
}  // namespace papilio
