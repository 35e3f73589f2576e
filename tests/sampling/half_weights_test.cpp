// Weights of 16 and of 8 bits draw what the same numbers as floats draw.

#include <limits>
#include <type_traits>

#include "papilio/half.h"
#include "sampling/support.h"
#include "support/methods.h"

namespace papilio::testing {
namespace {

template <class S>
class NarrowWeights : public SamplingTest {
 protected:
  static S stored(float x) {
    if constexpr (std::is_same_v<S, Half>)
      return to_half(x);
    else if constexpr (std::is_same_v<S, BFloat16>)
      return to_bfloat16(x);
    else if constexpr (std::is_same_v<S, Float8E4M3FN>)
      return to_float8_e4m3fn(x);
    else
      return to_float8_e5m2(x);
  }
  // Positive weights stay positive.
  static std::vector<S> stored(const std::vector<float>& weights) {
    std::vector<S> all;
    for (const float w : weights) all.push_back(w > 0 && to_float(stored(w)) == 0 ? S{1} : stored(w));
    return all;
  }
  static std::vector<float> decoded(const std::vector<S>& weights) {
    std::vector<float> all;
    for (const S w : weights) all.push_back(to_float(w));
    return all;
  }
};
using Types = ::testing::Types<Half, BFloat16, Float8E4M3FN, Float8E5M2>;
TYPED_TEST_SUITE(NarrowWeights, Types);

TYPED_TEST(NarrowWeights, DenseRowsDrawLikeFloats) {
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

TYPED_TEST(NarrowWeights, RowsOfTheLeastWeightsDrawLikeFloats) {
  constexpr std::int64_t rows = 300, columns = 45;
  std::vector<TypeParam> weights;
  for (std::uint16_t i = 0; i < rows * columns; ++i)
    weights.push_back({static_cast<decltype(TypeParam::bits)>(i % 7 % 3)});
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

TYPED_TEST(NarrowWeights, AsTheOracleSays) {
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

TYPED_TEST(NarrowWeights, StridedPickedAndRaggedRowsDrawLikeFloats) {
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

TYPED_TEST(NarrowWeights, BadRowsHaveTheirStatus) {
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
  const bool infinite = !std::is_same_v<TypeParam, Float8E4M3FN>;  // which has NaN instead
  EXPECT_EQ(status, (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::not_a_number, DrawStatus::negative,
                                             infinite ? DrawStatus::infinite : DrawStatus::not_a_number,
                                             DrawStatus::all_zero, DrawStatus::ok}));
  EXPECT_EQ(message_of([&] { sample_categorical(source, VectorView<std::int32_t>(drawn)); }),
            "papilio::sample_categorical: weights must be finite and >= 0; row 1, category 39 is nan (6 rows x 40 "
            "categories)");
}

// A row of all numbers that are weights: each is what to_float says, for the kernels and in the sum.
TYPED_TEST(NarrowWeights, EveryNumberIsDrawnLikeItsFloat) {
  constexpr int most = sizeof(TypeParam) == 1 ? 256 : 65536;
  std::vector<TypeParam> weights;
  for (int bits = 0; bits < most; ++bits) {
    const TypeParam w = {static_cast<decltype(TypeParam::bits)>(bits)};
    if (const float x = to_float(w); x >= 0 && x < 1e30f) weights.push_back(w);
  }
  const auto floats = this->decoded(weights);
  const auto columns = static_cast<std::int64_t>(weights.size());
  std::vector<std::int64_t> drawn(2000), expected(2000);
  sample_categorical(MatrixWeights<TypeParam>{{weights.data(), 2000, columns, 0}}, VectorView<std::int64_t>(drawn));
  sample_categorical(MatrixWeights<float>{{floats.data(), 2000, columns, 0}}, VectorView<std::int64_t>(expected));
  EXPECT_EQ(drawn, expected);
}

TYPED_TEST(NarrowWeights, LogitsDrawLikeFloats) {
  constexpr std::int64_t rows = 37;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float never = std::is_same_v<TypeParam, Float8E4M3FN> ? -448.0f : -infinity;
  for (const std::int64_t columns : {1, 4, 71, 128, 1025, 1500}) {
    auto logits = random_weights<float>(rows * columns, 4, 0);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = i % 9 == 8 ? never : 30 * logits[i] - 15;
    const auto narrow = this->stored(logits);
    const auto floats = this->decoded(narrow);
    for (const PartialSums method : all_methods) {
      std::vector<std::int64_t> drawn(rows), expected(rows);
      std::vector<DrawStatus> status(rows), expected_status(rows);
      sample_categorical(LogitWeights<TypeParam>{{narrow.data(), rows, columns}, {}, 0.7},
                         VectorView<std::int64_t>(drawn), {.seed = 3, .status = status, .method = method});
      sample_categorical(LogitWeights<float>{{floats.data(), rows, columns}, {}, 0.7},
                         VectorView<std::int64_t>(expected), {.seed = 3, .status = expected_status, .method = method});
      ASSERT_EQ(drawn, expected) << name(method) << ", " << columns << " categories";
      ASSERT_EQ(status, expected_status) << name(method) << ", " << columns << " categories";
    }
  }
  const std::vector<TypeParam> bad = {this->stored(1.0f),     this->stored(-infinity), this->stored(1.0f),
                                      this->stored(infinity), this->stored(-infinity), this->stored(-infinity)};
  std::vector<std::int64_t> drawn(3);
  std::vector<DrawStatus> status(3);
  sample_categorical(LogitWeights<TypeParam>{{bad.data(), 3, 2}}, VectorView<std::int64_t>(drawn), {.status = status});
  const DrawStatus nan = DrawStatus::not_a_number;
  EXPECT_EQ(status, never < -1e30f
                        ? (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::infinite, DrawStatus::all_zero})
                        : (std::vector<DrawStatus>{nan, nan, nan}));
}

// Sums are floats: weights whose sum their type cannot hold are no overflow.
TYPED_TEST(NarrowWeights, SumsAreFloats) {
  if constexpr (!std::is_same_v<TypeParam, BFloat16>) {
    const TypeParam largest = this->stored(std::is_same_v<TypeParam, Half>           ? 65504.0f
                                           : std::is_same_v<TypeParam, Float8E4M3FN> ? 448.0f
                                                                                     : 57344.0f);
    const std::vector<TypeParam> weights(3000, largest);
    std::vector<std::int32_t> drawn(1);
    sample_categorical(MatrixWeights<TypeParam>{{weights.data(), 1, 3000}}, VectorView<std::int32_t>(drawn));
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
