// The methods of the papers through the public API, against the oracle's own order of summation.

#include "support/methods.h"
#include "sampling/support.h"

namespace papilio::testing {
namespace {

constexpr std::int64_t lanes = 32;  // of the papers' warps, on every target

template <class T>
T uniform_of(std::uint64_t seed, std::uint64_t id) {
  const auto block = random_block(seed, 0, id);
  if constexpr (sizeof(T) == 4)
    return uniform24_of(block);
  else
    return uniform53_of(block);
}

// The nearest category of positive weight at or before `category`, else after it.
template <class T>
std::int64_t guarded(const WeightRow<T>& row, std::int64_t category) {
  std::int64_t k = std::min(category, row.size() - 1);
  while (k >= 0 && !(row.weight(k) > 0)) --k;
  for (k = std::max<std::int64_t>(k, 0); !(row.weight(k) > 0);) ++k;
  return k;
}

template <class T>
std::int64_t expected(PartialSums method, const WeightRow<T>& row, std::int64_t longest, std::uint64_t seed,
                      std::uint64_t id) {
  const T u = uniform_of<T>(seed, id);
  const std::int64_t padded = (longest + lanes - 1) / lanes * lanes;
  const std::int64_t remnant = longest % lanes;
  switch (method) {
    case PartialSums::slots:
      return expected_draw(row, seed, 0, id);
    case PartialSums::prefix:
    case PartialSums::transposed:
    case PartialSums::transposed_through_scratch:
      return guarded(row, PrefixOrder<T>(row, padded).draw(u));
    case PartialSums::transposed_remnant_first:
      return guarded(row, PrefixOrder<T>(row, longest).draw(u));
    case PartialSums::butterfly_swap_remnant_first:
      return guarded(row, BlockOrder<T>(row, lanes, longest, remnant).draw(u, BlockSearch::only_adds, 0));
    case PartialSums::butterfly_add_subtract_remnant_first:
      return guarded(row, BlockOrder<T>(row, lanes, longest, remnant)
                              .draw(u, BlockSearch::adds_and_subtracts, static_cast<std::int64_t>(id) % lanes));
    case PartialSums::butterfly_swap:
    case PartialSums::butterfly_two_pass:
      return guarded(row, BlockOrder<T>(row, lanes, padded).draw(u, BlockSearch::only_adds, 0));
    case PartialSums::butterfly_add_subtract:
      return guarded(row, BlockOrder<T>(row, lanes, padded)
                              .draw(u, BlockSearch::adds_and_subtracts, static_cast<std::int64_t>(id) % lanes));
  }
  return -7;
}

TEST(AllMethods, AreListed) {
  ASSERT_EQ(std::size(all_methods), partial_sums().size());
  for (std::size_t i = 0; i < std::size(all_methods); ++i) EXPECT_EQ(all_methods[i], partial_sums()[i].value) << i;
}

template <class T>
class Methods : public SamplingTest {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Methods, Types);

TYPED_TEST(Methods, DenseRowsDrawAsTheOracleSays) {
  using T = TypeParam;
  for (const PartialSums method : all_methods)
    for (const std::int64_t columns : {1, 2, 31, 32, 33, 71, 100, 128, 129, 257, 1000, 1025, 2100}) {
      constexpr std::int64_t rows = 70;  // two tiles and a part of one
      const auto weights =
          random_weights<T>(rows * columns, static_cast<std::uint32_t>(columns), columns < 4 ? 0 : 0.3);
      std::vector<std::int64_t> drawn(rows);
      sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                         {.seed = 3, .method = method});
      for (std::int64_t i = 0; i < rows; ++i)
        ASSERT_EQ(drawn[static_cast<std::size_t>(i)],
                  expected(method, row_of(weights, columns, i), columns, 3, static_cast<std::uint64_t>(i)))
            << name(method) << ", " << columns << " categories, row " << i;
    }
}

// Every remnant, followed by none to four blocks.
TYPED_TEST(Methods, RemnantsOfEveryLengthDrawAsTheOracleSays) {
  using T = TypeParam;
  for (const PartialSums method : all_methods)
    for (std::int64_t columns = 1; !takes_ragged_rows(method) && columns <= 4 * lanes + 3; ++columns) {
      constexpr std::int64_t rows = 33;
      const auto weights = random_weights<T>(rows * columns, static_cast<std::uint32_t>(columns), 0);
      std::vector<std::int64_t> drawn(rows);
      sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                         {.seed = 6, .method = method});
      for (std::int64_t i = 0; i < rows; ++i)
        ASSERT_EQ(drawn[static_cast<std::size_t>(i)],
                  expected(method, row_of(weights, columns, i), columns, 6, static_cast<std::uint64_t>(i)))
            << name(method) << ", " << columns << " categories, row " << i;
    }
}

TYPED_TEST(Methods, ProductsAndRaggedRowsDrawAsTheOracleSays) {
  using T = TypeParam;
  constexpr std::int64_t rows = 64;
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t i = 0; i < rows; ++i) offsets.push_back(offsets.back() + 1 + i * 17 % 300);
  const auto values = random_weights<T>(offsets.back(), 9, 0);
  const auto left = random_weights<T>(rows * 143, 10, 0), right = random_weights<T>(rows * 143, 11, 0.1);
  for (const PartialSums method : all_methods) {
    std::vector<std::int64_t> drawn(rows);
    const auto draw_ragged = [&] {
      sample_categorical(RaggedWeights<T>{values, offsets}, VectorView<std::int64_t>(drawn),
                         {.seed = 4, .method = method});
    };
    if (takes_ragged_rows(method))
      draw_ragged();
    else
      EXPECT_THROW(draw_ragged(), InvalidArgument) << name(method);
    for (std::size_t i = 0; i < rows && takes_ragged_rows(method); ++i) {
      const WeightRow<T> row = {std::vector<T>(values.begin() + offsets[i], values.begin() + offsets[i + 1])};
      ASSERT_EQ(drawn[i], expected(method, row, 300, 4, i)) << name(method) << ", ragged row " << i;
    }
    sample_categorical(ProductWeights<T>{{left.data(), rows, 143}, {}, {right.data(), rows, 143}, {}},
                       VectorView<std::int64_t>(drawn), {.seed = 4, .method = method});
    for (std::size_t i = 0; i < rows; ++i) {
      WeightRow<T> row = row_of(left, 143, static_cast<std::int64_t>(i));
      row.right = row_of(right, 143, static_cast<std::int64_t>(i)).left;
      ASSERT_EQ(drawn[i], expected(method, row, 143, 4, i)) << name(method) << ", product " << i;
    }
  }
}

TYPED_TEST(Methods, BadRowsAreReportedByEachMethod) {
  using T = TypeParam;
  for (const PartialSums method : all_methods) {
    std::vector<T> weights(7 * 70, T{1});
    weights[1 * 70 + 69] = std::numeric_limits<T>::quiet_NaN();
    weights[2 * 70 + 3] = T{-1};
    weights[3 * 70 + 3] = std::numeric_limits<T>::infinity();
    std::fill_n(weights.begin() + 4 * 70, 70, T{0});
    std::fill_n(weights.begin() + 5 * 70, 70, std::numeric_limits<T>::max());
    std::vector<DrawStatus> status(7);
    std::vector<std::int32_t> drawn(7);
    sample_categorical(MatrixWeights<T>{{weights.data(), 7, 70}}, VectorView<std::int32_t>(drawn),
                       {.status = VectorView<DrawStatus>(status), .method = method});
    EXPECT_EQ(status, (std::vector<DrawStatus>{DrawStatus::ok, DrawStatus::not_a_number, DrawStatus::negative,
                                               DrawStatus::infinite, DrawStatus::all_zero, DrawStatus::overflow,
                                               DrawStatus::ok}))
        << name(method);
    EXPECT_GE(drawn[0], 0);
    EXPECT_EQ(drawn[4], -1);
    EXPECT_GE(drawn[6], 0);
  }
}

// Nine in ten weights are 0, the rest spread over thirty powers of two: the case in which tree
// sums point at weights of 0.
TYPED_TEST(Methods, NeverACategoryOfWeightZero) {
  using T = TypeParam;
  constexpr std::int64_t rows = 2000, columns = 400;
  std::mt19937 bits(12);
  std::vector<T> weights(rows * columns);
  for (T& w : weights) w = bits() % 10 != 0 ? T{0} : static_cast<T>(std::ldexp(1.0, -static_cast<int>(bits() % 30)));
  for (std::int64_t i = 0; i < rows; ++i) weights[static_cast<std::size_t>(i * columns + i % columns)] = 1;
  for (const PartialSums method : all_methods) {
    std::vector<std::int64_t> drawn(rows);
    sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn),
                       {.seed = 5, .method = method});
    for (std::int64_t i = 0; i < rows; ++i)
      ASSERT_GT(weights[static_cast<std::size_t>(i * columns + drawn[static_cast<std::size_t>(i)])], 0) << name(method);
  }
}

// Scaling by a power of two changes no draw, down to the least positive number as the unit: there
// every target u * total is subnormal. Rows of whole weights, so that no sum rounds.
TYPED_TEST(Methods, SubnormalRowsDrawAsTheSameRowsScaledUp) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  constexpr std::int64_t rows = 500;
  for (const std::int64_t columns : {2, 3, 33, 100, 1500}) {
    std::mt19937 bits(static_cast<std::uint32_t>(columns));
    std::vector<T> left(rows * columns), right(rows * columns);
    for (T& w : left) w = static_cast<T>(bits() % 3);
    for (T& w : right) w = static_cast<T>(bits() % 3);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t k = i * static_cast<std::size_t>(columns) + i % static_cast<std::size_t>(columns);
      left[k] = right[k] = 1;
    }
    const auto scaled = [](std::vector<T> weights, T factor) {
      for (T& w : weights) w *= factor;
      return weights;
    };
    for (const PartialSums method : all_methods) {
      const auto draw = [&](const auto& weights) {
        std::vector<std::int64_t> drawn(rows);
        sample_categorical(weights, VectorView<std::int64_t>(drawn), {.seed = 8, .method = method});
        return drawn;
      };
      const auto draw_plain = [&](T unit) {
        const std::vector<T> w = scaled(left, unit);
        return draw(MatrixWeights<T>{{w.data(), rows, columns}});
      };
      const auto draw_products = [&](T of_left, T of_right) {
        const std::vector<T> x = scaled(left, of_left), y = scaled(right, of_right);
        return draw(ProductWeights<T>{{x.data(), rows, columns}, {}, {y.data(), rows, columns}, {}});
      };
      EXPECT_EQ(draw_plain(Limits::denorm_min()), draw_plain(1)) << name(method) << ", " << columns;
      EXPECT_EQ(draw_products(Limits::min(), Limits::epsilon()), draw_products(1, 1))
          << name(method) << ", " << columns;
    }
  }
}

}  // namespace
}  // namespace papilio::testing
