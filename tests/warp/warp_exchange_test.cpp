#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "warp/native_warp.h"
#include "warp/simd_exchange.h"
#include "warp/warp_support.h"

// Lanes receive the lanes that they name, bit for bit.

namespace papilio::warp {
namespace {

constexpr int trials = 300;

template <class S>
class WarpExchangeTest : public testing::Test {};
TYPED_TEST_SUITE(WarpExchangeTest, SimdWarps);

TYPED_TEST(WarpExchangeTest, Exchanges) {
  std::mt19937_64 bits(8);
  for (int trial = 0; trial < trials; ++trial) {
    ArrayOf<TypeParam, std::int32_t> from;
    for (std::int32_t& lane : from) lane = static_cast<std::int32_t>(bits() % TypeParam::width);
    for_all_types([&]<class T>() {
      const auto a = values<TypeParam, T>(bits);
      for (int bit = 1; bit < TypeParam::width; bit *= 2) {
        const auto got = stored<TypeParam, T>(TypeParam::shuffle_xor(TypeParam::load(a.data()), bit));
        for (std::size_t l = 0; l < a.size(); ++l)
          ASSERT_TRUE(same_bits(got[l], a[l ^ static_cast<std::size_t>(bit)])) << "bit " << bit << ", lane " << l;
      }
      const auto got =
          stored<TypeParam, T>(TypeParam::shuffle(TypeParam::load(a.data()), TypeParam::load(from.data())));
      for (std::size_t l = 0; l < a.size(); ++l)
        ASSERT_TRUE(same_bits(got[l], a[static_cast<std::size_t>(from[l])])) << "lane " << l;
      int lanes = 0;
      TypeParam::for_each_lane(TypeParam::load(a.data()), [&](int l, T lane) {
        ASSERT_EQ(l, lanes++);
        ASSERT_TRUE(same_bits(lane, a[static_cast<std::size_t>(l)])) << "lane " << l;
      });
      ASSERT_EQ(lanes, TypeParam::width);
    });
  }
}

// Elements of two registers by any numbers, of which the low bits count; the halves of one, both of them again, and the
// elements that have a bit.
TYPED_TEST(WarpExchangeTest, ExchangesOfRegisters) {
  std::mt19937_64 bits(12);
  for (int trial = 0; trial < trials; ++trial) {
    for_all_types([&]<class T>() {
      using Register = typename TypeParam::template Register<T>;
      constexpr auto n = static_cast<std::size_t>(simd::lanes_of<Register>);
      std::array<T, 2 * n> both;
      for (T& x : both) x = value<T>(bits);
      std::array<std::int32_t, n> from;
      for (std::int32_t& lane : from) lane = static_cast<std::int32_t>(bits());
      const auto a = simd::load<Register>(both.data()), b = simd::load<Register>(both.data() + n);
      const auto picked = simd::permute(a, b, simd::load<simd::Vector<std::int32_t, static_cast<int>(n)>>(from.data()));
      const auto low = simd::half_of<0>(a), high = simd::half_of<1>(a);
      const auto whole = simd::both(low, high);
      const auto kept_bits = static_cast<std::uint32_t>(bits());
      const auto kept = simd::compress(kept_bits, a);
      std::size_t kept_before = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const T again = whole[i];
        ASSERT_TRUE(same_bits(again, both[i])) << i << " of " << n;
        if (kept_bits >> i & 1u) {
          const T next = kept[kept_before++];
          ASSERT_TRUE(same_bits(next, both[i])) << i << " of " << n;
        }
        const T x = picked[i];
        ASSERT_TRUE(same_bits(x, both[static_cast<std::uint32_t>(from[i]) % (2 * n)])) << i << " of " << n;
        const T half = i < n / 2 ? low[i] : high[i - n / 2];
        ASSERT_TRUE(same_bits(half, both[i])) << i << " of " << n;
      }
    });
  }
}

// To the float below, or the same; also below the least normal float.
TYPED_TEST(WarpExchangeTest, RoundsDown) {
  using Register = typename TypeParam::template Register<double>;
  constexpr auto n = static_cast<std::size_t>(simd::lanes_of<Register>);
  std::mt19937_64 bits(13);
  for (int trial = 0; trial < trials; ++trial) {
    std::array<double, n> x;
    for (double& element : x) {
      const int kind = static_cast<int>(bits() % 4);
      const double share = 1 + std::ldexp(static_cast<double>(bits() >> 11), -53);
      element = kind == 0   ? 0
                : kind == 1 ? static_cast<double>(static_cast<float>(share))
                : kind == 2 ? std::ldexp(share, -140 - static_cast<int>(bits() % 12))
                            : share;
    }
    const auto down = simd::round_down(simd::load<Register>(x.data()));
    for (std::size_t i = 0; i < n; ++i) {
      const float got = down[i];
      ASSERT_LE(static_cast<double>(got), x[i]);
      ASSERT_GT(static_cast<double>(std::nextafter(got, std::numeric_limits<float>::infinity())), x[i]);
    }
  }
}

// Whole numbers, whose sums are the same in any order.
TYPED_TEST(WarpExchangeTest, RunningSums) {
  std::mt19937_64 bits(11);
  for (int trial = 0; trial < trials; ++trial) {
    ArrayOf<TypeParam, double> x, sums;
    typename TypeParam::template Register<double> before = {};
    double sum = static_cast<double>(trial);
    before += sum;
    for (std::size_t l = 0; l < x.size(); ++l) sums[l] = sum += x[l] = static_cast<double>(bits() % 1000);
    ASSERT_EQ((stored<TypeParam, double>(TypeParam::running_sums(TypeParam::load(x.data()), before))), sums);
    for (std::size_t i = 0; i < sizeof before / sizeof(double); ++i) ASSERT_EQ(before[i], sum);
  }
}

}  // namespace
}  // namespace papilio::warp
