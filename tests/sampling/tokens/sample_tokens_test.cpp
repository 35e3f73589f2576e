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
#include "sampling/tokens/token_oracle.h"

namespace papilio {
namespace {

using testing::OracleFilter;
using testing::OracleRow;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

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

TokenFilters filters_of(const OracleFilter& f) {
  TokenFilters filters;
  filters.temperature = f.temperature;
  filters.top_k = static_cast<std::int32_t>(f.top_k);
  filters.top_p = f.top_p;
  filters.min_p = f.min_p;
  filters.joint = f.joint;
  return filters;
}

double ulp(double x) {
  const auto f = static_cast<float>(std::abs(x));
  return static_cast<double>(std::nextafter(f, std::numeric_limits<float>::infinity())) - static_cast<double>(f);
}

// Draws from one row and compares all of it with the oracle.
void expect_law(const std::vector<float>& logits, const OracleFilter& f, std::uint64_t seed, const std::string& what) {
  SCOPED_TRACE(what);
  const auto count = static_cast<std::int64_t>(logits.size());
  const OracleRow row = testing::oracle_row(logits, f);
  Told told(count);
  sample_tokens(MatrixView<const float>(logits.data(), 1, count), told.results(), filters_of(f),
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
  for (std::size_t n = 0; n < std::min<std::size_t>(kept.size(), 40); ++n) {
    const double log = testing::oracle_log_probability(logits, row, f.temperature, kept[n]);
    EXPECT_NEAR(told.kept_log[n], log, 2 * ulp(log) + cut) << kept[n];
    if (kept[n] == token) EXPECT_EQ(told.kept_log[n], told.log[0]);
  }
  if (f.temperature == 1 && f.top_k == 0 && f.top_p == 1 && f.min_p == 0) EXPECT_EQ(told.raw[0], told.log[0]);
}

// Rows of many kinds: their scale, ties, masked categories.
std::vector<float> random_row(std::mt19937_64& bits, std::int64_t count) {
  std::normal_distribution<float> normal;
  const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); };
  std::vector<float> row(static_cast<std::size_t>(count));
  const float scales[] = {0.01f, 1, 4, 20, 1e-38f, 1e4f};
  const float scale = scales[pick(6)];
  const float shift = pick(2) == 0 ? 0 : normal(bits) * 30;
  const std::int64_t kind = pick(6);
  for (float& x : row) {
    x = normal(bits) * scale + shift;
    if (kind == 1) x = static_cast<float>(pick(4));     // ties
    if (kind == 2 && pick(3) != 0) x = minus_infinity;  // masked
    if (kind == 3) x = 1.5f;                            // all equal
    if (kind == 4) x = pick(2) == 0 ? 0.0f : -0.0f;     // zeros of both signs
  }
  if (kind == 5) std::fill(row.begin(), row.end(), minus_infinity);  // one category
  if (kind == 5 || kind == 2) row[static_cast<std::size_t>(pick(count))] = normal(bits);
  return row;
}

OracleFilter random_filter(std::mt19937_64& bits, std::int64_t count) {
  const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); };
  const float temperatures[] = {1, 1, 0.7f, 1.5f, 0, 1e-6f, 1e6f, 0.1f};
  const float top_ps[] = {1, 1, 0.9f, 0.5f, 0.999f, 1e-9f, 0};
  const float min_ps[] = {0, 0, 0.05f, 0.5f, 1, 1e-12f};
  const std::int64_t top_ks[] = {0, 0, 1, 2, 50, count / 2, count - 1, count, count + 7};
  return {temperatures[pick(8)], std::max<std::int64_t>(top_ks[pick(9)], 0), top_ps[pick(7)], min_ps[pick(6)],
          pick(2) == 0};
}

void expect_many(int rows, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const std::int64_t counts[] = {1, 2, 3, 31, 32, 33, 100, 255, 256, 257, 1000, 1023, 1025, 4099};
  for (int n = 0; n < rows && !::testing::Test::HasFailure(); ++n) {
    const std::int64_t count = counts[bits() % 14];
    const std::vector<float> row = random_row(bits, count);
    const OracleFilter f = random_filter(bits, count);
    expect_law(row, f, bits(),
               "row " + std::to_string(n) + " of " + std::to_string(count) + ": temperature " +
                   std::to_string(f.temperature) + ", top_k " + std::to_string(f.top_k) + ", top_p " +
                   std::to_string(f.top_p) + ", min_p " + std::to_string(f.min_p) + (f.joint ? ", joint" : ""));
  }
}

TEST(SampleTokens, DrawsWhatTheRulesSay) { expect_many(2000, 1); }

TEST(SampleTokens, DrawsWhatTheRulesSayInLongRows) {
  std::mt19937_64 bits(2);
  for (const std::int64_t count : {32000, 131072, 151936}) {
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
