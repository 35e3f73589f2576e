// What choosing refuses, and the comparison of models.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "lda/choose/choose_runs.h"
#include "lda/models.h"
#include "papilio/choose.h"
#include "papilio/evaluation.h"

namespace papilio {
namespace {

using testing::huge;
using testing::make_corpus;
using testing::make_model;
using testing::no_enumerator;
using testing::quick_choice;
using testing::refused;

const std::string no_such_folder = "/nonexistent/folder/file";

TEST(ChooseContract, ChooseOptions) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const std::vector<ChooseRun> runs = {{2, 9, 3.5, 0, 1, 0, std::vector<std::int32_t>(12)}};
  // Each of the three calls that take options.
  const auto refuses = [&](const std::string& says, const std::function<void(ChooseOptions&)>& change) {
    ChooseOptions options = quick_choice();
    change(options);
    EXPECT_TRUE(refused(says, [&] { choose_topics(corpus, options); }));
    EXPECT_TRUE(refused(says, [&] { save_choose_runs(runs, corpus, options, no_such_folder); }));
    EXPECT_TRUE(refused(says, [&] { load_choose_runs(corpus, options, no_such_folder); }));
  };
  refuses("topics is empty", [](auto& o) { o.topics = {}; });
  refuses("topics has 0, expected at least 1", [](auto& o) { o.topics = {2, 0}; });
  refuses("topics has -5, expected at least 1", [](auto& o) { o.topics = {-5}; });
  refuses("topics has 3 twice", [](auto& o) { o.topics = {3, 2, 3}; });
  refuses("seeds is 0, expected 1 to 1000", [](auto& o) { o.seeds = 0; });
  refuses("seeds is 1001", [](auto& o) { o.seeds = 1001; });
  refuses("expected room for 2 seeds in a row below 2^64", [](auto& o) { o.training.seed = ~std::uint64_t{0}; });
  refuses("held_out_every is 1, expected at least 2", [](auto& o) { o.held_out_every = 1; });
  refuses("top_words is 0, expected 1 to 1000", [](auto& o) { o.top_words = 0; });
  refuses("top_words is 1001", [](auto& o) { o.top_words = 1001; });
  refuses("coherence.top_words is 1, expected 2 to 1000", [](auto& o) { o.coherence.top_words = 1; });
  refuses("coherence.window is -1", [](auto& o) { o.coherence.window = -1; });
  refuses("as umass counts documents", [](auto& o) { o.coherence = {CoherenceMeasure::umass, 10, 5, 0}; });
  refuses("unknown measure 99", [](auto& o) { o.coherence.measure = no_enumerator<CoherenceMeasure>(); });
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    refuses("alpha_sum is", [=](auto& o) { o.alpha_sum = bad; });
  }
  refuses("expected none of them", [](auto& o) { o.training.topic_alpha = {1, 1}; });
  refuses("expected none of them", [&](auto& o) { o.training.held_out = corpus; });
  refuses("expected none of them", [](auto& o) { o.training.progress = [](const auto&) { return true; }; });
  refuses("expected none of them", [](auto& o) { o.training.checkpoint = [](const ChainState&) {}; });
}

TEST(ChooseContract, ChooseTopicsAndItsResults) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  ChooseOptions options = quick_choice();
  EXPECT_TRUE(refused("document_offsets must begin with 0", [&] { choose_topics(CorpusView(), options); }));
  EXPECT_TRUE(refused("no held-out document", [&] { choose_topics(Corpus(), options); }));
  const ChooseRun sound = {2, 9, 3.5, 0, 1, 0, std::vector<std::int32_t>(12)};
  ChooseRun bad = sound;
  bad.top_words[3] = -2;
  EXPECT_TRUE(refused("has the top word -2", [&] { choose_topics(corpus, options, {bad}); }));
  bad = sound;
  bad.topics = 0;
  EXPECT_TRUE(refused("a run has 0 topics", [&] { choose_topics(corpus, options, {bad}); }));
  bad = sound;
  bad.coherence = HUGE_VAL;
  EXPECT_TRUE(refused("impossible measures", [&] { choose_topics(corpus, options, {bad}); }));
  EXPECT_TRUE(refused("two runs of 2 topics, seed 9", [&] { choose_topics(corpus, options, {sound, sound}); }));
  options.training.sweeps = -1;
  EXPECT_TRUE(refused("sweeps is -1", [&] { choose_topics(corpus, options); }));
  options.training.sweeps = huge;
  EXPECT_TRUE(refused("sweeps is 9223372036854775807", [&] { choose_topics(corpus, options); }));
  const ChooseResult empty;
  EXPECT_TRUE(refused("choose_summary: the result has no rows", [&] { choose_summary(empty); }));
  EXPECT_TRUE(refused("choose_page: the result has no rows", [&] { choose_page(empty, ChoosePageOptions()); }));
  const ChooseRow row;
  const Spread spread;
  const ChooseProgress progress;
  EXPECT_EQ(row.topics + progress.model + static_cast<int>(spread.mean), 0);
  EXPECT_NO_THROW(choose_page({.rows = {row}}));
}

TEST(ChooseContract, Files) {
  const Corpus corpus = make_corpus({{0, 1}}, 2);
  const std::vector<ChooseRun> runs = {{2, 9, 3.5, 0, 1, 0, std::vector<std::int32_t>(12)}};
  EXPECT_THROW(save_choose_runs(runs, corpus, quick_choice(), no_such_folder), IoError);
  EXPECT_THROW(load_choose_runs(corpus, quick_choice(), no_such_folder), IoError);
  EXPECT_TRUE(refused("document_offsets", [&] { save_choose_runs(runs, {}, quick_choice(), no_such_folder); }));
  EXPECT_TRUE(refused("document_offsets", [&] { load_choose_runs({}, quick_choice(), no_such_folder); }));
}

TEST(ChooseContract, TopicStability) {
  const Model model = make_model({{2, 0}, {1, 1}, {0, 1}}, {0.5, 0.5}, 0.1);
  const Model three = make_model({{2, 0, 1}, {1, 1, 1}, {0, 1, 1}}, {0.5, 0.5, 0.5}, 0.1);
  const Model fewer = make_model({{2, 0}, {1, 1}}, {0.5, 0.5}, 0.1);
  Model bad = model;
  bad.n_wk[0] = -1;
  EXPECT_TRUE(refused("top_words is 0, expected 1 to 1000", [&] { topic_stability(model, model, 0); }));
  EXPECT_TRUE(refused("top_words is 1001", [&] { topic_stability(model, model, 1001); }));
  EXPECT_TRUE(refused("one model has 2 topics, the other 3", [&] { topic_stability(model, three); }));
  EXPECT_TRUE(refused("different words (3 and 2)", [&] { topic_stability(model, fewer); }));
  EXPECT_TRUE(refused("n_wk of word 0, topic 0 is -1", [&] { topic_stability(bad, model); }));
  EXPECT_TRUE(refused("n_wk of word 0, topic 0 is -1", [&] { topic_stability(model, bad); }));
  EXPECT_TRUE(refused("0 topics, expected at least 1", [&] { topic_stability(model, {}); }));
}

}  // namespace
}  // namespace papilio
