// Every source of weights on the device against the CPU, bit by bit: every size, stride and alignment.

#include "cuda/problems.h"

namespace papilio::testing {
namespace {

constexpr std::uint64_t seed = 0x1234567890abcdef, stream = 0xfedcba9876543210;
const Call call = {.seed = seed, .stream = stream};

template <class S>
class CudaSources : public CudaTest {};
TYPED_TEST_SUITE(CudaSources, StoredTypes);

template <class T>
class CudaProducts : public CudaTest {};
using ProductTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaProducts, ProductTypes);

TYPED_TEST(CudaSources, DenseRowsOfEverySize) {
  for (const std::int64_t columns : all_sizes()) {
    const auto problem = dense<TypeParam>(45, columns, static_cast<std::uint32_t>(columns), 0.3);
    ASSERT_TRUE(same_on_both<std::int32_t>(problem, call)) << columns << " categories";
    ASSERT_TRUE(same_on_both<std::int64_t>(problem, call)) << columns << " categories";
  }
}

// Enough rows for every multiprocessor, and a number that no tile divides.
TYPED_TEST(CudaSources, ManyRows) {
  for (const std::int64_t columns : {1, 3, 8, 32, 64, 71, 100, 128, 200, 256, 384, 512, 1000, 1024, 1280, 2500})
    ASSERT_TRUE(same_on_both<std::int32_t>(dense<TypeParam>(3'000'001 / (columns + 40), columns, 5), call))
        << columns << " categories";
}

TYPED_TEST(CudaSources, RowsThatAreNotAligned) {
  for (const std::int64_t columns : {1, 5, 31, 64, 71, 127, 128, 129, 256, 1024, 1025, 3000})
    for (const std::int64_t offset : {1, 2, 3, 5, 7})
      for (const std::int64_t gap : {0, 1, 3}) {
        MatrixProblem<TypeParam> problem = dense<TypeParam>(37, columns + gap, 6);
        problem.columns = columns;
        for (std::int64_t i = 0; i < 37; ++i)  // gaps hold NaN: a kernel that reads one is found out
          for (std::int64_t k = columns; k < columns + gap; ++k)
            problem.memory[static_cast<std::size_t>(i * (columns + gap) + k)] = not_a_number<TypeParam>();
        Call unaligned = call;
        unaligned.offset = offset;
        ASSERT_TRUE(same_on_both<std::int32_t>(problem, unaligned))
            << columns << " categories, offset " << offset << ", row stride " << columns + gap;
      }
}

TYPED_TEST(CudaSources, Strides) {
  const std::int64_t rows = 45;
  for (const std::int64_t columns : {1, 5, 71, 128, 300, 1025}) {
    const auto weights = weights_of<TypeParam>(rows * columns, 3, columns < 9 ? 0 : 0.2);
    const auto expect_same = [&](std::int64_t origin, std::int64_t row_stride, std::int64_t column_stride) {
      MatrixProblem<TypeParam> problem = {{}, rows, columns, row_stride, column_stride, origin};
      problem.memory.assign(static_cast<std::size_t>(3 * (rows + 2) * (columns + 2)), not_a_number<TypeParam>());
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < columns; ++k)
          problem.memory[static_cast<std::size_t>(origin + i * row_stride + k * column_stride)] =
              weights[static_cast<std::size_t>(i * columns + k)];
      const auto found = draw_on_cuda<std::int64_t>(problem, call);
      EXPECT_TRUE(same_draws(found, draw_on_host<std::int64_t>(problem, call)))
          << columns << " categories, strides " << row_stride << " and " << column_stride;
      EXPECT_TRUE(same_draws(found, draw_on_host<std::int64_t>(dense(weights, columns), call)));
    };
    expect_same(0, columns + 2, 1);                    // a gap between rows
    expect_same(0, 1, rows);                           // column-major
    expect_same(0, 3, 3 * rows);                       // column-major with gaps
    expect_same(0, 2 * columns + 3, 2);                // every other column
    expect_same((rows - 1) * columns, -columns, 1);    // rows backwards
    expect_same(columns - 1, columns, -1);             // columns backwards
    expect_same(rows * columns - 1, -columns, -1);     // both
    expect_same(rows * columns + rows - 1, -1, rows);  // column-major, rows backwards
    expect_same((columns - 1) * rows, 1, -rows);       // column-major, columns backwards
  }
}

TYPED_TEST(CudaSources, OneRowForAll) {
  for (const std::int64_t columns : {7, 128, 200, 3000}) {
    MatrixProblem<TypeParam> problem = dense<TypeParam>(1, columns, 4);
    problem.rows = 1000;
    problem.row_stride = 0;
    EXPECT_TRUE(same_on_both<std::int32_t>(problem, call)) << columns << " categories";
  }
}

TYPED_TEST(CudaSources, PickedRows) {
  for (const std::int64_t columns : {3, 32, 130, 1024, 2100})
    for (const std::int64_t offset : {0, 1}) {
      std::mt19937 bits(7);
      MatrixProblem<TypeParam> problem = dense<TypeParam>(50, columns, 5);
      for (int i = 0; i < 301; ++i) problem.picked.push_back(static_cast<std::int32_t>(bits() % 50));
      Call at = call;
      at.offset = offset;
      EXPECT_TRUE(same_on_both<std::int32_t>(problem, at)) << columns << " categories";
    }
}

TYPED_TEST(CudaSources, RaggedRows) {
  std::mt19937 bits(8);
  for (const std::int64_t longest : {1, 3, 40, 300, 1100, 6000})
    for (const std::int64_t offset : {0, 1, 3}) {
      std::vector<std::int64_t> sizes;
      for (std::int64_t i = 0; i < 333; ++i)
        sizes.push_back(i % 7 == 3 ? 0 : static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(longest + 1)));
      sizes.push_back(longest);
      auto problem = ragged<TypeParam>(sizes, 9);
      Call at = call;
      at.offset = offset;
      ASSERT_TRUE(same_on_both<std::int32_t>(problem, at)) << "rows of up to " << longest << " categories";
      for (int i = 0; i < 500; ++i) problem.picked.push_back(static_cast<std::int32_t>(bits() % sizes.size()));
      ASSERT_TRUE(same_on_both<std::int64_t>(problem, at)) << "picked rows of up to " << longest << " categories";
    }
}

TYPED_TEST(CudaSources, RaggedRowsOfEverySize) {
  EXPECT_TRUE(same_on_both<std::int32_t>(ragged<TypeParam>(all_sizes(), 10), call));
}

TYPED_TEST(CudaSources, RaggedRowsThatAreAllEmpty) {
  EXPECT_TRUE(same_on_both<std::int32_t>(ragged<TypeParam>(std::vector<std::int64_t>(40, 0), 1), call));
}

TYPED_TEST(CudaSources, NoRowsAreNoDraws) {
  MatrixProblem<TypeParam> none;
  none.columns = none.row_stride = 10;
  EXPECT_TRUE(same_on_both<std::int32_t>(none, call));
  EXPECT_TRUE(same_on_both<std::int64_t>(ragged<TypeParam>({}, 1), call));
}

TYPED_TEST(CudaSources, RowsWithoutCategoriesAreEmpty) {
  MatrixProblem<TypeParam> none;
  none.rows = 5;
  EXPECT_TRUE(same_on_both<std::int32_t>(none, call));
}

TYPED_TEST(CudaProducts, OfEverySize) {
  for (const std::int64_t columns : all_sizes()) {
    const auto problem = products<TypeParam>(150, columns, static_cast<std::uint32_t>(columns));
    ASSERT_TRUE(same_on_both<std::int32_t>(problem, call)) << columns << " categories";
  }
}

TYPED_TEST(CudaProducts, WithGapsAndUnaligned) {
  for (const std::int64_t columns : {1, 31, 64, 128, 200, 1024, 1025, 2500})
    for (const std::int64_t offset : {0, 1, 2, 3})
      for (const std::int64_t gap : {0, 1, 4}) {
        Call at = call;
        at.offset = offset;
        ASSERT_TRUE(same_on_both<std::int64_t>(products<TypeParam>(150, columns, 3, gap), at))
            << columns << " categories, offset " << offset << ", gap " << gap;
      }
}

TYPED_TEST(CudaProducts, ManyOfThem) {
  for (const std::int64_t columns : {16, 64, 71, 128, 240, 512, 1024, 1280})
    ASSERT_TRUE(same_on_both<std::int32_t>(products<TypeParam>(2'000'003 / columns, columns, 4), call))
        << columns << " categories";
}

// Documents whose tokens do not follow one another: no kernel may rely on the order.
TYPED_TEST(CudaProducts, LeftRowsInAnyOrder) {
  std::mt19937 bits(12);
  for (const std::int64_t columns : {64, 200, 1024, 1500}) {
    auto problem = products<TypeParam>(700, columns, 5);
    std::shuffle(problem.left_rows.begin(), problem.left_rows.end(), bits);
    ASSERT_TRUE(same_on_both<std::int32_t>(problem, call)) << columns << " categories";
  }
}

TYPED_TEST(CudaProducts, WithoutIndicesPairRowsInOrder) {
  for (const std::int64_t columns : {40, 129, 1030}) {
    ProductProblem<TypeParam> problem = products<TypeParam>(99, columns, 6);
    problem.left_rows.clear();
    problem.right_rows.clear();
    problem.left = weights_of<TypeParam>(33 * columns, 7, 0);
    problem.right = weights_of<TypeParam>(33 * columns, 8, 0.1);
    problem.left_count = problem.right_count = 33;
    EXPECT_TRUE(same_on_both<std::int32_t>(problem, call)) << columns << " categories";
  }
}

}  // namespace
}  // namespace papilio::testing
