// The conversions of 16-bit numbers, all of them: every number there is, and every float at which
// rounding changes its mind.

#include "papilio/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace papilio {
namespace {

// What the two formats say, by arithmetic on powers of two instead of bits.
struct HalfFormat {
  using Number = Half;
  static constexpr int fraction_bits = 10, bias = 15, infinity = 0x7C00;
  static Number round(float x) { return to_half(x); }
};
struct BFloat16Format {
  using Number = BFloat16;
  static constexpr int fraction_bits = 7, bias = 127, infinity = 0x7F80;
  static Number round(float x) { return to_bfloat16(x); }
};

// The value of a number >= 0 below infinity; infinity itself counts as the next power of two.
template <class Format>
double value_of(int bits) {
  const int exponent = bits >> Format::fraction_bits, fraction = bits & ((1 << Format::fraction_bits) - 1);
  if (exponent == 0) return std::ldexp(fraction, 1 - Format::bias - Format::fraction_bits);
  return std::ldexp((1 << Format::fraction_bits) + fraction, exponent - Format::bias - Format::fraction_bits);
}

template <class Format>
class SixteenBits : public ::testing::Test {
 protected:
  using Number = typename Format::Number;
  static Number number(int bits) { return {static_cast<std::uint16_t>(bits)}; }

  // x and -x round to `bits` with and without the sign.
  static void expect_rounds_to(float x, int bits) {
    ASSERT_EQ(Format::round(x).bits, bits) << x;
    ASSERT_EQ(Format::round(-x).bits, bits | 0x8000) << -x;
  }
};
using Formats = ::testing::Types<HalfFormat, BFloat16Format>;
TYPED_TEST_SUITE(SixteenBits, Formats);

TYPED_TEST(SixteenBits, EveryNumberHasItsValue) {
  for (int bits = 0; bits < TypeParam::infinity; ++bits) {
    ASSERT_EQ(static_cast<double>(to_float(this->number(bits))), value_of<TypeParam>(bits)) << bits;
    ASSERT_EQ(static_cast<double>(to_float(this->number(bits | 0x8000))), -value_of<TypeParam>(bits)) << bits;
    ASSERT_EQ(std::signbit(to_float(this->number(bits | 0x8000))), true) << bits;
  }
  EXPECT_EQ(to_float(this->number(TypeParam::infinity)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(to_float(this->number(TypeParam::infinity | 0x8000)), -std::numeric_limits<float>::infinity());
  for (int bits = TypeParam::infinity + 1; bits < 0x8000; ++bits) {
    ASSERT_TRUE(std::isnan(to_float(this->number(bits)))) << bits;
    ASSERT_TRUE(std::isnan(to_float(this->number(bits | 0x8000)))) << bits;
  }
}

TYPED_TEST(SixteenBits, EveryNumberComesBack) {
  for (int bits = 0; bits <= 0xFFFF; ++bits) {
    const auto back = TypeParam::round(to_float(this->number(bits)));
    if ((bits & 0x7FFF) <= TypeParam::infinity)
      ASSERT_EQ(back.bits, bits);
    else
      ASSERT_TRUE(std::isnan(to_float(back))) << bits;
  }
}

// Between neighbours: below the middle down, above it up, in it to the even one. Rounding is
// monotone, so nothing is left in between; the last neighbour is infinity.
TYPED_TEST(SixteenBits, EveryMiddleGoesToTheEvenNeighbour) {
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
TYPED_TEST(SixteenBits, FloatsGoToTheNearest) {
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

TYPED_TEST(SixteenBits, ExtremesAndNotANumber) {
  const float infinity = std::numeric_limits<float>::infinity(), huge = std::numeric_limits<float>::max();
  this->expect_rounds_to(0.0f, 0);
  this->expect_rounds_to(infinity, TypeParam::infinity);
  this->expect_rounds_to(huge, TypeParam::infinity);
  this->expect_rounds_to(std::numeric_limits<float>::denorm_min(), 0);
  for (const std::uint32_t pattern : {0x7FC0'0000u, 0x7F80'0001u, 0x7FFF'FFFFu, 0xFFC0'0000u, 0xFF80'0001u}) {
    const auto rounded = TypeParam::round(std::bit_cast<float>(pattern));
    EXPECT_TRUE(std::isnan(to_float(rounded))) << std::hex << pattern;
    EXPECT_EQ(rounded.bits >> 15, pattern >> 31) << std::hex << pattern;
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

}  // namespace
}  // namespace papilio
