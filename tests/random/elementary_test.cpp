#include "random/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace papilio::random {
namespace {

// The error of `value` in units in the last place of the exact result; near 0, in units of `floor`.
double ulps(double value, long double exact, double floor) {
  const double nearest = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  return static_cast<double>(std::abs(value - exact) / std::max(ulp, floor));
}

// The C library's extended precision is the oracle: 64 bits, so 2^-11 ulp of a double.
TEST(NaturalLog, IsWithinTwoUlps) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> exponent(-1022, 1023), near_one(0.5, 2.0), very_near_one(-1e-6, 1e-6);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    for (const double x : {std::exp2(exponent(bits)), near_one(bits), 1 + very_near_one(bits)})
      worst = std::max(worst, ulps(natural_log(x), std::log(static_cast<long double>(x)), 0x1p-53));
  }
  for (const double x : {std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), 0x1.6a09e667f3bccp0,
                         0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bcep0, std::nextafter(1.0, 0.0), std::nextafter(1.0, 2.0)})
    worst = std::max(worst, ulps(natural_log(x), std::log(static_cast<long double>(x)), 0x1p-53));
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(natural_log(1.0), 0.0);
}

TEST(Exponential, IsWithinTwoUlps) {
  std::mt19937_64 bits(2);
  std::uniform_real_distribution<double> all(-708, 700), small(-1, 1);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    for (const double x : {all(bits), small(bits), small(bits) * 1e-9})
      worst = std::max(worst, ulps(exponential(x), std::exp(static_cast<long double>(x)), 0));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(exponential(0.0), 1.0);
  EXPECT_EQ(exponential(-709.0), 0.0);
  EXPECT_EQ(exponential(-1e300), 0.0);
}

// Fixed bits: what is drawn with these must not change with a compiler or machine.
TEST(Elementary, KnownBits) {
  EXPECT_EQ(natural_log(2.0), 0x1.62e42fefa39efp-1);
  EXPECT_EQ(natural_log(10.0), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(exponential(1.0), 0x1.5bf0a8b14576ap+1);
  EXPECT_EQ(exponential(-0.5), 0x1.368b2fc6f960ap-1);
}

}  // namespace
}  // namespace papilio::random
