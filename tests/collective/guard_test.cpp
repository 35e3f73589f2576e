#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "collective/draw.h"
#include "collective/draw_slots.h"
#include "collective/real_weights.h"
#include "support/oracle.h"
#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

// What becomes of a walk that rounding leads astray: it takes the last positive
// weight before the place where it went off, in the order of the walk.

namespace papilio::collective {
namespace {

using testing::SlotOrder;
using testing::WeightRow;

TEST(Walk, StepsAndCategoriesAreInverse) {
  for (int step = 0; step < segment_size; ++step) EXPECT_EQ(step_of_category(category_of_step(step)), step);
  for (int k = 0; k < segment_size; ++k) EXPECT_EQ(category_of_step(step_of_category(k)), k);
}

TEST(Walk, IsTheOrderOfTheTree) {
  const auto walk = testing::segment_walk(0, segment_size);
  ASSERT_EQ(walk.size(), 1024u);
  for (int step = 0; step < segment_size; ++step)
    EXPECT_EQ(category_of_step(step), walk[static_cast<std::size_t>(step)]) << step;
}

template <class W>
class Guard : public ::testing::Test {
 protected:
  // The category that lane q's walk ends in, with the rest rest[q] of its target in segment[q] of row q.
  static std::vector<std::int64_t> walk(const std::vector<WeightRow<float>>& rows, const std::vector<double>& rest,
                                        const std::vector<std::int64_t>& segment) {
    const float* values[W::width];
    std::int64_t sizes[W::width], chosen[W::width], category[W::width];
    collective::Lanes<W, float> sums[groups<W>][W::width];
    for (int q = 0; q < W::width; ++q) {
      const auto i = static_cast<std::size_t>(q);
      values[q] = rows[i].left.data();
      sizes[q] = rows[i].size();
      chosen[q] = segment[i];
    }
    const PlainRows<float> plain{values, sizes};
    IgnoreSigns signs;
    for (int q = 0; q < W::width; ++q) {
      collective::Lanes<W, float> row[groups<W>];
      const std::int64_t first = 1024 * chosen[q];
      add_lanes<W>(plain, q, first, std::min(first + 1024, sizes[q]), signs, row);
      for (int g = 0; g < groups<W>; ++g) sums[g][q] = row[g];
    }
    find_in_segment<W>(plain, LaneTree<W, float>(sums), W::load(rest.data()), chosen, category);
    return {category, category + W::width};
  }
};
using Warps = ::testing::Types<warp::ScalarWarp<8>, warp::SimdWarp<4, warp::register_bytes>,
                               warp::SimdWarp<8, warp::register_bytes>, warp::SimdWarp<16, warp::register_bytes>,
                               warp::SimdWarp<32, warp::register_bytes>>;
TYPED_TEST_SUITE(Guard, Warps);

// A row of 0 but for the given categories.
WeightRow<float> row_with(std::int64_t size, const std::vector<std::pair<std::int64_t, float>>& weights) {
  WeightRow<float> row{std::vector<float>(static_cast<std::size_t>(size))};
  for (const auto& [k, w] : weights) row.left[static_cast<std::size_t>(k)] = w;
  return row;
}

// Past the end of the whole walk: the last positive weight of all, in its order,
// though it may stand anywhere in the row.
TYPED_TEST(Guard, TakesTheLastPositiveWeightOfTheWalk) {
  constexpr auto width = static_cast<std::size_t>(TypeParam::width);
  struct Case {
    WeightRow<float> row;
    std::int64_t segment;
    std::int64_t expected;
  };
  const Case cases[] = {
      {row_with(1, {{0, 1.0f}}), 0, 0},
      {row_with(128, {{0, 1.0f}, {127, 1.0f}}), 0, 127},           // lane 31 is the last of the walk
      {row_with(128, {{4, 1.0f}, {120, 1.0f}}), 0, 4},             // lane 1 comes after lane 30
      {row_with(128, {{64, 1.0f}, {60, 1.0f}}), 0, 60},            // lane 15 after lane 16
      {row_with(1024, {{5, 1.0f}, {5 + 128 * 6, 1.0f}}), 0, 773},  // deeper in the same slot
      {row_with(1000, {{6, 1.0f}, {5 + 128 * 6, 1.0f}}), 0, 6},    // the next slot before any depth
      {row_with(2000, {{3, 1.0f}, {1024, 1.0f}}), 1, 1024},
      {row_with(2000, {{124, 1.0f}, {3, 1.0f}}), 1, 124},  // nothing in segment 1: back into 0, lane 31 last
      {row_with(1030, {{1023, 1.0f}}), 1, 1023},
      {row_with(5000, {{4999, 1.0f}}), 2, 4999},  // nothing before: the first after
      {row_with(300, {}), 0, -1},                 // nothing at all
  };
  for (const auto& c : cases) {
    const std::vector<WeightRow<float>> rows(width, c.row);
    for (const double rest : {2.0, 3.5, 1e30, std::numeric_limits<double>::infinity()}) {
      const auto got = this->walk(rows, std::vector<double>(width, rest), std::vector<std::int64_t>(width, c.segment));
      for (const std::int64_t k : got) ASSERT_EQ(k, c.expected) << c.row.size() << " categories, rest " << rest;
    }
  }
}

// Inside the tree: 2^24 + 3/2 rounds to 2^24 + 2, so that a rest between the two is
// below the sum and above its parts. The weight after them, c, must not be taken for it.
TYPED_TEST(Guard, StaysInTheSubtreeThatItEntered) {
  constexpr auto width = static_cast<std::size_t>(TypeParam::width);
  const std::int64_t a = 0, b = 64, c = 32;  // lanes 0, 16, 8: neighbours in this order
  const auto row = row_with(128, {{a, 0x1p24f}, {b, 1.5f}, {c, 100.0f}});
  const std::vector<WeightRow<float>> rows(width, row);
  const std::vector<std::int64_t> segment(width, 0);
  const std::pair<double, std::int64_t> expected[] = {{0x1p24 - 1, a},   {0x1p24, b},        {0x1p24 + 1.25, b},
                                                      {0x1p24 + 1.5, b}, {0x1p24 + 1.99, b}, {0x1p24 + 2, c}};
  for (const auto& [rest, k] : expected)
    for (const std::int64_t got : this->walk(rows, std::vector<double>(width, rest), segment))
      ASSERT_EQ(got, k) << rest;
}

// Weights over 20 decades, every sum of which rounds, and rests at the boundaries of
// intervals: all walks are the oracle's, and many of them are led astray.
TYPED_TEST(Guard, WalksAsDefinedWhereSumsRound) {
  constexpr auto width = static_cast<std::size_t>(TypeParam::width);
  std::mt19937_64 bits(9);
  int overshot = 0;
  for (int trial = 0; trial < 3200 / TypeParam::width; ++trial) {
    std::vector<WeightRow<float>> rows;
    std::vector<double> rest;
    std::vector<std::int64_t> segment, expected;
    for (std::size_t q = 0; q < width; ++q) {
      const auto size = static_cast<std::int64_t>(1 + bits() % 1500);
      auto row = testing::real_row<float>(trial % 2 == 0 ? testing::Weights::decades : testing::Weights::sparse, false,
                                          size, bits);
      for (float& w : row.left)
        if (bits() % 4 != 0) w = 0;
      row.left[bits() % row.left.size()] = 1.0f;
      const SlotOrder<float> order(row);
      const auto in = static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(1 + (size - 1) / 1024));
      const auto part = testing::segment_walk(in, size);
      long double running = 0;
      const std::size_t stop = bits() % part.size();
      for (std::size_t i = 0; i <= stop; ++i) running += row.exact_weight(part[i]);
      rows.push_back(row);
      rest.push_back(static_cast<double>(running) * (1 + (static_cast<double>(bits() % 5) - 2) * 0x1p-25));
      segment.push_back(in);
      const auto draw = order.draw_in_segment(in, rest.back());
      expected.push_back(draw.category);
      overshot += draw.overshot ? 1 : 0;
      ASSERT_GT(row.weight(draw.category), 0);
    }
    ASSERT_EQ(this->walk(rows, rest, segment), expected) << trial;
  }
  EXPECT_GT(overshot, 50);
}

// The block methods' guard goes by category.
TEST(BlockGuard, TakesThePositiveWeightAtOrBefore) {
  const std::vector<float> weights = {0, 0, 2, 0, 1e-45f, 0, 0};
  const float* row = weights.data();
  const std::int64_t size = 7;
  const PlainRows<float> rows{&row, &size};
  const std::int64_t expected[] = {2, 2, 2, 2, 4, 4, 4, 4, 4};
  for (std::int64_t k = 0; k < 9; ++k) EXPECT_EQ(positive_at_or_before(rows, 0, k), expected[k]) << k;
  const std::vector<float> none(7);
  const float* zeros = none.data();
  EXPECT_EQ(positive_at_or_before(PlainRows<float>{&zeros, &size}, 0, 3), -1);
}

}  // namespace
}  // namespace papilio::collective
