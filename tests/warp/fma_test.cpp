#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "warp/native_warp.h"
#include "warp/warp_support.h"

// x * y + c is rounded once, where there is no instruction for it too: the C
// library's fma is the oracle. Plain double arithmetic would pass nearly all
// random triples; the families below are those at which it fails.

namespace papilio::warp {
namespace {

// Tiles of 32 triples per family. An instruction either fuses or does not; what is put together without one has more
// cases than that.
#if defined(__FMA__)
constexpr int tiles = 5'000;
#else
constexpr int tiles = 100'000;
#endif

struct Triple {
  float x, y, c;
};

template <class Family>
void expect_rounded_once(Family family) {
  using W = SimdWarp<32, register_bytes>;
  std::mt19937_64 bits(20080201);
  for (int tile = 0; tile < tiles; ++tile) {
    float x[32], y[32], c[32], got[32];
    for (int l = 0; l < 32; ++l) {
      const Triple t = family(bits);
      x[l] = t.x, y[l] = t.y, c[l] = t.c;
    }
    W::store(got, W::fma(W::load(x), W::load(y), W::load(c)));
    for (int l = 0; l < 32; ++l)
      ASSERT_TRUE(same_number(got[l], std::fma(x[l], y[l], c[l])))
          << std::hexfloat << x[l] << " * " << y[l] << " + " << c[l] << ": " << got[l] << ", expected "
          << std::fma(x[l], y[l], c[l]);
  }
}

int range(std::mt19937_64& bits, int low, int high) {
  return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
}
// A float with a random sign and significand, and the exponent `exponent`.
float with_exponent(std::mt19937_64& bits, int exponent) {
  const float significand = 1 + std::ldexp(static_cast<float>(bits() % (1u << 23)), -23);
  return std::ldexp((bits() & 1) != 0 ? significand : -significand, exponent);
}

TEST(Fma, ArbitraryBitsAndHostileValues) {
  expect_rounded_once([](std::mt19937_64& bits) {
    return Triple{value<float>(bits), value<float>(bits), value<float>(bits)};
  });
}

// c cancels all but the last bits of the product.
TEST(Fma, Cancellation) {
  expect_rounded_once([](std::mt19937_64& bits) {
    const float x = with_exponent(bits, range(bits, -20, 20)), y = with_exponent(bits, range(bits, -20, 20));
    float c = -(x * y);
    for (int steps = range(bits, 0, 3); steps > 0; --steps) c = std::nextafter(c, 0.0f);
    return Triple{x, y, c};
  });
}

// The product is half a unit of c, less or more by 2^-46 of itself: in double the
// sum is a tie, which rounds the wrong way half of the time.
TEST(Fma, NearlyTies) {
  expect_rounded_once([](std::mt19937_64& bits) {
    const int exponent = range(bits, -60, 60);
    const float off = std::ldexp(static_cast<float>(range(bits, 0, 40)), -23);
    const float x = std::ldexp(1 + off, range(bits, -30, 30));
    const float sign = (bits() & 1) != 0 ? 1.0f : -1.0f;
    const float y = sign * std::ldexp((bits() & 1) != 0 ? 1 - off : 1 / (1 + off), exponent - 24 - std::ilogb(x));
    return Triple{x, y, with_exponent(bits, exponent)};
  });
}

// One operand is beyond the other's last bit, and shows only in the direction of rounding.
TEST(Fma, HugeRatios) {
  expect_rounded_once([](std::mt19937_64& bits) {
    const float x = with_exponent(bits, range(bits, -60, 60)), y = with_exponent(bits, range(bits, -60, 60));
    return Triple{x, y, with_exponent(bits, std::ilogb(x * y) + range(bits, -60, 60) * 2)};
  });
}

TEST(Fma, SubnormalResults) {
  expect_rounded_once([](std::mt19937_64& bits) {
    const float x = with_exponent(bits, range(bits, -80, -40));
    const float y = with_exponent(bits, range(bits, -152, -120) - std::ilogb(x));
    const float c = range(bits, 0, 3) == 0 ? 0.0f : with_exponent(bits, range(bits, -150, -122));
    return Triple{x, y, c};
  });
}

// Both sides of the largest float and of the tie with the first beyond it.
TEST(Fma, Overflow) {
  expect_rounded_once([](std::mt19937_64& bits) {
    const float x = with_exponent(bits, range(bits, 50, 70)), y = with_exponent(bits, 127 - std::ilogb(x));
    const float c = range(bits, 0, 2) == 0 ? with_exponent(bits, range(bits, 100, 104))
                                           : with_exponent(bits, range(bits, 125, 127));
    return Triple{x, y, c};
  });
}

TEST(Fma, InDouble) {
  using W = SimdWarp<32, register_bytes>;
  std::mt19937_64 bits(3);
  for (int tile = 0; tile < 10'000; ++tile) {
    double x[32], y[32], c[32], got[32];
    for (int l = 0; l < 32; ++l) {
      x[l] = value<double>(bits), y[l] = value<double>(bits);
      c[l] = l % 2 == 0 ? value<double>(bits) : -(x[l] * y[l]);
    }
    W::store(got, W::fma(W::load(x), W::load(y), W::load(c)));
    for (int l = 0; l < 32; ++l)
      ASSERT_TRUE(same_number(got[l], std::fma(x[l], y[l], c[l]))) << x[l] << ' ' << y[l] << ' ' << c[l];
  }
}

}  // namespace
}  // namespace papilio::warp
