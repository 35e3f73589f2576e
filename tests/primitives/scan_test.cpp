#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/primitives.h"

namespace papilio {
namespace {

constexpr int thread_counts[] = {1, 2, 7, 0};
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

template <class Value>
class ExclusiveScan : public testing::Test {};
using Values = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ExclusiveScan, Values);

// Sizes on both sides of one and two parts' least size (2^15 values), and of seven parts.
TYPED_TEST(ExclusiveScan, SumsAsAPlainLoopDoes) {
  std::mt19937_64 generator(2);
  for (const std::size_t count : {0u, 1u, 2u, 1000u, 32767u, 32768u, 32769u, 65535u, 65536u, 65537u, 300'001u}) {
    std::vector<TypeParam> values(count);
    for (TypeParam& value : values) value = static_cast<TypeParam>(static_cast<std::int32_t>(generator()));
    std::vector<std::int64_t> expected(count + 1);
    for (std::size_t i = 0; i < count; ++i) expected[i + 1] = expected[i] + values[i];
    for (const int threads : thread_counts) {
      std::vector<std::int64_t> sums(count + 1, -1);
      EXPECT_EQ(exclusive_scan(VectorView<const TypeParam>(values), sums, threads), expected[count]);
      ASSERT_EQ(sums, expected) << count << " values, threads " << threads;

      std::vector<std::int64_t> without_total(count, -1);
      EXPECT_EQ(exclusive_scan(VectorView<const TypeParam>(values), without_total, threads), expected[count]);
      ASSERT_TRUE(std::equal(without_total.begin(), without_total.end(), expected.begin()));
    }
  }
}

TYPED_TEST(ExclusiveScan, RefusesOtherSizes) {
  const std::vector<TypeParam> values(4);
  for (const std::size_t size : {0u, 3u, 6u}) {
    std::vector<std::int64_t> sums(size);
    EXPECT_EQ(error_of([&] { exclusive_scan(VectorView<const TypeParam>(values), sums); }),
              "papilio::exclusive_scan: sums must have as many entries as values, or one more; got " +
                  std::to_string(size) + " for 4");
  }
}

TEST(ExclusiveScanOfInt64, WorksInPlace) {
  for (const int threads : thread_counts) {
    std::vector<std::int64_t> counts(200'001);
    for (std::size_t i = 0; i < 200'000; ++i) counts[i] = static_cast<std::int64_t>(i % 7);
    std::vector<std::int64_t> expected(200'001);
    exclusive_scan(VectorView<const std::int64_t>(counts.data(), 200'000), expected, 1);
    EXPECT_EQ(exclusive_scan(VectorView<const std::int64_t>(counts.data(), 200'000), counts, threads), expected.back());
    EXPECT_EQ(counts, expected) << threads;
  }
}

// Sums touch both ends of int64, and parts' own totals leave it, but no sum does.
TEST(ExclusiveScanOfInt64, ReachesBothEndsOfItsRange) {
  std::vector<std::int64_t> values(300'000);
  values[0] = smallest;
  values[100'000] = largest;
  values[100'001] = largest;
  values[200'000] = 1;
  values[299'999] = smallest + 1;
  for (const int threads : thread_counts) {
    std::vector<std::int64_t> sums(300'001);
    EXPECT_EQ(exclusive_scan(VectorView<const std::int64_t>(values), sums, threads), 0);
    EXPECT_EQ(sums[1], smallest);
    EXPECT_EQ(sums[100'001], -1);
    EXPECT_EQ(sums[200'000], largest - 1);
    EXPECT_EQ(sums[299'999], largest);
    EXPECT_EQ(sums[300'000], 0);
  }
}

TEST(ExclusiveScanOfInt64, NamesTheFirstSumThatDoesNotFit) {
  for (const std::size_t first : {std::size_t{1}, std::size_t{40'000}, std::size_t{120'000}, std::size_t{299'999}}) {
    for (const bool below : {false, true}) {
      std::vector<std::int64_t> values(300'000);
      values[0] = below ? smallest + 5 : largest - 5;
      for (std::size_t i = first; i < values.size(); i += 997) values[i] = below ? -6 : 6;
      if (first + 1 < values.size()) values[first + 1] = below ? largest : smallest;  // back into range, too late
      for (const int threads : thread_counts) {
        std::vector<std::int64_t> sums(300'000);
        EXPECT_EQ(error_of([&] { exclusive_scan(VectorView<const std::int64_t>(values), sums, threads); }),
                  "papilio::exclusive_scan: the sum of values 0 ... " + std::to_string(first) + " does not fit int64");
      }
    }
  }
}

// Differences of the sums are the values again, for any signs and sizes within range.
RC_GTEST_PROP(ExclusiveScanOfInt32, DifferencesAreTheValues, (const std::vector<std::int32_t>& values)) {
  std::vector<std::int64_t> sums(values.size() + 1);
  const std::int64_t total = exclusive_scan(VectorView<const std::int32_t>(values), sums, 2);
  RC_ASSERT(sums.front() == 0);
  RC_ASSERT(sums.back() == total);
  for (std::size_t i = 0; i < values.size(); ++i) RC_ASSERT(sums[i + 1] - sums[i] == values[i]);
}

TEST(Compact, KeepsFlaggedValuesInOrder) {
  std::mt19937_64 generator(4);
  for (const std::size_t count : {0u, 1u, 2u, 1000u, 32768u, 65535u, 65536u, 65537u, 300'001u}) {
    for (const unsigned share : {0u, 1u, 50u, 99u, 100u}) {
      std::vector<std::int32_t> values(count);
      std::vector<std::uint8_t> flags(count);
      std::vector<std::int32_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<std::int32_t>(generator());
        flags[i] = generator() % 100 < share ? static_cast<std::uint8_t>(1 + generator() % 255) : std::uint8_t{0};
        if (flags[i] != 0) expected.push_back(values[i]);
      }
      const auto size = static_cast<std::int64_t>(expected.size());
      expected.resize(expected.size() + 3, -1);  // and nothing after them is touched
      for (const int threads : thread_counts) {
        std::vector<std::int32_t> kept(expected.size(), -1);
        EXPECT_EQ(compact(values, flags, kept, threads), size);
        ASSERT_EQ(kept, expected) << count << " values, share " << share << ", threads " << threads;
      }
    }
  }
}

TEST(Compact, FillsExactlyTheRoomThereIs) {
  const std::vector<std::int32_t> values = {5, 6, 7, 8};
  const std::vector<std::uint8_t> flags = {0, 1, 1, 0};
  std::vector<std::int32_t> kept = {-1, -1, -1};
  EXPECT_EQ(compact(values, flags, VectorView<std::int32_t>(kept.data(), 2)), 2);
  EXPECT_EQ(kept, (std::vector<std::int32_t>{6, 7, -1}));
  EXPECT_EQ(error_of([&] { compact(values, flags, VectorView<std::int32_t>(kept.data(), 1)); }),
            "papilio::compact: kept has room for 1 values, 2 are flagged");
}

TEST(Compact, WorksInPlaceOnOneThreadOnly) {
  std::vector<std::int32_t> values(100'000);
  std::vector<std::uint8_t> flags(values.size());
  std::vector<std::int32_t> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int32_t>(i);
    flags[i] = i % 3 == 1 ? 1 : 0;
    if (flags[i] != 0) expected.push_back(values[i]);
  }
  for (const int threads : {0, 2}) {
    EXPECT_EQ(error_of([&] { compact(values, flags, values, threads); }),
              "papilio::compact: kept may be values itself only where threads is 1; got " + std::to_string(threads));
  }
  EXPECT_EQ(compact(values, flags, values, 1), static_cast<std::int64_t>(expected.size()));
  values.resize(expected.size());
  EXPECT_EQ(values, expected);
}

TEST(Compact, RefusesFlagsOfAnotherSize) {
  const std::vector<std::int32_t> values(4);
  const std::vector<std::uint8_t> flags(3);
  std::vector<std::int32_t> kept(4);
  EXPECT_EQ(error_of([&] { compact(values, flags, kept); }),
            "papilio::compact: flags must have one entry per value; got 3 for 4");
}

}  // namespace
}  // namespace papilio
