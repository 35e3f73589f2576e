#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
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

struct Sorted {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> order;
  bool operator==(const Sorted&) const = default;
};

Sorted sorted(const std::vector<std::int32_t>& keys, std::size_t key_count, int threads) {
  Sorted result{std::vector<std::int64_t>(key_count + 1, -1), std::vector<std::int64_t>(keys.size(), -1)};
  sort_by_key(keys, result.offsets, result.order, threads);
  return result;
}

// By the standard library's stable sort and binary search.
Sorted sorted_by_comparison(const std::vector<std::int32_t>& keys, std::size_t key_count) {
  const auto key = [&](std::int64_t item) { return keys[static_cast<std::size_t>(item)]; };
  Sorted result{std::vector<std::int64_t>(key_count + 1), std::vector<std::int64_t>(keys.size())};
  std::iota(result.order.begin(), result.order.end(), 0);
  std::ranges::stable_sort(result.order, {}, key);
  for (std::size_t k = 0; k <= key_count; ++k) {
    const auto first = std::ranges::lower_bound(result.order, static_cast<std::int32_t>(k), {}, key);
    result.offsets[k] = first - result.order.begin();
  }
  return result;
}

TEST(SortByKey, TheExampleOfTheContract) { EXPECT_EQ(sorted({1, 0, 1}, 2, 1), (Sorted{{0, 1, 3}, {1, 0, 2}})); }

// Sizes about one, two and more parts (2^14 items at least); more keys than items leave one part.
TEST(SortByKey, IsAStableSort) {
  std::mt19937_64 generator(6);
  for (const std::size_t count : {0u, 1u, 2u, 1000u, 16384u, 32767u, 32768u, 32769u, 120'001u}) {
    for (const std::size_t key_count : {1u, 2u, 300u, 20'000u, 130'000u}) {
      std::vector<std::int32_t> keys(count);
      for (std::int32_t& key : keys) key = static_cast<std::int32_t>(generator() % key_count);
      const Sorted expected = sorted_by_comparison(keys, key_count);
      for (const int threads : thread_counts) {
        ASSERT_EQ(sorted(keys, key_count, threads), expected)
            << count << " items, " << key_count << " keys, threads " << threads;
      }
    }
  }
}

TEST(SortByKey, AllTheSameKeyKeepsTheOrder) {
  std::vector<std::int64_t> expected(100'000);
  std::iota(expected.begin(), expected.end(), 0);
  for (const int threads : thread_counts) {
    const Sorted result = sorted(std::vector<std::int32_t>(100'000, 2), 4, threads);
    EXPECT_EQ(result.offsets, (std::vector<std::int64_t>{0, 0, 0, 100'000, 100'000}));
    EXPECT_EQ(result.order, expected);
  }
}

TEST(SortByKey, NamesTheFirstKeyOutOfRange) {
  std::vector<std::int32_t> keys(100'000, 1);
  keys[99'999] = 40;
  keys[70'000] = -3;
  keys[60'017] = 42;
  for (const int threads : thread_counts) {
    EXPECT_EQ(error_of([&] { sorted(keys, 40, threads); }),
              "papilio::sort_by_key: key 60017 is 42, expected 0 <= key < 40");
  }
  EXPECT_EQ(error_of([&] { sorted({0}, 0, 1); }), "papilio::sort_by_key: key 0 is 0, expected 0 <= key < 0");
}

TEST(SortByKey, RefusesOtherSizes) {
  const std::vector<std::int32_t> keys(3);
  std::vector<std::int64_t> offsets(2);
  std::vector<std::int64_t> order(2);
  EXPECT_EQ(error_of([&] { sort_by_key(keys, offsets, order); }),
            "papilio::sort_by_key: order must have one entry per item; got 2 for 3");
  offsets.clear();
  EXPECT_EQ(error_of([&] { sort_by_key({}, offsets, {}); }),
            "papilio::sort_by_key: offsets must have one entry more than there are keys; got 0");
}

// Sorting the keys of a permuted sequence and undoing it names every item once.
RC_GTEST_PROP(SortByKeyProperty, OrderIsAPermutationWithKeysNotDecreasing, (const std::vector<std::uint8_t>& bytes)) {
  const std::vector<std::int32_t> keys(bytes.begin(), bytes.end());
  const Sorted result = sorted(keys, 256, 2);
  std::vector<bool> seen(keys.size());
  std::int64_t place = 0;
  for (std::size_t k = 0; k < 256; ++k) {
    RC_ASSERT(result.offsets[k] == place);
    for (; place < result.offsets[k + 1]; ++place) {
      const auto item = static_cast<std::size_t>(result.order[static_cast<std::size_t>(place)]);
      RC_ASSERT(keys[item] == static_cast<std::int32_t>(k));
      RC_ASSERT(!seen[item]);
      seen[item] = true;
    }
  }
  RC_ASSERT(place == static_cast<std::int64_t>(keys.size()));
}

}  // namespace
}  // namespace papilio
