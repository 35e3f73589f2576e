#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "collective/real_weights.h"
#include "collective/realisations.h"
#include "support/oracle.h"

// Real weights: every realisation gives the sums and the categories of its method's
// definition bit for bit, and what it draws is right to within stated rounding.

namespace papilio::testing {
namespace {

struct OracleDraw {
  std::int64_t category;
  double total;
};

// The definition of each method, by the oracle, for each u. `longest` is the longest row of the tile.
template <class T>
std::vector<OracleDraw> defined_draws(const Realisation<T>& way, const WeightRow<T>& row, std::int64_t longest,
                                      const std::vector<double>& all_u, std::int64_t lane) {
  const std::int64_t least = std::max<std::int64_t>(longest, 1);
  const std::int64_t padded = (least + way.width - 1) / way.width * way.width;
  const std::int64_t ahead = longest % way.width;
  const std::int64_t whole = std::max<std::int64_t>(longest, ahead + 1);  // a block, be it of zeros
  const auto for_each_u = [&](const auto& order, const auto& draw) {
    std::vector<OracleDraw> drawn;
    for (const double u : all_u) drawn.push_back({draw(u), static_cast<double>(order.total())});
    return drawn;
  };
  const auto by_prefix = [&](const PrefixOrder<T>& order) {
    return for_each_u(order, [&](double u) { return order.draw(static_cast<T>(u)); });
  };
  const auto by_blocks = [&](const BlockOrder<T>& order, BlockSearch search) {
    return for_each_u(order, [&](double u) { return order.draw(static_cast<T>(u), search, lane); });
  };
  switch (way.method) {
    case Method::prefix_linear:
    case Method::prefix_binary:
      return by_prefix(PrefixOrder<T>(row, least));
    case Method::transposed_in_registers:
    case Method::transposed_through_scratch:
      return by_prefix(PrefixOrder<T>(row, padded));
    case Method::swap_linear:
    case Method::swap_binary:
    case Method::two_pass:
      return by_blocks(BlockOrder<T>(row, way.width, padded), BlockSearch::only_adds);
    case Method::add_subtract_linear:
    case Method::add_subtract_binary:
      return by_blocks(BlockOrder<T>(row, way.width, padded), BlockSearch::adds_and_subtracts);
    case Method::transposed_remnant_first:
      return by_prefix(PrefixOrder<T>(row, longest < way.width ? ahead + way.width : longest));
    case Method::swap_remnant_first:
      return by_blocks(BlockOrder<T>(row, way.width, whole, ahead), BlockSearch::only_adds);
    case Method::add_subtract_remnant_first:
      return by_blocks(BlockOrder<T>(row, way.width, whole, ahead), BlockSearch::adds_and_subtracts);
    case Method::by_slots:
      break;
  }
  const testing::SlotOrder<T> order(row);
  return for_each_u(order, [&](double u) { return order.draw(u).category; });
}

// By how much, in units of 2^-24 or 2^-53 of the total, a draw may miss its interval:
// each sum of n positive terms added in `depth` roundings is off by at most `depth`
// units of itself. The total, the sums that a search adds up and the search's own
// roundings count once each; u * total and a product's weight one more.
template <class T>
double units_of_rounding(const Realisation<T>& way, std::int64_t padded) {
  const double levels = std::countr_zero(static_cast<unsigned>(way.width));
  switch (way.method) {
    case Method::prefix_linear:
    case Method::prefix_binary:
    case Method::transposed_in_registers:
    case Method::transposed_through_scratch:
    case Method::transposed_remnant_first:
      return 2 * static_cast<double>(padded) + 2;
    case Method::by_slots:
      return 2 * (8 + 2 + 5) + 2;  // slot, lane, tree; between segments and in the search: double
    case Method::swap_remnant_first:
    case Method::add_subtract_remnant_first:  // up to a block of terms one by one, then as below
      return 2 * (static_cast<double>(padded) / way.width + levels + way.width) + levels + 2;
    default:
      return 2 * (static_cast<double>(padded) / way.width + levels) + levels + 2;
  }
}

// W rows of a kind; in a ragged tile of other lengths, a third of them empty or short.
template <class T>
std::vector<WeightRow<T>> real_rows(int width, Weights kind, bool product, bool ragged, std::int64_t categories,
                                    std::mt19937_64& bits) {
  std::vector<WeightRow<T>> rows;
  for (int q = 0; q < width; ++q) {
    const auto size = ragged && q % 3 != 1
                          ? static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(categories + 1))
                          : categories;
    rows.push_back(size == 0 ? WeightRow<T>{} : real_row<T>(kind, product, size, bits));
  }
  return rows;
}

// Rows, u of each for every round, and the exact intervals where a test asks for them.
template <class T>
struct RealTile {
  std::vector<WeightRow<T>> rows;
  std::vector<std::vector<double>> u;  // by row
  std::vector<ExactIntervals<T>> exact;
};

// The tiles of a width and an order: `make` makes those of the last ones asked for, which all their ways draw from.
template <class T, class Make>
const std::vector<RealTile<T>>& shared_tiles(const Realisation<T>& way, const Make& make) {
  static int width = 0;
  static Order order;
  static std::vector<RealTile<T>> tiles;
  if (width != way.width || order != way.order()) {
    tiles = make();
    width = way.width;
    order = way.order();
  }
  return tiles;
}

constexpr std::size_t defined_rounds = 4;

template <class T>
RealTile<T> with_boundaries(std::vector<WeightRow<T>> rows, Order order, std::mt19937_64& bits) {
  RealTile<T> tile{std::move(rows), {}, {}};
  for (const auto& row : tile.rows) {
    if (row.size() == 0) {
      tile.u.emplace_back(defined_rounds, 0.5);
      continue;
    }
    tile.u.push_back(boundary_thresholds(ExactIntervals<T>(row, walk_of(order, row.size())), defined_rounds / 2, bits));
    while (tile.u.back().size() < defined_rounds)
      tile.u.back().push_back(std::ldexp(static_cast<double>(bits() >> 40), -24));
  }
  return tile;
}

template <class T>
void expect_defined_draws(const Realisation<T>& way, const RealTile<T>& drawing) {
  const auto& rows = drawing.rows;
  std::int64_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  std::vector<std::vector<OracleDraw>> expected;  // by row
  for (std::size_t q = 0; q < rows.size(); ++q)
    expected.push_back(defined_draws(way, rows[q], longest, drawing.u[q], static_cast<std::int64_t>(q)));
  Tile32<T> tile(rows);
  std::vector<double> now(rows.size());
  for (std::size_t round = 0; round < defined_rounds; ++round) {
    for (std::size_t q = 0; q < rows.size(); ++q) now[q] = drawing.u[q][round];
    tile.draw(way, now);
    ASSERT_FALSE(tile.memory_overrun());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      ASSERT_EQ(tile.total[q], expected[q][round].total) << "row " << q << " of " << rows[q].size() << " categories";
      if (rows[q].size() == 0) continue;
      ASSERT_EQ(tile.category[q], expected[q][round].category)
          << "row " << q << " of " << rows[q].size() << " categories, u " << std::hexfloat << now[q];
    }
  }
}

template <class T>
void sweep_defined_draws(const Realisation<T>& way) {
  const auto make = [&] {
    std::mt19937_64 bits(5);
    std::vector<RealTile<T>> tiles;
    int turn = 0;
    for (const std::int64_t categories : category_counts(way.width)) {
      const Weights kind = all_weights[turn % 4];
      const bool product = turn % 3 == 1, ragged = turn % 5 == 2;
      ++turn;
      tiles.push_back(
          with_boundaries(real_rows<T>(way.width, kind, product, ragged, categories, bits), way.order(), bits));
    }
    return tiles;
  };
  for (const RealTile<T>& tile : shared_tiles(way, make)) {
    expect_defined_draws(way, tile);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// What the block methods' guard makes of a category.
template <class T>
std::int64_t guarded(const Realisation<T>& way, const WeightRow<T>& row, std::int64_t category) {
  const T* left = row.left.data();
  const T* right = row.right.data();
  const std::int64_t size = row.size();
  return way.guarded(TileRows<T>{&left, row.right.empty() ? nullptr : &right, &size}, category);
}

// Draws at the boundaries of intervals, after the guard: never a weight of 0, and
// the target within rounding of the interval of what is drawn.
template <class T>
void expect_draws_within_rounding(const Realisation<T>& way) {
  constexpr std::size_t rounds = 8;
  const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  const auto make = [&] {
    std::mt19937_64 bits(6);
    std::vector<RealTile<T>> tiles;
    for (const std::int64_t categories : {1, 2, 7, 31, 32, 33, 100, 128, 1000, 1025, 4097}) {
      for (const Weights kind : {Weights::uniform, Weights::sparse, Weights::decades}) {
        RealTile<T> tile{real_rows<T>(way.width, kind, categories % 2 == 1, false, categories, bits), {}, {}};
        for (const auto& row : tile.rows) {
          tile.exact.emplace_back(row, walk_of(way.order(), categories));
          tile.u.push_back(boundary_thresholds(tile.exact.back(), rounds, bits));
        }
        tiles.push_back(std::move(tile));
      }
    }
    return tiles;
  };
  for (const RealTile<T>& drawing : shared_tiles(way, make)) {
    const auto& rows = drawing.rows;
    const std::int64_t categories = rows.front().size();
    const std::int64_t padded = (categories + way.width - 1) / way.width * way.width;
    Tile32<T> tile(rows);
    std::vector<double> u(rows.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t q = 0; q < rows.size(); ++q) u[q] = drawing.u[q][round];
      tile.draw(way, u);
      for (std::size_t q = 0; q < rows.size(); ++q) {
        auto k = tile.category[q];
        if (way.method != Method::by_slots) k = guarded(way, rows[q], k);
        ASSERT_TRUE(0 <= k && k < categories) << k;
        ASSERT_GT(rows[q].weight(k), 0);
        const auto& exact = drawing.exact[q];
        const long double off = exact.distance(k, u[q] * exact.total()) / exact.total();
        ASSERT_LE(off, units_of_rounding(way, padded) * unit) << "category " << k << " of " << categories;
      }
    }
  }
}

class RealDraws : public ::testing::TestWithParam<Realisation<float>> {};
TEST_P(RealDraws, AreThoseOfTheDefinition) { sweep_defined_draws(GetParam()); }
TEST_P(RealDraws, AreWithinRounding) { expect_draws_within_rounding(GetParam()); }
INSTANTIATE_TEST_SUITE_P(, RealDraws, ::testing::ValuesIn(realisations<float>()), name_of);

#if !defined(PAPILIO_TEST_FEW)
class RealDrawsInDouble : public ::testing::TestWithParam<Realisation<double>> {};
TEST_P(RealDrawsInDouble, AreThoseOfTheDefinition) { sweep_defined_draws(GetParam()); }
TEST_P(RealDrawsInDouble, AreWithinRounding) { expect_draws_within_rounding(GetParam()); }
INSTANTIATE_TEST_SUITE_P(, RealDrawsInDouble, ::testing::ValuesIn(realisations<double>()), name_of);
#endif

}  // namespace
}  // namespace papilio::testing
