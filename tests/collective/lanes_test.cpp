#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "collective/real_weights.h"
#include "collective/realisations.h"

// A row's draw depends on its weights and its u: not on the lane that it is given,
// nor on the rows beside it. The add-subtract form alone lets the lane in.

namespace papilio::testing {
namespace {

bool lane_enters(Method method) {
  return method == Method::add_subtract_linear || method == Method::add_subtract_binary ||
         method == Method::add_subtract_remnant_first;
}

class Lanes : public ::testing::TestWithParam<Realisation<float>> {};

// The same row and the same u in every lane, u at the boundaries of intervals,
// where rounding decides.
TEST_P(Lanes, DoNotEnterTheDraw) {
  const auto& way = GetParam();
  const auto width = static_cast<std::size_t>(way.width);
  std::mt19937_64 bits(3);
  int lane_dependent = 0;
  for (const std::int64_t categories : {3, 32, 96, 130}) {
    for (int trial = 0; trial < 25; ++trial) {
      const auto row = real_row<float>(Weights::uniform, trial % 2 == 0, categories, bits);
      const ExactIntervals<float> exact(row, walk_of(way.order(), categories));
      const std::vector<WeightRow<float>> rows(width, row);
      Tile32<float> tile(rows);
      for (const double u : boundary_thresholds(exact, 10, bits)) {
        tile.draw(way, std::vector<double>(width, u));
        const bool same = std::all_of(tile.category.begin(), tile.category.end(),
                                      [&](std::int64_t k) { return k == tile.category.front(); });
        lane_dependent += same ? 0 : 1;
        ASSERT_TRUE(same || lane_enters(way.method)) << categories << " categories, u " << std::hexfloat << u;
        for (const double total : tile.total) ASSERT_EQ(total, tile.total.front());
      }
    }
  }
  // Of the add-subtract form the contract says that the last bit depends on the lane.
  EXPECT_EQ(lane_dependent > 0, lane_enters(way.method));
}

// Rows handed on from lane to lane among the same neighbours.
TEST_P(Lanes, MayBeExchanged) {
  const auto& way = GetParam();
  if (lane_enters(way.method)) return;
  const auto width = static_cast<std::size_t>(way.width);
  std::mt19937_64 bits(4);
  for (const std::int64_t categories : {5, 33, 128, 1030}) {
    std::vector<WeightRow<float>> rows;
    std::vector<double> u;
    for (std::size_t q = 0; q < width; ++q) {
      rows.push_back(real_row<float>(Weights::sparse, false, q % 4 == 3 ? 1 + categories / 3 : categories, bits));
      u.push_back(std::ldexp(static_cast<double>(bits() >> 40), -24));
    }
    Tile32<float> first(rows);
    first.draw(way, u);
    for (std::size_t turn = 1; turn < width; turn += 1 + width / 8) {
      std::rotate(rows.begin(), rows.begin() + 1, rows.end());
      std::rotate(u.begin(), u.begin() + 1, u.end());
      std::rotate(first.category.begin(), first.category.begin() + 1, first.category.end());
      Tile32<float> turned(rows);
      turned.draw(way, u);
      ASSERT_EQ(turned.category, first.category) << categories << " categories";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Lanes, ::testing::ValuesIn(realisations<float>()), name_of);

}  // namespace
}  // namespace papilio::testing
