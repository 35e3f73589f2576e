// Batches of every size, split and shuffled; few very long rows; random shapes.

#include <numeric>

#include "cuda/problems.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaBatches : public CudaTest {};
TYPED_TEST_SUITE(CudaBatches, StoredTypes);

// Row i of `problem` with the number ids[i], in the order of `ids`.
template <class S>
MatrixProblem<S> reordered(const MatrixProblem<S>& problem, const std::vector<std::int64_t>& ids) {
  MatrixProblem<S> other = problem;
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::copy_n(problem.memory.begin() + ids[i] * problem.columns, problem.columns,
                other.memory.begin() + static_cast<std::int64_t>(i) * problem.columns);
  return other;
}

TYPED_TEST(CudaBatches, ShuffledRowsDrawLikeOrderedOnes) {
  for (const std::int64_t rows : {1, 7, 8, 31, 32, 33, 100'003})
    for (const std::int64_t columns : {20, 71, 128}) {
      const auto problem = dense<TypeParam>(rows, columns, 3, 0.05);
      const auto expected = draw_on_host<std::int32_t>(problem, {.seed = 7, .stream = 1});
      std::vector<std::int64_t> ids(static_cast<std::size_t>(rows));
      std::iota(ids.begin(), ids.end(), 0);
      std::shuffle(ids.begin(), ids.end(), std::mt19937(1));
      const auto found = draw_on_cuda<std::int32_t>(reordered(problem, ids), {.seed = 7, .stream = 1, .row_ids = ids});
      Draws<std::int32_t> back = found;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        back.drawn[static_cast<std::size_t>(ids[i])] = found.drawn[i];
        back.status[static_cast<std::size_t>(ids[i])] = found.status[i];
      }
      ASSERT_TRUE(same_draws(back, expected)) << rows << " rows x " << columns;
    }
}

TYPED_TEST(CudaBatches, PartsOfABatchDrawLikeTheWhole) {
  for (const std::int64_t columns : {20, 130, 1030}) {
    constexpr std::int64_t rows = 1003;
    const auto problem = dense<TypeParam>(rows, columns, 4);
    const auto whole = draw_on_host<std::int64_t>(problem, {.seed = 6, .stream = 9});
    for (const std::int64_t part : {7, 8, 31, 32, 33, 500}) {
      Draws<std::int64_t> joined;
      for (std::int64_t first = 0; first < rows; first += part) {
        const std::int64_t end = std::min(first + part, rows);
        const std::vector<TypeParam> weights(problem.memory.begin() + first * columns,
                                             problem.memory.begin() + end * columns);
        const auto drawn = draw_on_cuda<std::int64_t>(
            dense(weights, columns), {.seed = 6, .stream = 9, .first_row_id = static_cast<std::uint64_t>(first)});
        joined.drawn.insert(joined.drawn.end(), drawn.drawn.begin(), drawn.drawn.end());
        joined.status.insert(joined.status.end(), drawn.status.begin(), drawn.status.end());
      }
      ASSERT_TRUE(same_draws(joined, whole)) << "in parts of " << part << ", " << columns << " categories";
    }
  }
}

// Seeds, streams and row numbers of more than 32 bits, negative row numbers.
TYPED_TEST(CudaBatches, EveryBitOfTheNumbersCounts) {
  const auto problem = dense<TypeParam>(200, 100, 5);
  constexpr std::uint64_t high = std::uint64_t{1} << 40;
  for (const Call& call : std::vector<Call>{{.seed = high},
                                            {.seed = ~std::uint64_t{0}, .stream = ~std::uint64_t{0}},
                                            {.stream = high},
                                            {.first_row_id = high},
                                            {.first_row_id = 0xFFFFFFFFu - 100},
                                            {.first_row_id = ~std::uint64_t{0} - 100}})
    EXPECT_TRUE(same_on_both<std::int32_t>(problem, call)) << call.seed << " " << call.stream;
  std::vector<std::int64_t> ids(200);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = (static_cast<std::int64_t>(i) - 100) * (std::int64_t{1} << (i % 50));
  EXPECT_TRUE(same_on_both<std::int64_t>(problem, {.row_ids = ids}));
}

TYPED_TEST(CudaBatches, FewVeryLongRows) {
  for (const std::int64_t rows : {1, 2, 16, 64})
    for (const std::int64_t columns : {20'000, 131'072, 131'073}) {
      const auto problem = dense<TypeParam>(rows, columns, static_cast<std::uint32_t>(rows), 0.3);
      ASSERT_TRUE(same_on_both<std::int32_t>(problem, {.seed = 11})) << rows << " rows x " << columns;
    }
}

// Totals of segments that are close to each other, which a warp scans, and far apart, which it adds up in order; rows
// of more segments than it scans.
TYPED_TEST(CudaBatches, VeryLongRowsOfSegmentsOfAllSizes) {
  struct Shape {
    std::int64_t rows, columns;
  };
  for (const Shape shape : {Shape{300, 9000}, Shape{3, 131'072}, Shape{2, 300'000}})
    for (const int apart : {0, 2, 3, 7}) {
      auto problem = dense<TypeParam>(shape.rows, shape.columns, static_cast<std::uint32_t>(apart), 0.3);
      for (std::size_t i = 0; i < problem.memory.size(); ++i) {
        const auto segment = static_cast<std::int64_t>(i) % shape.columns / 1024;
        const double scale = std::exp2(-apart * static_cast<double>(segment % 10));
        problem.memory[i] = stored<TypeParam>(static_cast<double>(summed(problem.memory[i])) * scale);
      }
      ASSERT_TRUE(same_on_both<std::int32_t>(problem, {.seed = 5}))
          << shape.rows << " rows x " << shape.columns << ", " << apart;
    }
}

// Enough rows that a block draws from several, a warp a segment.
TYPED_TEST(CudaBatches, ManyRowsOfAFewSegments) {
  for (const std::int64_t columns : {1025, 2048, 2500, 8192}) {
    const std::int64_t rows = 32 * execution::multiprocessors() + 3;
    auto problem = dense<TypeParam>(rows, columns, static_cast<std::uint32_t>(columns), 0.6);
    const auto at = [&](std::int64_t row, std::int64_t k) -> TypeParam& {
      return problem.memory[static_cast<std::size_t>(row * columns + k)];
    };
    at(5, columns - 1) = stored<TypeParam>(-0.5);
    at(9, 0) = not_a_number<TypeParam>();
    for (std::int64_t k = 0; k < columns; ++k) at(11, k) = stored<TypeParam>(k == columns - 1 ? 1 : 0);
    for (std::int64_t k = 0; k < columns; ++k) at(12, k) = stored<TypeParam>(0);
    EXPECT_TRUE(same_on_both<std::int32_t>(problem, {.seed = 3})) << columns;
    EXPECT_TRUE(same_on_both<std::int64_t>(problem, {.seed = 4, .offset = 1})) << columns << ", unaligned";
    if constexpr (std::is_floating_point_v<TypeParam>) {
      EXPECT_TRUE(same_on_both<std::int32_t>(products<TypeParam>(rows, columns, 5), {})) << columns << ", products";
    }
  }
}

// One category of positive weight among 131,072: the draw must find it wherever it lies.
TYPED_TEST(CudaBatches, OneCategoryOfAVeryLongRow) {
  constexpr std::int64_t columns = 131'072;
  for (const std::int64_t k : {0, 1, 127, 1023, 1024, 65'535, 65'536, 100'003, 131'071}) {
    MatrixProblem<TypeParam> problem = dense(std::vector<TypeParam>(columns, stored<TypeParam>(0)), columns);
    problem.memory[static_cast<std::size_t>(k)] = stored<TypeParam>(0.7);
    const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = static_cast<std::uint64_t>(k)});
    ASSERT_EQ(found.drawn.at(0), k);
  }
}

// Bad rows among few very long ones, whose parts different blocks read.
TYPED_TEST(CudaBatches, BadVeryLongRows) {
  constexpr std::int64_t columns = 131'072;
  auto problem = dense<TypeParam>(6, columns, 13);
  const auto at = [&](std::int64_t row, std::int64_t k) -> TypeParam& {
    return problem.memory[static_cast<std::size_t>(row * columns + k)];
  };
  at(0, 131'071) = not_a_number<TypeParam>();
  at(1, 70'000) = stored<TypeParam>(-1);
  at(2, 0) = stored<TypeParam>(std::numeric_limits<double>::infinity());
  for (std::int64_t k = 0; k < columns; ++k) at(3, k) = stored<TypeParam>(0);
  if (static_cast<double>(summed(largest<TypeParam>())) > 1e30)  // others do not add up to a float's overflow
    for (const std::int64_t k : {5, 40'000, 100'000}) at(4, k) = largest<TypeParam>();
  const auto found = draw_on_cuda<std::int32_t>(problem, {});
  EXPECT_TRUE(same_draws(found, draw_on_host<std::int32_t>(problem, {})));
  EXPECT_EQ(found.status.at(1), DrawStatus::negative);
  EXPECT_EQ(found.status.at(5), DrawStatus::ok);
}

// Shapes at random, with fixed seeds; a failure names the shape.
TYPED_TEST(CudaBatches, RandomShapes) {
  std::mt19937_64 bits(20261121);
  const auto up_to = [&](std::int64_t most) {  // of every size, not mostly large ones
    const double power = static_cast<double>(bits() >> 11) * 0x1p-53;
    return static_cast<std::int64_t>(std::pow(static_cast<double>(most), power));
  };
  for (int turn = 0; turn < 250; ++turn) {
    const std::int64_t columns = up_to(9000), rows = 1 + up_to(400'000 / columns + 1), gap = up_to(9) - 1;
    auto problem =
        dense<TypeParam>(rows, columns + gap, static_cast<std::uint32_t>(turn), 0.01 * static_cast<double>(up_to(90)));
    problem.columns = columns;
    for (std::int64_t i = 0; i < rows; ++i)  // rows in which only the gap was positive
      problem.memory[static_cast<std::size_t>(i * (columns + gap)) + bits() % static_cast<std::uint64_t>(columns)] =
          stored<TypeParam>(0.5);
    if (bits() % 3 == 0)
      for (std::int64_t i = up_to(2 * rows); i >= 0; --i)
        problem.picked.push_back(static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(rows)));
    const Call call = {.seed = bits(),
                       .stream = bits(),
                       .first_row_id = bits(),
                       .with_status = bits() % 4 != 0,
                       .check_negative = bits() % 4 != 0,
                       .offset = static_cast<std::int64_t>(bits() % 4)};
    ASSERT_TRUE(same_on_both<std::int64_t>(problem, call))
        << "turn " << turn << ": " << rows << " rows x " << columns << ", gap " << gap << ", offset " << call.offset
        << ", picked " << problem.picked.size();
  }
}

// A few draws of each kind, small enough for the slow checkers of memory and races.
TYPED_TEST(CudaBatches, SmokeOfEverySource) {
  for (const std::int64_t columns : {1, 31, 71, 128, 300, 1030}) {
    EXPECT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(35, columns, 1), {.offset = 1})) << columns;
    EXPECT_TRUE(same_on_both<std::int64_t>(ragged<TypeParam>({0, columns, 3, 1, columns + 7, 0}, 2), {})) << columns;
    if constexpr (std::is_floating_point_v<TypeParam>) {
      EXPECT_TRUE(same_on_both<std::int32_t>(products<TypeParam>(35, columns, 3, 1), {})) << columns;
    }
  }
  EXPECT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(2, 40'000, 4), {}));
}

}  // namespace
}  // namespace papilio::testing
