// Verified drafts: what is written follows the target's law, whatever the draft's, and without probabilities it is what
// is written without a draft.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio {
namespace {

constexpr std::int64_t categories = 5;
constexpr std::int64_t draft_tokens = 3;
using Text = std::array<std::int32_t, draft_tokens + 1>;

// A model: the logits after a text, any text. Laws differ from place to place and by the token before.
std::vector<float> model(std::uint64_t which, const Text& text, std::size_t length) {
  const std::uint64_t before = length == 0 ? 0 : static_cast<std::uint64_t>(text[length - 1]) + 1;
  std::mt19937_64 bits(which * 1000 + length * 10 + before);
  std::normal_distribution<float> normal;
  std::vector<float> logits(categories);
  for (float& x : logits) x = normal(bits) * 1.3f;
  return logits;
}

std::int32_t draw_one(const std::vector<float>& logits, const TokenFilters& filters, std::uint64_t seed,
                      std::uint64_t stream, std::uint64_t position) {
  std::vector<std::int32_t> token(1);
  sample_tokens(MatrixView<const float>(logits.data(), 1, categories), {.tokens = token}, filters,
                {.seed = seed, .stream = stream, .first_position = position});
  return token[0];
}

// What the arrays of one text hold.
struct OneText {
  std::vector<std::int32_t> draft;
  std::vector<std::int64_t> offsets = {0, draft_tokens};
  std::vector<float> target, probabilities, kept_logs;
  std::vector<std::int32_t> kept;
  Text text = {};

  // Draws a draft from the other model, with the law of each token.
  OneText(std::uint64_t seed, const TokenFilters& of_draft) {
    std::vector<float> logs(categories);
    for (std::size_t n = 0; n < draft_tokens; ++n) {
      const std::vector<float> logits = model(2, text, n);
      std::vector<std::int32_t> ids(categories), token(1);
      sample_tokens(MatrixView<const float>(logits.data(), 1, categories),
                    {.tokens = token,
                     .kept_categories = {ids.data(), 1, categories},
                     .kept_log_probabilities = {logs.data(), 1, categories}},
                    of_draft, {.seed = seed, .stream = 9, .first_position = n});
      text[n] = token[0];
      draft.push_back(token[0]);
      kept.insert(kept.end(), ids.begin(), ids.end());
      kept_logs.insert(kept_logs.end(), logs.begin(), logs.end());
      std::vector<float> dense(categories);
      for (std::size_t j = 0; j < categories && ids[j] >= 0; ++j)
        dense[static_cast<std::size_t>(ids[j])] = std::exp(logs[j]);
      probabilities.insert(probabilities.end(), dense.begin(), dense.end());
    }
    for (std::size_t n = 0; n <= draft_tokens; ++n) {
      const std::vector<float> logits = model(1, text, n);
      target.insert(target.end(), logits.begin(), logits.end());
    }
  }

  Draft as_draft(DraftRule rule, bool sparse) const {
    Draft made = {.tokens = draft, .offsets = offsets, .rule = rule};
    if (sparse) {
      made.kept_categories = {kept.data(), draft_tokens, categories};
      made.kept_log_probabilities = {kept_logs.data(), draft_tokens, categories};
    } else {
      made.probabilities = {probabilities.data(), draft_tokens, categories};
    }
    return made;
  }
};

struct Written {
  std::int32_t accepted;
  Text text;
};

// Verifies, and writes on without a draft until the text is full.
Written write(std::uint64_t seed, const TokenFilters& filters, DraftRule rule, bool sparse) {
  OneText one(seed, {.temperature = 0.9f, .top_k = 4});
  std::vector<std::int32_t> accepted(1), next(1);
  verify_draft(MatrixView<const float>(one.target.data(), draft_tokens + 1, categories), one.as_draft(rule, sparse),
               {.accepted = accepted, .next_tokens = next}, filters, {.seed = seed, .first_position = 0});
  Text text = one.text;
  text[static_cast<std::size_t>(accepted[0])] = next[0];
  for (auto n = static_cast<std::size_t>(accepted[0]) + 1; n <= draft_tokens; ++n)
    text[n] = draw_one(model(1, text, n), filters, seed, 5, n);
  return {accepted[0], text};
}

// The probability of a text under the target's filtered law.
double probability(const Text& text, const testing::OracleFilter& f) {
  double p = 1;
  for (std::size_t n = 0; n <= draft_tokens; ++n) {
    const auto row = testing::oracle_row(model(1, text, n), f);
    const auto k = static_cast<std::size_t>(text[n]);
    p *= row.kept[k] ? static_cast<double>(row.weights[k]) / static_cast<double>(row.total) : 0;
  }
  return p;
}

// Chi-square over all texts of four tokens, those that are expected fewer than ten times together. Returns how many
// tokens were accepted on average.
double expect_target_law(const testing::OracleFilter& f, DraftRule rule, bool sparse) {
  constexpr int texts = 8000;
  std::map<Text, int> seen;
  double accepted = 0;
  for (int n = 0; n < texts; ++n) {
    const Written written = write(static_cast<std::uint64_t>(n) * 77 + 5, testing::filters_of(f), rule, sparse);
    ++seen[written.text];
    accepted += written.accepted;
  }
  double chi = 0, rare_expected = 0, all = 0;
  int cells = 0, rare_seen = 0;
  Text text = {};
  for (int code = 0; code < 625; ++code) {
    for (int n = 0, rest = code; n < 4; ++n, rest /= 5) text[static_cast<std::size_t>(n)] = rest % 5;
    const double expected = probability(text, f) * texts;
    const int count = seen[text];
    all += expected;
    EXPECT_TRUE(expected > 0 || count == 0) << "a text that the filters remove";
    if (expected < 10) {
      rare_expected += expected;
      rare_seen += count;
      continue;
    }
    chi += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  EXPECT_NEAR(all, texts, 1e-6 * texts);
  if (rare_expected >= 10) {
    chi += (rare_seen - rare_expected) * (rare_seen - rare_expected) / rare_expected;
    ++cells;
  }
  // Wilson and Hilferty: the cube root of chi-square is near normal; 4 standard deviations, 6 tests, p < 2e-4 in all.
  const double d = cells - 1;
  const double z = (std::cbrt(chi / d) - (1 - 2 / (9 * d))) / std::sqrt(2 / (9 * d));
  EXPECT_LT(z, 4) << chi << " for " << cells << " cells";
  return accepted / texts;
}

TEST(VerifyDraft, KeepsTheTargetsLaw) {
  const testing::OracleFilter plain, filtered = {0.8f, 4, 0.95f, 0.02f};
  for (const auto& f : {plain, filtered}) {
    const double by_token = expect_target_law(f, DraftRule::token, false);
    EXPECT_NEAR(by_token, expect_target_law(f, DraftRule::token, true), 0.05);
    // The block rule accepts more; how much is as it came out, with room for chance.
    EXPECT_GT(expect_target_law(f, DraftRule::block, false), by_token);
  }
}

TEST(VerifyDraft, WithoutProbabilitiesWritesWhatIsWrittenWithoutADraft) {
  int longest = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TokenFilters filters = testing::filters_of({0.7f, 3, 0.9f});
    const OneText one(seed, {.temperature = 0.6f});
    std::vector<std::int32_t> accepted(1), next(1);
    verify_draft(MatrixView<const float>(one.target.data(), draft_tokens + 1, categories),
                 {.tokens = one.draft, .offsets = one.offsets}, {.accepted = accepted, .next_tokens = next}, filters,
                 {.seed = seed, .first_position = 40});
    Text text = one.text;
    text[static_cast<std::size_t>(accepted[0])] = next[0];
    for (std::size_t n = 0; n <= static_cast<std::size_t>(accepted[0]); ++n) {
      EXPECT_EQ(text[n], draw_one(model(1, text, n), filters, seed, 0, 40 + n));
    }
    longest = std::max(longest, accepted[0]);
  }
  EXPECT_GE(longest, 2);
}

TEST(VerifyDraft, TextsDoNotDependOnTheBatch) {
  const TokenFilters filters = testing::filters_of({1, 4});
  std::vector<OneText> texts;
  std::vector<std::int32_t> tokens, alone, alone_next;
  std::vector<std::int64_t> offsets = {0}, seeds, positions;
  std::vector<float> target, q;
  for (std::uint64_t n = 0; n < 20; ++n) {
    const OneText& one = texts.emplace_back(n, TokenFilters{});
    std::vector<std::int32_t> accepted(1), next(1);
    seeds.push_back(static_cast<std::int64_t>(n) + 100);
    positions.push_back(static_cast<std::int64_t>(n) * 3);
    verify_draft(MatrixView<const float>(one.target.data(), draft_tokens + 1, categories),
                 one.as_draft(DraftRule::block, false), {.accepted = accepted, .next_tokens = next}, filters,
                 {.seed = n + 100, .first_position = 3 * n});
    alone.push_back(accepted[0]);
    alone_next.push_back(next[0]);
    tokens.insert(tokens.end(), one.draft.begin(), one.draft.end());
    offsets.push_back(static_cast<std::int64_t>(tokens.size()));
    target.insert(target.end(), one.target.begin(), one.target.end());
    q.insert(q.end(), one.probabilities.begin(), one.probabilities.end());
  }
  std::vector<std::int32_t> accepted(20), next(20);
  for (const int threads : {1, 2, 7}) {
    verify_draft(MatrixView<const float>(target.data(), 20 * (draft_tokens + 1), categories),
                 {.tokens = tokens,
                  .offsets = offsets,
                  .probabilities = {q.data(), 20 * draft_tokens, categories},
                  .rule = DraftRule::block},
                 {.accepted = accepted, .next_tokens = next}, filters,
                 {.positions = positions, .seeds = seeds, .threads = threads});
    EXPECT_EQ(accepted, alone);
    EXPECT_EQ(next, alone_next);
  }
}

}  // namespace
}  // namespace papilio
