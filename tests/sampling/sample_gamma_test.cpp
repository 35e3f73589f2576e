// papilio::sample_gamma: the bits of the rows that theta and phi are drawn by, for any layout and split.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "papilio/gamma.h"
#include "sampling/gamma/gamma_rows.h"
#include "sampling/support.h"

namespace papilio::testing {
namespace {

class SampleGamma : public SamplingTest {};

// Shapes from 1e-3 to 1e5, about half of them below 1.
std::vector<float> some_shapes(std::int64_t count) {
  std::mt19937 bits(4);
  std::uniform_real_distribution<double> exponent(-3, 3), far(3, 5);
  std::vector<float> shapes(static_cast<std::size_t>(count));
  for (float& shape : shapes) shape = static_cast<float>(std::pow(10.0, bits() % 8 == 0 ? far(bits) : exponent(bits)));
  return shapes;
}

std::vector<float> drawn_from(const std::vector<float>& shapes, std::int64_t columns, const GammaOptions& options) {
  const std::int64_t rows = std::ssize(shapes) / columns;
  std::vector<float> drawn(shapes.size(), -1.0f);
  sample_gamma({shapes.data(), rows, columns}, {drawn.data(), rows, columns}, options);
  return drawn;
}

TEST_F(SampleGamma, GivesTheRowsThatThetaAndPhiAreDrawnBy) {
  for (const std::int64_t columns : edge_sizes()) {
    const std::vector<float> shapes = some_shapes(3 * columns);
    const std::vector<float> drawn = drawn_from(shapes, columns, {.seed = 5, .stream = 9, .first_row_id = 70});
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::vector<double> prior(shapes.begin() + i * columns, shapes.begin() + (i + 1) * columns);
      std::vector<float> expected(static_cast<std::size_t>(columns));
      sampling::draw_gamma_row(
          {.seed = 5, .stream = 9, .row = static_cast<std::uint64_t>(70 + i), .drawn = expected.data()},
          sampling::GammaPrior(prior));
      const std::vector<float> row(drawn.begin() + i * columns, drawn.begin() + (i + 1) * columns);
      ASSERT_EQ(row, expected) << columns << " columns, row " << i;
    }
  }
}

TEST_F(SampleGamma, TakesAnyStrides) {
  constexpr std::int64_t rows = 7, columns = 130;
  const std::vector<float> shapes = some_shapes(rows * columns);
  const std::vector<float> expected = drawn_from(shapes, columns, {.seed = 1});
  std::vector<float> turned(shapes.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) {
      turned[static_cast<std::size_t>(k * rows + i)] = shapes[static_cast<std::size_t>(i * columns + k)];
    }
  }
  std::vector<float> drawn(shapes.size());
  sample_gamma({turned.data(), rows, columns, 1, rows}, {drawn.data(), rows, columns}, {.seed = 1});
  EXPECT_EQ(drawn, expected);

  // Rows with gaps, in which nothing is written.
  std::vector<float> wide(rows * (columns + 3), -7.0f);
  sample_gamma({shapes.data(), rows, columns}, {wide.data(), rows, columns, columns + 3}, {.seed = 1});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns + 3; ++k) {
      const float found = wide[static_cast<std::size_t>(i * (columns + 3) + k)];
      ASSERT_EQ(found, k < columns ? expected[static_cast<std::size_t>(i * columns + k)] : -7.0f);
    }
  }
}

TEST_F(SampleGamma, TakesOneRowOrOneNumberForAll) {
  constexpr std::int64_t rows = 5, columns = 70;
  const std::vector<float> row = some_shapes(columns);
  std::vector<float> repeated, drawn(rows * columns);
  for (std::int64_t i = 0; i < rows; ++i) repeated.insert(repeated.end(), row.begin(), row.end());
  sample_gamma({row.data(), rows, columns, 0}, {drawn.data(), rows, columns}, {.seed = 2});
  EXPECT_EQ(drawn, drawn_from(repeated, columns, {.seed = 2}));

  const float shape = 0.3f;
  sample_gamma({&shape, rows, columns, 0, 0}, {drawn.data(), rows, columns}, {.seed = 2});
  EXPECT_EQ(drawn, drawn_from(std::vector<float>(rows * columns, shape), columns, {.seed = 2}));
}

TEST_F(SampleGamma, DependsOnRowNumbersAndNotOnSplitsOrThreads) {
  constexpr std::int64_t rows = 400, columns = 100;
  const std::vector<float> shapes = some_shapes(rows * columns);
  const std::vector<float> whole = drawn_from(shapes, columns, {.seed = 3, .stream = 1, .threads = 1});
  for (const int threads : {0, 2, 7}) {
    EXPECT_EQ(drawn_from(shapes, columns, {.seed = 3, .stream = 1, .threads = threads}), whole);
  }
  std::vector<float> pieces(whole.size());
  const std::int64_t half = 150;
  sample_gamma({shapes.data(), half, columns}, {pieces.data(), half, columns}, {.seed = 3, .stream = 1});
  sample_gamma({shapes.data() + half * columns, rows - half, columns},
               {pieces.data() + half * columns, rows - half, columns}, {.seed = 3, .stream = 1, .first_row_id = half});
  EXPECT_EQ(pieces, whole);

  const std::vector<std::int64_t> ids = {399, 0};
  std::vector<float> two(shapes.begin() + 399 * columns, shapes.end());
  two.insert(two.end(), shapes.begin(), shapes.begin() + columns);
  two = drawn_from(two, columns, {.seed = 3, .stream = 1, .row_ids = ids});
  EXPECT_TRUE(std::equal(two.begin(), two.begin() + columns, whole.begin() + 399 * columns));
  EXPECT_TRUE(std::equal(two.begin() + columns, two.end(), whole.begin()));
  EXPECT_NE(drawn_from(shapes, columns, {.seed = 3, .stream = 2}), whole);
  EXPECT_NE(drawn_from(shapes, columns, {.seed = 4, .stream = 1}), whole);
}

TEST_F(SampleGamma, NamesTheFirstShapeThatIsNone) {
  constexpr std::int64_t rows = 300, columns = 90;
  for (const float bad : {0.0f, -1.0f, 1e-40f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    std::vector<float> shapes = some_shapes(rows * columns);
    shapes[17 * columns + 89] = shapes[18 * columns] = shapes[299 * columns] = bad;
    const std::string message = message_of([&] { drawn_from(shapes, columns, {}); });
    EXPECT_NE(message.find("row 17, column 89 is "), std::string::npos) << message;
  }
}

TEST_F(SampleGamma, RefusesArraysThatDoNotFit) {
  std::vector<float> shapes(12, 1.0f), drawn(12);
  const std::vector<std::int64_t> ids = {1, 2};
  const auto refuses = [&](MatrixView<const float> from, MatrixView<float> to, const GammaOptions& options = {}) {
    return !message_of([&] { sample_gamma(from, to, options); }).empty();
  };
  EXPECT_FALSE(refuses({shapes.data(), 3, 4}, {drawn.data(), 3, 4}));
  EXPECT_FALSE(refuses({nullptr, 0, 4}, {nullptr, 0, 4}));
  EXPECT_FALSE(refuses({nullptr, 3, 0}, {nullptr, 3, 0}));
  EXPECT_TRUE(refuses({shapes.data(), 3, 4}, {drawn.data(), 4, 3}));
  EXPECT_TRUE(refuses({shapes.data(), 3, 4}, {drawn.data(), 3, 4, 1, 3}));
  EXPECT_TRUE(refuses({shapes.data(), 3, 4}, {drawn.data(), 3, 4, 0}));
  EXPECT_TRUE(refuses({shapes.data(), -1, 4}, {drawn.data(), -1, 4}));
  EXPECT_TRUE(refuses({shapes.data(), 3, 4}, {drawn.data(), 3, 4}, {.row_ids = ids}));
  EXPECT_TRUE(refuses({shapes.data(), 3, 4}, {drawn.data(), 3, 4}, {.threads = -1}));
  EXPECT_TRUE(refuses({nullptr, 3, 4}, {drawn.data(), 3, 4}));
}

}  // namespace
}  // namespace papilio::testing
