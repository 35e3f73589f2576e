// How draws of tokens behave: nothing but a row's own numbers enters its draw, faulty rows touch no other, draws follow
// the law, and any bytes are refused or drawn from.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "papilio/tokens.h"
#include "random/elementary.h"
#include "sampling/tokens/random_rows.h"
#include "sampling/tokens/token_law.h"
#include "warp/scalar_warp.h"

namespace papilio {
namespace {

using testing::minus_infinity;

constexpr std::int64_t rows = 24, categories = 700;

// A batch with a filter, a mask, a bias, a seed and a position per row.
struct Batch {
  std::vector<float> logits, temperature, top_p, min_p, bias;
  std::vector<std::int32_t> top_k, biased;
  std::vector<std::uint32_t> allowed;
  std::vector<std::int64_t> seeds, positions, offsets = {0};

  explicit Batch(std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto row = testing::random_row(bits, categories);
      logits.insert(logits.end(), row.begin(), row.end());
      const auto f = testing::random_filter(bits, categories);
      temperature.push_back(f.temperature);
      top_k.push_back(static_cast<std::int32_t>(f.top_k));
      top_p.push_back(f.top_p);
      min_p.push_back(f.min_p);
      seeds.push_back(static_cast<std::int64_t>(bits()));
      positions.push_back(static_cast<std::int64_t>(bits() % 1000));
      for (std::int64_t word = 0; word < (categories + 31) / 32; ++word)
        allowed.push_back(static_cast<std::uint32_t>(bits()) | 1u);
      for (std::int32_t k = static_cast<std::int32_t>(bits() % 300); k < categories; k += 211) {
        biased.push_back(k);
        bias.push_back(static_cast<float>(bits() % 5));
      }
      offsets.push_back(std::ssize(biased));
    }
  }

  // The filters of rows [first, first + count).
  TokenFilters filters(std::int64_t first, std::int64_t count) const {
    TokenFilters f;
    f.temperature = VectorView<const float>(temperature.data() + first, count);
    f.top_k = VectorView<const std::int32_t>(top_k.data() + first, count);
    f.top_p = VectorView<const float>(top_p.data() + first, count);
    f.min_p = VectorView<const float>(min_p.data() + first, count);
    f.allowed = {allowed.data() + first * 22, count, 22};
    f.bias_offsets = {offsets.data() + first, count + 1};
    f.bias_categories = biased;
    f.bias_values = bias;
    return f;
  }
  TokenOptions options(std::int64_t first, std::int64_t count) const {
    return {.positions = {positions.data() + first, count}, .seeds = {seeds.data() + first, count}};
  }
};

struct Drawn {
  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(rows), ranks = tokens, counts = tokens;
  std::vector<float> logs = std::vector<float>(rows), raw = logs, masses = logs;
  std::vector<TokenStatus> status = std::vector<TokenStatus>(rows);

  TokenResults results(std::int64_t first, std::int64_t count) {
    return {.tokens = {tokens.data() + first, count},
            .log_probabilities = {logs.data() + first, count},
            .raw_log_probabilities = {raw.data() + first, count},
            .ranks = {ranks.data() + first, count},
            .kept_counts = {counts.data() + first, count},
            .kept_masses = {masses.data() + first, count},
            .status = {status.data() + first, count}};
  }
  friend bool operator==(const Drawn& a, const Drawn& b) {
    const auto bits = [](const Drawn& d) {
      std::vector<std::uint32_t> all;
      for (const auto* floats : {&d.logs, &d.raw, &d.masses})
        for (const float x : *floats) all.push_back(std::bit_cast<std::uint32_t>(x));
      return all;
    };
    return a.tokens == b.tokens && a.ranks == b.ranks && a.counts == b.counts && a.status == b.status &&
           bits(a) == bits(b);
  }
};

Drawn draw_in_pieces(const Batch& batch, const std::vector<float>& logits, std::int64_t piece, int threads) {
  Drawn drawn;
  for (std::int64_t first = 0; first < rows; first += piece) {
    const std::int64_t count = std::min(piece, rows - first);
    TokenOptions options = batch.options(first, count);
    options.threads = threads;
    sample_tokens(MatrixView<const float>(logits.data() + first * categories, count, categories),
                  drawn.results(first, count), batch.filters(first, count), options);
  }
  return drawn;
}

TEST(TokenConduct, TheBatchAndThreadsDoNotEnter) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Batch batch(seed);
    batch.logits[5 * categories + 3] = std::nanf("");
    batch.allowed[5 * 22] |= 8u;
    const Drawn whole = draw_in_pieces(batch, batch.logits, rows, 1);
    EXPECT_EQ(whole.status[5], TokenStatus::not_a_number);
    for (const std::int64_t piece : {1, 5, 24})
      for (const int threads : {1, 2, 7}) EXPECT_TRUE(draw_in_pieces(batch, batch.logits, piece, threads) == whole);
  }
}

TEST(TokenConduct, StridesDoNotEnter) {
  const Batch batch(4);
  const Drawn whole = draw_in_pieces(batch, batch.logits, rows, 1);
  std::vector<float> turned(batch.logits.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < categories; ++k)
      turned[static_cast<std::size_t>(k * rows + i)] = batch.logits[static_cast<std::size_t>(i * categories + k)];
  Drawn drawn;
  sample_tokens(MatrixView<const float>(turned.data(), rows, categories, 1, rows), drawn.results(0, rows),
                batch.filters(0, rows), batch.options(0, rows));
  EXPECT_TRUE(drawn == whole);
}

// 16-bit logits draw as the same numbers in float do.
template <class S, class Make>
void expect_as_floats(const Make& make) {
  Batch batch(5);
  std::vector<S> stored;
  for (float& x : batch.logits) {
    stored.push_back(make(x));
    x = to_float(stored.back());
  }
  const Drawn whole = draw_in_pieces(batch, batch.logits, rows, 1);
  Drawn drawn;
  sample_tokens(MatrixView<const S>(stored.data(), rows, categories), drawn.results(0, rows), batch.filters(0, rows),
                batch.options(0, rows));
  EXPECT_TRUE(drawn == whole);
}
TEST(TokenConduct, HalvesDrawAsFloats) {
  expect_as_floats<Half>([](float x) { return to_half(x); });
  expect_as_floats<BFloat16>([](float x) { return to_bfloat16(x); });
}
TEST(TokenConduct, EveryHalfIsRead) {
  for (std::uint32_t first = 0; first < 65536; first += 256) {
    std::vector<Half> stored;
    std::vector<float> floats;
    for (std::uint32_t n = first; n < first + 256; ++n) {
      stored.push_back({static_cast<std::uint16_t>(n)});
      floats.push_back(to_float(stored.back()));
    }
    std::vector<std::int32_t> a(1), b(1);
    std::vector<TokenStatus> status(1), other(1);
    sample_tokens(MatrixView<const Half>(stored.data(), 1, 256), {.tokens = a, .status = status},
                  {.temperature = 0.0f});
    sample_tokens(MatrixView<const float>(floats.data(), 1, 256), {.tokens = b, .status = other},
                  {.temperature = 0.0f});
    EXPECT_EQ(a, b);
    EXPECT_EQ(status, other);
  }
}

// A masked category is as one of -infinity, whatever it holds; a bias is as a logit with it added.
TEST(TokenConduct, MasksAndBiasesAreAsLogits) {
  const Batch batch(6);
  std::vector<float> logits = batch.logits, poisoned = batch.logits;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(i * categories + k); };
    for (auto n = batch.offsets[static_cast<std::size_t>(i)]; n < batch.offsets[static_cast<std::size_t>(i) + 1]; ++n)
      logits[at(batch.biased[static_cast<std::size_t>(n)])] += batch.bias[static_cast<std::size_t>(n)];
    for (std::int64_t k = 0; k < categories; ++k) {
      if ((batch.allowed[static_cast<std::size_t>(i * 22 + k / 32)] >> (k % 32) & 1u) != 0) continue;
      logits[at(k)] = minus_infinity;
      poisoned[at(k)] = k % 2 == 0 ? std::nanf("") : -minus_infinity;
    }
  }
  Drawn plain, masked = draw_in_pieces(batch, poisoned, rows, 1);
  TokenFilters filters = batch.filters(0, rows);
  filters.allowed = {};
  filters.bias_offsets = {};
  filters.bias_categories = {};
  filters.bias_values = {};
  sample_tokens(MatrixView<const float>(logits.data(), rows, categories), plain.results(0, rows), filters,
                batch.options(0, rows));
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(std::isnan(masked.raw[i])) << "the raw law has no mask";
    masked.raw[i] = plain.raw[i];
  }
  EXPECT_TRUE(masked == plain);
}

TEST(TokenConduct, FaultyRowsTouchNothingElse) {
  const float inf = -minus_infinity, nan = std::nanf("");
  const std::vector<float> logits = {1, 2, 3, nan, 2, 3, 1, inf, 3, minus_infinity, minus_infinity, minus_infinity,
                                     1, 2, 3};
  std::vector<float> temperature = {1, 1, 1, 1, -1};
  std::vector<std::int32_t> tokens(5, 99), kept(10, 99);
  std::vector<float> logs(5, 99);
  std::vector<TokenStatus> status(5);
  TokenFilters filters;
  filters.temperature = VectorView<const float>(temperature);
  sample_tokens(MatrixView<const float>(logits.data(), 5, 3),
                {.tokens = tokens, .log_probabilities = logs, .status = status, .kept_categories = {kept.data(), 5, 2}},
                filters, {.seed = 3});
  EXPECT_EQ(status, (std::vector<TokenStatus>{TokenStatus::ok, TokenStatus::not_a_number, TokenStatus::infinite,
                                              TokenStatus::nothing_allowed, TokenStatus::bad_filter}));
  std::vector<std::int32_t> alone(1);
  sample_tokens(MatrixView<const float>(logits.data(), 1, 3), {.tokens = alone}, {}, {.seed = 3});
  EXPECT_EQ(tokens, (std::vector<std::int32_t>{alone[0], -1, -1, -1, -1}));
  EXPECT_EQ(kept, (std::vector<std::int32_t>{0, 1, -1, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_TRUE(std::isfinite(logs[0]) && std::isnan(logs[1]) && std::isnan(logs[4]));
}

// Weights beside an exponential in long double, over all temperatures, differences and signs.
TEST(TokenConduct, WeightsAreWithin2ToTheMinus24) {
  std::mt19937_64 bits(8);
  std::normal_distribution<double> normal;
  double worst = 0;
  for (int n = 0; n < 60000; ++n) {
    const auto temperature = static_cast<float>(std::exp(normal(bits) * 3));
    const auto largest = static_cast<float>(normal(bits) * std::exp(normal(bits) * 3));
    const auto x = static_cast<float>(largest - std::abs(normal(bits)) * 12 * temperature);
    const auto scale = sampling_kernel::token_scale(largest, temperature, 62);
    using One = warp::ScalarWarp<1>;
    const std::uint64_t weight = sampling_kernel::token_weights<One>(One::load(&x), scale).at[0];
    const long double exact =
        std::exp((static_cast<long double>(x) - largest) / static_cast<long double>(temperature)) * 0x1p62L;
    if (exact < 0x1p28L) continue;  // less is cut off by more than that
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(weight) - exact) / exact));
    EXPECT_EQ(weight, testing::oracle_weight(x, largest, temperature, 62));
  }
  EXPECT_LT(worst, 0x1p-24);
  EXPECT_GT(worst, 0x1p-27) << "the test sees no error at all";
}

// Chi-square of draws in the kept set; a seed per draw, then a position per draw.
TEST(TokenConduct, DrawsFollowTheLaw) {
  constexpr std::int64_t draws = 50000, count = 40;
  std::mt19937_64 bits(9);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> logits(count);
  for (float& x : logits) x = normal(bits);
  for (const testing::OracleFilter& f : {testing::OracleFilter{}, testing::OracleFilter{0.7f, 20, 0.9f},
                                         testing::OracleFilter{1.3f, 0, 0.95f, 0.02f, true}}) {
    const auto row = testing::oracle_row(logits, f);
    for (const bool by_seed : {false, true}) {
      std::vector<std::int64_t> numbers(draws);
      for (std::int64_t n = 0; n < draws; ++n) numbers[static_cast<std::size_t>(n)] = n;
      std::vector<std::int32_t> tokens(draws);
      TokenOptions options = {.seed = 77, .positions = numbers};
      std::vector<std::int64_t> same(draws, 4);
      if (by_seed) {
        options.seeds = numbers;
        options.positions = same;
      }
      sample_tokens(MatrixView<const float>(logits.data(), draws, count, 0), {.tokens = tokens}, testing::filters_of(f),
                    options);
      std::vector<int> seen(count);
      for (const std::int32_t token : tokens) ++seen[static_cast<std::size_t>(token)];
      double chi = 0, rare = 0;
      int cells = 0, rare_seen = 0;
      for (std::size_t k = 0; k < count; ++k) {
        if (!row.kept[k]) {
          EXPECT_EQ(seen[k], 0) << "outside the kept set";
          continue;
        }
        const double expected = static_cast<double>(row.weights[k]) / static_cast<double>(row.total) * draws;
        if (expected < 10) {
          rare += expected;
          rare_seen += seen[k];
          continue;
        }
        chi += (seen[k] - expected) * (seen[k] - expected) / expected;
        ++cells;
      }
      if (rare >= 10) {
        chi += (rare_seen - rare) * (rare_seen - rare) / rare;
        ++cells;
      }
      ASSERT_GE(cells, 5);
      // Wilson and Hilferty: the cube root of chi-square is near normal; 4 standard deviations, 6 tests, p < 2e-4 in
      // all.
      const double d = cells - 1;
      EXPECT_LT((std::cbrt(chi / d) - (1 - 2 / (9 * d))) / std::sqrt(2 / (9 * d)), 4) << chi << " for " << cells;
    }
  }
}

// A kept set that does not fit its room: what fits, ascending, and the count of all.
TEST(TokenConduct, KeptSetsAreCutToTheirRoom) {
  const std::vector<float> logits = {1, 5, 2, 4, 3};
  std::vector<std::int32_t> tokens(1), kept(4, 99), counts(1);
  std::vector<float> logs(4);
  for (const std::int64_t room : {0, 1, 2, 4}) {
    kept.assign(4, 99);
    sample_tokens(MatrixView<const float>(logits.data(), 1, 5),
                  {.tokens = tokens,
                   .kept_counts = counts,
                   .kept_categories = {kept.data(), 1, room},
                   .kept_log_probabilities = {logs.data(), 1, room}},
                  {.top_k = 3}, {});
    EXPECT_EQ(counts[0], 3);
    const std::int32_t all[] = {1, 3, 4, -1};
    for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(kept[n], static_cast<std::int64_t>(n) < room ? all[n] : 99);
  }
  EXPECT_EQ(logs[3], minus_infinity);
}

// Any bytes as logits, filters, masks and offsets: a status per row, and no memory but its own is touched.
TEST(TokenConduct, AnyBytesAreRefusedOrDrawnFrom) {
  std::mt19937_64 bits(10);
  const auto fill = [&](auto& array) {
    for (auto& x : array) {
      std::uint64_t word = bits();
      if (bits() % 4 == 0) word &= 0x7F80'0000'7F80'0000u;  // many infinities and zeros
      std::memcpy(&x, &word, sizeof x);
    }
  };
  int drawn = 0;
  for (int n = 0; n < 3000; ++n) {
    const auto count = static_cast<std::int64_t>(1 + bits() % 70);
    std::vector<float> logits(static_cast<std::size_t>(2 * count)), values(6), numbers[3];
    std::vector<std::int32_t> top_k(2), biased(6), tokens(2), ranks(2), kept(8);
    std::vector<std::int64_t> offsets(3), seeds(2);
    std::vector<std::uint32_t> allowed(static_cast<std::size_t>(2 * ((count + 31) / 32)));
    std::vector<TokenStatus> status(2);
    fill(logits), fill(values), fill(top_k), fill(biased), fill(offsets), fill(allowed), fill(seeds);
    for (auto& each : numbers) each.resize(2), fill(each);
    TokenFilters filters;
    if (bits() % 2 == 0) filters.temperature = VectorView<const float>(numbers[0]);
    if (bits() % 2 == 0) filters.top_p = VectorView<const float>(numbers[1]);
    if (bits() % 2 == 0) filters.min_p = VectorView<const float>(numbers[2]);
    if (bits() % 2 == 0) filters.top_k = VectorView<const std::int32_t>(top_k);
    if (bits() % 2 == 0) filters.allowed = {allowed.data(), 2, (count + 31) / 32};
    if (bits() % 2 == 0) {
      if (bits() % 2 == 0) offsets = {0, 2, 6};
      if (bits() % 2 == 0)
        for (std::size_t i = 0; i < 6; ++i) biased[i] = static_cast<std::int32_t>(i);
      filters.bias_offsets = offsets;
      filters.bias_categories = biased;
      filters.bias_values = values;
    }
    if (bits() % 2 == 0)
      for (float& x : logits) x = std::isfinite(x) ? x : 0;
    sample_tokens(MatrixView<const float>(logits.data(), 2, count),
                  {.tokens = tokens, .ranks = ranks, .status = status, .kept_categories = {kept.data(), 2, 4}}, filters,
                  {.seeds = seeds});
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(tokens[i] >= 0, status[i] == TokenStatus::ok);
      ASSERT_LT(tokens[i], count);
      drawn += status[i] == TokenStatus::ok ? 1 : 0;
    }
  }
  EXPECT_GT(drawn, 300);
}

}  // namespace
}  // namespace papilio
