#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
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

// The definition of each method, by the oracle. `longest` is the longest row of the tile.
template <class T>
OracleDraw defined_draw(const Realisation<T>& way, const WeightRow<T>& row, std::int64_t longest, double u,
                        std::int64_t lane) {
  const std::int64_t least = std::max<std::int64_t>(longest, 1);
  const std::int64_t padded = (least + way.width - 1) / way.width * way.width;
  const std::int64_t ahead = longest % way.width;
  const std::int64_t whole = std::max<std::int64_t>(longest, ahead + 1);  // a block, be it of zeros
  const T narrow = static_cast<T>(u);
  switch (way.method) {
    case Method::prefix_linear:
    case Method::prefix_binary: {
      const testing::PrefixOrder<T> order(row, least);
      return {order.draw(narrow), static_cast<double>(order.total())};
    }
    case Method::transposed_in_registers:
    case Method::transposed_through_scratch: {
      const testing::PrefixOrder<T> order(row, padded);
      return {order.draw(narrow), static_cast<double>(order.total())};
    }
    case Method::swap_linear:
    case Method::swap_binary:
    case Method::two_pass: {
      const testing::BlockOrder<T> order(row, way.width, padded);
      return {order.draw(narrow, testing::BlockSearch::only_adds, lane), static_cast<double>(order.total())};
    }
    case Method::add_subtract_linear:
    case Method::add_subtract_binary: {
      const testing::BlockOrder<T> order(row, way.width, padded);
      return {order.draw(narrow, testing::BlockSearch::adds_and_subtracts, lane), static_cast<double>(order.total())};
    }
    case Method::transposed_remnant_first: {
      const testing::PrefixOrder<T> order(row, longest < way.width ? ahead + way.width : longest);
      return {order.draw(narrow), static_cast<double>(order.total())};
    }
    case Method::swap_remnant_first: {
      const testing::BlockOrder<T> order(row, way.width, whole, ahead);
      return {order.draw(narrow, testing::BlockSearch::only_adds, lane), static_cast<double>(order.total())};
    }
    case Method::add_subtract_remnant_first: {
      const testing::BlockOrder<T> order(row, way.width, whole, ahead);
      return {order.draw(narrow, testing::BlockSearch::adds_and_subtracts, lane), static_cast<double>(order.total())};
    }
    case Method::by_slots:
      break;
  }
  const testing::SlotOrder<T> order(row);
  return {order.draw(u).category, order.total()};
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

template <class T>
void expect_defined_draws(const Realisation<T>& way, const std::vector<WeightRow<T>>& rows, std::mt19937_64& bits) {
  std::int64_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  Tile32<T> tile(rows);
  constexpr std::size_t rounds = 4;
  std::vector<std::vector<double>> u;  // by row
  for (const auto& row : rows) {
    if (row.size() == 0) {
      u.emplace_back(rounds, 0.5);
      continue;
    }
    u.push_back(boundary_thresholds(ExactIntervals<T>(row, walk_of(way.order(), row.size())), rounds / 2, bits));
    while (u.back().size() < rounds) u.back().push_back(std::ldexp(static_cast<double>(bits() >> 40), -24));
  }
  std::vector<double> now(rows.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t q = 0; q < rows.size(); ++q) now[q] = u[q][round];
    tile.draw(way, now);
    ASSERT_FALSE(tile.memory_overrun());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      const OracleDraw expected = defined_draw(way, rows[q], longest, now[q], static_cast<std::int64_t>(q));
      ASSERT_EQ(tile.total[q], expected.total) << "row " << q << " of " << rows[q].size() << " categories";
      if (rows[q].size() == 0) continue;
      ASSERT_EQ(tile.category[q], expected.category)
          << "row " << q << " of " << rows[q].size() << " categories, u " << std::hexfloat << now[q];
    }
  }
}

template <class T>
void sweep_defined_draws(const Realisation<T>& way) {
  std::mt19937_64 bits(5);
  int turn = 0;
  for (const std::int64_t categories : category_counts(way.width)) {
    const Weights kind = all_weights[turn % 4];
    const bool product = turn % 3 == 1, ragged = turn % 5 == 2;
    ++turn;
    expect_defined_draws(way, real_rows<T>(way.width, kind, product, ragged, categories, bits), bits);
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
  std::mt19937_64 bits(6);
  const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  for (const std::int64_t categories : {1, 2, 7, 31, 32, 33, 100, 128, 1000, 1025, 4097}) {
    for (const Weights kind : {Weights::uniform, Weights::sparse, Weights::decades}) {
      const auto rows = real_rows<T>(way.width, kind, categories % 2 == 1, false, categories, bits);
      const std::int64_t padded = (categories + way.width - 1) / way.width * way.width;
      Tile32<T> tile(rows);
      std::vector<ExactIntervals<T>> exact;
      for (const auto& row : rows) exact.emplace_back(row, walk_of(way.order(), categories));
      for (int round = 0; round < 8; ++round) {
        std::vector<double> u;
        for (const auto& intervals : exact) u.push_back(boundary_thresholds(intervals, 1, bits).front());
        tile.draw(way, u);
        for (std::size_t q = 0; q < rows.size(); ++q) {
          auto k = tile.category[q];
          if (way.method != Method::by_slots) k = guarded(way, rows[q], k);
          ASSERT_TRUE(0 <= k && k < categories) << k;
          ASSERT_GT(rows[q].weight(k), 0);
          const long double off = exact[q].distance(k, u[q] * exact[q].total()) / exact[q].total();
          ASSERT_LE(off, units_of_rounding(way, padded) * unit) << "category " << k << " of " << categories;
        }
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
