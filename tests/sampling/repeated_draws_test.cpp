#include "sampling/tables/repeated_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "papilio/error.h"
#include "papilio/sampling.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/random_weights.h"
#include "support/chi_square.h"
#include "support/devices.h"

namespace papilio {
namespace {

using sampling::alias_columns;
using sampling::AliasColumn;
using testing::random_weights;

constexpr double unit = 0x1p-53;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

template <class Table, class Index = std::int32_t>
std::vector<Index> draws(const Table& table, std::size_t count, const RepeatedDrawOptions& options = {}) {
  std::vector<Index> drawn(count, -1);
  table.sample(VectorView<Index>(drawn), options);
  return drawn;
}

// Tables keep nothing of their weights, so these may be gone afterwards.
template <class Table, class T = double>
Table table_of(const std::vector<T>& weights) {
  return Table(VectorView<const T>(weights));
}

// The draw as the header's contract and the comment on its words define it, in 128-bit arithmetic.
TEST(AliasTable, DrawsAreTheDocumentedFunctionOfTheirBlock) {
  __extension__ using Wide = unsigned __int128;
  for (const std::size_t K : {1u, 7u, 1000u, 1'000'003u}) {
    const std::vector<double> weights = random_weights(K, 3, 2);
    const std::vector<AliasColumn> columns = alias_columns(weights);
    const std::vector<std::int32_t> drawn =
        draws(AliasTable(weights), 50'000, {.seed = 5, .stream = 6, .first_draw = 7});
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const random::Block block = random::draw_block(5, 6, 7 + i);
      const std::uint64_t x = std::uint64_t{block.word[1]} << 32 | block.word[0];
      const auto k = static_cast<std::size_t>(Wide{x} * K >> 64);
      const bool kept = random::uniform53(block.word[2], block.word[3]) < columns[k].keep;
      ASSERT_EQ(drawn[i], kept ? static_cast<std::int32_t>(k) : columns[k].alias) << i;
    }
  }
}

// The draws that seed 7 gives: a change of these breaks every user's results.
TEST(AliasTable, KnownDraws) {
  const std::vector<float> weights = {1, 2, 3, 0, 4};
  EXPECT_EQ(draws(AliasTable(weights), 16, {.seed = 7}),
            (std::vector<std::int32_t>{4, 4, 4, 1, 2, 1, 2, 2, 4, 4, 4, 4, 2, 2, 1, 0}));
}

TEST(CumulativeTable, KnownDraws) {
  const std::vector<float> weights = {1, 2, 3, 0, 4};
  EXPECT_EQ(draws(CumulativeTable(weights), 16, {.seed = 7}),
            (std::vector<std::int32_t>{4, 4, 0, 1, 4, 2, 2, 2, 4, 0, 4, 4, 2, 4, 1, 0}));
}

template <class Table>
class RepeatedDraws : public ::testing::Test {
 protected:
  static constexpr const char* table_name = std::is_same_v<Table, AliasTable> ? "AliasTable" : "CumulativeTable";
};
using Tables = ::testing::Types<AliasTable, CumulativeTable>;
TYPED_TEST_SUITE(RepeatedDraws, Tables);

TYPED_TEST(RepeatedDraws, AreTheSameForAnyThreadsSplitAndIndexType) {
  const auto table = table_of<TypeParam>(random_weights(1000, 4, 3));
  constexpr std::size_t count = 50'000;
  const std::vector<std::int32_t> whole = draws(table, count, {.seed = 1, .stream = 2, .first_draw = 3, .threads = 1});
  for (const int threads : {2, 7, 0}) {
    EXPECT_EQ(draws(table, count, {.seed = 1, .stream = 2, .first_draw = 3, .threads = threads}), whole) << threads;
  }
  const auto wide =
      draws<TypeParam, std::int64_t>(table, count, {.seed = 1, .stream = 2, .first_draw = 3, .threads = 2});
  EXPECT_TRUE(std::equal(wide.begin(), wide.end(), whole.begin(), whole.end()));
  std::vector<std::int32_t> pieces(count);
  std::size_t begin = 0;
  for (const std::size_t end : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{12'345}, count}) {
    table.sample(VectorView<std::int32_t>(pieces.data() + begin, static_cast<std::int64_t>(end - begin)),
                 {.seed = 1, .stream = 2, .first_draw = 3 + begin});
    begin = end;
  }
  EXPECT_EQ(pieces, whole);
}

TYPED_TEST(RepeatedDraws, SeedStreamAndNumberAllMatter) {
  const auto table = table_of<TypeParam>(std::vector<double>(1 << 16, 1.0));
  const std::set<std::vector<std::int32_t>> different = {
      draws(table, 100),
      draws(table, 100, {.seed = 1}),
      draws(table, 100, {.stream = 1}),
      draws(table, 100, {.first_draw = 1}),
      draws(table, 100, {.seed = std::uint64_t{1} << 32}),
      draws(table, 100, {.stream = std::uint64_t{1} << 32}),
      draws(table, 100, {.first_draw = std::uint64_t{1} << 32}),
  };
  EXPECT_EQ(different.size(), 7u);
}

TYPED_TEST(RepeatedDraws, FloatAndDoubleWeightsGiveTheSame) {
  const std::vector<float> narrow = {0.1f, 7, 0, 3e-30f, 2.5f};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  EXPECT_EQ(draws(TypeParam(narrow), 1000), draws(TypeParam(wide), 1000));
}

TYPED_TEST(RepeatedDraws, AScaleChangesNothing) {
  std::vector<double> weights = random_weights(300, 3, 8);
  const std::vector<std::int32_t> drawn = draws(TypeParam(weights), 1000);
  for (const double scale : {0x1p-1000, 0x1p-52, 0x1p1000}) {
    std::vector<double> scaled = weights;
    for (double& weight : scaled) weight *= scale;
    EXPECT_EQ(draws(TypeParam(scaled), 1000), drawn) << scale;
  }
}

TYPED_TEST(RepeatedDraws, OneCategory) {
  const auto table = table_of<TypeParam>({3.5});
  EXPECT_EQ(table.categories(), 1);
  EXPECT_EQ(draws(table, 1000), std::vector<std::int32_t>(1000, 0));
  EXPECT_TRUE(draws(table, 0).empty());
}

// Expected counts of 20 or more a cell; the seed is fixed, the threshold is for some ten such tests.
TYPED_TEST(RepeatedDraws, FollowTheWeightsAndABiasedTableDoesNot) {
  constexpr double threshold = 1e-4;
  constexpr std::size_t count = 400'000;
  for (const std::size_t K : {2u, 5u, 100u, 1000u}) {
    const std::vector<double> weights = random_weights(K, 2, K);
    double total = 0;
    for (const double weight : weights) total += weight;
    std::vector<double> expected(K);
    for (std::size_t k = 0; k < K; ++k) expected[k] = static_cast<double>(count) * weights[k] / total;
    const auto p_value = [&](const std::vector<double>& of) {
      std::vector<double> observed(K);
      for (const std::int32_t k : draws(TypeParam(of), count, {.seed = 31})) ++observed[static_cast<std::size_t>(k)];
      return testing::chi_square_p_value(observed, expected);
    };
    EXPECT_GT(p_value(weights), threshold) << K;
    std::vector<double> biased = weights;
    for (std::size_t k = 0; k < K; k += 2) biased[k] *= 1.1;
    EXPECT_LT(p_value(biased), 1e-9) << K;
  }
}

TYPED_TEST(RepeatedDraws, AMillionCategoriesAllOccur) {
  constexpr std::size_t K = 1 << 20;
  std::vector<double> observed(K / 1024);
  constexpr std::size_t count = 200'000;
  for (const std::int32_t k : draws(table_of<TypeParam>(std::vector<float>(K, 0.3f)), count, {.seed = 12})) {
    ASSERT_TRUE(0 <= k && k < std::int32_t{K});
    ++observed[static_cast<std::size_t>(k) / 1024];
  }
  const std::vector<double> expected(observed.size(),
                                     static_cast<double>(count) / static_cast<double>(observed.size()));
  EXPECT_GT(testing::chi_square_p_value(observed, expected), 1e-4);
}

TYPED_TEST(RepeatedDraws, ZeroWeightsAreNeverDrawn) {
  std::vector<float> weights(3000);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = k % 3 == 1 ? 0.1f : 0.0f;
  for (const std::int32_t k : draws(TypeParam(weights), 200'000)) ASSERT_EQ(k % 3, 1) << k;
}

// Sums that no double holds, and weights below the least normal double.
TYPED_TEST(RepeatedDraws, ExtremeWeights) {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const std::vector<std::int32_t> plain = draws(table_of<TypeParam>({1, 1, 2}), 1000);
  EXPECT_EQ(draws(table_of<TypeParam>({0.8e308, 0.8e308, 1.6e308}), 1000), plain);
  EXPECT_EQ(draws(table_of<TypeParam>({largest / 2, largest / 2, largest}), 1000), plain);
  EXPECT_EQ(draws(table_of<TypeParam>({least, least, 2 * least}), 1000), plain);
  EXPECT_EQ(draws(table_of<TypeParam>({least, largest, 0}), 1000), std::vector<std::int32_t>(1000, 1));
}

TYPED_TEST(RepeatedDraws, RefuseRowsThatCannotBeDrawnFrom) {
  const std::string prefix = std::string("papilio::") + this->table_name;
  const auto message = [](const std::vector<double>& weights) {
    return error_of([&] { TypeParam table{VectorView<const double>(weights)}; });
  };
  EXPECT_EQ(message({}), prefix + ": there are no categories, so there is nothing to draw");
  EXPECT_EQ(message({0, -0.0, 0}),
            prefix + ": no category has a positive weight, so there is nothing to draw (3 categories)");
  std::vector<double> weights(512, 1.0);
  weights[300] = -7;
  weights[203] = -0.25;
  EXPECT_EQ(message(weights), prefix + ": weights must be finite and >= 0; category 203 is -0.25 (512 categories)");
  weights[203] = INFINITY;
  EXPECT_EQ(message(weights), prefix + ": weights must be finite and >= 0; category 203 is inf (512 categories)");
  weights[203] = NAN;
  EXPECT_EQ(message(weights), prefix + ": weights must be finite and >= 0; category 203 is nan (512 categories)");
  const float one = 1;  // the size is refused before any weight is read
  EXPECT_EQ(error_of([&] { TypeParam table{VectorView<const float>(&one, std::int64_t{1} << 31)}; }),
            prefix + ": weights must be at most 2147483647 categories; got 2147483648");
}

// Whole weights with a power of two as total: every threshold, and the last double below it.
TEST(CumulativeTableFind, IsExactForWholeWeights) {
  std::mt19937_64 generator(14);
  for (const std::size_t K : {1u, 2u, 3u, 17u, 500u, 4096u}) {
    constexpr std::size_t total = 4096;
    std::vector<double> weights(K);
    for (std::size_t balls = 0; balls < total; ++balls) ++weights[generator() % (1 + generator() % K)];
    const CumulativeTable table(weights);
    std::vector<std::int64_t> category;
    for (std::size_t k = 0; k < K; ++k) category.insert(category.end(), static_cast<std::size_t>(weights[k]), k);
    for (std::size_t j = 0; j < total; ++j) {
      const double u = static_cast<double>(j) / total;
      ASSERT_EQ(table.find(u), category[j]) << j << " of " << K;
      ASSERT_EQ(table.find(std::nextafter(u + 1.0 / total, 0.0)), category[j]) << j << " of " << K;
    }
  }
}

// For real weights u * total must lie in the interval of the category, taken in long
// double, give or take 2 units of the total: one for the sum, one for the product.
TEST(CumulativeTableFind, LiesInTheIntervalOfItsCategory) {
  for (const std::size_t K : {3u, 1000u, 100'000u}) {
    const std::vector<double> weights = random_weights(K, 8, K);
    std::vector<long double> sums(K + 1);
    for (std::size_t k = 0; k < K; ++k) sums[k + 1] = sums[k] + static_cast<long double>(weights[k]);
    const CumulativeTable table(weights);
    std::mt19937_64 generator(21);
    for (int repeat = 0; repeat < 20'000; ++repeat) {
      const double u = static_cast<double>(generator() >> 11) * unit;
      const auto k = static_cast<std::size_t>(table.find(u));
      const long double target = u * sums[K];
      const long double slack = 2 * unit * sums[K];
      ASSERT_TRUE(sums[k] - slack <= target && target <= sums[k + 1] + slack) << k << " for " << u;
      ASSERT_GT(weights[k], 0);
    }
  }
}

TEST(CumulativeTableFind, IsMonotone) {
  const auto table = table_of<CumulativeTable>(random_weights(2000, 30, 5));
  std::int64_t before = 0;
  for (int j = 0; j < 100'000; ++j) {
    const std::int64_t k = table.find(j / 100'000.0);
    ASSERT_GE(k, before) << j;
    before = k;
  }
}

TEST(CumulativeTableFind, NeverReturnsAZeroWeightAtEitherEnd) {
  for (const double weight : {1.0, 0.1, 1.0 / 3, 5e-324, 1e308}) {
    const auto table = table_of<CumulativeTable>({0, 0, weight, 0, weight, 0, 0, 0});
    EXPECT_EQ(table.find(0), 2);
    EXPECT_EQ(table.find(std::nextafter(0.5, 0.0)), 2);
    EXPECT_EQ(table.find(0.5), 4);
    EXPECT_EQ(table.find(1 - unit), 4);
  }
}

TEST(CumulativeTableFind, FindsEachOfAMillion) {
  constexpr int K = 1 << 20;
  const auto table = table_of<CumulativeTable>(std::vector<float>(K, 0.7f));
  for (int k = 0; k < K; ++k) ASSERT_EQ(table.find((k + 0.5) / K), k);
}

TEST(CumulativeTableFind, RefusesNumbersOutsideTheUnitInterval) {
  const auto table = table_of<CumulativeTable>({1, 1});
  EXPECT_EQ(error_of([&] { table.find(1); }), "papilio::CumulativeTable::find: u is 1, expected 0 <= u < 1");
  EXPECT_EQ(error_of([&] { table.find(-0.5); }), "papilio::CumulativeTable::find: u is -0.5, expected 0 <= u < 1");
  EXPECT_EQ(error_of([&] { table.find(NAN); }), "papilio::CumulativeTable::find: u is nan, expected 0 <= u < 1");
}

// Weights there are read by the driver, which this build or machine may lack: an error, never a crash.
TEST(RepeatedDraws, ArraysOnADeviceThatIsNotThereAreErrors) {
  const auto weights = testing::vector_on_cuda<const float>();
  const auto wide_weights = testing::vector_on_cuda<const double>();
  const auto drawn = testing::vector_on_cuda<std::int32_t>();
  const auto wide_drawn = testing::vector_on_cuda<std::int64_t>();
  const std::vector<double> some = {1, 2};
  const auto check = [&]<class Table>(const std::string& name) {
    EXPECT_THROW(Table{weights}, Error);
    EXPECT_THROW(Table{wide_weights}, Error);
    const auto table = table_of<Table>(some);
    EXPECT_TRUE(table.device().is_cpu());
    const std::string expected = "papilio::" + name + "::sample: drawn is on cuda:0, the table is on cpu; " + name +
                                 "::on makes a copy of a table elsewhere";
    EXPECT_EQ(error_of([&] { table.sample(drawn); }), expected);
    EXPECT_EQ(error_of([&] { table.sample(wide_drawn); }), expected);
    EXPECT_NO_THROW(table.sample(VectorView<std::int32_t>(nullptr, 0, testing::cuda_device())));
    EXPECT_EQ(draws(table.on(Device::cpu()), 100), draws(table, 100));
  };
  check.operator()<AliasTable>("AliasTable");
  check.operator()<CumulativeTable>("CumulativeTable");
}

}  // namespace
}  // namespace papilio
