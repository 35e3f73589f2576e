// Weights of 16 bits draw what the same numbers as floats draw.

#include <limits>
#include <type_traits>

#include "papilio/half.h"
#include "sampling/support.h"
#include "support/methods.h"

namespace papilio::testing {
namespace {

template <class S>
class HalfWeights : public SamplingTest {
 protected:
  static S stored(float x) {
    if constexpr (std::is_same_v<S, Half>)
      return to_half(x);
    else
      return to_bfloat16(x);
  }
  static std::vector<S> stored(const std::vector<float>& weights) {
    std::vector<S> all;
    for (const float w : weights) all.push_back(stored(w));
    return all;
  }
  static std::vector<float> decoded(const std::vector<S>& weights) {
    std::vector<float> all;
    for (const S w : weights) all.push_back(to_float(w));
    return all;
  }
};
using Types = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfWeights, Types);

TYPED_TEST(HalfWeights, DenseRowsDrawLikeFloats) {
  constexpr std::int64_t rows = 37;
  for (const std::int64_t columns : edge_sizes()) {
    const auto weights = this->stored(random_weights<float>(rows * columns, 1, columns < 16 ? 0 : 0.3));
    const auto floats = this->decoded(weights);
    for (const PartialSums method : all_methods) {
      std::vector<std::int32_t> drawn(rows);
      std::vector<std::int64_t> expected(rows), wide(rows);
      const SampleOptions options = {.seed = 5, .stream = 6, .method = method};
      const MatrixWeights<TypeParam> source = {{weights.data(), rows, columns}};
      sample_categorical(source, VectorView<std::int32_t>(drawn), options);
      sample_categorical(source, VectorView<std::int64_t>(wide), options);
      sample_categorical(MatrixWeights<float>{{floats.data(), rows, columns}}, VectorView<std::int64_t>(expected),
                         options);
      ASSERT_EQ(wide, expected) << name(method) << ", " << columns << " categories";
      ASSERT_TRUE(std::equal(drawn.begin(), drawn.end(), expected.begin())) << name(method) << ", " << columns;
    }
  }
}

TYPED_TEST(HalfWeights, RowsOfTheLeastWeightsDrawLikeFloats) {
  constexpr std::int64_t rows = 300, columns = 45;
  std::vector<TypeParam> weights;
  for (std::uint16_t i = 0; i < rows * columns; ++i) weights.push_back({static_cast<std::uint16_t>(i % 7 % 3)});
  const auto floats = this->decoded(weights);
  for (const PartialSums method : all_methods) {
    std::vector<std::int64_t> drawn(rows), expected(rows);
    sample_categorical(MatrixWeights<TypeParam>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                       {.method = method});
    sample_categorical(MatrixWeights<float>{{floats.data(), rows, columns}}, VectorView<std::int64_t>(expected),
                       {.method = method});
    EXPECT_EQ(drawn, expected) << name(method);
  }
}

TYPED_TEST(HalfWeights, AsTheOracleSays) {
  constexpr std::int64_t rows = 20;
  for (const std::int64_t columns : {1, 71, 128, 1025}) {
    const auto weights = this->stored(random_weights<float>(rows * columns, 2, 0));
    const auto floats = this->decoded(weights);
    std::vector<std::int64_t> drawn(rows);
    sample_categorical(MatrixWeights<TypeParam>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                       {.seed = 7});
    for (std::int64_t i = 0; i < rows; ++i)
      ASSERT_EQ(drawn[static_cast<std::size_t>(i)],
                expected_draw(row_of(floats, columns, i), 7, 0, static_cast<std::uint64_t>(i)));
  }
}

TYPED_TEST(HalfWeights, StridedPickedAndRaggedRowsDrawLikeFloats) {
  constexpr std::int64_t rows = 45, columns = 131;
  const auto weights = this->stored(random_weights<float>(rows * columns, 3, 0));
  const auto floats = this->decoded(weights);
  const std::vector<std::int32_t> picked = {44, 0, 7, 7, 3, 44, 12};
  std::vector<std::int64_t> drawn(rows), expected(rows);
  const VectorView<std::int64_t> out(drawn), wanted(expected);

  sample_categorical(MatrixWeights<TypeParam>{{weights.data(), rows, columns, 1, rows}}, out, {.seed = 8});
  sample_categorical(MatrixWeights<float>{{floats.data(), rows, columns, 1, rows}}, wanted, {.seed = 8});
  EXPECT_EQ(drawn, expected) << "column-major";

  const VectorView<std::int64_t> few(drawn.data(), 7), few_wanted(expected.data(), 7);
  sample_categorical(MatrixWeights<TypeParam>{{weights.data(), rows, columns}, picked}, few, {.seed = 8});
  sample_categorical(MatrixWeights<float>{{floats.data(), rows, columns}, picked}, few_wanted, {.seed = 8});
  EXPECT_EQ(drawn, expected) << "picked";

  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t i = 0; i < rows; ++i) offsets.push_back(offsets.back() + 1 + i * 3);
  sample_categorical(RaggedWeights<TypeParam>{weights, offsets}, out, {.seed = 8});
  sample_categorical(RaggedWeights<float>{floats, offsets}, wanted, {.seed = 8});
  EXPECT_EQ(drawn, expected) << "ragged";
}

TYPED_TEST(HalfWeights, BadRowsHaveTheirStatus) {
  constexpr std::int64_t columns = 40;
  std::vector<TypeParam> weights(6 * columns, this->stored(1.0f));
  weights[1 * columns + 39] = this->stored(std::numeric_limits<float>::quiet_NaN());
  weights[2 * columns + 7] = this->stored(-0.5f);
  weights[3 * columns + 1] = this->stored(std::numeric_limits<float>::infinity());
  for (std::size_t k = 0; k < columns; ++k) weights[4 * columns + k] = this->stored(k % 2 == 0 ? 0.0f : -0.0f);
  std::vector<std::int32_t> drawn(6);
  std::vector<DrawStatus> status(6);
  const MatrixWeights<TypeParam> source = {{weights.data(), 6, columns}};
  sample_categorical(source, VectorView<std::int32_t>(drawn), {.status = VectorView<DrawStatus>(status)});
  EXPECT_EQ(status, (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::not_a_number, DrawStatus::negative,
                                             DrawStatus::infinite, DrawStatus::all_zero, DrawStatus::ok}));
  EXPECT_EQ(message_of([&] { sample_categorical(source, VectorView<std::int32_t>(drawn)); }),
            "papilio::sample_categorical: weights must be finite and >= 0; row 1, category 39 is nan (6 rows x 40 "
            "categories)");
}

// Sums are floats: halves whose sum no half can hold are no overflow.
TYPED_TEST(HalfWeights, SumsAreFloats) {
  if constexpr (std::is_same_v<TypeParam, Half>) {
    const std::vector<Half> weights(3000, Half{0x7BFF});
    std::vector<std::int32_t> drawn(1);
    sample_categorical(MatrixWeights<Half>{{weights.data(), 1, 3000}}, VectorView<std::int32_t>(drawn));
    EXPECT_GE(drawn[0], 0);
  } else {
    const std::vector<BFloat16> weights(3, BFloat16{0x7F7F});
    std::vector<std::int32_t> drawn(1);
    std::vector<DrawStatus> status(1);
    sample_categorical(MatrixWeights<BFloat16>{{weights.data(), 1, 3}}, VectorView<std::int32_t>(drawn),
                       {.status = VectorView<DrawStatus>(status)});
    EXPECT_EQ(status[0], DrawStatus::overflow);
  }
}

}  // namespace
}  // namespace papilio::testing
