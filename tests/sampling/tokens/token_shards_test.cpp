// A vocabulary in shards: the tokens and log probabilities of sample_tokens, for any number of shards.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio {
namespace {

constexpr std::int64_t rows = 4;

struct Drawn {
  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(rows, -1);
  std::vector<float> logs = std::vector<float>(rows, std::numeric_limits<float>::quiet_NaN());
  std::vector<TokenStatus> status = std::vector<TokenStatus>(rows);
  int rounds = 0;
};

using Edges = std::vector<std::int64_t>;  // the first category of each shard, and the end of the last one

// So many shards of several sizes.
Edges edges_of(std::int64_t categories, std::int64_t shards) {
  Edges edges;
  for (std::int64_t s = 0; s <= shards; ++s) edges.push_back(s * s * categories / (shards * shards));
  return edges;
}

// Draws as the processes that hold these shards do, one after the other.
Drawn draw_in_shards(const std::vector<float>& logits, const Edges& edges, const TokenFilters& filters,
                     const TokenOptions& options) {
  const std::int64_t shards = std::ssize(edges) - 1, categories = edges.back();
  std::vector<TokenShardState> states(rows);
  std::vector<TokenShardRecord> all(static_cast<std::size_t>(shards * rows));
  const auto first = [&](std::int64_t s) { return edges[static_cast<std::size_t>(s)]; };
  const auto part = [&](std::int64_t s) {
    return MatrixView<const float>(logits.data() + first(s), rows, first(s + 1) - first(s), categories);
  };
  Drawn drawn;
  do {
    for (std::int64_t s = 0; s < shards; ++s)
      summarize_shard(part(s), {first(s), categories}, states, {all.data() + s * rows, rows}, filters);
    ++drawn.rounds;
  } while (combine_shards({all.data(), shards, rows}, {0, categories}, states, filters, options) > 0);
  for (std::int64_t s = 0; s < shards; ++s) {
    Drawn own;
    finish_shard(part(s), {first(s), categories}, s, states,
                 {.tokens = own.tokens, .log_probabilities = own.logs, .status = own.status}, filters);
    for (std::size_t i = 0; i < rows; ++i) {
      if (own.tokens[i] >= 0) {
        EXPECT_EQ(drawn.tokens[i], -1) << "two shards hold the token of row " << i;
        EXPECT_GE(own.tokens[i], first(s));
        EXPECT_LT(own.tokens[i], first(s + 1));
        drawn.tokens[i] = own.tokens[i];
        drawn.logs[i] = own.logs[i];
      }
      drawn.status[i] = own.status[i];
    }
  }
  return drawn;
}

TEST(TokenShards, DrawTheTokensOfTheWhole) {
  std::mt19937_64 bits(5);
  for (int n = 0; n < 400 && !HasFailure(); ++n) {
    const std::int64_t counts[] = {64, 100, 257, 1000};
    const std::int64_t categories = counts[bits() % 4];
    testing::OracleFilter f = testing::random_filter(bits, categories);
    f.joint = false;
    const TokenFilters filters = testing::filters_of(f);
    const TokenOptions options = {.seed = bits(), .first_position = bits()};
    std::vector<float> logits;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::vector<float> row = testing::random_row(bits, categories);
      logits.insert(logits.end(), row.begin(), row.end());
    }
    if (n % 5 == 0) logits[bits() % logits.size()] = n % 2 == 0 ? std::nanf("") : -testing::minus_infinity;
    if (n % 7 == 0) std::fill(logits.begin(), logits.begin() + categories, testing::minus_infinity);
    Drawn whole;
    sample_tokens(MatrixView<const float>(logits.data(), rows, categories),
                  {.tokens = whole.tokens, .log_probabilities = whole.logs, .status = whole.status}, filters, options);
    const Edges with_empty = {0, 0, categories / 3, categories / 3, categories / 3, categories, categories};
    for (const Edges& edges : {edges_of(categories, 1), edges_of(categories, 2), edges_of(categories, 4),
                               edges_of(categories, 8), with_empty}) {
      SCOPED_TRACE(::testing::PrintToString(edges) + ": " + testing::text_of(f));
      const Drawn drawn = draw_in_shards(logits, edges, filters, options);
      EXPECT_EQ(drawn.tokens, whole.tokens);
      EXPECT_EQ(drawn.status, whole.status);
      for (std::size_t i = 0; i < rows; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(drawn.logs[i]), std::bit_cast<std::uint32_t>(whole.logs[i]));
      }
      EXPECT_LE(drawn.rounds, 18);
    }
  }
}

}  // namespace
}  // namespace papilio
