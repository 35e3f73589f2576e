// What draws of tokens refuse: arrays that cannot be arrays or share memory, shapes that do not fit, numbers that are
// no enumerators.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "papilio/tokens.h"
#include "support/devices.h"

namespace papilio {
namespace {

using testing::huge;
using testing::misaligned;
using testing::refused;

using Logits = MatrixView<const float>;
using Ids = VectorView<const std::int64_t>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class TokenContract : public ::testing::Test {
 protected:
  Logits matrix() { return {x_.data(), 2, 4}; }
  TokenResults results() { return {.tokens = {tokens_.data(), 2}}; }
  auto sample(Logits logits, TokenResults results, TokenFilters filters = {}, TokenOptions options = {}) {
    return [=] { sample_tokens(logits, results, filters, options); };
  }
  auto sample(TokenResults results) { return sample(matrix(), results); }
  auto sample(TokenFilters filters) { return sample(matrix(), results(), filters); }
  auto sample(TokenOptions options) { return sample(matrix(), results(), {}, options); }

  std::vector<float> x_ = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::int32_t> tokens_ = std::vector<std::int32_t>(8);
  std::vector<std::int64_t> ids_ = {0, 1, 2};
  std::vector<float> floats_ = std::vector<float>(8, 0.5f);
  std::vector<std::uint32_t> words_ = {15, 15, 15, 15};
  std::vector<TokenStatus> status_ = std::vector<TokenStatus>(3);
};

TEST_F(TokenContract, SampleTokens) {
  EXPECT_NO_THROW(sample(results())());
  EXPECT_TRUE(refused("sample_tokens: the matrix of logits is null", sample({nullptr, 2, 4}, results())));
  EXPECT_TRUE(refused("the matrix of logits must have sizes >= 0", sample({x_.data(), 2, -4}, results())));
  EXPECT_TRUE(refused("the matrix of logits is at address", sample({misaligned(x_.data()), 2, 3}, results())));
  EXPECT_TRUE(refused("more than an address space holds", sample({x_.data(), 2, 4, huge}, results())));
  EXPECT_TRUE(refused("do not fit into 32-bit tokens", sample({x_.data(), 1, std::int64_t{1} << 31}, results())));
  EXPECT_TRUE(refused("2 rows of logits have no categories", sample({x_.data(), 2, 0}, results())));
  EXPECT_TRUE(refused("but the logits are on cuda:0", sample(testing::matrix_on_cuda<const float>(), results())));
  EXPECT_NO_THROW(sample({x_.data(), 0, 0}, TokenResults{})());
  EXPECT_TRUE(refused("tokens must have one entry per row; got 3 for 2", sample({.tokens = {tokens_.data(), 3}})));
  EXPECT_TRUE(refused("tokens must have one entry per row; got 0 for 2", sample(TokenResults{})));
  EXPECT_TRUE(refused("tokens is null", sample({.tokens = {nullptr, 2}})));
  EXPECT_TRUE(refused("tokens is on cuda:0", sample({.tokens = {tokens_.data(), 2, testing::cuda_device()}})));
}

TEST_F(TokenContract, Results) {
  TokenResults r = results();
  r.ranks = {tokens_.data() + 1, 2};
  EXPECT_TRUE(refused("tokens overlaps ranks", sample(r)));
  r = results();
  r.log_probabilities = {x_.data(), 2};
  EXPECT_TRUE(refused("log_probabilities overlaps the matrix of logits", sample(r)));
  r = results();
  r.kept_counts = {tokens_.data() + 2, 1};
  EXPECT_TRUE(refused("kept_counts must have one entry per row; got 1 for 2", sample(r)));
  r = results();
  r.kept_categories = {tokens_.data() + 2, 2, 3, 1};
  EXPECT_TRUE(refused("rows of kept_categories overlap", sample(r)));
  r.kept_categories = {tokens_.data() + 2, 3, 2};
  EXPECT_TRUE(refused("kept_categories must have 2 rows; got 3", sample(r)));
  r.kept_categories = {tokens_.data() + 2, 2, 2, 1, 2};
  EXPECT_TRUE(refused("the columns of kept_categories must be adjacent", sample(r)));
  r.kept_categories = {tokens_.data() + 2, 2, 2};
  r.kept_log_probabilities = {floats_.data(), 2, 3};
  EXPECT_TRUE(refused("must have the shape of kept_categories; got 3 columns for 2", sample(r)));
  r.kept_log_probabilities = {floats_.data(), 2, 2};
  EXPECT_NO_THROW(sample(r)());
  r = results();
  r.status = {status_.data(), 3};
  EXPECT_TRUE(refused("status must have one entry per row; got 3 for 2", sample(r)));
}

TEST_F(TokenContract, Filters) {
  for (const float bad : {-1.0f, nan, 1e31f, 1e-31f, std::numeric_limits<float>::infinity()})
    EXPECT_TRUE(refused("temperature must be 0 or in [2^-100, 2^100]", sample(TokenFilters{.temperature = bad})));
  EXPECT_TRUE(refused("row 0 has temperature 1, top_k -1", sample(TokenFilters{.top_k = -1})));
  for (const float bad : {-0.1f, 1.1f, nan}) {
    EXPECT_TRUE(refused("top_p and min_p in [0, 1]", sample(TokenFilters{.top_p = bad})));
    EXPECT_TRUE(refused("top_p and min_p in [0, 1]", sample(TokenFilters{.min_p = bad})));
  }
  const PerRow<float> three = VectorView<const float>(floats_.data(), 3);
  EXPECT_EQ(PerRow<float>().value, 0);
  EXPECT_TRUE(
      refused("temperature must have one entry per row; got 3 for 2", sample(TokenFilters{.temperature = three})));
  EXPECT_TRUE(refused("min_p must have one entry per row; got 3 for 2", sample(TokenFilters{.min_p = three})));
  EXPECT_TRUE(refused("1 words for 4 categories; got 2", sample(TokenFilters{.allowed = {words_.data(), 2, 2}})));
  EXPECT_TRUE(refused("allowed must have 2 rows; got 1", sample(TokenFilters{.allowed = {words_.data(), 1, 1}})));
  const std::vector<std::int64_t> offsets = {0, 1, 2}, backwards = {0, 2, 1}, beyond = {0, 1, 3};
  const std::vector<std::int32_t> categories = {3, 0}, outside = {3, 4}, repeated = {1, 1};
  const std::vector<float> values = {1, 2};
  const auto biased = [&](const auto& o, const auto& c) {
    return sample(TokenFilters{.bias_offsets = Ids(o.data(), std::ssize(o)),
                               .bias_categories = {c.data(), std::ssize(c)},
                               .bias_values = {values.data(), 2}});
  };
  EXPECT_NO_THROW(biased(offsets, categories)());
  EXPECT_TRUE(refused("the bias of a row must have offsets in range", biased(backwards, categories)));
  EXPECT_TRUE(refused("ascending categories below 4; row 1 has not", biased(beyond, categories)));
  EXPECT_TRUE(refused("row 1 has not", biased(offsets, outside)));
  EXPECT_TRUE(refused("row 0 has not", biased(std::vector<std::int64_t>{0, 2, 2}, repeated)));
  EXPECT_TRUE(refused("bias_offsets must have one entry per row, and one more; got 2 for 3",
                      biased(std::vector<std::int64_t>{0, 2}, categories)));
  EXPECT_TRUE(refused("bias_values must have one entry per category of the bias; got 2 for 1",
                      biased(offsets, std::vector<std::int32_t>{1})));
}

TEST_F(TokenContract, Options) {
  EXPECT_TRUE(refused("positions must have one entry per row; got 3 for 2", sample(TokenOptions{.positions = ids_})));
  EXPECT_TRUE(refused("seeds must have one entry per row; got 3 for 2", sample(TokenOptions{.seeds = ids_})));
  EXPECT_TRUE(refused("threads", sample(TokenOptions{.threads = -1})));
}

TEST_F(TokenContract, Rows) {
  x_[5] = nan;
  EXPECT_TRUE(refused("must not be NaN or +infinity; row 1 has NaN", sample(results())));
  x_[5] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(refused("row 1 has +infinity", sample(results())));
  const std::vector<std::uint32_t> none = {15, 0};
  EXPECT_TRUE(refused("row 1 has no allowed logit above -infinity, so there is nothing to draw (4 categories)",
                      sample(TokenFilters{.allowed = {none.data(), 2, 1}})));
}

TEST_F(TokenContract, TokenWorkspaceBytes) {
  EXPECT_EQ(token_workspace_bytes(2, 1000, Device::cpu()), 0);
  EXPECT_TRUE(refused("sizes must be >= 0", [] { token_workspace_bytes(-1, 10, Device::cpu()); }));
}

TEST_F(TokenContract, DraftWorkspaceBytes) {
  EXPECT_EQ(draft_workspace_bytes(2, 1000, Device::cpu()), 0);
  EXPECT_TRUE(refused("sizes must be >= 0", [] { draft_workspace_bytes(1, -10, Device::cpu()); }));
}

TEST(TokenNames, AreThoseOfTheTables) {
  for (const auto& row : token_statuses()) EXPECT_EQ(name(row.value), row.name);
  for (const auto& row : draft_rules()) {
    EXPECT_EQ(name(row.value), row.name);
    EXPECT_EQ(parse_draft_rule(row.name), row.value);
  }
  EXPECT_EQ(name(testing::no_enumerator<TokenStatus>()), "unknown");
  EXPECT_EQ(name(testing::no_enumerator<DraftRule>()), "unknown");
  EXPECT_TRUE(
      refused("unknown draft rule \"blocks\", expected one of token, block", [] { parse_draft_rule("blocks"); }));
}

class DraftContract : public ::testing::Test {
 protected:
  // Two texts of 2 and 0 draft tokens, 3 categories.
  auto verify(Draft draft) {
    return [=, this] {
      const DraftResults results = {.accepted = {accepted_.data(), 2}, .next_tokens = {next_.data(), 2}};
      verify_draft(Logits(x_.data(), rows_, 3), draft, results);
    };
  }
  Draft draft() { return {.tokens = tokens_, .offsets = offsets_}; }

  std::int64_t rows_ = 4;
  std::vector<float> x_ = std::vector<float>(15, 1), q_ = std::vector<float>(6, 0.25f), logs_ = {-1, -1};
  std::vector<std::int32_t> tokens_ = {1, 2}, accepted_ = {0, 0}, next_ = {0, 0}, kept_ = {1, 2};
  std::vector<std::int64_t> offsets_ = {0, 2, 2};
};

TEST_F(DraftContract, VerifyDraft) {
  EXPECT_NO_THROW(verify(draft())());
  EXPECT_TRUE(refused("verify_draft: offsets must have one entry per text and one more; got none", verify({})));
  offsets_ = {1, 2, 2};
  EXPECT_TRUE(refused("offsets must start with 0 and not decrease; offsets[0] is 1", verify(draft())));
  offsets_ = {0, 2, 1};
  EXPECT_TRUE(refused("offsets[2] is 1", verify(draft())));
  offsets_ = {0, 2, 3};
  EXPECT_TRUE(refused("offsets end with 3, but the draft has 2 tokens", verify(draft())));
  offsets_ = {0, 2, 2};
  rows_ = 5;
  EXPECT_TRUE(refused("one row of logits per draft token and one more per text, 4; got 5", verify(draft())));
  rows_ = 4;
  tokens_[1] = 3;
  EXPECT_TRUE(refused("text 0 cannot be verified: an offset, a token or a probability", verify(draft())));
  tokens_[1] = 2;
  Draft d = draft();
  d.probabilities = {q_.data(), 2, 2};
  EXPECT_TRUE(refused("probabilities must have one column per category, 3; got 2", verify(d)));
  d.probabilities = {q_.data(), 2, 3};
  EXPECT_NO_THROW(verify(d)());
  d.kept_categories = {kept_.data(), 2, 1};
  EXPECT_TRUE(refused("must have one shape", verify(d)));
  d.kept_log_probabilities = {logs_.data(), 2, 1};
  EXPECT_TRUE(refused("probabilities or kept sets, not both", verify(d)));
  d.probabilities = {};
  EXPECT_NO_THROW(verify(d)());
  kept_[0] = 7;
  EXPECT_TRUE(refused("text 0 cannot be verified", verify(d)));
  d = draft();
  d.probabilities = {q_.data(), 2, 3};
  q_[0] = nan;
  EXPECT_TRUE(refused("text 0 cannot be verified", verify(d)));
  d = draft();
  d.rule = testing::no_enumerator<DraftRule>();
  EXPECT_TRUE(refused("unknown rule 99, expected one of token, block", verify(d)));
  next_ = {};
  EXPECT_TRUE(refused("accepted overlaps tokens of the draft", [&] {
    verify_draft(Logits(x_.data(), 4, 3), draft(), {.accepted = tokens_, .next_tokens = accepted_});
  }));
  std::vector<std::int32_t> top_k = {1, 1, 1, 1}, next = {0, 0};
  TokenFilters filters;
  filters.top_k = VectorView<const std::int32_t>(top_k);
  EXPECT_TRUE(refused("accepted overlaps top_k", [&] {
    verify_draft(Logits(x_.data(), 4, 3), draft(), {.accepted = {top_k.data(), 2}, .next_tokens = next}, filters);
  }));
}

class ShardContract : public ::testing::Test {
 protected:
  Logits part() { return {x_.data(), 2, 3}; }
  std::vector<float> x_ = std::vector<float>(6, 1);
  std::vector<TokenShardState> states_ = std::vector<TokenShardState>(2);
  std::vector<TokenShardRecord> records_ = std::vector<TokenShardRecord>(4);
  std::vector<std::int32_t> tokens_ = {0, 0}, ranks_ = {0, 0};
};

TEST_F(ShardContract, SummarizeShard) {
  const auto summarize = [&](TokenShard shard, std::int64_t records = 2, TokenFilters filters = {}) {
    return [=, this] { summarize_shard(part(), shard, states_, {records_.data(), records}, filters); };
  };
  EXPECT_NO_THROW(summarize({3, 6})());
  EXPECT_TRUE(refused("the shard has 3 categories from 4 on, of 6", summarize({4, 6})));
  EXPECT_TRUE(refused("the shard has 3 categories from -1 on, of 6", summarize({-1, 6})));
  EXPECT_TRUE(refused("a vocabulary of 0 categories", summarize({0, 0})));
  EXPECT_TRUE(refused("records must have one entry per row; got 1 for 2", summarize({3, 6}, 1)));
  EXPECT_TRUE(refused("joint filters are not supported", summarize({3, 6}, 2, {.joint = true})));
  EXPECT_NO_THROW(summarize_shard(Logits(nullptr, 2, 0), {6, 6}, states_, {records_.data(), 2}));
  EXPECT_TRUE(refused("the shard has 0 categories from 7 on, of 6", [&] {
    summarize_shard(Logits(nullptr, 2, 0), {7, 6}, states_, {records_.data(), 2});
  }));
  states_[1].bits = 77;
  EXPECT_TRUE(refused("states[1] was not written by combine_shards", summarize({3, 6})));
}

TEST_F(ShardContract, CombineShards) {
  const auto combine = [&](std::int64_t shards, std::int64_t rows) {
    return [=, this] {
      combine_shards(MatrixView<const TokenShardRecord>(records_.data(), shards, rows), {0, 6}, states_);
    };
  };
  EXPECT_TRUE(refused("records must be shards x rows; got 2 x 1 for 2 rows", combine(2, 1)));
  EXPECT_TRUE(refused("records must be shards x rows; got 0 x 2 for 2 rows", combine(0, 2)));
  states_[0].stage = static_cast<TokenShardState::Stage>(9);
  EXPECT_TRUE(refused("states[0] was not written", combine(2, 2)));
}

TEST_F(ShardContract, FinishShard) {
  const auto finish = [&](std::int64_t number, TokenResults results) {
    return [=, this] { finish_shard(part(), {3, 6}, number, states_, results); };
  };
  tokens_ = {7, 7};
  EXPECT_TRUE(refused("states[0] needs another round; call summarize_shard", finish(1, {.tokens = tokens_})));
  states_[0].stage = TokenShardState::Stage::done;
  states_[1].stage = TokenShardState::Stage::sums;
  EXPECT_TRUE(refused("states[1] needs another round", finish(1, {.tokens = tokens_})));
  EXPECT_EQ(tokens_, std::vector<std::int32_t>(2, 7)) << "was written to";
  states_[1].stage = TokenShardState::Stage::done;
  EXPECT_NO_THROW(finish(1, {.tokens = tokens_})());
  EXPECT_EQ(tokens_, std::vector<std::int32_t>(2, -1)) << "shard 0 has the tokens";
  EXPECT_TRUE(refused("the shard's number is -1", finish(-1, {.tokens = tokens_})));
  EXPECT_TRUE(refused("tokens must have one entry per row", finish(1, {})));
  EXPECT_TRUE(refused("only tokens, log_probabilities and status", finish(1, {.tokens = tokens_, .ranks = ranks_})));
}

}  // namespace
}  // namespace papilio
