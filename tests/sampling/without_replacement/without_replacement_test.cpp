// Draws without replacement: the same categories as a plain statement of the race, on every instruction set; and what
// never changes a draw.

#include "papilio/without_replacement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "sampling/golden_draws.h"
#include "sampling/support.h"
#include "sampling/without_replacement/race_oracle.h"

namespace papilio {
namespace {

using testing::message_of;
using testing::random_weights;

constexpr double infinity = std::numeric_limits<double>::infinity();

class WithoutReplacement : public testing::SamplingTest {};

template <class Source>
std::vector<std::int64_t> draws(const Source& weights, std::int64_t rows, std::int64_t k,
                                const WithoutReplacementOptions& options = {}) {
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(rows * k), -7);
  sample_without_replacement(weights, MatrixView<std::int64_t>(drawn.data(), rows, k), options);
  return drawn;
}
template <class T>
std::vector<std::int64_t> row_draws(const std::vector<T>& weights, std::int64_t k,
                                    const WithoutReplacementOptions& options = {}) {
  return draws(MatrixWeights<T>{{weights.data(), 1, std::ssize(weights)}}, 1, k, options);
}
std::vector<std::int64_t> first(std::vector<std::int64_t> order, std::int64_t k) {
  order.resize(static_cast<std::size_t>(k), -1);
  return order;
}

template <class T>
void expect_oracle(const std::vector<T>& weights, std::uint64_t seed) {
  const auto order = testing::race_order(testing::log_weights(weights), seed, 5, 9);
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{10}, std::int64_t{100}, std::ssize(weights)}) {
    std::vector<DrawStatus> status(1);
    const auto drawn =
        row_draws(weights, k, {.seed = seed, .stream = 5, .first_row_id = 9, .status = VectorView<DrawStatus>(status)});
    ASSERT_EQ(drawn, first(order, k)) << weights.size() << " categories, k = " << k;
    ASSERT_EQ(status[0], std::ssize(order) >= k ? DrawStatus::ok : DrawStatus::all_zero);
  }
}

TEST_F(WithoutReplacement, IsTheRaceStatedPlainly) {
  for (const std::int64_t K : testing::edge_sizes()) {
    const auto seed = static_cast<std::uint32_t>(K);
    expect_oracle(random_weights<float>(K, seed), seed);
    expect_oracle(random_weights<double>(K, seed), seed);
  }
}

// Every exponent of float and of double, side by side.
TEST_F(WithoutReplacement, OrdersWeightsOfTheWholeRange) {
  std::mt19937_64 generator(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<double> weights;
    for (int e = -1074; e < 1024; ++e)
      weights.push_back(std::ldexp(1 + static_cast<double>(generator() >> 11) * 0x1p-53, e));
    std::shuffle(weights.begin(), weights.end(), generator);
    expect_oracle(weights, 1);
    std::vector<float> narrow;
    for (int e = -149; e < 128; ++e) narrow.insert(narrow.end(), 7, std::ldexp(1.0f, e));
    std::shuffle(narrow.begin(), narrow.end(), generator);
    expect_oracle(narrow, 2);
  }
  for (const double scale : {1e-320, 1e-300, 1e-30, 1e30, 1e300}) {  // all of one size: thresholds of any size
    std::vector<double> weights = random_weights<double>(5000, 8);
    for (double& w : weights) w *= scale;
    expect_oracle(weights, 3);
    std::vector<float> narrow;
    for (const double w : random_weights<double>(5000, 8))
      narrow.push_back(static_cast<float>(w * std::clamp(scale, 1e-38, 1e38)));
    expect_oracle(narrow, 3);
  }
  expect_oracle(std::vector<double>(3000, std::numeric_limits<double>::denorm_min()), 4);
  expect_oracle(std::vector<double>(3000, std::numeric_limits<double>::max()), 4);
  expect_oracle(std::vector<float>(3000, std::numeric_limits<float>::denorm_min()), 4);
  expect_oracle(std::vector<float>(3000, std::numeric_limits<float>::max()), 4);
}

TEST_F(WithoutReplacement, LogitsAreTheRaceOfTheirExponentials) {
  std::mt19937_64 generator(4);
  std::normal_distribution<double> normal(0, 6);
  for (const std::int64_t K : {1, 31, 129, 1000, 5000}) {
    for (const double temperature : {1.0, 0.7, 0x1p-20, 0x1p20}) {
      for (const double shift : {0.0, -1e6, 1e300}) {
        std::vector<double> logits;
        for (std::int64_t k = 0; k < K; ++k) logits.push_back(k % 9 == 4 ? -infinity : normal(generator) + shift);
        std::vector<long double> scaled;
        for (const double logit : logits) scaled.push_back(static_cast<long double>(logit * (1 / temperature)));
        const auto order = testing::race_order(scaled, 6, 0, 2);
        for (const std::int64_t k : {std::int64_t{1}, std::int64_t{40}, K}) {
          std::vector<DrawStatus> status(1);
          const auto drawn = draws(LogitWeights<double>{{logits.data(), 1, K}, {}, temperature}, 1, k,
                                   {.seed = 6, .first_row_id = 2, .status = VectorView<DrawStatus>(status)});
          if (shift == 1e300) {  // equal to the last bit of a sum: the lower category first
            ASSERT_EQ(std::count(drawn.begin(), drawn.end(), -1), k > std::ssize(order) ? k - std::ssize(order) : 0);
            ASSERT_TRUE(std::is_sorted(drawn.begin(), drawn.begin() + std::min(k, std::ssize(order))));
          } else if (shift == 0 || temperature < 2) {
            ASSERT_EQ(drawn.front(), first(order, k).front()) << K << " " << temperature;
            if (shift == 0 && temperature > 0.1 && temperature < 2) {
              ASSERT_EQ(drawn, first(order, k)) << K;
            }
          }
        }
      }
    }
  }
  std::vector<float> narrow = {0.5f, 1, -2, 3, -std::numeric_limits<float>::infinity()};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  EXPECT_EQ(draws(LogitWeights<float>{{narrow.data(), 1, 5}}, 1, 4, {.seed = 2}),
            draws(LogitWeights<double>{{wide.data(), 1, 5}}, 1, 4, {.seed = 2}));
}

TEST_F(WithoutReplacement, EqualArrivalsAreInTheOrderOfCategories) {
  const std::vector<double> logits = {1e308, 1e308, 1e308, 5, 1e308};  // beyond double, divided by the temperature
  EXPECT_EQ(draws(LogitWeights<double>{{logits.data(), 1, 5}, {}, 0.001}, 1, 5),
            (std::vector<std::int64_t>{0, 1, 2, 4, 3}));
}

TEST_F(WithoutReplacement, IsTheSameForAnyThreadsSplitSourceAndType) {
  constexpr std::int64_t R = 300, K = 700, k = 20;
  const std::vector<float> weights = random_weights<float>(R * K, 5, 0.1);
  const MatrixWeights<float> matrix{{weights.data(), R, K}};
  const auto all = draws(matrix, R, k, {.seed = 3, .stream = 4, .threads = 1});
  for (const int threads : {2, 3, 7}) EXPECT_EQ(draws(matrix, R, k, {.seed = 3, .stream = 4, .threads = threads}), all);
  std::vector<std::int64_t> pieces;
  for (std::int64_t row = 0; row < R; row += 77) {
    const std::int64_t rows = std::min<std::int64_t>(77, R - row);
    const auto part = draws(MatrixWeights<float>{{weights.data() + row * K, rows, K}}, rows, k,
                            {.seed = 3, .stream = 4, .first_row_id = static_cast<std::uint64_t>(row)});
    pieces.insert(pieces.end(), part.begin(), part.end());
  }
  EXPECT_EQ(pieces, all);

  std::vector<std::int32_t> picks(R);
  std::iota(picks.begin(), picks.end(), 0);
  std::reverse(picks.begin(), picks.end());
  const std::vector<std::int64_t> ids(picks.begin(), picks.end()), seeds(R, 3);
  auto backwards = draws(
      MatrixWeights<float>{{weights.data(), R, K}, VectorView<const std::int32_t>(picks)}, R, k,
      {.stream = 4, .row_ids = VectorView<const std::int64_t>(ids), .seeds = VectorView<const std::int64_t>(seeds)});
  for (std::int64_t row = 0; row < R; ++row)
    ASSERT_TRUE(std::equal(all.begin() + row * k, all.begin() + (row + 1) * k, backwards.end() - (row + 1) * k));

  std::vector<std::int64_t> offsets(R + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i) * K;
  EXPECT_EQ(draws(RaggedWeights<float>{VectorView<const float>(weights), VectorView<const std::int64_t>(offsets)}, R, k,
                  {.seed = 3, .stream = 4}),
            all);
  std::vector<float> columns(weights.size());
  for (std::int64_t row = 0; row < R; ++row)
    for (std::int64_t c = 0; c < K; ++c)
      columns[static_cast<std::size_t>(c * R + row)] = weights[static_cast<std::size_t>(row * K + c)];
  EXPECT_EQ(draws(MatrixWeights<float>{{columns.data(), R, K, 1, R}}, R, k, {.seed = 3, .stream = 4}), all);
  const std::vector<double> wide(weights.begin(), weights.end());
  EXPECT_EQ(draws(MatrixWeights<double>{{wide.data(), R, K}}, R, k, {.seed = 3, .stream = 4}), all);
  std::vector<double> scaled = wide;
  for (double& w : scaled) w *= 0x1p-700;
  EXPECT_EQ(draws(MatrixWeights<double>{{scaled.data(), R, K}}, R, k, {.seed = 3, .stream = 4}), all);
  std::vector<std::int32_t> narrow(all.size());
  sample_without_replacement(matrix, MatrixView<std::int32_t>(narrow.data(), R, k), {.seed = 3, .stream = 4});
  EXPECT_TRUE(std::equal(narrow.begin(), narrow.end(), all.begin()));
  EXPECT_NE(draws(matrix, R, k, {.seed = 4, .stream = 4}), all);
  EXPECT_NE(draws(matrix, R, k, {.seed = 3, .stream = 5}), all);
}

TEST_F(WithoutReplacement, FewerDrawsAreTheFirstOnesAndAShuffleIsAllOfThem) {
  const std::vector<float> weights = random_weights<float>(4000, 6, 0);
  std::vector<std::int64_t> shuffled(weights.size());
  weighted_shuffle(MatrixWeights<float>{{weights.data(), 1, 4000}}, MatrixView<std::int64_t>(shuffled.data(), 1, 4000),
                   {.seed = 11});
  for (const std::int64_t k : {0, 1, 2, 17, 128, 1000, 3999, 4000})
    EXPECT_EQ(row_draws(weights, k, {.seed = 11}), first(shuffled, k));
  std::sort(shuffled.begin(), shuffled.end());
  for (std::size_t i = 0; i < shuffled.size(); ++i) ASSERT_EQ(shuffled[i], static_cast<std::int64_t>(i));

  const std::vector<std::int64_t> offsets = {0, 3, 3, 1000, 4000};
  const RaggedWeights<float> ragged{VectorView<const float>(weights), VectorView<const std::int64_t>(offsets)};
  std::vector<std::int32_t> flat(weights.size());
  weighted_shuffle(ragged, VectorView<std::int32_t>(flat), {.seed = 11, .threads = 3});
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const std::vector<float> own(weights.begin() + offsets[row], weights.begin() + offsets[row + 1]);
    const auto order = row_draws(own, std::ssize(own), {.seed = 11, .first_row_id = row});
    ASSERT_TRUE(std::equal(order.begin(), order.end(), flat.begin() + offsets[row])) << row;
  }
}

TEST_F(WithoutReplacement, ACategorysWeightChangesNoArrivalButItsOwn) {
  std::vector<double> weights = random_weights<double>(1000, 7, 0);
  const auto before = row_draws(weights, 1000, {.seed = 1});
  weights[500] = 1e9;
  auto after = row_draws(weights, 1000, {.seed = 1});
  EXPECT_EQ(after.front(), 500);
  after.erase(after.begin());
  auto others = before;
  others.erase(std::find(others.begin(), others.end(), 500));
  EXPECT_EQ(after, others);
}

TEST_F(WithoutReplacement, FaultyRowsHaveAStatusAndSpareTheOthers) {
  const std::vector<double> weights = {
      1, 2, 3, 4, 0, 5,         0, 1, 1, -1, std::nan(""), 1, 1, std::nan(""), 1, 1, 1, infinity, 1, 1, 0, 0,
      0, 0, 1, 1, 1, -infinity, 2, 2, 2, 2};
  const MatrixWeights<double> matrix{{weights.data(), 8, 4}};
  std::vector<DrawStatus> status(8);
  const auto drawn = draws(matrix, 8, 3, {.status = VectorView<DrawStatus>(status)});
  using enum DrawStatus;
  EXPECT_EQ(status, (std::vector<DrawStatus>{ok, all_zero, negative, not_a_number, infinite, all_zero, negative, ok}));
  for (const std::size_t row : {2u, 3u, 4u, 5u, 6u})
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(drawn[3 * row + j], -1);
  EXPECT_EQ(std::min(drawn[3], drawn[4]), 1);
  EXPECT_EQ(std::max(drawn[3], drawn[4]), 3);
  EXPECT_EQ(drawn[5], -1);
  EXPECT_EQ(message_of([&] { draws(matrix, 8, 3); }),
            "papilio::sample_without_replacement: 3 draws without replacement from row 1, which has 2 categories that "
            "can be drawn");
  EXPECT_EQ(message_of([&] {
              draws(MatrixWeights<double>{{weights.data() + 8, 6, 4}}, 6, 2);
            }),
            "papilio::sample_without_replacement: weights must be finite and >= 0; row 0, category 1 is -1 (6 rows x 4 "
            "categories)");
  EXPECT_EQ(draws(matrix, 8, 0, {.status = VectorView<DrawStatus>(status)}).size(), 0u);  // no weight is read
  EXPECT_EQ(status, std::vector<DrawStatus>(8, ok));

  const std::vector<std::int64_t> offsets = {0, 0, 4};
  const RaggedWeights<double> ragged{VectorView<const double>(weights), VectorView<const std::int64_t>(offsets)};
  status.resize(2);
  EXPECT_EQ(first(draws(ragged, 2, 5, {.status = VectorView<DrawStatus>(status)}), 5),
            (std::vector<std::int64_t>(5, -1)));
  EXPECT_EQ(status, (std::vector<DrawStatus>{empty, all_zero}));
  EXPECT_EQ(message_of([&] { draws(ragged, 2, 5); }),
            "papilio::sample_without_replacement: row 0 has no categories, but 5 draws were asked for");
  const std::vector<float> logits = {1, std::nanf(""), 0, 1, 2, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(draws(LogitWeights<float>{{logits.data(), 2, 3}}, 2, 1, {.status = VectorView<DrawStatus>(status)}),
            (std::vector<std::int64_t>{-1, -1}));
  EXPECT_EQ(status, (std::vector<DrawStatus>{not_a_number, infinite}));
}

// Where faults lie among many tiles, and after the race has been decided.
TEST_F(WithoutReplacement, NoFaultIsMissed) {
  for (const std::size_t at : {0u, 31u, 32u, 127u, 128u, 999u, 4096u, 4099u}) {
    std::vector<float> weights = random_weights<float>(4100, 9);
    for (const float bad : {-1.0f, std::nanf(""), std::numeric_limits<float>::infinity(), -1e-45f}) {
      weights[at] = bad;
      EXPECT_NE(message_of([&] { row_draws(weights, 3); }).find("category " + std::to_string(at)), std::string::npos);
    }
    weights[at] = -0.0f;
    EXPECT_NO_THROW(row_draws(weights, 3));
  }
}

// Fixed for ever: a change of these changes results.
TEST_F(WithoutReplacement, KnownBits) {
  const std::vector<float> row = testing::golden_row<float>(9);
  EXPECT_EQ(row_draws(row, 9, {.seed = 1, .stream = 2}), (std::vector<std::int64_t>{8, 6, 5, 3, 7, 4, 2, 1, 0}));
  EXPECT_EQ(row_draws(row, 9, {.seed = 1, .stream = 2, .first_row_id = 3}),
            (std::vector<std::int64_t>{1, 7, 3, 5, 4, 8, 6, 2, 0}));
  const std::vector<float> matrix = testing::golden_matrix();
  EXPECT_EQ(testing::hash_of(draws(MatrixWeights<float>{{matrix.data(), 4096, 300}}, 4096, 10, {.seed = 3})),
            11320026814609721726u);
  const std::vector<double> wide(matrix.begin(), matrix.begin() + 300'000);
  EXPECT_EQ(testing::hash_of(draws(MatrixWeights<double>{{wide.data(), 1, 300'000}}, 1, 100'000, {.seed = 3})),
            3251628301467427069u);
  EXPECT_EQ(testing::hash_of(draws(LogitWeights<double>{{wide.data(), 100, 3000}, {}, 16}, 100, 50, {.seed = 3})),
            17957048077277409491u);
}

}  // namespace
}  // namespace papilio
