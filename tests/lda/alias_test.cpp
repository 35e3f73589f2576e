// Alias draws: what holds for every way of drawing, and where they are refused.

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/training/chain/chain_cpu.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

class AliasDraws : public ::testing::TestWithParam<Sampler> {
 protected:
  static TrainOptions options(std::int32_t topics, std::int64_t sweeps) {
    return {.topics = topics,
            .sweeps = sweeps,
            .alpha = 0.3,
            .beta = 0.05,
            .seed = 77,
            .threads = 2,
            .sampler = GetParam(),
            .evaluate_every = 0,
            .draws = Draws::alias};
  }
};

TEST_P(AliasDraws, CountWhatTheyMove) {
  const Corpus corpus = testing::awkward_corpus();
  for (const std::int32_t topics : {1, 2, 13, 130}) {
    for (const int steps : {1, 2, 7}) {
      TrainOptions o = options(topics, 3);
      o.mh_steps = steps;
      if (topics == 13) o.seed_words = {{1, 3, 40}, {0, 3, 7}, {12, 7, 1000}, {0, 121, 2}, {1, 122, 100'000}};
      lda::CpuChain chain(corpus, o, {});
      const std::vector<std::int32_t> before = chain.state().z;
      for (int sweep = 0; sweep < 3; ++sweep) {
        chain.sweep();
        ASSERT_NO_THROW(chain.state().verify(corpus)) << topics << ", " << steps;
      }
      EXPECT_EQ(before == chain.state().z, topics == 1) << topics << ", " << steps;
      const SweepDraws draws = chain.draws();
      EXPECT_TRUE(draws.alias && !draws.sparse);
      EXPECT_EQ(draws.word_moves > 0, topics > 1);
      EXPECT_EQ(draws.document_moves > 0, topics > 1 && steps > 1);
      EXPECT_LT(draws.word_moves + draws.document_moves, 2);
    }
  }
}

TEST_P(AliasDraws, TakePriorsOfAnySize) {
  const Corpus corpus = testing::make_corpus({{0}, {1, 1, 2}, {0}}, 3);
  for (const double prior : {1e-30, 1e6}) {
    TrainOptions o = options(6, 5);
    o.alpha = o.beta = prior;
    lda::CpuChain chain(corpus, o, {});
    for (int sweep = 0; sweep < 5; ++sweep) chain.sweep();
    EXPECT_NO_THROW(chain.state().verify(corpus)) << prior;
  }
}

TEST_P(AliasDraws, GiveTheSameForAnyNumberOfThreads) {
  const Corpus corpus = testing::awkward_corpus();
  for (const Start start : {Start::uniform, Start::progressive}) {
    TrainOptions o = options(20, 6);
    o.start = start;
    o.threads = 1;
    const std::vector<std::int32_t> z = train(corpus, o).topics.z;
    for (o.threads = 2; o.threads <= 3; ++o.threads) EXPECT_EQ(train(corpus, o).topics.z, z);
  }
}

// From a checkpoint's file, with priors that are optimised before the break and after it.
TEST_P(AliasDraws, GoOnAsIfTheyHadNotStopped) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(8, 9);
  o.optimize_after = 3;
  o.optimize_every = 3;
  o.mh_steps = 3;
  const TrainResult whole = train(corpus, o);
  EXPECT_EQ(whole.model.settings.at("draws"), "alias");
  EXPECT_EQ(whole.model.settings.at("mh_steps"), "3");
  const lda::Folder folder;
  const std::string path = folder.path("chain");
  for (const std::int64_t stop : {2, 3, 4}) {
    o.sweeps = stop;
    save_checkpoint(train(corpus, o).topics, corpus, o, path);
    o.sweeps = 9;
    const TrainResult rest = train(corpus, o, load_checkpoint(corpus, o, path));
    EXPECT_EQ(rest.topics.z, whole.topics.z) << stop;
    EXPECT_EQ(rest.model.n_wk, whole.model.n_wk) << stop;
    EXPECT_EQ(rest.model.alpha, whole.model.alpha) << stop;
    EXPECT_EQ(rest.log_joint_per_token, whole.log_joint_per_token) << stop;
  }
  TrainOptions other = o;
  other.mh_steps = 2;
  EXPECT_THROW(load_checkpoint(corpus, other, path), InvalidArgument);
  other = o;
  other.draws = Draws::dense;
  EXPECT_THROW(load_checkpoint(corpus, other, path), InvalidArgument);
  remove_checkpoint(path);
}

INSTANTIATE_TEST_SUITE_P(Samplers, AliasDraws, ::testing::Values(Sampler::collapsed, Sampler::theta_collapsed),
                         [](const auto& sampler) { return std::string(name(sampler.param)); });

// --- Options -----------------------------------------------------------------------------------

std::string refusal(const TrainOptions& options) {
  try {
    train(testing::make_corpus({{0, 1}, {1}}, 2), options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(AliasOptions, AreTakenWhereTheRowSaysSo) {
  for (const SamplerChoice& sampler : samplers()) {
    for (const auto& schedule : schedules()) {
      const bool differs = sampler.phi == Parameter::integrated_out && schedule.value == Schedule::sequential;
      const std::string message = refusal(
          {.topics = 3, .sweeps = 1, .sampler = sampler.value, .schedule = schedule.value, .draws = Draws::alias});
      if (sampler.alias_draws && !differs) {
        EXPECT_EQ(message, "no error") << sampler.name << ", " << schedule.name;
      } else {
        EXPECT_EQ(message,
                  "papilio::train: alias draws need the method slots and one of the samplers collapsed "
                  "(parallel schedule), theta_collapsed; got method slots, sampler " +
                      std::string(sampler.name) + ", schedule " + std::string(schedule.name));
      }
    }
  }
}

TEST(AliasOptions, RefuseOtherMethodsDevicesAndNumbersOfSteps) {
  TrainOptions o = {.topics = 3, .sweeps = 1, .draws = Draws::alias, .method = PartialSums::prefix};
  EXPECT_NE(refusal(o).find("got method prefix"), std::string::npos);
  o.method = PartialSums::slots;
  for (const int steps : {0, -1, 65}) {
    o.mh_steps = steps;
    EXPECT_EQ(refusal(o), "papilio::train: mh_steps is " + std::to_string(steps) + ", expected 1 to 64");
  }
  o.mh_steps = 64;
  EXPECT_EQ(refusal(o), "no error");
  o.device = std::bit_cast<Device>(std::int32_t{0});  // the first GPU, which need not be there
  EXPECT_EQ(refusal(o),
            "papilio::train: alias draws are made on a CPU only; got device cuda:0; expected device cpu, or sparse or "
            "dense draws, which work on a GPU");
}

}  // namespace
}  // namespace papilio
