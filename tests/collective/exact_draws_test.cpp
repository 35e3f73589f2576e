#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "collective/realisations.h"
#include "support/oracle.h"

// Small integer weights, or as many times the least positive number, make every partial
// sum exact in every order, so there is one right answer and no tolerance: over the thresholds t = 0, 1, ..., total - 1
// (u = (t + 1/2) / total, whose rounding stays far inside) a category of weight n
// is drawn exactly n times, and those of a method in the method's own order.

namespace papilio::testing {
namespace {

enum class Kind : std::uint8_t { plain, product };

// What a row's integers are multiplied by.
template <class T>
struct Scale {
  T left = 1, right = 1;
  T unit() const { return left * right; }
};

// By which integers become multiples of the least positive number; of both factors of a product.
template <class T>
constexpr Scale<T> least_scale(Kind kind) {
  using Limits = std::numeric_limits<T>;
  if (kind == Kind::plain) return {Limits::denorm_min(), 1};
  return {Limits::min(), Limits::epsilon()};
}

// Rows of weights 0 to 3, most of them 0: `positive` categories of row 0 have the weight 1, half as many of the others
// 1 to 3, so that rows have about as many thresholds and few are tried twice: never more than `positive`. Of rows that
// are shorter than `positive` any share is not 0, and of row 3 all, with any number of thresholds. Row 1 has its first
// category, row 2 its last.
template <class T>
WeightRow<T> integer_row(std::size_t row, Kind kind, std::int64_t categories, std::int64_t positive,
                         std::mt19937_64& bits) {
  WeightRow<T> weights;
  const auto size = static_cast<std::size_t>(categories), most = static_cast<std::size_t>(positive);
  const std::size_t share = row == 0 ? most : most / 2;
  std::size_t wanted = size > most ? share : row == 3 ? size : bits() % (size + 1);
  weights.left.assign(size, 0);
  if (kind == Kind::product) weights.right.assign(size, 0);
  for (std::size_t k = 0; k < size; ++k) {
    const bool chosen = bits() % (size - k) < wanted;
    wanted -= chosen ? 1 : 0;
    weights.left[k] = static_cast<T>(!chosen ? 0 : row == 0 ? 1 : 1 + bits() % 3);
    if (kind == Kind::product) weights.right[k] = static_cast<T>(bits() % 3);
  }
  const auto set = [&](std::size_t k) {
    weights.left[k] = 2;
    if (kind == Kind::product) weights.right[k] = 1;
  };
  if (row % 8 == 1) set(0);
  if (row % 8 == 2) set(size - 1);
  T total = 0;
  for (std::size_t k = 0; k < size; ++k) total += weights.weight(static_cast<std::int64_t>(k));
  if (total == 0) set(bits() % size);
  return size > most && total > static_cast<T>(positive) ? integer_row<T>(row, kind, categories, positive, bits)
                                                         : weights;
}

// The same, its integers multiplied.
template <class T>
WeightRow<T> integer_row(std::size_t row, Kind kind, Scale<T> scale, std::int64_t categories, std::int64_t positive,
                         std::mt19937_64& bits) {
  WeightRow<T> weights = integer_row<T>(row, kind, categories, positive, bits);
  for (T& w : weights.left) w *= scale.left;
  for (T& w : weights.right) w *= scale.right;
  return weights;
}

// The category of each threshold of a row, in the order of the method.
template <class T>
std::vector<std::int64_t> categories_by_threshold(const WeightRow<T>& row, T unit, Order order) {
  std::vector<std::int64_t> expected;
  for (const std::int64_t k : walk_of(order, row.size()))
    expected.insert(expected.end(), static_cast<std::size_t>(row.weight(k) / unit), k);
  return expected;
}

// Tries every threshold of every row of a tile; rows with fewer thresholds begin again.
template <class T>
void expect_exact(const Realisation<T>& way, const std::vector<WeightRow<T>>& rows, T unit = 1) {
  std::vector<std::vector<std::int64_t>> expected;
  std::size_t most = 0;
  for (const auto& row : rows) {
    expected.push_back(categories_by_threshold(row, unit, way.order()));
    most = std::max(most, expected.back().size());
  }
  Tile32<T> tile(rows);
  std::vector<double> u(rows.size());
  for (std::size_t t = 0; t < most; ++t) {
    for (std::size_t q = 0; q < rows.size(); ++q)
      u[q] = expected[q].empty()
                 ? 0.5
                 : (static_cast<double>(t % expected[q].size()) + 0.5) / static_cast<double>(expected[q].size());
    tile.draw(way, u);
    ASSERT_FALSE(tile.memory_overrun());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      ASSERT_EQ(tile.total[q], static_cast<double>(unit) * static_cast<double>(expected[q].size()))
          << "row " << q << " of " << rows[q].size();
      if (expected[q].empty()) continue;
      ASSERT_EQ(tile.category[q], expected[q][t % expected[q].size()])
          << "row " << q << ", threshold " << t % expected[q].size() << ", " << rows[q].size() << " categories";
    }
  }
}

template <class T>
void sweep(const Realisation<T>& way, Kind kind, const std::vector<std::int64_t>& category_counts,
           Scale<T> scale = {}) {
  std::mt19937_64 bits(20170204);
  for (const std::int64_t categories : category_counts) {
    const std::int64_t positive =
        std::min<std::int64_t>(categories, categories > 2000 ? 10 : 20);  // long rows are slow
    std::vector<WeightRow<T>> rows;
    for (std::size_t q = 0; q < static_cast<std::size_t>(way.width); ++q)
      rows.push_back(integer_row<T>(q, kind, scale, categories, positive, bits));
    expect_exact(way, rows, scale.unit());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
void sweep(const Realisation<T>& way, Kind kind) {
  sweep(way, kind, category_counts(way.width));
}

// Totals are subnormal, so that every product u * total is: none of them may round up.
template <class T>
void sweep_subnormal(const Realisation<T>& way, Kind kind) {
  sweep(way, kind, {1, 2, 3, 5, 8, 31, 32, 33, 65, 100, 257, 1025, 2500}, least_scale<T>(kind));
}

// Rows of other lengths in one tile, some shorter than a block and some empty.
template <class T>
void sweep_ragged(const Realisation<T>& way, Kind kind) {
  std::mt19937_64 bits(7);
  for (const std::int64_t longest : {1, 5, 33, 64, 100, 257, 1025, 2500}) {
    std::vector<WeightRow<T>> rows;
    for (std::size_t q = 0; q < static_cast<std::size_t>(way.width); ++q) {
      const auto size =
          q % 3 == 0 ? longest : static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(longest + 1));
      rows.push_back(size == 0 ? WeightRow<T>{}
                               : integer_row<T>(q, kind, {}, size, std::min<std::int64_t>(size, 24), bits));
    }
    expect_exact(way, rows);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// Long rows with few zeros: more thresholds than can be tried, so random ones.
template <class T>
void sample_dense(const Realisation<T>& way) {
  std::mt19937_64 bits(11);
  for (const std::int64_t categories : {1000, 4097}) {
    std::vector<WeightRow<T>> rows;
    std::vector<std::vector<std::int64_t>> expected;
    for (std::size_t q = 0; q < static_cast<std::size_t>(way.width); ++q) {
      rows.push_back(integer_row<T>(q, Kind::plain, {}, categories, categories - categories / 8, bits));
      expected.push_back(categories_by_threshold(rows.back(), T{1}, way.order()));
    }
    Tile32<T> tile(rows);
    std::vector<double> u(rows.size());
    std::vector<std::size_t> threshold(rows.size());
    for (int round = 0; round < 16; ++round) {
      for (std::size_t q = 0; q < rows.size(); ++q) {
        const std::size_t count = expected[q].size();
        threshold[q] = round == 0 ? 0 : round == 1 ? count - 1 : bits() % count;
        u[q] = (static_cast<double>(threshold[q]) + 0.5) / static_cast<double>(count);
      }
      tile.draw(way, u);
      for (std::size_t q = 0; q < rows.size(); ++q)
        ASSERT_EQ(tile.category[q], expected[q][threshold[q]]) << "row " << q << ", threshold " << threshold[q];
    }
  }
}

class ExactDraws : public ::testing::TestWithParam<Realisation<float>> {};
TEST_P(ExactDraws, OfPlainRows) { sweep(GetParam(), Kind::plain); }
TEST_P(ExactDraws, OfProducts) { sweep(GetParam(), Kind::product); }
TEST_P(ExactDraws, OfRaggedRows) { sweep_ragged(GetParam(), Kind::plain); }
TEST_P(ExactDraws, OfRaggedProducts) { sweep_ragged(GetParam(), Kind::product); }
TEST_P(ExactDraws, OfSubnormalRows) { sweep_subnormal(GetParam(), Kind::plain); }
TEST_P(ExactDraws, OfSubnormalProducts) { sweep_subnormal(GetParam(), Kind::product); }
TEST_P(ExactDraws, OfLongDenseRows) { sample_dense(GetParam()); }
INSTANTIATE_TEST_SUITE_P(, ExactDraws, ::testing::ValuesIn(realisations<float>()), name_of);

#if !defined(PAPILIO_TEST_FEW)
class ExactDrawsInDouble : public ::testing::TestWithParam<Realisation<double>> {};
TEST_P(ExactDrawsInDouble, OfPlainRows) { sweep(GetParam(), Kind::plain); }
TEST_P(ExactDrawsInDouble, OfRaggedProducts) { sweep_ragged(GetParam(), Kind::product); }
TEST_P(ExactDrawsInDouble, OfSubnormalRows) { sweep_subnormal(GetParam(), Kind::plain); }
TEST_P(ExactDrawsInDouble, OfSubnormalProducts) { sweep_subnormal(GetParam(), Kind::product); }
INSTANTIATE_TEST_SUITE_P(, ExactDrawsInDouble, ::testing::ValuesIn(realisations<double>()), name_of);
#endif

}  // namespace
}  // namespace papilio::testing
