// Draws among filtered logits beside an oracle that sorts the whole row: tokens, kept sets, counts, ranks and masses
// are equal, log probabilities within 2 units in the last place.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"
#include "sampling/tokens/token_oracle.h"

namespace papilio {
namespace {

using testing::filters_of;
using testing::minus_infinity;
using testing::OracleFilter;
using testing::OracleRow;

// Everything that a call says about one row.
struct Told {
  std::vector<std::int32_t> token = {7}, rank = {7}, count = {7};
  std::vector<float> log = {7}, raw = {7}, mass = {7};
  std::vector<TokenStatus> status = {TokenStatus::ok};
  std::vector<std::int32_t> kept;
  std::vector<float> kept_log;

  explicit Told(std::int64_t room) : kept(static_cast<std::size_t>(room)), kept_log(static_cast<std::size_t>(room)) {}
  TokenResults results() {
    const auto room = static_cast<std::int64_t>(kept.size());
    return {.tokens = token,
            .log_probabilities = log,
            .raw_log_probabilities = raw,
            .ranks = rank,
            .kept_counts = count,
            .kept_masses = mass,
            .status = status,
            .kept_categories = {kept.data(), 1, room},
            .kept_log_probabilities = {kept_log.data(), 1, room}};
  }
};

double ulp(double x) {
  const auto f = static_cast<float>(std::abs(x));
  return static_cast<double>(std::nextafter(f, std::numeric_limits<float>::infinity())) - static_cast<double>(f);
}

// A mask, as a call takes it; empty: none.
using Mask = std::vector<std::uint32_t>;

// What masked categories hold: nothing of it matters.
std::vector<float> with_masked(std::vector<float> logits, const Mask& mask) {
  const float anything[] = {std::numeric_limits<float>::quiet_NaN(), -minus_infinity, 1e30f, minus_infinity};
  for (std::size_t k = 0; k < logits.size() && !mask.empty(); ++k)
    if ((mask[k / 32] >> (k % 32) & 1u) == 0) logits[k] = anything[k % 4];
  return logits;
}

// Draws from one row and compares all of it with the oracle, for which masked categories are at -infinity.
void expect_law(const std::vector<float>& logits, const OracleFilter& f, std::uint64_t seed, const std::string& what,
                const Mask& mask = {}) {
  SCOPED_TRACE(what);
  const auto count = static_cast<std::int64_t>(logits.size());
  const OracleRow row = testing::oracle_row(logits, f);
  Told told(count);
  const std::vector<float> given = with_masked(logits, mask);
  TokenFilters filters = filters_of(f);
  if (!mask.empty()) filters.allowed = {mask.data(), 1, static_cast<std::int64_t>(mask.size())};
  sample_tokens(MatrixView<const float>(given.data(), 1, count), told.results(), filters,
                {.seed = seed, .stream = 3, .first_position = 11});
  ASSERT_EQ(told.status[0], TokenStatus::ok);
  const std::int64_t token = testing::oracle_find(row, testing::oracle_number(seed, 3, 11));
  EXPECT_EQ(told.token[0], token);
  ASSERT_GE(told.token[0], 0);
  std::int64_t rank = 0;
  while (row.order[static_cast<std::size_t>(rank)] != token) ++rank;
  EXPECT_EQ(told.rank[0], rank);
  EXPECT_EQ(told.mass[0], static_cast<float>(static_cast<double>(row.total) / static_cast<double>(row.total_of_all)));
  std::vector<std::int32_t> kept;
  for (std::size_t k = 0; k < logits.size(); ++k)
    if (row.kept[k] && row.weights[k] > 0) kept.push_back(static_cast<std::int32_t>(k));
  ASSERT_EQ(told.count[0], static_cast<std::int32_t>(kept.size()));
  told.kept.resize(kept.size());
  EXPECT_EQ(told.kept, kept);
  // Weights are within 2^-24 of themselves, and 2^-s for each that is cut off.
  const double cut = static_cast<double>(count) * std::ldexp(1.0, -row.unit_bits);
  const std::size_t looked_at = std::min<std::size_t>(kept.size(), count > 10000 ? 3 : 40);
  for (std::size_t n = 0; n < looked_at; ++n) {
    const double log = testing::oracle_log_probability(logits, row, f.temperature, kept[n]);
    EXPECT_NEAR(told.kept_log[n], log, 2 * ulp(log) + cut) << kept[n];
    if (kept[n] == token) {
      EXPECT_EQ(told.kept_log[n], told.log[0]);
    }
  }
  if (f.temperature == 1 && f.top_k == 0 && f.top_p == 1 && f.min_p == 0 && mask.empty()) {
    EXPECT_EQ(told.raw[0], told.log[0]);
  }
}

// Masks most of a row, or all of it but one category, and puts what it masks at -infinity.
Mask random_mask(std::mt19937_64& bits, std::vector<float>& row) {
  const auto count = static_cast<std::int64_t>(row.size());
  Mask mask(static_cast<std::size_t>((count + 31) / 32));
  const bool one = testing::pick(bits, 2) == 0;
  if (!one)
    for (std::uint32_t& word : mask) word = static_cast<std::uint32_t>(bits());
  const auto allowed = static_cast<std::size_t>(testing::pick(bits, count));
  mask[allowed / 32] |= 1u << (allowed % 32);
  if (!(row[allowed] > minus_infinity)) row[allowed] = 1;
  for (std::size_t k = 0; k < row.size(); ++k)
    if ((mask[k / 32] >> (k % 32) & 1u) == 0) row[k] = minus_infinity;
  return mask;
}

// One row in `one_long` is of the size of a vocabulary.
void expect_many(int rows, std::uint64_t seed, std::uint64_t one_long) {
  std::mt19937_64 bits(seed);
  const std::int64_t counts[] = {1, 2, 3, 31, 32, 33, 100, 255, 256, 257, 1000, 1023, 1025, 4099};
  const std::int64_t vocabularies[] = {32000, 50257, 131072, 151936, 262144};
  for (int n = 0; n < rows && !::testing::Test::HasFailure(); ++n) {
    const std::int64_t count = bits() % one_long == 0 ? vocabularies[bits() % 5] : counts[bits() % 14];
    std::vector<float> row = testing::random_row(bits, count);
    const OracleFilter f = testing::random_filter(bits, count);
    const Mask mask = bits() % 4 == 0 ? random_mask(bits, row) : Mask{};
    expect_law(row, f, bits(),
               "row " + std::to_string(n) + " of " + std::to_string(count) + ": " + testing::text_of(f) +
                   (mask.empty() ? "" : ", masked"),
               mask);
  }
}

// Parts that may run side by side.
class NightlySampleTokens : public ::testing::TestWithParam<int> {};
constexpr int parts = 16;
TEST_P(NightlySampleTokens, DrawsWhatTheRulesSayAMillionTimes) {
  expect_many(1'000'000 / parts, 1000 + static_cast<std::uint64_t>(GetParam()), 1000);
}
INSTANTIATE_TEST_SUITE_P(Nightly, NightlySampleTokens, ::testing::Range(0, parts));

TEST(SampleTokens, DrawsWhatTheRulesSay) { expect_many(1200, 1, 400); }

TEST(SampleTokens, DrawsWhatTheRulesSayInLongRows) {
  std::mt19937_64 bits(2);
  for (const std::int64_t count : {32000, 131072}) {
    std::normal_distribution<float> normal(0, 3);
    std::vector<float> row(static_cast<std::size_t>(count));
    for (float& x : row) x = normal(bits);
    for (const OracleFilter& f : {OracleFilter{}, OracleFilter{0.8f, 50, 0.9f}, OracleFilter{1, 0, 0.9f},
                                  OracleFilter{1.2f, 0, 1, 0.01f}, OracleFilter{1, 1000, 0.95f, 0.001f, true}})
      expect_law(row, f, bits(), std::to_string(count) + " categories, top_k " + std::to_string(f.top_k));
  }
}

}  // namespace
}  // namespace papilio
