// Statistics, with fixed seeds: these tests give the same verdict every time. Each p-value of a
// right sampler is below 1e-5 for one seed in 100,000; there are about 170 of them.

#include "sampling/golden_draws.h"
#include "sampling/support.h"
#include "support/chi_square.h"
#include "support/methods.h"

namespace papilio::testing {
namespace {

constexpr double least_p = 1e-5;

template <class T>
class Distribution : public SamplingTest {
 protected:
  // Draws from one row, `draws` times. The methods of the papers are slower, and are asked for fewer. Long rows
  // are not looked through for negative weights: that changes no draw, and took three quarters of the time.
  static std::vector<std::int32_t> draw(const std::vector<T>& row, PartialSums method) {
    const std::int64_t draws = method == PartialSums::slots ? 200000 : 30000;
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(draws));
    sample_categorical(MatrixWeights<T>{{row.data(), draws, static_cast<std::int64_t>(row.size()), 0}},
                       VectorView<std::int32_t>(drawn),
                       {.seed = 20261120, .check_negative = row.size() <= 100, .method = method});
    return drawn;
  }

  // The p-value of draws from `row`; categories are pooled until each cell expects at least 50.
  static double p_value(const std::vector<std::int32_t>& drawn, const std::vector<T>& row) {
    double total = 0;
    for (const T w : row) total += static_cast<double>(w);
    std::vector<double> count(row.size()), observed(1), expected(1);
    for (const std::int32_t k : drawn) ++count[static_cast<std::size_t>(k)];
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (expected.back() >= 50) observed.push_back(0), expected.push_back(0);
      observed.back() += count[k];
      expected.back() += static_cast<double>(row[k]) / total * static_cast<double>(drawn.size());
    }
    if (expected.back() < 50) {
      const double o = observed.back(), e = expected.back();
      observed.pop_back(), expected.pop_back();
      observed.back() += o, expected.back() += e;
    }
    return chi_square_p_value(observed, expected);
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Distribution, Types);

TYPED_TEST(Distribution, EveryMethodFollowsTheWeights) {
  for (const PartialSums method : all_methods)
    for (const std::int64_t columns : {2, 7, 100, 1000, 3000}) {
      const auto row = random_weights<TypeParam>(columns, static_cast<std::uint32_t>(columns), 0.1);
      EXPECT_GT(this->p_value(this->draw(row, method), row), least_p) << name(method) << ", " << columns;
    }
}

// As often as weights 1 and 2, and not 1 and 5, which rounding u * 3 to a whole number would give.
TYPED_TEST(Distribution, EveryMethodFollowsTheLeastWeights) {
  const TypeParam least = std::numeric_limits<TypeParam>::denorm_min();
  for (const PartialSums method : all_methods)
    for (const std::vector<TypeParam>& row :
         {std::vector<TypeParam>{least, 2 * least}, {least, least}, {5 * least, 0, least}})
      EXPECT_GT(this->p_value(this->draw(row, method), row), least_p) << name(method);
}

// The power of the test above: a sampler that takes its neighbour one time in fifty is found out.
TYPED_TEST(Distribution, ABiasedSamplerFails) {
  const auto row = random_weights<TypeParam>(100, 100, 0.1);
  auto drawn = this->draw(row, PartialSums::slots);
  for (std::size_t i = 0; i < drawn.size(); i += 50) drawn[i] = (drawn[i] + 1) % 100;
  EXPECT_LT(this->p_value(drawn, row), least_p);
}

// Neighbouring rows are independent: the pairs of their draws follow the product of the weights.
TYPED_TEST(Distribution, NeighbouringRowsAreIndependent) {
  const std::vector<TypeParam> row = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto drawn = this->draw(row, PartialSums::slots);
  for (const std::size_t distance : {1, 2, 4, 16, 32}) {
    std::vector<TypeParam> joint;
    for (const TypeParam a : row)
      for (const TypeParam b : row) joint.push_back(a * b);
    std::vector<std::int32_t> pairs;
    for (std::size_t i = 0; i + distance < drawn.size(); i += 2 * distance)
      for (std::size_t j = i; j < i + distance && j + distance < drawn.size(); ++j)
        pairs.push_back(drawn[j] * 8 + drawn[j + distance]);
    EXPECT_GT(this->p_value(pairs, joint), least_p) << "rows " << distance << " apart";
  }
}

TYPED_TEST(Distribution, GoldenDraws) {
  for (const auto& [columns, expected] : golden_draws()) {
    const auto row = golden_row<TypeParam>(columns);
    std::vector<std::int64_t> drawn(12);
    sample_categorical(MatrixWeights<TypeParam>{{row.data(), 12, columns, 0}}, VectorView<std::int64_t>(drawn),
                       {.seed = 1, .stream = 2});
    EXPECT_EQ(drawn, expected) << columns << " categories";
  }
}

TYPED_TEST(Distribution, GoldenHash) {
  const std::vector<float> floats = golden_matrix();
  const std::vector<TypeParam> weights(floats.begin(), floats.end());
  std::vector<std::int64_t> drawn(4096);
  sample_categorical(MatrixWeights<TypeParam>{{weights.data(), 4096, 300}}, VectorView<std::int64_t>(drawn),
                     {.seed = 3});
  EXPECT_EQ(hash_of(drawn), golden_hash);
}

}  // namespace
}  // namespace papilio::testing
