// Long sums and fixed point beside a sum written for the tests, and the kernels of each instruction set beside long
// sums: bit for bit.

#include "primitives/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "primitives/exact_reference.h"
#include "primitives/exact_sums_kernel.h"
#include "primitives/fixed_grid.h"
#include "primitives/fixed_grid_kernel.h"

namespace papilio::inline PAPILIO_TARGET {
namespace {

using primitives::block_size;
using primitives::Int128;
using primitives::LongSum;
using testing::ExactReference;
using testing::random_value;
using testing::Spread;
using testing::spreads;

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class ExactSum : public ::testing::Test {
 protected:
  std::mt19937_64 generator_{7};

  std::vector<T> random_values(const Spread& spread, std::size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = random_value<T>(spread, generator_);
    return values;
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSum, Floats);

// Every prefix, and with the values taken away again every one on the way back to +0.
TYPED_TEST(ExactSum, IsRoundedOnce) {
  for (const Spread& spread : spreads<TypeParam>()) {
    const std::vector<TypeParam> values = this->random_values(spread, 400);
    LongSum<TypeParam> sum;
    sum.clear();
    ExactReference reference;
    for (std::size_t i = 0; i < 2 * values.size(); ++i) {
      const TypeParam value = i < values.size() ? values[i] : -values[2 * values.size() - 1 - i];
      sum.add(value);
      reference.add(static_cast<double>(value));
      ASSERT_TRUE(reference.rounds_to(sum.value()))
          << "value " << i << " of spread " << spread.middle << ", " << spread.binades;
    }
    EXPECT_TRUE(same_bits(sum.value(), TypeParam{0}));
  }
}

TYPED_TEST(ExactSum, JoinsInAnyGrouping) {
  const std::vector<TypeParam> values = this->random_values(spreads<TypeParam>().back(), 300);
  LongSum<TypeParam> whole, left, right;
  whole.clear(), left.clear(), right.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole.add(values[i]);
    (this->generator_() % 2 == 0 ? left : right).add(values[i]);
  }
  left.add(right);
  EXPECT_TRUE(std::equal(std::begin(whole.word), std::end(whole.word), std::begin(left.word)));
}

TYPED_TEST(ExactSum, KnowsInfinitiesAndNaN) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity(),
                      largest = std::numeric_limits<TypeParam>::max();
  const auto sum_of = [](std::initializer_list<TypeParam> values) {
    LongSum<TypeParam> sum;
    sum.clear();
    for (const TypeParam value : values) sum.add(value);
    return sum.value();
  };
  const TypeParam nan = primitives::canonical_nan<TypeParam>();
  EXPECT_EQ(sum_of({infinity, 1, infinity}), infinity);
  EXPECT_EQ(sum_of({largest, largest, -infinity}), -infinity);
  EXPECT_EQ(sum_of({largest, largest}), infinity);
  EXPECT_EQ(sum_of({largest, largest, -largest}), largest);
  EXPECT_TRUE(same_bits(sum_of({infinity, -infinity}), nan));
  EXPECT_TRUE(same_bits(sum_of({-std::numeric_limits<TypeParam>::quiet_NaN(), infinity}), nan));
  EXPECT_TRUE(same_bits(sum_of({-TypeParam{0}, -TypeParam{0}}), TypeParam{0}));
}

// Old value and sum in fixed point: added exactly, rounded once.
TYPED_TEST(ExactSum, FixedPointJoinsABinExactly) {
  using primitives::grid_place, primitives::magnitude_bits, primitives::plus_fixed, primitives::to_grid;
  for (const Spread& spread : spreads<TypeParam>()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::vector<TypeParam> values = this->random_values(spread, 50);
      const TypeParam old = random_value<TypeParam>(spreads<TypeParam>()[this->generator_() % 4], this->generator_);
      TypeParam largest = 0;
      for (const TypeParam value : values) largest = std::max(largest, std::abs(value));
      const int place = grid_place<TypeParam>(magnitude_bits(largest), 50);
      Int128 sum = 0;
      ExactReference reference;
      for (const TypeParam value : values) {
        const Int128 units = to_grid<TypeParam>(value, place);
        sum += units;
        // What rounding to the grid leaves of a value: less than a unit, towards 0.
        const TypeParam kept = primitives::rounded_fixed<TypeParam>(units, place);
        ASSERT_TRUE(std::abs(kept) <= std::abs(value));
        ASSERT_LT(std::abs(static_cast<double>(value) - static_cast<double>(kept)),
                  std::ldexp(1.0, std::min(place + primitives::FloatFormat<TypeParam>::least, 1023)));
        reference.add(static_cast<double>(kept));
      }
      reference.add(static_cast<double>(old));
      const TypeParam bin = plus_fixed<TypeParam>(old, sum, place);
      if (sum == 0) {
        ASSERT_TRUE(same_bits(bin, old));
      } else {
        ASSERT_TRUE(reference.rounds_to(bin)) << spread.middle << ", " << spread.binades;
      }
    }
  }
}

TYPED_TEST(ExactSum, KernelsConvertAsFormulasDo) {
  for (const Spread& spread : spreads<TypeParam>()) {
    std::vector<TypeParam> values = this->random_values(spread, 300);
    values[5] = std::numeric_limits<TypeParam>::infinity();
    values[6] = std::numeric_limits<TypeParam>::quiet_NaN();
    const primitives::Magnitudes magnitudes = primitive_kernel::magnitudes(values.data(), 300);
    EXPECT_TRUE(magnitudes.special);
    EXPECT_FALSE(primitive_kernel::magnitudes(values.data() + 7, 293).special);
    const auto largest = static_cast<primitives::BitsOf<TypeParam>>(magnitudes.largest);
    // Every value is a whole number of units of the least last place, and some value is none of twice the unit.
    const double unit = std::ldexp(1.0, magnitudes.last_place + primitives::FloatFormat<TypeParam>::least);
    bool any = false, some_odd = false;
    for (std::size_t i = 0; i < 300; ++i) {
      if (i == 5 || i == 6 || values[i] == 0) continue;
      const auto value = static_cast<double>(values[i]);
      ASSERT_EQ(std::fmod(value, unit), 0) << i;
      any = true;
      some_odd |= unit > std::ldexp(1.0, 1020) || std::fmod(value, 2 * unit) != 0;
    }
    EXPECT_EQ(any, some_odd);
    const int place = primitives::grid_place<TypeParam>(largest, 300);
    std::uint64_t low[300];
    std::int64_t high[300];
    primitive_kernel::fixed_128(values.data(), 300, place, low, high);
    for (std::size_t i = 0; i < 300; ++i) {
      const Int128 units = i == 5 || i == 6 ? Int128{0} : primitives::to_grid<TypeParam>(values[i], place);
      ASSERT_EQ(low[i], static_cast<std::uint64_t>(units)) << i;
      ASSERT_EQ(high[i], static_cast<std::int64_t>(units >> 64)) << i;
    }
  }
}

// Two digits, which add apart from each other, and in any grouping.
TYPED_TEST(ExactSum, DigitsSumAsWideIntegersDo) {
  int exact = 0;
  for (const Spread& spread : spreads<TypeParam>()) {
    const std::vector<TypeParam> values = this->random_values(spread, 300);
    const primitives::Magnitudes magnitudes = primitive_kernel::magnitudes(values.data(), 300);
    const auto largest = static_cast<primitives::BitsOf<TypeParam>>(magnitudes.largest);
    const primitives::TwoDigits digits = primitives::two_digits<TypeParam>(largest, magnitudes.last_place, 300);
    if (!digits.exact) continue;
    ++exact;
    const int place = primitives::grid_place<TypeParam>(largest, 300);
    Int128 sum = 0, group = 0;
    primitives::DigitPair pair = {0, 0};
    for (std::size_t i = 0; i < 300; ++i) {
      sum += primitives::to_grid<TypeParam>(values[i], place);
      group += primitives::to_grid<TypeParam>(values[i], digits.place);
      if (i % 7 != 0 && i != 299) continue;
      const primitives::DigitPair more = primitives::digits_of(group, digits.bits);
      ASSERT_FALSE(__builtin_add_overflow(pair.low, more.low, &pair.low));
      ASSERT_FALSE(__builtin_add_overflow(pair.high, more.high, &pair.high));
      group = 0;
    }
    const Int128 joined = primitives::joined_digits(pair, digits.bits);
    ASSERT_TRUE(same_bits(primitives::plus_fixed<TypeParam>(1, joined, digits.place),
                          primitives::plus_fixed<TypeParam>(1, sum, place)))
        << spread.middle << ", " << spread.binades;
  }
  EXPECT_GE(exact, 3);
}

// The largest sums that two digits must hold: all of one sign, all bits of both digits set.
TEST(TwoDigits, HoldSumsOfTheLargestValues) {
  for (const std::int64_t items : {std::int64_t{1}, std::int64_t{1000}, (std::int64_t{1} << 26) + 1}) {
    const auto largest = primitives::magnitude_bits(std::numeric_limits<double>::max());
    const primitives::TwoDigits digits = primitives::two_digits<double>(largest, 3000, items);
    const Int128 most = (Int128{1} << (2 * digits.bits)) - 1;
    for (const Int128 value : {most, -most}) {
      const primitives::DigitPair one = primitives::digits_of(value, digits.bits);
      std::int64_t low = 0, high = 0;
      EXPECT_FALSE(__builtin_mul_overflow(one.low, items, &low));
      EXPECT_FALSE(__builtin_mul_overflow(one.high, items, &high));
      EXPECT_EQ(primitives::joined_digits({low, high}, digits.bits), value * items);
    }
  }
}

TYPED_TEST(ExactSum, KernelsSumAsLongSumsDo) {
  for (const Spread& spread : spreads<TypeParam>()) {
    for (const std::uint64_t mean : {1u, 5u, 100u, 2500u}) {
      const std::vector<TypeParam> values = this->random_values(spread, 5000);
      std::vector<std::int64_t> offsets = {0};
      while (offsets.back() < 5000) {
        const auto length = static_cast<std::int64_t>(this->generator_() % (2 * mean));
        offsets.push_back(std::min<std::int64_t>(5000, offsets.back() + length));
      }
      std::vector<TypeParam> sums(offsets.size() - 1);
      primitive_kernel::sum_segments<TypeParam>({values.data(), offsets.data(), std::ssize(sums), sums.data()});
      for (std::size_t s = 0; s < sums.size(); ++s) {
        LongSum<TypeParam> sum;
        sum.clear();
        for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) sum.add(values[static_cast<std::size_t>(i)]);
        ASSERT_TRUE(same_bits(sums[s], sum.value()))
            << s << ", mean " << mean << ", " << spread.middle << ", " << spread.binades;
      }
    }
  }
}

// Sums a little beside the middle of two floats, by less than a double of their size shows.
TEST(ExactSumOfFloats, IsNotRoundedToDoubleFirst) {
  const float up = 1 + 0x1p-23f;
  const std::vector<float> values = {1, 0x1p-24f, 0x1p-60f, up, 0x1p-24f, -0x1p-60f, -1, -0x1p-24f, -0x1p-60f};
  const std::vector<std::int64_t> offsets = {0, 3, 6, 9};
  std::vector<float> sums(3);
  primitive_kernel::sum_segments<float>({values.data(), offsets.data(), 3, sums.data()});
  EXPECT_EQ(sums, (std::vector<float>{up, up, -up}));
}

// Blocks one after the other, with and without starts, in place or not.
TYPED_TEST(ExactSum, KernelsScanAsLongSumsDo) {
  for (const Spread& spread : spreads<TypeParam>()) {
    for (const int variant : {0, 1, 2, 3, 4, 5, 6, 7}) {
      const bool exclusive = (variant & 1) != 0, segmented = (variant & 2) != 0, in_place = (variant & 4) != 0;
      const std::vector<TypeParam> values = this->random_values(spread, 3 * block_size);
      std::vector<std::uint8_t> starts(values.size());
      for (std::uint8_t& start : starts) start = segmented && this->generator_() % 50 == 0 ? 1 : 0;
      std::vector<TypeParam> out = values, read = values;
      LongSum<TypeParam> carry, sum;
      carry.clear(), sum.clear();
      for (std::size_t at = 0; at < values.size(); at += block_size) {
        primitive_kernel::scan_block<TypeParam>(
            {(in_place ? out : read).data() + at, segmented ? starts.data() + at : nullptr, out.data() + at, block_size,
             exclusive},
            carry);
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (starts[i] != 0) sum.clear();
        const TypeParam before = sum.value();
        sum.add(values[i]);
        ASSERT_TRUE(same_bits(out[i], exclusive ? before : sum.value()))
            << i << ", " << spread.middle << ", " << spread.binades;
      }
    }
  }
}

}  // namespace
}  // namespace papilio::inline PAPILIO_TARGET
