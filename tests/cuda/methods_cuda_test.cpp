// The methods of the papers on the device against the CPU, bit by bit.

#include "cuda/problems.h"
#include "support/methods.h"

namespace papilio::testing {
namespace {

template <class S>
class CudaMethods : public CudaTest {};
TYPED_TEST_SUITE(CudaMethods, StoredTypes);

TYPED_TEST(CudaMethods, DenseRows) {
  for (const PartialSums method : all_methods)
    for (const std::int64_t columns : {1,   2,   3,   4,   16,  31,  32,  33,  63,   64,   65,   71,   96,   100, 127,
                                       128, 129, 240, 255, 256, 257, 480, 512, 1000, 1023, 1024, 1025, 2100, 4097})
      for (const std::int64_t rows : {1, 33, 70})
        ASSERT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(rows, columns, 3, 0.3), {.seed = 3, .method = method}))
            << name(method) << ", " << rows << " rows x " << columns;
}

TYPED_TEST(CudaMethods, ManyRows) {
  for (const PartialSums method : all_methods)
    for (const std::int64_t columns : {16, 100, 240, 1024})
      ASSERT_TRUE(same_on_both<std::int64_t>(dense<TypeParam>(500'003 / columns, columns, 4, 0.1),
                                             {.seed = 4, .method = method}))
          << name(method) << ", " << columns << " categories";
}

TYPED_TEST(CudaMethods, RaggedAndPickedAndStridedRows) {
  std::mt19937 bits(5);
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < 200; ++i) sizes.push_back(i % 9 == 4 ? 0 : static_cast<std::int64_t>(bits() % 400));
  auto lists = ragged<TypeParam>(sizes, 5);
  auto rows = dense<TypeParam>(40, 143, 6);
  for (int i = 0; i < 300; ++i) rows.picked.push_back(static_cast<std::int32_t>(bits() % 40));
  MatrixProblem<TypeParam> columns_first = {weights_of<TypeParam>(50 * 90, 7, 0), 50, 90, 1, 50};
  for (const PartialSums method : all_methods) {
    const Call call = {.seed = 5, .method = method, .offset = 1};
    if (takes_ragged_rows(method))
      EXPECT_TRUE(same_on_both<std::int32_t>(lists, call)) << name(method) << ", ragged rows";
    else
      EXPECT_THROW(draw_on_cuda<std::int32_t>(lists, call), InvalidArgument) << name(method);
    EXPECT_TRUE(same_on_both<std::int32_t>(rows, call)) << name(method) << ", picked rows";
    EXPECT_TRUE(same_on_both<std::int32_t>(columns_first, call)) << name(method) << ", column-major rows";
  }
}

TYPED_TEST(CudaMethods, Products) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    for (const PartialSums method : all_methods)
      for (const std::int64_t columns : {1, 16, 31, 48, 64, 143, 240, 500, 1024, 1500})
        ASSERT_TRUE(same_on_both<std::int32_t>(products<TypeParam>(300, columns, 8, columns % 2),
                                               {.seed = 6, .method = method}))
            << name(method) << ", " << columns << " categories";
  } else {
    // Products of 16-bit and 8-bit weights do not exist; their rows are what remains to compare.
    for (const PartialSums method : all_methods)
      ASSERT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(300, 143, 8), {.seed = 6, .method = method}));
  }
}

TYPED_TEST(CudaMethods, BadRows) {
  for (const PartialSums method : all_methods)
    for (const std::int64_t columns : {3, 70, 1100}) {
      MatrixProblem<TypeParam> problem =
          dense(std::vector<TypeParam>(static_cast<std::size_t>(9 * columns), stored<TypeParam>(1)), columns);
      const auto row = [&](std::int64_t i) { return problem.memory.begin() + i * columns; };
      row(1)[columns - 1] = not_a_number<TypeParam>();
      row(2)[1] = stored<TypeParam>(-1);
      row(3)[1] = stored<TypeParam>(std::numeric_limits<double>::infinity());
      std::fill_n(row(4), columns, stored<TypeParam>(0));
      std::fill_n(row(5), columns, largest<TypeParam>());
      problem.picked = {0, 1, 2, 3, 4, 5, 6, 7, 8};
      const auto expected = draw_on_host<std::int32_t>(problem, {.method = method});
      EXPECT_TRUE(same_draws(draw_on_cuda<std::int32_t>(problem, {.method = method}), expected))
          << name(method) << ", " << columns << " categories";
      problem.picked[8] = 9;
      EXPECT_EQ(draw_on_cuda<std::int32_t>(problem, {.method = method}).status.at(8), DrawStatus::no_such_row)
          << name(method);
    }
}

// The case in which tree sums point at weights of 0.
TYPED_TEST(CudaMethods, NeverACategoryOfWeightZero) {
  constexpr std::int64_t rows = 2000, columns = 400;
  std::mt19937 bits(12);
  MatrixProblem<TypeParam> problem = dense(std::vector<TypeParam>(rows * columns), columns);
  for (TypeParam& w : problem.memory)
    w = stored<TypeParam>(bits() % 10 != 0 ? 0 : std::ldexp(1.0, -static_cast<int>(bits() % 24)));
  for (std::int64_t i = 0; i < rows; ++i)
    problem.memory[static_cast<std::size_t>(i * columns + i % columns)] = stored<TypeParam>(1);
  for (const PartialSums method : all_methods) {
    const auto found = draw_on_cuda<std::int64_t>(problem, {.seed = 5, .method = method});
    ASSERT_TRUE(same_draws(found, draw_on_host<std::int64_t>(problem, {.seed = 5, .method = method}))) << name(method);
    for (std::int64_t i = 0; i < rows; ++i)
      ASSERT_GT(
          summed(problem.memory[static_cast<std::size_t>(i * columns + found.drawn[static_cast<std::size_t>(i)])]), 0)
          << name(method);
  }
}

// Whole multiples of the least positive number: every u * total is subnormal, or nearly. Sizes
// for every kernel; as many rows as blocks for several segments take.
TYPED_TEST(CudaMethods, RowsOfTheLeastWeights) {
  using S = TypeParam;
  using Sum = SumType<S>;
  std::mt19937 bits(13);
  const auto whole = [&](std::int64_t count, Sum unit) {
    std::vector<S> weights(static_cast<std::size_t>(count));
    for (S& w : weights) w = stored<S>(static_cast<double>(1 + bits() % 3) * static_cast<double>(unit));
    return weights;
  };
  const Sum least_weight = summed(least<S>());
  for (const std::int64_t columns : {2, 3, 16, 17, 33, 64, 100, 128, 129, 257, 512, 1000, 1024, 1500, 9000})
    for (const std::int64_t rows : {50, 5000}) {
      if (rows * columns > 10'000'000) continue;
      const auto plain = dense(whole(rows * columns, least_weight), columns);
      for (const PartialSums method : all_methods)
        EXPECT_TRUE(same_on_both<std::int32_t>(plain, {.seed = 7, .method = method}))
            << name(method) << ", " << rows << " rows x " << columns;
    }
  if constexpr (std::is_floating_point_v<S>) {
    for (const std::int64_t columns : {2, 16, 33, 100, 500, 1024, 1500, 9000}) {
      auto problem = products<S>(300, columns, 8);
      problem.left = whole(static_cast<std::int64_t>(problem.left.size()), std::numeric_limits<S>::min());
      problem.right = whole(static_cast<std::int64_t>(problem.right.size()), std::numeric_limits<S>::epsilon());
      for (const PartialSums method : all_methods)
        EXPECT_TRUE(same_on_both<std::int32_t>(problem, {.seed = 7, .method = method}))
            << name(method) << ", products of " << columns;
    }
  }
}

TYPED_TEST(CudaMethods, SmokeOfEveryMethod) {
  for (const PartialSums method : all_methods)
    for (const std::int64_t columns : {31, 71, 130}) {
      EXPECT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(35, columns, 1), {.method = method, .offset = 1}))
          << name(method);
      if constexpr (std::is_floating_point_v<TypeParam>) {
        EXPECT_TRUE(same_on_both<std::int32_t>(products<TypeParam>(35, columns, 3, 1), {.method = method}))
            << name(method);
      }
    }
}

}  // namespace
}  // namespace papilio::testing
