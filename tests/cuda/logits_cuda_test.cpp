// Rows of logits, and seeds of rows, on the device against the CPU, bit by bit.

#include <limits>

#include "cuda/problems.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaLogits : public CudaTest {};
TYPED_TEST_SUITE(CudaLogits, StoredTypes);

// A logit that is never drawn. E4M3 has no infinity; beside the others, the weight of its least number is 0.
template <class S>
S never() {
  return stored<S>(std::is_same_v<S, Float8E4M3FN> ? -448 : -std::numeric_limits<double>::infinity());
}

// Between -15 and 15, some of them never drawn.
template <class S>
MatrixProblem<S> logits(std::int64_t rows, std::int64_t columns, std::uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<S> values(static_cast<std::size_t>(rows * columns));
  for (S& x : values) {
    const double u = static_cast<double>(bits()) * 0x1p-32;
    x = bits() % 8 == 0 ? never<S>() : stored<S>(30 * u - 15);
  }
  return dense(std::move(values), columns);
}

TYPED_TEST(CudaLogits, OfEverySize) {
  for (const std::int64_t columns : all_sizes())
    for (const double temperature : {1.0, 0.3}) {
      const LogitProblem<TypeParam> problem = {logits<TypeParam>(45, columns, static_cast<std::uint32_t>(columns)),
                                               temperature};
      ASSERT_TRUE(same_on_both<std::int32_t>(problem, {.seed = 4, .stream = 5})) << columns << " categories";
    }
}

TYPED_TEST(CudaLogits, FewLongRows) {
  for (const std::int64_t columns : {8193, 50257, 151936}) {
    const LogitProblem<TypeParam> problem = {logits<TypeParam>(3, columns, 6)};
    ASSERT_TRUE(same_on_both<std::int64_t>(problem, {.seed = 4})) << columns << " categories";
  }
}

// More parts of rows than the device has blocks at a time: a block takes several.
TYPED_TEST(CudaLogits, ManyRows) {
  const std::int64_t rows = std::int64_t{execution::multiprocessors()} * 64 * 2 + 17;
  ASSERT_TRUE(same_on_both<std::int32_t>(LogitProblem<TypeParam>{logits<TypeParam>(rows, 5, 10)}, {.seed = 4}));
}

TYPED_TEST(CudaLogits, StridedPickedAndBadRows) {
  constexpr std::int64_t rows = 45, columns = 300;
  MatrixProblem<TypeParam> matrix = logits<TypeParam>(rows, columns, 7);
  matrix.memory[2 * columns + 5] = not_a_number<TypeParam>();
  matrix.memory[3 * columns + 299] = stored<TypeParam>(std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < columns; ++k)
    matrix.memory[4 * columns + k] = stored<TypeParam>(-std::numeric_limits<double>::infinity());
  ASSERT_TRUE(same_on_both<std::int32_t>(LogitProblem<TypeParam>{matrix}, {.seed = 4}));
  matrix.picked = {44, 2, 0, 3, 4, 7, 7};
  ASSERT_TRUE(same_on_both<std::int32_t>(LogitProblem<TypeParam>{matrix}, {.seed = 4}));
  std::swap(matrix.row_stride, matrix.column_stride);
  matrix.rows = columns, matrix.columns = rows;
  ASSERT_TRUE(same_on_both<std::int32_t>(LogitProblem<TypeParam>{matrix}, {.seed = 4}));
}

// A row that is not there is found on the device; the CPU throws for it.
TYPED_TEST(CudaLogits, PickedRowsOutOfRange) {
  LogitProblem<TypeParam> problem = {logits<TypeParam>(5, 40, 8)};
  problem.matrix.picked = {4, 5, -1, 0};
  const auto draws = draw_on_cuda<std::int32_t>(problem, {.seed = 4});
  EXPECT_EQ(draws.status, (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::no_such_row, DrawStatus::no_such_row,
                                                   DrawStatus::ok}));
  EXPECT_EQ(draws.drawn[1], -1);
}

TYPED_TEST(CudaLogits, SeedsOfRows) {
  Call call = {.stream = 3};
  for (std::int64_t i = 0; i < 45; ++i) call.seeds.push_back(-(i << 40) - i);
  for (const std::int64_t columns : {1, 31, 128, 1000, 3000, 9000}) {
    ASSERT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(45, columns, 9), call)) << columns << " categories";
    Call by_blocks = call;
    by_blocks.method = PartialSums::butterfly_two_pass;
    ASSERT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(45, columns, 9), by_blocks)) << columns << " categories";
  }
}

}  // namespace
}  // namespace papilio::testing
