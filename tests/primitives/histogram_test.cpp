#include <gtest/gtest.h>

#include <bit>
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

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::vector<std::int32_t> random_keys(std::int64_t count, std::int64_t bound, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<std::int32_t> keys(static_cast<std::size_t>(count));
  for (std::int32_t& key : keys) key = static_cast<std::int32_t>(generator() % static_cast<std::uint64_t>(bound));
  return keys;
}

template <class Count>
class Histogram : public testing::Test {};
using Counts = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Histogram, Counts);

// Sizes on both sides of a part's least size (2^15 keys), and tables on both
// sides of the keys' size, so that one thread, copies and atomics all take part.
TYPED_TEST(Histogram, CountsAsAPlainLoopDoes) {
  for (const std::int64_t count : {0, 1, 2, 1000, 32767, 32768, 32769, 65535, 65536, 65537, 300'000}) {
    for (const std::int64_t bound : {1, 2, 255, 20'000, 400'000}) {
      const std::vector<std::int32_t> keys = random_keys(count, bound, 11);
      std::vector<TypeParam> expected(static_cast<std::size_t>(bound));
      for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = static_cast<TypeParam>(k % 5);
      const std::vector<TypeParam> before = expected;
      for (const std::int32_t key : keys) ++expected[static_cast<std::size_t>(key)];
      for (const int threads : thread_counts) {
        std::vector<TypeParam> counts = before;
        histogram(keys, VectorView<TypeParam>(counts), threads);
        ASSERT_EQ(counts, expected) << count << " keys below " << bound << ", threads " << threads;
      }
    }
  }
}

// Millions of keys into one count, so that threads that share it would lose some
// if their additions were not atomic.
TYPED_TEST(Histogram, AllTheSameKey) {
  const std::vector<std::int32_t> keys(2'000'000, 3);
  for (const std::size_t bound : {std::size_t{4}, std::size_t{1'100'000}}) {
    for (const int threads : thread_counts) {
      std::vector<TypeParam> counts(bound);
      histogram(keys, VectorView<TypeParam>(counts), threads);
      EXPECT_EQ(counts[3], 2'000'000);
      counts[3] = 0;
      EXPECT_EQ(counts, std::vector<TypeParam>(bound));
    }
  }
}

// The first of several, though a later one is reached sooner by another thread.
TYPED_TEST(Histogram, NamesTheFirstKeyOutOfRange) {
  for (const std::int64_t bound : {40, 400'000}) {
    std::vector<std::int32_t> keys = random_keys(300'000, bound, 5);
    keys[299'999] = -1;
    keys[150'000] = std::numeric_limits<std::int32_t>::min();
    keys[140'017] = static_cast<std::int32_t>(bound);
    const std::string expected =
        "papilio::histogram: key 140017 is " + std::to_string(bound) + ", expected 0 <= key < " + std::to_string(bound);
    for (const int threads : thread_counts) {
      std::vector<TypeParam> counts(static_cast<std::size_t>(bound));
      EXPECT_EQ(error_of([&] { histogram(keys, VectorView<TypeParam>(counts), threads); }), expected);
    }
  }
}

TYPED_TEST(Histogram, WithoutCountsEveryKeyIsOutOfRange) {
  std::vector<TypeParam> counts;
  const std::vector<std::int32_t> keys = {0};
  EXPECT_EQ(error_of([&] { histogram(keys, VectorView<TypeParam>(counts)); }),
            "papilio::histogram: key 0 is 0, expected 0 <= key < 0");
  histogram(VectorView<const std::int32_t>(), VectorView<TypeParam>(counts));
}

// A count may reach the largest value of its type; it never wraps.
TYPED_TEST(Histogram, RefusesToOverflow) {
  constexpr TypeParam largest = std::numeric_limits<TypeParam>::max();
  const std::vector<std::int32_t> keys = {1, 0, 1, 2, 1};
  for (const int threads : thread_counts) {
    std::vector<TypeParam> counts = {0, largest - 3, -5};
    histogram(keys, VectorView<TypeParam>(counts), threads);
    EXPECT_EQ(counts, (std::vector<TypeParam>{1, largest, -4}));

    counts = {0, largest - 2, 0};
    EXPECT_EQ(error_of([&] { histogram(keys, VectorView<TypeParam>(counts), threads); }),
              "papilio::histogram: key 4 is 1, whose count is already " + std::to_string(largest) +
                  ", the largest of its type");
  }
}

TYPED_TEST(Histogram, ChecksKeysNextToTheLargestCountToo) {
  std::vector<TypeParam> counts = {std::numeric_limits<TypeParam>::max(), 0};
  const std::vector<std::int32_t> keys = {1, 2, 1};
  EXPECT_EQ(error_of([&] { histogram(keys, VectorView<TypeParam>(counts)); }),
            "papilio::histogram: key 1 is 2, expected 0 <= key < 2");
}

// A small corpus: six tokens in documents {0, 1}, {}, {2, 3, 4, 5}.
class HistogramByKey : public testing::Test {
 protected:
  std::vector<std::int32_t> values = {2, 0, 1, 1, 0, 1};
  std::vector<std::int64_t> offsets = {0, 2, 2, 6};
  std::vector<std::int64_t> none;
  std::vector<std::int32_t> counts = std::vector<std::int32_t>(9, -7);

  void count(int threads = 1) { histogram_by_key(values, offsets, none, {counts.data(), 3, 3}, threads); }
};

TEST_F(HistogramByKey, CountsSegments) {
  for (const int threads : thread_counts) {
    count(threads);
    EXPECT_EQ(counts, (std::vector<std::int32_t>{1, 0, 1, 0, 0, 0, 1, 3, 0}));
  }
}

TEST_F(HistogramByKey, CountsItemsByOrder) {
  const std::vector<std::int64_t> order = {5, 0, 4, 3, 2, 2};
  histogram_by_key(values, offsets, order, {counts.data(), 3, 3});
  EXPECT_EQ(counts, (std::vector<std::int32_t>{0, 1, 1, 0, 0, 0, 1, 3, 0}));
}

TEST_F(HistogramByKey, WritesAnyStridesAndNothingBetween) {
  std::vector<std::int32_t> spread(3 * 20, -7);
  histogram_by_key(values, offsets, none, {spread.data(), 3, 3, 20, 2});
  count();
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t j = 0; j < 20; ++j) {
      const bool counted = j % 2 == 0 && j < 6;
      EXPECT_EQ(spread[s * 20 + j], counted ? counts[s * 3 + j / 2] : -7) << s << " " << j;
    }
  }
}

TEST_F(HistogramByKey, NamesTheFirstValueOutOfRange) {
  values = {2, 0, 1, 3, -1, 1};
  EXPECT_EQ(error_of([&] { count(); }), "papilio::histogram_by_key: value 3 is 3, expected 0 <= value < 3");
  EXPECT_EQ(error_of([&] { count(7); }), "papilio::histogram_by_key: value 3 is 3, expected 0 <= value < 3");
  const std::vector<std::int64_t> order = {0, 1, 2, 4, 3, 5};
  EXPECT_EQ(error_of([&] {
              histogram_by_key(values, offsets, order, {counts.data(), 3, 3});
            }),
            "papilio::histogram_by_key: value 4 is -1, expected 0 <= value < 3");
}

TEST_F(HistogramByKey, NamesTheFirstItemOutOfRange) {
  for (const std::int64_t item : {std::int64_t{6}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    const std::vector<std::int64_t> order = {0, 1, 2, item, 4, 5};
    EXPECT_EQ(error_of([&] {
                histogram_by_key(values, offsets, order, {counts.data(), 3, 3});
              }),
              "papilio::histogram_by_key: order 3 is " + std::to_string(item) + ", expected 0 <= order < 6");
  }
}

TEST_F(HistogramByKey, RefusesOffsetsThatDoNotFit) {
  offsets = {0, 2, 6};
  EXPECT_EQ(error_of([&] { count(); }),
            "papilio::histogram_by_key: offsets must have one entry more than counts has rows; got 3 for 3 rows");
  offsets = {0, 3, 2, 6};
  EXPECT_EQ(error_of([&] { count(); }), "papilio::histogram_by_key: offset 2 is 2, expected 3 <= offset <= 6");
  offsets = {0, 2, 2, 7};
  EXPECT_EQ(error_of([&] { count(); }), "papilio::histogram_by_key: offset 3 is 7, expected 2 <= offset <= 6");
  offsets = {-1, 2, 2, 6};
  EXPECT_EQ(error_of([&] { count(); }), "papilio::histogram_by_key: offset 0 is -1, expected 0 <= offset <= 6");
}

// The sizes are refused before any value is read: of an array that lies where no other can, so that none overlaps it.
TEST_F(HistogramByKey, RefusesSegmentsThatAnInt32MightNotCount) {
  const auto* const nowhere = std::bit_cast<const std::int32_t*>(std::uintptr_t{1} << 62);
  offsets = {0, 0, 2'147'483'648, 2'147'483'648};
  EXPECT_EQ(error_of([&] {
              histogram_by_key({nowhere, 2'147'483'648}, offsets, none, {counts.data(), 3, 3});
            }),
            "papilio::histogram_by_key: segment 1 has 2147483648 items, more than an int32 counts");
}

TEST_F(HistogramByKey, NoSegmentsAreFine) {
  offsets = {4};
  histogram_by_key(values, offsets, none, {counts.data(), 0, 3});
  EXPECT_EQ(counts, std::vector<std::int32_t>(9, -7));
}

TEST(HistogramByKeyAtRandom, IsTheSameForAnyThreads) {
  constexpr std::int64_t items = 50'000;
  constexpr std::int64_t segments = 333;
  constexpr std::int64_t columns = 17;
  const std::vector<std::int32_t> values = random_keys(items, columns, 3);
  std::vector<std::int64_t> offsets(segments + 1);
  for (std::int64_t s = 0; s <= segments; ++s) {
    offsets[static_cast<std::size_t>(s)] = items * s * s / (segments * segments);  // long ones last
  }
  std::vector<std::int64_t> order(items);
  for (std::int64_t i = 0; i < items; ++i) order[static_cast<std::size_t>(i)] = i * 7919 % items;
  std::vector<std::int32_t> expected(segments * columns);
  for (std::size_t s = 0; s < segments; ++s) {
    for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const std::int64_t item = order[static_cast<std::size_t>(i)];
      ++expected[s * columns + static_cast<std::size_t>(values[static_cast<std::size_t>(item)])];
    }
  }
  for (const int threads : thread_counts) {
    std::vector<std::int32_t> counts(segments * columns, -1);
    histogram_by_key(values, offsets, order, {counts.data(), segments, columns}, threads);
    EXPECT_EQ(counts, expected) << threads;
  }
}

}  // namespace
}  // namespace papilio
