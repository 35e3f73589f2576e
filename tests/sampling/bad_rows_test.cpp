// Rows that cannot be drawn from, arguments that do not fit, and weights at the edges of their type.

#include <limits>

#include "sampling/support.h"

namespace papilio::testing {
namespace {

template <class T>
class BadRows : public SamplingTest {
 protected:
  static constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T huge = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BadRows, Types);

TYPED_TEST(BadRows, EachGetsItsStatusAndLeavesItsNeighboursAlone) {
  using T = TypeParam;
  for (const std::int64_t columns : {1, 3, 40, 128, 300, 1030}) {
    constexpr std::int64_t rows = 50;
    const auto good = random_weights<T>(rows * columns, 1, 0);
    std::vector<std::int64_t> expected(rows);
    sample_categorical(MatrixWeights<T>{{good.data(), rows, columns}}, VectorView<std::int64_t>(expected));

    auto weights = good;
    std::vector<DrawStatus> status(rows, DrawStatus::infinite), expected_status(rows, DrawStatus::ok);
    const auto spoil = [&](std::int64_t row, std::int64_t column, T value, DrawStatus what) {
      weights[static_cast<std::size_t>(row * columns + column)] = value;
      expected_status[static_cast<std::size_t>(row)] = what;
      expected[static_cast<std::size_t>(row)] = -1;
    };
    spoil(3, columns - 1, this->nan, DrawStatus::not_a_number);
    spoil(4, columns / 2, -this->tiny, DrawStatus::negative);
    spoil(5, 0, -this->inf, DrawStatus::negative);
    spoil(17, columns / 3, this->inf, DrawStatus::infinite);
    spoil(49, columns - 1, T{-1}, DrawStatus::negative);
    for (std::int64_t k = 0; k < columns; ++k) spoil(20, k, T{0}, DrawStatus::all_zero);
    for (std::int64_t k = 0; k < columns; ++k) spoil(21, k, -T{0}, DrawStatus::all_zero);
    if (columns > 2) {
      for (const std::int64_t k : {0, 1, 2}) spoil(30, k, this->huge, DrawStatus::overflow);
    }
    for (const int threads : {1, 3}) {
      std::vector<std::int64_t> drawn(rows, -7);
      sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                         {.status = VectorView<DrawStatus>(status), .threads = threads});
      EXPECT_EQ(drawn, expected) << columns << " categories";
      EXPECT_EQ(status, expected_status) << columns << " categories";
    }
  }
}

TYPED_TEST(BadRows, ANegativeZeroIsAZero) {
  using T = TypeParam;
  const std::vector<T> weights = {-T{0}, 2, -T{0}, -T{0}};
  std::vector<std::int32_t> drawn(1);
  sample_categorical(MatrixWeights<T>{{weights.data(), 1, 4}}, VectorView<std::int32_t>(drawn));
  EXPECT_EQ(drawn[0], 1);
}

TYPED_TEST(BadRows, ProductsAreJudgedByTheirProduct) {
  using T = TypeParam;
  const std::vector<T> left = {1, -1, 0, this->huge, 1, this->inf}, right = {1, -2, 1, this->huge, -1, 0};
  const std::vector<DrawStatus> expected = {DrawStatus::ok,       DrawStatus::ok,       DrawStatus::all_zero,
                                            DrawStatus::infinite, DrawStatus::negative, DrawStatus::not_a_number};
  std::vector<DrawStatus> status(6);
  std::vector<std::int32_t> drawn(6);
  sample_categorical(ProductWeights<T>{{left.data(), 6, 1}, {}, {right.data(), 6, 1}, {}},
                     VectorView<std::int32_t>(drawn), {.status = VectorView<DrawStatus>(status)});
  EXPECT_EQ(status, expected);
  EXPECT_EQ(drawn, (std::vector<std::int32_t>{0, 0, -1, -1, -1, -1}));
}

TYPED_TEST(BadRows, EmptyRows) {
  using T = TypeParam;
  const std::vector<T> values = {1, 1};
  const std::vector<std::int64_t> offsets = {0, 0, 1, 1, 2, 2};
  std::vector<DrawStatus> status(5);
  std::vector<std::int32_t> drawn(5);
  sample_categorical(RaggedWeights<T>{values, offsets}, VectorView<std::int32_t>(drawn),
                     {.status = VectorView<DrawStatus>(status)});
  EXPECT_EQ(drawn, (std::vector<std::int32_t>{-1, 0, -1, 0, -1}));
  EXPECT_EQ(status, (std::vector<DrawStatus>{DrawStatus::empty, DrawStatus::ok, DrawStatus::empty, DrawStatus::ok,
                                             DrawStatus::empty}));
  std::vector<std::int32_t> nothing(3);
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{{nullptr, 3, 0}}, VectorView<std::int32_t>(nothing));
            }),
            "papilio::sample_categorical: row 0 has no categories");
}

TYPED_TEST(BadRows, WithoutStatusTheFirstIsNamed) {
  using T = TypeParam;
  const std::int64_t rows = 3000, columns = 512;
  std::vector<T> weights(static_cast<std::size_t>(rows * columns), T{1});
  const auto message = [&](int threads) {
    return message_of([&] {
      std::vector<std::int32_t> drawn(static_cast<std::size_t>(rows));
      sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int32_t>(drawn),
                         {.threads = threads});
    });
  };
  weights[2900 * 512 + 5] = this->nan;
  weights[1017 * 512 + 203] = static_cast<T>(-0.25);
  for (const int threads : {1, 2, 7})
    EXPECT_EQ(
        message(threads),
        "papilio::sample_categorical: weights must be finite and >= 0; row 1017, category 203 is -0.25 (3000 rows "
        "x 512 categories)");
  std::fill_n(weights.begin() + 400 * 512, 512, T{0});
  EXPECT_EQ(
      message(2),
      "papilio::sample_categorical: row 400 has no positive weight, so there is nothing to draw (512 categories)");
  std::fill_n(weights.begin() + 300 * 512, 512, this->huge);
  EXPECT_EQ(message(2),
            "papilio::sample_categorical: the sum of row 300 is beyond the range of its type (512 categories); scale "
            "the weights down, or use double");
}

// Nothing is promised for negative weights that are not looked for, but the category is one of the row.
TYPED_TEST(BadRows, UncheckedNegativeWeightsStayInRange) {
  using T = TypeParam;
  std::mt19937 bits(1);
  for (const std::int64_t columns : {1, 3, 33, 200, 1100}) {
    std::vector<T> weights(static_cast<std::size_t>(64 * columns));
    for (T& w : weights) w = static_cast<T>(static_cast<double>(bits()) * 0x1p-31 - 0.9);
    std::vector<std::int64_t> drawn(64);
    std::vector<DrawStatus> status(64);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      sample_categorical(MatrixWeights<T>{{weights.data(), 64, columns}}, VectorView<std::int64_t>(drawn),
                         {.seed = seed, .status = VectorView<DrawStatus>(status), .check_negative = false});
      for (const std::int64_t k : drawn) ASSERT_TRUE(-1 <= k && k < columns) << k;
    }
  }
}

// Without the search for negative weights all other bad rows are found as before.
TYPED_TEST(BadRows, UncheckedSignsHideNothingElse) {
  using T = TypeParam;
  for (const PartialSums method : {PartialSums::slots, PartialSums::prefix, PartialSums::butterfly_swap}) {
    for (const std::int64_t columns : {3, 129, 1100}) {
      std::vector<T> weights(static_cast<std::size_t>(6 * columns), T{1});
      const auto at = [&](std::int64_t row, std::int64_t k) -> T& {
        return weights[static_cast<std::size_t>(row * columns + k)];
      };
      at(1, columns - 1) = this->nan;
      at(2, 1) = this->inf;
      for (std::int64_t k = 0; k < columns; ++k) at(3, k) = 0;
      for (std::int64_t k = 0; k < 3; ++k) at(4, k) = this->huge;
      std::vector<std::int64_t> drawn(6);
      std::vector<DrawStatus> status(6);
      sample_categorical(MatrixWeights<T>{{weights.data(), 6, columns}}, VectorView<std::int64_t>(drawn),
                         {.status = VectorView<DrawStatus>(status), .check_negative = false, .method = method});
      EXPECT_EQ(status, (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::not_a_number, DrawStatus::infinite,
                                                 DrawStatus::all_zero, DrawStatus::overflow, DrawStatus::ok}))
          << name(method) << ", " << columns << " categories";
      for (const std::size_t row : {1, 2, 3, 4}) EXPECT_EQ(drawn[row], -1) << row;
      for (const std::size_t row : {0, 5}) EXPECT_TRUE(0 <= drawn[row] && drawn[row] < columns) << row;
    }
  }
}

// Subnormal weights, totals next to underflow and to overflow, and the widest mixtures: in
// range, of positive weight, and what the oracle draws.
TYPED_TEST(BadRows, WeightsAtTheEdgesOfTheirType) {
  using T = TypeParam;
  const T least = std::numeric_limits<T>::min();
  const std::vector<std::vector<T>> kinds = {{this->tiny},
                                             {this->tiny, 0},
                                             {least, this->tiny},
                                             {this->huge / 4096, 0},
                                             {this->huge / 4096, 1, this->tiny, 0}};
  for (const auto& kind : kinds)
    for (const std::int64_t columns : {1, 2, 5, 100, 129, 1025}) {
      constexpr std::int64_t rows = 40;
      std::mt19937 bits(2);
      std::vector<T> weights(static_cast<std::size_t>(rows * columns));
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = i % static_cast<std::size_t>(columns) == 0 ? kind[0] : kind[bits() % kind.size()];
      std::vector<std::int64_t> drawn(rows);
      sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                         {.seed = 3});
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t k = drawn[static_cast<std::size_t>(i)];
        ASSERT_GT(weights[static_cast<std::size_t>(i * columns + k)], 0);
        ASSERT_EQ(k, expected_draw(row_of(weights, columns, i), 3, 0, static_cast<std::uint64_t>(i)));
      }
    }
}

TYPED_TEST(BadRows, ArgumentsThatDoNotFit) {
  using T = TypeParam;
  const std::vector<T> w(100, T{1});
  std::vector<std::int32_t> drawn(10);
  const VectorView<std::int32_t> out(drawn);
  const MatrixView<const T> m(w.data(), 10, 10);
  const std::string f = "papilio::sample_categorical: ";
  EXPECT_EQ(message_of([&] { sample_categorical(MatrixWeights<T>{m}, VectorView<std::int32_t>(drawn.data(), 9)); }),
            f + "drawn must have one entry per row; got 9 for 10 rows");
  const std::vector<std::int64_t> ids(11);
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{m}, out, {.row_ids = VectorView<const std::int64_t>(ids)});
            }),
            f + "row_ids must have one entry per row; got 11 for 10 rows");
  std::vector<DrawStatus> status(3);
  EXPECT_EQ(
      message_of([&] { sample_categorical(MatrixWeights<T>{m}, out, {.status = VectorView<DrawStatus>(status)}); }),
      f + "status must have one entry per row; got 3 for 10 rows");
  std::vector<std::int32_t> picked(10);
  picked[4] = 10;
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{m, picked}, out);
            }),
            f + "rows[4] is 10, expected 0 <= row < 10");
  picked[4] = -1;
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{m, picked}, out);
            }),
            f + "rows[4] is -1, expected 0 <= row < 10");
  EXPECT_EQ(message_of([&] {
              sample_categorical(ProductWeights<T>{m, picked, m, {}}, out);
            }),
            f + "left_rows[4] is -1, expected 0 <= row < 10");
  EXPECT_EQ(message_of([&] {
              sample_categorical(ProductWeights<T>{m, {}, {w.data(), 10, 9}, {}}, out);
            }),
            f + "left and right must have the same number of columns; got 10 and 9");
  EXPECT_EQ(message_of([&] {
              sample_categorical(ProductWeights<T>{m, {}, {w.data(), 9, 10}, {}}, out);
            }),
            f + "left and right must give the same number of rows; got 10 and 9");
  EXPECT_EQ(message_of([&] {
              sample_categorical(ProductWeights<T>{m, {}, {w.data(), 10, 10, 1, 10}, {}}, out);
            }),
            f + "products need adjacent columns; got column strides 1 and 10");
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{{nullptr, 10, 10}}, out);
            }),
            f + "the matrix of weights is null, but 10 rows x 10 columns were given");
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{{w.data(), -1, 10}}, out);
            }),
            f + "the matrix of weights must have sizes >= 0; got -1 rows x 10 columns");
  EXPECT_EQ(message_of([&] { sample_categorical(MatrixWeights<T>{m}, out, {.threads = -1}); }),
            f + "threads must be >= 0; got -1");
  EXPECT_EQ(message_of([&] {
              sample_categorical(MatrixWeights<T>{{w.data(), 1, std::int64_t{1} << 31, 0, 0}},
                                 VectorView<std::int32_t>(drawn.data(), 1));
            }),
            f + "rows of 2147483648 categories do not fit into 32-bit results");
  const std::vector<std::int64_t> down = {0, 5, 4}, beyond = {0, 50, 101}, none;
  EXPECT_EQ(message_of([&] {
              sample_categorical(RaggedWeights<T>{w, down}, VectorView<std::int32_t>(drawn.data(), 2));
            }),
            f + "row 1 has the offsets 5 and 4, expected 0 <= first <= second <= 100");
  EXPECT_EQ(message_of([&] {
              sample_categorical(RaggedWeights<T>{w, beyond}, VectorView<std::int32_t>(drawn.data(), 2));
            }),
            f + "row 1 has the offsets 50 and 101, expected 0 <= first <= second <= 100");
  EXPECT_EQ(message_of([&] {
              sample_categorical(RaggedWeights<T>{w, none}, VectorView<std::int32_t>(drawn.data(), 0));
            }),
            f + "offsets must have one entry more than there are rows, so at least one; got none");
}

}  // namespace
}  // namespace papilio::testing
