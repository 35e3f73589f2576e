// A draw depends on seed, stream, row number and weights, and on nothing else.

#include <numeric>

#include "sampling/support.h"

namespace papilio::testing {
namespace {

template <class T>
class Batches : public SamplingTest {
 protected:
  static constexpr std::int64_t columns = 150;
  static std::vector<std::int64_t> draw(const std::vector<T>& weights, const SampleOptions& options) {
    const auto rows = static_cast<std::int64_t>(weights.size()) / columns;
    std::vector<std::int64_t> drawn(static_cast<std::size_t>(rows), -7);
    sample_categorical(MatrixWeights<T>{{weights.data(), rows, columns}}, VectorView<std::int64_t>(drawn), options);
    return drawn;
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Batches, Types);

TYPED_TEST(Batches, AnyNumberOfThreadsDrawsTheSame) {
  const auto weights = random_weights<TypeParam>(100003 * 20, 1, 0.05);
  std::vector<std::int32_t> expected(100003), drawn(100003);
  const MatrixWeights<TypeParam> source = {{weights.data(), 100003, 20}};
  sample_categorical(source, VectorView<std::int32_t>(expected), {.seed = 5, .threads = 1});
  for (const int threads : {0, 2, 7}) {
    std::fill(drawn.begin(), drawn.end(), -7);
    sample_categorical(source, VectorView<std::int32_t>(drawn), {.seed = 5, .threads = threads});
    EXPECT_EQ(drawn, expected) << threads << " threads";
  }
}

TYPED_TEST(Batches, PartsOfABatchDrawLikeTheWhole) {
  constexpr std::int64_t rows = 1003;
  const auto weights = random_weights<TypeParam>(rows * this->columns, 2);
  const auto whole = this->draw(weights, {.seed = 6, .stream = 9});
  for (const std::int64_t part : {1, 7, 8, 31, 32, 33}) {
    std::vector<std::int64_t> joined;
    for (std::int64_t first = 0; first < rows; first += part) {
      const std::int64_t end = std::min(first + part, rows);
      const std::vector<TypeParam> rows_of_part(weights.begin() + first * this->columns,
                                                weights.begin() + end * this->columns);
      const auto drawn =
          this->draw(rows_of_part, {.seed = 6, .stream = 9, .first_row_id = static_cast<std::uint64_t>(first)});
      joined.insert(joined.end(), drawn.begin(), drawn.end());
    }
    EXPECT_EQ(joined, whole) << "in parts of " << part;
  }
}

TYPED_TEST(Batches, SeedsOfRowsDrawLikeCallsOfTheirOwn) {
  constexpr std::int64_t rows = 67;
  const auto weights = random_weights<TypeParam>(rows * this->columns, 4);
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i < rows; ++i) seeds.push_back(i % 3 == 0 ? i : -(i << 40) - 1);  // all of their 64 bits
  for (const PartialSums method : {PartialSums::slots, PartialSums::prefix, PartialSums::butterfly_two_pass}) {
    const auto drawn = this->draw(weights, {.seed = 99, .stream = 3, .seeds = seeds, .method = method});
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::vector<TypeParam> row(weights.begin() + i * this->columns, weights.begin() + (i + 1) * this->columns);
      const auto alone = this->draw(row, {.seed = static_cast<std::uint64_t>(seeds[at]),
                                          .stream = 3,
                                          .first_row_id = static_cast<std::uint64_t>(i),
                                          .method = method});
      ASSERT_EQ(drawn[at], alone[0]) << name(method) << ", row " << i;
    }
  }
  seeds.pop_back();
  EXPECT_EQ(message_of([&] { this->draw(weights, {.seeds = seeds}); }),
            "papilio::sample_categorical: seeds must have one entry per row; got 66 for 67 rows");
}

TYPED_TEST(Batches, ShuffledRowsDrawLikeOrderedOnes) {
  constexpr std::int64_t rows = 1003;
  const auto weights = random_weights<TypeParam>(rows * this->columns, 3);
  const auto expected = this->draw(weights, {.seed = 7});
  std::vector<std::int64_t> ids(rows);
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(1));
  std::vector<TypeParam> shuffled;
  for (const std::int64_t id : ids)
    shuffled.insert(shuffled.end(), weights.begin() + id * this->columns, weights.begin() + (id + 1) * this->columns);
  const auto drawn = this->draw(shuffled, {.seed = 7, .row_ids = VectorView<const std::int64_t>(ids)});
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(drawn[i], expected[static_cast<std::size_t>(ids[i])]);
}

// The same row everywhere: neighbours and the length of the batch do not matter.
TYPED_TEST(Batches, NeighboursDoNotMatter) {
  const auto row = random_weights<TypeParam>(this->columns, 4);
  const auto expected = this->draw(row, {.seed = 8, .first_row_id = 42})[0];
  for (const std::size_t rows : {1, 7, 8, 31, 32, 33, 100})
    for (std::size_t at = 0; at < rows; at += 3) {
      auto weights = random_weights<TypeParam>(static_cast<std::int64_t>(rows) * this->columns, 5);
      std::copy(row.begin(), row.end(), weights.begin() + static_cast<std::int64_t>(at) * this->columns);
      std::vector<std::int64_t> ids(rows, 1);
      ids[at] = 42;
      ASSERT_EQ(this->draw(weights, {.seed = 8, .row_ids = VectorView<const std::int64_t>(ids)})[at], expected);
    }
}

TYPED_TEST(Batches, SeedStreamAndRowNumberEachMatter) {
  const std::vector<TypeParam> weights(static_cast<std::size_t>(this->columns) * 50, TypeParam{1});
  const auto drawn = this->draw(weights, {.seed = 1});
  EXPECT_NE(drawn, this->draw(weights, {.seed = 2}));
  EXPECT_NE(drawn, this->draw(weights, {.seed = std::uint64_t{1} | std::uint64_t{1} << 40}));
  EXPECT_NE(drawn, this->draw(weights, {.seed = 1, .stream = 1}));
  EXPECT_NE(drawn, this->draw(weights, {.seed = 1, .stream = std::uint64_t{1} << 40}));
  EXPECT_NE(drawn, this->draw(weights, {.seed = 1, .first_row_id = 50}));
  EXPECT_NE(drawn, this->draw(weights, {.seed = 1, .first_row_id = std::uint64_t{1} << 40}));
  EXPECT_EQ(drawn, this->draw(weights, {.seed = 1, .check_negative = false}));
}

TYPED_TEST(Batches, NoRowsAreNoDraws) {
  std::vector<std::int32_t> drawn;
  sample_categorical(MatrixWeights<TypeParam>{{nullptr, 0, 10}}, VectorView<std::int32_t>(drawn));
  const std::vector<std::int64_t> offsets = {0};
  sample_categorical(RaggedWeights<TypeParam>{{}, offsets}, VectorView<std::int32_t>(drawn));
}

}  // namespace
}  // namespace papilio::testing
