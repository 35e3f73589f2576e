// The arithmetic of a GPU's tiles of floats, against sums of any width: windows, carries and digits.

#include "primitives/device/float_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace papilio::primitives {
namespace {

template <class T>
class FloatWindow : public ::testing::Test {
 protected:
  using Bits = BitsOf<T>;
  static constexpr int tile = sizeof(T) == 4 ? 4096 : 2048;

  std::mt19937_64 random_{20};
  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  // A normal number whose exponent field is given.
  T with_exponent(std::int64_t field) {
    const Bits fraction = static_cast<Bits>(random_()) & ((Bits{1} << FloatFormat<T>::fraction_bits) - 1);
    const Bits sign = random_() % 2 == 0 ? FloatFormat<T>::sign : 0;
    return std::bit_cast<T>(static_cast<Bits>(sign | (static_cast<Bits>(field) << FloatFormat<T>::fraction_bits) | fraction));
  }
  static Window<T> window_of(const std::vector<T>& values) {
    std::uint32_t most = 0, least = ~0u;
    for (const T value : values) {
      const std::uint32_t upper = upper_magnitude(value);
      most = std::max(most, upper);
      least = std::min(least, upper - 1);
    }
    return Window<T>::of(most, least);
  }
  static constexpr int most_exponent = static_cast<int>(FloatFormat<T>::infinity >> FloatFormat<T>::fraction_bits) - 1;
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatWindow, Types);

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TYPED_TEST(FloatWindow, SumsOfATileAreRoundedOnce) {
  using T = TypeParam;
  constexpr int spread = WindowFormat<T>::spread;
  for (int round = 0; round < 300; ++round) {
    const std::int64_t highest = this->draw(WindowFormat<T>::least_place + spread + 1, this->most_exponent);
    const int span = static_cast<int>(this->draw(0, spread));
    std::vector<T> values;
    for (int i = 0; i < (round < 4 ? this->tile : 60); ++i)
      values.push_back(this->draw(0, 20) == 0 ? T{-0.0} : this->with_exponent(this->draw(highest - span, highest)));
    values.push_back(this->with_exponent(highest));
    const Window<T> window = this->window_of(values);
    ASSERT_TRUE(window.fits);
    LongSum<T> exact;
    exact.clear();
    typename Window<T>::Integer sum = 0;
    for (const T value : values) {
      exact.add(value);
      sum += window.units(value);
      ASSERT_TRUE(same(window.rounded_sum(sum), exact.value())) << round;
    }
    for (int digit = 0; digit < sum_digits<T>; ++digit) {
      LongSum<T> joined;
      std::int64_t digits[sum_digits<T>];
      for (int d = 0; d < sum_digits<T>; ++d) digits[d] = digit_of<T>(sum, window.place, d);
      join_digits(digits, joined);
      ASSERT_EQ(std::memcmp(joined.word, exact.word, sizeof exact.word), 0);
    }
  }
}

TYPED_TEST(FloatWindow, RefusesWhatDoesNotFit) {
  using T = TypeParam;
  constexpr T tiny = std::numeric_limits<T>::denorm_min(), infinity = std::numeric_limits<T>::infinity();
  EXPECT_TRUE(this->window_of({0, 1, T{-0.0}}).fits);
  EXPECT_TRUE(this->window_of({0, 0}).fits);
  EXPECT_FALSE(this->window_of({1, infinity}).fits);
  EXPECT_FALSE(this->window_of({1, std::numeric_limits<T>::quiet_NaN()}).fits);
  if (sizeof(T) == 4) {
    EXPECT_FALSE(this->window_of({tiny}).fits);
  }
  EXPECT_FALSE(this->window_of({1, std::numeric_limits<T>::min()}).fits);
  const T edge = std::ldexp(T{1}, -WindowFormat<T>::spread);
  EXPECT_TRUE(this->window_of({1, edge}).fits);
  EXPECT_FALSE(this->window_of({1, edge / 2}).fits);
}

TYPED_TEST(FloatWindow, CarriesAddExactly) {
  using T = TypeParam;
  int plain = 0, split = 0, hard = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::int64_t highest =
        this->draw(WindowFormat<T>::least_place + WindowFormat<T>::spread + 1, this->most_exponent);
    const Window<T> window = this->window_of({this->with_exponent(highest)});
    ASSERT_TRUE(window.fits);
    // A carry around the window, of few or many bits, negative or not; often one that nearly cancels.
    LongSum<T> carry;
    carry.clear();
    const int parts = static_cast<int>(this->draw(1, 3));
    for (int p = 0; p < parts; ++p) {
      const std::int64_t place = window.place + this->draw(-90, 100);
      carry.add_integer(static_cast<std::int64_t>(this->random_()) >> this->draw(0, 62),
                        static_cast<int>(std::clamp<std::int64_t>(place, 0, 64 * (carry.words - 2))));
    }
    if (this->draw(0, 50) == 0) carry.special = LongSum<T>::infinity_seen;
    const auto in_window = CarryInWindow<T>::of(carry, window);
    typename Window<T>::Integer sum = static_cast<std::int64_t>(this->random_()) >> this->draw(2, 62);
    if (sizeof(T) == 8) sum = (sum << this->draw(0, 62)) + static_cast<std::int64_t>(this->random_() >> 2);
    if (this->draw(0, 3) == 0 && !in_window.hard && in_window.shift == 0) sum = -in_window.high + this->draw(-2, 2);
    LongSum<T> exact = carry;
    exact.add_integer(sum, window.place);
    T result = 0;
    if (in_window.hard) {
      ++hard;
    } else if (in_window.simple) {
      ++plain;
      ASSERT_TRUE(same(window.rounded_sum(in_window.high + sum), exact.value())) << round;
      ASSERT_TRUE(in_window.plus(sum, window, result));
      ASSERT_TRUE(same(result, exact.value())) << round;
    } else if (in_window.plus(sum, window, result)) {
      ++split;
      ASSERT_TRUE(same(result, exact.value())) << round << " " << result << " " << exact.value();
    } else {
      ++refused;
    }
  }
  EXPECT_GT(plain, 1000);
  EXPECT_GT(split, 1000);
  EXPECT_GT(hard, 100);
  EXPECT_GT(refused, 10);
}

TYPED_TEST(FloatWindow, DigitsAddWithoutCarries) {
  using T = TypeParam;
  std::int64_t digits[sum_digits<T>] = {};
  LongSum<T> exact;
  exact.clear();
  for (int round = 0; round < 3000; ++round) {
    LongSum<T> some;
    some.clear();
    for (int i = 0; i < 5; ++i) some.add(this->with_exponent(this->draw(0, this->most_exponent)));
    exact.add(some);
    for (int d = 0; d < sum_digits<T>; ++d) digits[d] += digit_of(some, d);
  }
  LongSum<T> joined;
  join_digits(digits, joined);
  EXPECT_EQ(std::memcmp(joined.word, exact.word, sizeof exact.word), 0);
}

}  // namespace
}  // namespace papilio::primitives
