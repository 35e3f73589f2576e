// What options and corpus decide about a chain.

#include "lda/training/plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/model/options.h"
#include "papilio/error.h"
#include "support/devices.h"

namespace papilio {
namespace {

using lda::Order, lda::Plan;

Plan plan_of(TrainOptions options) { return Plan(testing::make_corpus({{0, 1}, {}, {2}}, 3), options); }

TEST(Plan, OrdersTokensBySamplerAndSchedule) {
  struct Case {
    Sampler sampler;
    Order parallel, sequential;
  };
  for (const Case& c : {Case{Sampler::mean_for_mode, Order::all_at_once, Order::all_at_once},
                        Case{Sampler::uncollapsed, Order::all_at_once, Order::all_at_once},
                        Case{Sampler::theta_collapsed, Order::by_document, Order::by_document},
                        Case{Sampler::phi_collapsed, Order::all_at_once, Order::token_by_token},
                        Case{Sampler::collapsed, Order::all_at_once, Order::token_by_token}}) {
    SCOPED_TRACE(name(c.sampler));
    EXPECT_EQ(plan_of({.sampler = c.sampler}).order, c.parallel);
    EXPECT_EQ(plan_of({.sampler = c.sampler, .schedule = Schedule::sequential}).order, c.sequential);
  }
}

// Counts of the sweep's start hold the token itself where all are drawn at once from counts of words.
TEST(Plan, RemovesTokensFromCountsOfTheSweepsStart) {
  EXPECT_TRUE(plan_of({.sampler = Sampler::collapsed}).removes);
  EXPECT_TRUE(plan_of({.sampler = Sampler::phi_collapsed}).removes);
  EXPECT_FALSE(plan_of({.sampler = Sampler::mean_for_mode}).removes);
  EXPECT_FALSE(plan_of({.sampler = Sampler::theta_collapsed}).removes);
  EXPECT_FALSE(plan_of({.sampler = Sampler::collapsed, .schedule = Schedule::sequential}).removes);
  EXPECT_FALSE(plan_of({.topics = 1, .sampler = Sampler::collapsed}).removes);
}

TEST(Plan, KeepsOneRowOfPhiTokenByToken) {
  EXPECT_EQ(plan_of({.sampler = Sampler::collapsed}).phi_rows, 3);
  EXPECT_EQ(plan_of({.sampler = Sampler::collapsed, .schedule = Schedule::sequential}).phi_rows, 1);
}

TEST(Plan, DrawsSparselyWhereAskedOrWorthIt) {
  EXPECT_FALSE(plan_of({.topics = 31}).is_sparse);
  EXPECT_TRUE(plan_of({.topics = 32}).is_sparse);
  EXPECT_TRUE(plan_of({.topics = 2, .draws = Draws::sparse}).is_sparse);
  EXPECT_FALSE(plan_of({.topics = 32, .draws = Draws::dense}).is_sparse);
  EXPECT_FALSE(plan_of({.topics = 32, .sampler = Sampler::theta_collapsed}).is_sparse);
  EXPECT_FALSE(plan_of({.topics = 32}).by_alias);
  EXPECT_TRUE(plan_of({.topics = 32, .draws = Draws::alias}).by_alias);
  EXPECT_FALSE(plan_of({.topics = 32, .draws = Draws::alias}).is_sparse);
}

// By the options and the number of tokens alone: a chain goes on elsewhere, and gives the model of any device.
TEST(Plan, DrawsAlikeOnEveryDevice) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - 1;
  for (const Device device : {Device::cpu(), testing::cuda_device()}) {
    SCOPED_TRACE(device.name());
    const TrainOptions automatic = {.topics = 32, .device = device};
    EXPECT_EQ(lda::draws_of(automatic, most), Draws::sparse);
    EXPECT_EQ(lda::draws_of(automatic, most + 1), Draws::dense);
    EXPECT_EQ(lda::draws_of({.topics = 32, .device = device, .draws = Draws::sparse}, most + 1), Draws::sparse);
    EXPECT_EQ(lda::draws_of({.topics = 31, .device = device}, 1), Draws::dense);
  }
}

// Floats count to 2^24.
TEST(Plan, RefusesSparseDrawsOfADocumentThatFloatsDoNotCount) {
  Corpus corpus = testing::make_corpus({{0}, std::vector<std::int32_t>((std::size_t{1} << 24) - 1, 0)}, 1);
  const TrainOptions options = {.topics = 3, .sampler = Sampler::theta_collapsed, .draws = Draws::sparse};
  EXPECT_NO_THROW(Plan(corpus, options));
  corpus.words.push_back(0);
  ++corpus.document_offsets.back();
  EXPECT_NO_THROW(Plan(corpus, {.topics = 3, .sampler = Sampler::theta_collapsed}));
  try {
    const Plan plan(corpus, options);
    ADD_FAILURE() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("document 1 has 16777216 tokens"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace papilio
