// Sums of float in one integer, as the tiles of a device tell them each other, against sums of any width.

#include "primitives/device/fixed_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "primitives/device/float_window.h"

namespace papilio::primitives {
namespace {

class FixedSums : public ::testing::Test {
 protected:
  std::mt19937_64 random_{15};
  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  // Of any number of bits up to 128.
  Int128 integer() {
    const auto low = static_cast<UInt128>(random_());
    return static_cast<Int128>(static_cast<UInt128>(random_()) << 64 | low) >> draw(0, 127);
  }
};

LongSum<float> long_sum(const FixedSum& sum) {
  LongSum<float> exact;
  exact.clear();
  exact.add_integer(sum.integer, sum.place);
  return exact;
}
bool same(const LongSum<float>& a, const LongSum<float>& b) { return std::memcmp(a.word, b.word, sizeof a.word) == 0; }

TEST_F(FixedSums, AddExactlyOrRefuse) {
  int added = 0, refused = 0;
  for (int round = 0; round < 50'000; ++round) {
    FixedSum sum = {integer() >> 13, static_cast<int>(draw(0, 150))};
    const FixedSum other = {integer() >> 13,
                            static_cast<int>(std::clamp<std::int64_t>(sum.place + draw(-60, 60), 0, 150))};
    LongSum<float> exact = long_sum(sum);
    exact.add(long_sum(other));
    const int bits = static_cast<int>(draw(60, 126));
    if (sum.add(other, bits)) {
      ++added;
      ASSERT_TRUE(same(long_sum(sum), exact)) << round;
      ASSERT_TRUE(other.integer == 0 || has_room(sum.integer, bits));
    } else {
      ++refused;
    }
  }
  EXPECT_GT(added, 10'000);
  EXPECT_GT(refused, 1000);
}

TEST_F(FixedSums, PackAndUnpack) {
  for (int round = 0; round < 20'000; ++round) {
    const FixedSum sum = {integer() >> 12, static_cast<int>(draw(0, (1 << FixedSum::place_bits) - 1))};
    ASSERT_TRUE(has_room(sum.integer, FixedSum::record_bits));
    const auto state = static_cast<std::uint32_t>(draw(0, 3));
    const PackedSum packed = PackedSum::of(sum, state);
    ASSERT_EQ(PackedSum::state(packed.high), state);
    ASSERT_FALSE(packed.is_elsewhere());
    ASSERT_TRUE(packed.sum().integer == sum.integer) << round;
    if (sum.integer != 0) {
      ASSERT_EQ(packed.sum().place, sum.place);
    }
  }
  EXPECT_TRUE((PackedSum{0, PackedSum::elsewhere | 2}.is_elsewhere()));
}

TEST_F(FixedSums, FromLongSums) {
  int fit = 0;
  for (int round = 0; round < 20'000; ++round) {
    LongSum<float> exact;
    exact.clear();
    for (std::int64_t i = draw(0, 3); i-- > 0;)
      exact.add_integer(integer() >> draw(12, 100), static_cast<int>(draw(0, 190)));
    FixedSum sum;
    if (!FixedSum::from(exact, sum)) continue;
    ++fit;
    ASSERT_TRUE(same(long_sum(sum), exact)) << round;
    ASSERT_TRUE(has_room(sum.integer, FixedSum::record_bits));
    ASSERT_LT(sum.place, 1 << FixedSum::place_bits);
  }
  EXPECT_GT(fit, 5000);
  LongSum<float> special;
  special.clear();
  FixedSum sum;
  EXPECT_TRUE(FixedSum::from(special, sum));
  EXPECT_TRUE(sum.integer == 0);
  special.special = LongSum<float>::minus_infinity_seen;
  EXPECT_FALSE(FixedSum::from(special, sum));
}

// The carry into a tile is the same however the sum is kept.
TEST_F(FixedSums, CarryAsLongSumsDo) {
  int hard = 0, simple = 0, split = 0;
  for (int round = 0; round < 50'000; ++round) {
    Window<float> window;
    window.place = static_cast<int>(draw(WindowFormat<float>::least_place, 227));
    const FixedSum sum = {integer() >> draw(12, 100),
                          static_cast<int>(std::clamp<std::int64_t>(window.place + draw(-130, 40), 0, 200))};
    const auto expected = CarryInWindow<float>::of(long_sum(sum), window),
               found = CarryInWindow<float>::of(sum, window);
    ASSERT_EQ(found.hard, expected.hard) << round;
    if (found.hard) {
      ++hard;
      continue;
    }
    ASSERT_EQ(found.shift, expected.shift) << round;
    ASSERT_EQ(found.high, expected.high) << round;
    ASSERT_EQ(found.low, expected.low) << round;
    ASSERT_EQ(found.rest, expected.rest) << round;
    ASSERT_EQ(found.simple, expected.simple);
    if (sum.integer != 0) {
      ASSERT_EQ(found.from_units, expected.from_units);
    }
    ++(found.simple ? simple : split);
  }
  EXPECT_GT(hard, 100);
  EXPECT_GT(simple, 1000);
  EXPECT_GT(split, 1000);
}

}  // namespace
}  // namespace papilio::primitives
