// Every source of weights against the oracle: plain loops that share no code with the library.

#include "sampling/support.h"

namespace papilio::testing {
namespace {

constexpr std::uint64_t seed = 0x1234567890abcdef, stream = 0xfedcba9876543210;

template <class T>
class Sources : public SamplingTest {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Sources, Types);

TYPED_TEST(Sources, DenseRowsOfEverySize) {
  using T = TypeParam;
  for (const std::int64_t columns : edge_sizes()) {
    const std::int64_t rows = 37;  // no multiple of any tile
    const auto weights = random_weights<T>(rows * columns, static_cast<std::uint32_t>(columns), columns < 4 ? 0 : 0.3);
    std::vector<std::int32_t> narrow(rows);
    std::vector<std::int64_t> wide(rows);
    const MatrixWeights<T> source = {{weights.data(), rows, columns}};
    const SampleOptions options = {.seed = seed, .stream = stream};
    sample_categorical(source, VectorView<std::int32_t>(narrow), options);
    sample_categorical(source, VectorView<std::int64_t>(wide), options);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(wide[at], expected_draw(row_of(weights, columns, i), seed, stream, static_cast<std::uint64_t>(i)))
          << columns << " categories, row " << i;
      ASSERT_EQ(narrow[at], wide[at]);
    }
  }
}

TYPED_TEST(Sources, StridedRowsDrawLikeDenseOnes) {
  using T = TypeParam;
  for (const std::int64_t columns : {1, 5, 71, 128, 1025}) {
    const std::int64_t rows = 45;
    const auto dense = random_weights<T>(rows * columns, 3, columns < 9 ? 0 : 0.2);
    std::vector<std::int64_t> expected(rows), drawn(rows);
    sample_categorical(MatrixWeights<T>{{dense.data(), rows, columns}}, VectorView<std::int64_t>(expected),
                       {.seed = seed});

    const auto copy_to = [&](T* origin, std::int64_t row_stride, std::int64_t column_stride) {
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < columns; ++k)
          origin[i * row_stride + k * column_stride] = dense[static_cast<std::size_t>(i * columns + k)];
      std::fill(drawn.begin(), drawn.end(), -7);
      sample_categorical(MatrixWeights<T>{{origin, rows, columns, row_stride, column_stride}},
                         VectorView<std::int64_t>(drawn), {.seed = seed});
      EXPECT_EQ(drawn, expected) << "strides " << row_stride << " and " << column_stride;
    };
    // Gaps hold NaN: a kernel that reads one is found out.
    std::vector<T> memory(static_cast<std::size_t>(3 * (rows + 2) * (columns + 2)),
                          std::numeric_limits<T>::quiet_NaN());
    copy_to(memory.data(), columns + 2, 1);                      // a gap between rows
    copy_to(memory.data(), 1, rows);                             // column-major
    copy_to(memory.data(), 3, 3 * rows);                         // column-major with gaps
    copy_to(memory.data() + (rows - 1) * columns, -columns, 1);  // rows backwards
    copy_to(memory.data() + columns - 1, columns, -1);           // columns backwards
    copy_to(memory.data() + rows * columns - 1, -columns, -1);   // both
  }
}

TYPED_TEST(Sources, OneRowForAll) {
  using T = TypeParam;
  const auto weights = random_weights<T>(200, 4);
  std::vector<std::int32_t> drawn(100);
  sample_categorical(MatrixWeights<T>{{weights.data(), 100, 200, 0}}, VectorView<std::int32_t>(drawn), {.seed = seed});
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(drawn[i], expected_draw(WeightRow<T>{weights}, seed, 0, i));
}

TYPED_TEST(Sources, PickedRows) {
  using T = TypeParam;
  const std::int64_t columns = 130;
  const auto weights = random_weights<T>(20 * columns, 5);
  const std::vector<std::int32_t> picked = {19, 0, 7, 7, 7, 3, 19, 1, 0, 12, 11};
  std::vector<std::int32_t> drawn(picked.size());
  sample_categorical(MatrixWeights<T>{{weights.data(), 20, columns}, picked}, VectorView<std::int32_t>(drawn),
                     {.seed = seed});
  for (std::size_t i = 0; i < picked.size(); ++i)
    EXPECT_EQ(drawn[i], expected_draw(row_of(weights, columns, picked[i]), seed, 0, i));
}

TYPED_TEST(Sources, RaggedRows) {
  using T = TypeParam;
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t size : edge_sizes()) offsets.push_back(offsets.back() + size);
  const auto values = random_weights<T>(offsets.back(), 6, 0);
  const auto row = [&](std::int64_t r) {
    return WeightRow<T>{std::vector<T>(values.begin() + offsets[static_cast<std::size_t>(r)],
                                       values.begin() + offsets[static_cast<std::size_t>(r) + 1])};
  };
  const auto rows = static_cast<std::int64_t>(edge_sizes().size());
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(rows));
  sample_categorical(RaggedWeights<T>{values, offsets}, VectorView<std::int64_t>(drawn), {.seed = seed});
  for (std::int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(drawn[static_cast<std::size_t>(i)], expected_draw(row(i), seed, 0, static_cast<std::uint64_t>(i)));

  std::vector<std::int32_t> picked;
  for (std::int32_t i = 0; i < 100; ++i) picked.push_back(i * 13 % static_cast<std::int32_t>(rows));
  drawn.assign(picked.size(), -7);
  sample_categorical(RaggedWeights<T>{values, offsets, picked}, VectorView<std::int64_t>(drawn), {.seed = seed});
  for (std::size_t i = 0; i < picked.size(); ++i) EXPECT_EQ(drawn[i], expected_draw(row(picked[i]), seed, 0, i));
}

TYPED_TEST(Sources, ProductsOfEverySize) {
  using T = TypeParam;
  const std::vector<std::int32_t> left_rows = {0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 0, 1, 2, 3, 3, 3, 3};
  const std::vector<std::int32_t> right_rows = {5, 4, 0, 1, 2, 3, 4, 5, 5, 5, 0, 0, 0, 1, 1, 4, 3, 2, 1};
  for (const std::int64_t columns : edge_sizes()) {
    const std::int64_t stride = columns + 3;
    const auto left = random_weights<T>(4 * stride, static_cast<std::uint32_t>(2 * columns), 0);
    const auto right =
        random_weights<T>(6 * columns, static_cast<std::uint32_t>(2 * columns + 1), columns < 4 ? 0 : 0.3);
    std::vector<std::int64_t> drawn(left_rows.size());
    sample_categorical(
        ProductWeights<T>{{left.data(), 4, columns, stride}, left_rows, {right.data(), 6, columns}, right_rows},
        VectorView<std::int64_t>(drawn), {.seed = seed, .stream = stream});
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      WeightRow<T> row = row_of(right, columns, right_rows[i]);
      row.right = row.left;
      row.left.assign(left.begin() + left_rows[i] * stride, left.begin() + left_rows[i] * stride + columns);
      ASSERT_EQ(drawn[i], expected_draw(row, seed, stream, i)) << columns << " categories, draw " << i;
    }
  }
}

TYPED_TEST(Sources, ProductsWithoutIndicesPairRowsInOrder) {
  using T = TypeParam;
  const auto left = random_weights<T>(9 * 40, 7, 0), right = random_weights<T>(9 * 40, 8, 0);
  std::vector<std::int32_t> picked(9), drawn(9), expected(9);
  for (std::int32_t i = 0; i < 9; ++i) picked[static_cast<std::size_t>(i)] = i;
  const MatrixView<const T> l(left.data(), 9, 40), r(right.data(), 9, 40);
  sample_categorical(ProductWeights<T>{l, {}, r, {}}, VectorView<std::int32_t>(drawn), {.seed = seed});
  sample_categorical(ProductWeights<T>{l, picked, r, picked}, VectorView<std::int32_t>(expected), {.seed = seed});
  EXPECT_EQ(drawn, expected);
}

// One category of positive weight among 20,000: the draw must find it wherever it lies.
TYPED_TEST(Sources, OnlyOneCategoryOfManySegments) {
  using T = TypeParam;
  constexpr std::int64_t columns = 20000;
  std::vector<T> weights(columns);
  std::vector<std::int64_t> drawn(1);
  for (std::int64_t k = 0; k < columns; k += k < 1100 ? 1 : 97) {
    weights[static_cast<std::size_t>(k)] = static_cast<T>(0.7);
    sample_categorical(MatrixWeights<T>{{weights.data(), 1, columns}}, VectorView<std::int64_t>(drawn),
                       {.seed = static_cast<std::uint64_t>(k), .threads = 1});
    ASSERT_EQ(drawn[0], k);
    weights[static_cast<std::size_t>(k)] = 0;
  }
}

TYPED_TEST(Sources, ManySegmentsMatchTheOracle) {
  using T = TypeParam;
  constexpr std::int64_t columns = 30011, rows = 19;
  const auto weights = random_weights<T>(rows * columns, 11, 0.5);
  std::vector<std::int64_t> drawn(rows);
  sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn), {.seed = 1});
  for (std::int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(drawn[static_cast<std::size_t>(i)],
              expected_draw(row_of(weights, columns, i), 1, 0, static_cast<std::uint64_t>(i)));
}

}  // namespace
}  // namespace papilio::testing
