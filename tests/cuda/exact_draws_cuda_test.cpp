// Draws whose categories are known without the CPU's code: integer weights, the oracle,
// written-down draws; rows of mostly zeros and weights at the edges of their type.

#include <map>

#include "cuda/problems.h"
#include "sampling/golden_draws.h"
#include "support/oracle.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaExactDraws : public CudaTest {};
TYPED_TEST_SUITE(CudaExactDraws, StoredTypes);

constexpr std::uint64_t seed = 99;

double uniform_of(std::int64_t id) { return uniform53_of(random_block(seed, 0, static_cast<std::uint64_t>(id))); }

// For each threshold t of `total` a row number whose uniform number lies in
// (t, t + 1) / total, far from the ends.
const std::vector<std::int64_t>& ids_of_thresholds(std::size_t total) {
  static std::map<std::size_t, std::vector<std::int64_t>> known;
  std::vector<std::int64_t>& ids = known[total];
  std::size_t missing = ids.empty() ? total : 0;
  if (missing > 0) ids.assign(total, -1);
  for (std::int64_t id = 0; missing > 0; ++id) {
    const double place = uniform_of(id) * static_cast<double>(total);
    const auto t = static_cast<std::size_t>(place);
    const double inside = place - static_cast<double>(t);
    if (ids[t] >= 0 || inside < 0.01 || inside > 0.99) continue;
    ids[t] = id;
    --missing;
  }
  return ids;
}

// Weights 0 to 3 in about `positive` categories; every third row has its first, every
// third its last.
template <class S>
std::vector<S> integer_row(std::size_t row, std::int64_t columns, std::int64_t positive, std::mt19937_64& bits) {
  std::vector<S> weights(static_cast<std::size_t>(columns), stored<S>(0));
  for (std::int64_t i = 0; i < positive; ++i)
    weights[bits() % weights.size()] = stored<S>(static_cast<double>(bits() % 4));
  if (row % 3 == 0) weights.front() = stored<S>(2);
  if (row % 3 == 1) weights.back() = stored<S>(1);
  if (row % 3 == 2) weights[bits() % weights.size()] = stored<S>(3);
  return weights;
}

// Every threshold of every row: a category of weight n is drawn n times, in the order of the walk.
TYPED_TEST(CudaExactDraws, EveryThresholdOfIntegerWeights) {
  std::mt19937_64 bits(20170204);
  std::vector<std::int64_t> sizes = all_sizes();
  sizes.push_back(131'072);
  for (const std::int64_t columns : sizes) {
    const std::size_t row_count = columns > 10'000 ? 3 : 12;
    const auto walk = slot_walk(columns);
    MatrixProblem<TypeParam> problem = dense(std::vector<TypeParam>(), columns);
    std::vector<std::int64_t> ids, expected;
    for (std::size_t row = 0; row < row_count; ++row) {
      const auto weights = integer_row<TypeParam>(row, columns, std::min<std::int64_t>(columns, 15), bits);
      std::vector<std::int64_t> by_threshold;
      for (const std::int64_t k : walk)
        by_threshold.insert(by_threshold.end(), static_cast<std::size_t>(summed(weights[static_cast<std::size_t>(k)])),
                            k);
      const auto& row_ids = ids_of_thresholds(by_threshold.size());
      ids.insert(ids.end(), row_ids.begin(), row_ids.end());
      expected.insert(expected.end(), by_threshold.begin(), by_threshold.end());
      problem.picked.insert(problem.picked.end(), by_threshold.size(), static_cast<std::int32_t>(row));
      problem.memory.insert(problem.memory.end(), weights.begin(), weights.end());
    }
    problem.rows = static_cast<std::int64_t>(row_count);
    const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = seed, .row_ids = ids});
    ASSERT_TRUE(same_bytes(found.drawn, expected, "the category")) << columns << " categories";
  }
}

// Row numbers whose uniform numbers are the least and the greatest of a million, and those
// nearest to a boundary of eight equal weights.
std::vector<std::int64_t> ids_near_boundaries() {
  std::vector<std::pair<double, std::int64_t>> nearest;
  for (std::int64_t id = 0; id < 1'000'000; ++id) {
    const double place = uniform_of(id) * 8;
    nearest.emplace_back(std::abs(place - std::round(place)), id);
  }
  std::partial_sort(nearest.begin(), nearest.begin() + 400, nearest.end());
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < 400; ++i) ids.push_back(nearest[i].second);
  return ids;
}

// The category of each row by the oracle.
template <class S>
std::vector<std::int64_t> expected_draws(const MatrixProblem<S>& problem, const std::vector<std::int64_t>& ids) {
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < problem.rows; ++i) {
    WeightRow<SumType<S>> row;
    for (std::int64_t k = 0; k < problem.columns; ++k)
      row.left.push_back(summed(problem.memory[static_cast<std::size_t>(problem.origin + i * problem.row_stride + k)]));
    expected.push_back(SlotOrder<SumType<S>>(row).draw(uniform_of(ids[static_cast<std::size_t>(i)])).category);
  }
  return expected;
}

TYPED_TEST(CudaExactDraws, NextToBoundaries) {
  const auto ids = ids_near_boundaries();
  for (const std::int64_t columns : {8, 9, 71, 128, 1000, 1024, 2048}) {
    MatrixProblem<TypeParam> problem = dense(std::vector<TypeParam>(static_cast<std::size_t>(columns)), columns);
    const auto walk = slot_walk(columns);
    for (std::size_t i = 0; i < 8; ++i)  // eight ones, spread evenly over the walk
      problem.memory[static_cast<std::size_t>(walk[i * walk.size() / 8])] = stored<TypeParam>(1);
    problem.rows = static_cast<std::int64_t>(ids.size());
    problem.row_stride = 0;
    const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = seed, .row_ids = ids});
    ASSERT_TRUE(same_bytes(found.drawn, expected_draws(problem, ids), "the category")) << columns << " categories";
  }
}

TYPED_TEST(CudaExactDraws, RealWeightsDrawAsTheOracleSays) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 60; ++i) ids.push_back(i);
  for (const std::int64_t columns : {1, 5, 32, 71, 128, 129, 500, 1024, 1025, 4097}) {
    const auto problem = dense<TypeParam>(60, columns, 21, 0.4);
    const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = seed});
    ASSERT_TRUE(same_bytes(found.drawn, expected_draws(problem, ids), "the category")) << columns << " categories";
  }
}

TYPED_TEST(CudaExactDraws, MostlyZeros) {
  std::mt19937_64 bits(5);
  for (const double zeros : {0.7, 0.99})
    for (const std::int64_t columns : {5, 33, 71, 128, 200, 1000, 1024, 3000}) {
      constexpr std::int64_t rows = 2000;
      auto problem = dense(weights_of<TypeParam>(rows * columns, 22, zeros), columns);
      // Spread over thirty powers of two: tree sums then point at weights of 0.
      for (TypeParam& w : problem.memory)
        if (summed(w) > 0) w = stored<TypeParam>(std::ldexp(1.0, -static_cast<int>(bits() % 24)));
      const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = 3});
      ASSERT_TRUE(same_draws(found, draw_on_host<std::int64_t>(problem, {.seed = 3}))) << columns << " categories";
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t k = found.drawn[static_cast<std::size_t>(i)];
        if (k >= 0) {
          ASSERT_GT(summed(problem.memory[static_cast<std::size_t>(i * columns + k)]), 0);
        }
      }
    }
}

TYPED_TEST(CudaExactDraws, OneHotRows) {
  for (const std::int64_t columns : {1, 4, 31, 71, 128, 257, 1024, 2049}) {
    MatrixProblem<TypeParam> problem =
        dense(std::vector<TypeParam>(static_cast<std::size_t>(columns * columns)), columns);
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < columns; ++i) {
      problem.memory[static_cast<std::size_t>(i * columns + i)] = stored<TypeParam>(0.3);
      expected.push_back(i);
    }
    const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = 4});
    ASSERT_TRUE(same_bytes(found.drawn, expected, "the category")) << columns << " categories";
  }
}

// Subnormal weights, totals next to underflow and overflow, and the widest mixtures.
TYPED_TEST(CudaExactDraws, WeightsAtTheEdgesOfTheirType) {
  using S = TypeParam;
  const S tiny = least<S>(), huge = stored<S>(static_cast<double>(summed(largest<S>())) / 4096), zero = stored<S>(0),
          one = stored<S>(1);
  const std::vector<std::vector<S>> kinds = {{tiny}, {tiny, zero}, {one, tiny}, {huge, zero}, {huge, one, tiny, zero}};
  std::mt19937 bits(2);
  for (const auto& kind : kinds)
    for (const std::int64_t columns : {1, 2, 5, 100, 129, 1025}) {
      MatrixProblem<S> problem = dense(std::vector<S>(static_cast<std::size_t>(200 * columns)), columns);
      for (std::size_t i = 0; i < problem.memory.size(); ++i)
        problem.memory[i] = i % static_cast<std::size_t>(columns) == 0 ? kind[0] : kind[bits() % kind.size()];
      const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = 3});
      ASSERT_TRUE(same_draws(found, draw_on_host<std::int64_t>(problem, {.seed = 3}))) << columns << " categories";
      for (const DrawStatus status : found.status) ASSERT_EQ(status, DrawStatus::ok);
    }
}

// The draws that tests/sampling has written down.
TYPED_TEST(CudaExactDraws, GoldenDraws) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    for (const auto& [columns, expected] : golden_draws()) {
      MatrixProblem<TypeParam> problem = dense(golden_row<TypeParam>(columns), columns);
      problem.rows = static_cast<std::int64_t>(expected.size());
      problem.row_stride = 0;
      const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = 1, .stream = 2});
      EXPECT_TRUE(same_bytes(found.drawn, expected, "the category")) << columns << " categories";
    }
  } else {
    // Weights up to 100 are exact in 16 bits, and up to 5 in 8 bits: sums in float draw the same.
    for (const auto& [columns, expected] : golden_draws()) {
      if (columns > (sizeof(TypeParam) == 1 ? 5 : 100)) continue;
      std::vector<TypeParam> row;
      for (const float w : golden_row<float>(columns)) row.push_back(stored<TypeParam>(w));
      MatrixProblem<TypeParam> problem = dense(row, columns);
      problem.rows = static_cast<std::int64_t>(expected.size());
      problem.row_stride = 0;
      const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = 1, .stream = 2});
      EXPECT_TRUE(same_bytes(found.drawn, expected, "the category")) << columns << " categories";
    }
  }
}

}  // namespace
}  // namespace papilio::testing
