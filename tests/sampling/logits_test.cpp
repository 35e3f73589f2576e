// Rows of logits draw what their softmax draws.

#include <cmath>
#include <limits>
#include <type_traits>

#include "papilio/half.h"
#include "sampling/golden_draws.h"
#include "sampling/support.h"

namespace papilio::testing {
namespace {

constexpr double log2_e = 0x1.71547652b82fep0;  // as a temperature: weights are powers of two
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class Logits : public SamplingTest {
 protected:
  static T stored(double x) {
    if constexpr (std::is_same_v<T, Half>)
      return to_half(static_cast<float>(x));
    else if constexpr (std::is_same_v<T, BFloat16>)
      return to_bfloat16(static_cast<float>(x));
    else
      return static_cast<T>(x);
  }
  // What T holds of x.
  static double held(double x) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(stored(x));
    else
      return static_cast<double>(to_float(stored(x)));
  }
  static std::vector<T> stored(const std::vector<double>& logits) {
    std::vector<T> all;
    for (const double x : logits) all.push_back(stored(x));
    return all;
  }
  static std::vector<std::int64_t> draw(const LogitWeights<T>& weights, std::int64_t rows, SampleOptions options) {
    std::vector<std::int64_t> drawn(static_cast<std::size_t>(rows), -7);
    sample_categorical(weights, VectorView<std::int64_t>(drawn), options);
    return drawn;
  }
};
using Types = ::testing::Types<float, double, Half, BFloat16>;
TYPED_TEST_SUITE(Logits, Types);

// Integers between 0 and -40, some of them -infinity, and a few far below.
std::vector<double> whole_logits(std::int64_t count, std::uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<double> logits(static_cast<std::size_t>(count));
  for (double& x : logits) {
    const std::uint32_t kind = bits() % 16;
    x = kind == 0 ? -infinity : kind == 1 ? -100.0 : -static_cast<double>(bits() % 41);
  }
  return logits;
}

// Those whose weights are floats.
template <class T>
class FloatLogits : public Logits<T> {};
using FloatTypes = ::testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(FloatLogits, FloatTypes);

// With a base of two, whole logits are exact weights, so that draws must be those of the weights.
TYPED_TEST(FloatLogits, WholeOnesDrawLikePowersOfTwo) {
  constexpr std::int64_t rows = 67;
  for (const std::int64_t columns : edge_sizes()) {
    auto logits = whole_logits(rows * columns, static_cast<std::uint32_t>(columns));
    std::vector<float> weights;
    for (std::int64_t i = 0; i < rows; ++i) {
      logits[static_cast<std::size_t>(i * columns + i % columns)] = 7;  // the row's largest
      for (std::int64_t k = 0; k < columns; ++k)
        weights.push_back(static_cast<float>(std::exp2(logits[static_cast<std::size_t>(i * columns + k)] - 7)));
    }
    const auto narrow = this->stored(logits);
    std::vector<std::int64_t> expected(rows);
    sample_categorical(MatrixWeights<float>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(expected),
                       {.seed = 5, .stream = 6});
    EXPECT_EQ(this->draw({{narrow.data(), rows, columns}, {}, log2_e}, rows, {.seed = 5, .stream = 6}), expected)
        << columns << " categories";
  }
}

// Weights are within 2^-21 of exp((x - largest) / temperature) here, so hardly a draw differs
// from one of the weights that the C library's exponential gives: rows * (error of the running
// sums, at most 2^-21) = 0.002 are expected. Seeds are fixed, so 1 is not a matter of luck.
TYPED_TEST(Logits, DrawLikeTheirSoftmax) {
  constexpr std::int64_t rows = 4001, columns = 71;
  std::mt19937 bits(3);
  std::vector<double> logits(rows * columns), weights(rows * columns);
  for (double& x : logits) x = this->held(static_cast<double>(bits()) * 0x1p-32 * 30 - 20);
  for (const double temperature : {0.25, 1.0, 3.7}) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto row = logits.begin() + i * columns;
      const double largest = *std::max_element(row, row + columns);
      for (std::int64_t k = 0; k < columns; ++k)
        weights[static_cast<std::size_t>(i * columns + k)] = std::exp((row[k] - largest) / temperature);
    }
    const auto narrow = this->stored(logits);
    const auto drawn = this->draw({{narrow.data(), rows, columns}, {}, temperature}, rows, {.seed = 9});
    std::vector<std::int64_t> expected(rows);
    sample_categorical(MatrixWeights<double>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(expected),
                       {.seed = 9});
    std::int64_t different = 0;
    for (std::size_t i = 0; i < rows; ++i) different += drawn[i] != expected[i];
    EXPECT_LE(different, 1) << "temperature " << temperature;
  }
}

TYPED_TEST(Logits, KnownDraws) {
  constexpr std::int64_t rows = 12, columns = 1500;
  std::vector<double> logits(rows * columns);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = golden_logit(i);
  const auto narrow = this->stored(logits);
  const auto drawn = this->draw({{narrow.data(), rows, columns}, {}, 0.7}, rows, {.seed = 1, .stream = 2});
  EXPECT_EQ(drawn, golden_logit_draws());
}

TYPED_TEST(Logits, StridedAndPickedRows) {
  constexpr std::int64_t rows = 45, columns = 131;
  const auto logits = this->stored(whole_logits(rows * columns, 4));
  std::vector<TypeParam> by_columns(logits.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < columns; ++k)
      by_columns[static_cast<std::size_t>(k * rows + i)] = logits[static_cast<std::size_t>(i * columns + k)];
  const auto expected = this->draw({{logits.data(), rows, columns}}, rows, {.seed = 8});
  EXPECT_EQ(this->draw({{by_columns.data(), rows, columns, 1, rows}}, rows, {.seed = 8}), expected);

  const std::vector<std::int32_t> picked = {44, 0, 7, 7, 3};
  const std::vector<std::int64_t> ids = {44, 0, 7, 7, 3};
  const auto drawn = this->draw({{logits.data(), rows, columns}, picked}, 5, {.seed = 8, .row_ids = ids});
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(drawn[i], expected[static_cast<std::size_t>(ids[i])]);
}

TYPED_TEST(Logits, BadRowsHaveTheirStatus) {
  constexpr std::int64_t columns = 37;
  std::vector<double> logits(6 * columns, -1);
  logits[1 * columns + 36] = std::numeric_limits<double>::quiet_NaN();
  logits[2 * columns + 5] = infinity;
  for (std::size_t k = 0; k < columns; ++k) logits[3 * columns + k] = -infinity;
  logits[4 * columns + 1] = infinity, logits[4 * columns + 3] = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 1; k < columns; ++k) logits[5 * columns + k] = -infinity;
  const auto narrow = this->stored(logits);
  const LogitWeights<TypeParam> source = {{narrow.data(), 6, columns}};
  std::vector<DrawStatus> status(6);
  const auto drawn = this->draw(source, 6, {.status = VectorView<DrawStatus>(status)});
  EXPECT_EQ(status, (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::not_a_number, DrawStatus::infinite,
                                             DrawStatus::all_zero, DrawStatus::infinite, DrawStatus::ok}));
  EXPECT_EQ(drawn[1], -1);
  EXPECT_EQ(drawn[5], 0);
  EXPECT_EQ(message_of([&] { this->draw(source, 6, {}); }),
            "papilio::sample_categorical: logits must not be NaN or +infinity; row 1, category 36 is nan (6 rows x 37 "
            "categories)");
  EXPECT_EQ(message_of([&] {
              this->draw({{narrow.data() + 3 * columns, 1, columns}}, 1, {});
            }),
            "papilio::sample_categorical: row 0 has no logit above -infinity, so there is nothing to draw (37 "
            "categories)");
}

TYPED_TEST(Logits, TemperaturesOutOfRangeAreRefused) {
  const std::vector<TypeParam> logits(4, this->stored(1.0));
  for (const double temperature : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN(), 1e-40})
    EXPECT_NE(message_of([&] {
                this->draw({{logits.data(), 1, 4}, {}, temperature}, 1, {});
              }).find("the temperature must be between 2^-100 and 2^100"),
              std::string::npos)
        << temperature;
}

}  // namespace
}  // namespace papilio::testing
