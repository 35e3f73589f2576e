// Choosing is splitting, training and measuring, however often it is interrupted.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "lda/choose/choose_runs.h"
#include "papilio/choose.h"
#include "papilio/evaluation.h"
#include "papilio/interruption.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using testing::quick_choice;
using testing::without_seconds;

const Corpus& corpus() {
  static const Corpus made = testing::small_generated_corpus().corpus;
  return made;
}

TEST(ChooseTopics, IsWhatTheOtherCallsGive) {
  ChooseOptions options = quick_choice();
  options.alpha_sum = 3;
  const ChooseResult result = choose_topics(corpus(), options);
  const HeldOutSplit split = hold_out_every(corpus(), 4);
  ASSERT_EQ(result.rows.size(), 3u);
  ASSERT_EQ(result.runs.size(), 6u);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.documents, 225);
  EXPECT_EQ(result.held_out_documents, 75);
  for (std::size_t row = 0; row < 3; ++row) {
    const ChooseRow& found = result.rows[row];
    const std::int32_t topics = std::vector<std::int32_t>{2, 3, 5}[row];
    std::vector<Model> models;
    std::vector<double> perplexities;
    for (const std::uint64_t seed : {9u, 10u}) {
      const Model model =
          train(split.training, {.topics = topics, .sweeps = 12, .alpha = 3.0 / topics, .seed = seed}).model;
      const ChooseRun& run = result.runs[2 * row + (seed - 9)];
      EXPECT_EQ(run.topics, topics);
      EXPECT_EQ(run.seed, seed);
      EXPECT_EQ(run.perplexity, complete_documents(model, split.held_out).perplexity());
      EXPECT_EQ(run.coherence, coherence(model, split.training).mean);
      EXPECT_EQ(run.diversity, diversity(model, 6));
      EXPECT_GT(run.seconds, 0);
      perplexities.push_back(run.perplexity);
      models.push_back(model);
    }
    EXPECT_EQ(found.topics, topics);
    EXPECT_EQ(found.seeds, 2);
    EXPECT_EQ(found.perplexity.mean, (perplexities[0] + perplexities[1]) / 2);
    EXPECT_EQ(found.perplexity.least, std::min(perplexities[0], perplexities[1]));
    EXPECT_EQ(found.perplexity.most, std::max(perplexities[0], perplexities[1]));
    EXPECT_EQ(found.stability, topic_stability(models[0], models[1], 6).mean);
  }
}

TEST(ChooseTopics, IsTheSameForAnyNumberOfThreads) {
  ChooseOptions options = quick_choice();
  const ChooseResult one = choose_topics(corpus(), options);
  options.training.threads = 3;
  const ChooseResult three = choose_topics(corpus(), options);
  EXPECT_EQ(without_seconds(one.runs), without_seconds(three.runs));
  for (std::size_t i = 0; i < one.rows.size(); ++i) EXPECT_EQ(one.rows[i].stability, three.rows[i].stability);
  EXPECT_EQ(choose_page(one), choose_page(three));
}

TEST(ChooseTopics, GoesOnFromTheRunsThatAreThere) {
  ChooseOptions options = quick_choice();
  const std::vector<ChooseRun> all = choose_topics(corpus(), options).runs;
  for (std::size_t there = 0; there <= 6; ++there) {
    std::vector<std::pair<std::int32_t, std::uint64_t>> trained;
    options.done = [&](const ChooseRun& run) { trained.emplace_back(run.topics, run.seed); };
    // Backwards, to show that their order does not matter; with one that nobody asks for.
    std::vector<ChooseRun> runs(all.rbegin(), all.rbegin() + static_cast<std::ptrdiff_t>(there));
    runs.push_back(all.front());
    runs.back().seed = 77;
    const ChooseResult result = choose_topics(corpus(), options, runs);
    EXPECT_EQ(without_seconds(result.runs), without_seconds(all));
    EXPECT_EQ(trained.size(), 6 - there);
  }
}

TEST(ChooseTopics, TrainsAllNumbersWithTheFirstSeedFirst) {
  ChooseOptions options = quick_choice();
  std::vector<std::pair<std::int32_t, std::uint64_t>> trained;
  std::vector<std::pair<int, int>> numbers;
  options.progress = [&](const ChooseProgress& progress) {
    if (progress.training.sweep == 1) numbers.emplace_back(progress.model, progress.models);
    EXPECT_EQ(progress.training.sweeps, 12);
    return true;
  };
  options.done = [&](const ChooseRun& run) { trained.emplace_back(run.topics, run.seed); };
  choose_topics(corpus(), options);
  const decltype(trained) expected = {{2, 9}, {3, 9}, {5, 9}, {2, 10}, {3, 10}, {5, 10}};
  EXPECT_EQ(trained, expected);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], std::pair(i + 1, 6));
}

TEST(ChooseTopics, StopsAtASweepAndGivesTheModelUp) {
  ChooseOptions options = quick_choice();
  options.progress = [](const ChooseProgress& progress) { return progress.model < 3 || progress.training.sweep < 5; };
  const ChooseResult result = choose_topics(corpus(), options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.runs.size(), 2u);
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_TRUE(std::isnan(result.rows[0].stability));
}

TEST(ChooseTopics, CanBeInterrupted) {
  std::atomic<bool> stop = false;
  ChooseOptions options = quick_choice();
  options.progress = [&](const ChooseProgress& progress) {
    if (progress.training.sweep == 3) stop = true;
    return true;
  };
  options.done = [](const ChooseRun&) { FAIL(); };
  const InterruptionScope scope(stop);
  EXPECT_THROW(choose_topics(corpus(), options), Interrupted);
}

TEST(ChooseTopics, CountsWholeDocumentsOfABagOfWords) {
  Corpus bag = corpus();
  for (std::size_t d = 1; d < bag.document_offsets.size(); ++d) {
    std::sort(bag.words.begin() + bag.document_offsets[d - 1], bag.words.begin() + bag.document_offsets[d]);
  }
  ChooseOptions options = quick_choice();
  options.topics = {3};
  options.seeds = 1;
  const ChooseResult of_text = choose_topics(corpus(), options), of_bag = choose_topics(bag, options);
  EXPECT_EQ(of_text.window, 10);
  EXPECT_EQ(of_bag.window, 0);
  const HeldOutSplit split = hold_out_every(bag, 4);
  const Model model = train(split.training, {.topics = 3, .sweeps = 12, .seed = 9}).model;
  EXPECT_EQ(of_bag.runs[0].coherence, coherence(model, split.training, {.window = 1 << 20}).mean);
  options.coherence.window = 5;
  EXPECT_EQ(choose_topics(bag, options).window, 5);
  options.coherence = {.measure = CoherenceMeasure::umass};
  EXPECT_EQ(choose_topics(corpus(), options).window, 0);
  options.coherence = {.measure = CoherenceMeasure::c_v};
  EXPECT_EQ(choose_topics(corpus(), options).window, 110);
}

TEST(ChooseTopics, RefusesBeforeTheFirstSweep) {
  ChooseOptions options = quick_choice();
  options.progress = [](const ChooseProgress&) {
    ADD_FAILURE();
    return true;
  };
  const auto says = [&](const Corpus& of, const ChooseOptions& with) -> std::string {
    try {
      choose_topics(of, with);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing";
  };
  ChooseOptions many = options;
  many.topics = {2, 226};
  EXPECT_EQ(
      says(corpus(), many),
      "papilio::choose_topics: 226 topics are more than the 225 documents trained on (75 are held out); expected at "
      "most 225");
  const Corpus few = testing::make_corpus({{0, 1}, {1, 0}, {0, 0}}, 2);
  EXPECT_EQ(
      says(few, options),
      "papilio::choose_topics: no held-out document has two words of the other documents (0 of 3 documents are held "
      "out, every 4th)");
  const Corpus strange = testing::make_corpus({{0, 1}, {1, 0}, {0, 0}, {2, 2, 1}}, 3);
  EXPECT_NE(says(strange, options).find("(1 of 4 documents are held out"), std::string::npos);
  ChooseOptions sparse = options;
  sparse.training.sampler = Sampler::phi_collapsed;
  sparse.training.draws = Draws::sparse;
  EXPECT_NE(says(corpus(), sparse).find("sparse draws need"), std::string::npos);
}

// A result of rows with these numbers of topics, perplexities (least, mean, most), coherence and stability.
struct Made {
  std::int32_t topics;
  double least, mean, most, coherence, stability;
};
ChooseResult made_of(const std::vector<Made>& rows, int seeds = 3) {
  ChooseResult result;
  for (const Made& row : rows) {
    result.rows.push_back({.topics = row.topics,
                           .seeds = seeds,
                           .perplexity = {row.mean, row.least, row.most},
                           .coherence = {row.coherence, row.coherence, row.coherence},
                           .stability = row.stability});
  }
  return result;
}

TEST(ChooseSummary, SaysWhatTheRowsShow) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      choose_summary(made_of({{20, 90, 100, 110, 0.1, 0.8}, {50, 80, 82, 85, 0.2, 0.6}, {100, 86, 88, 90, 0.05, 0.4}})),
      "Held-out documents are predicted best with 50 topics (perplexity 82.00). Every seed with this number did better "
      "than every seed with any other. Coherence is highest with 50 topics (0.2000). Seeds agree most with 20 topics "
      "(stability 0.8000). These measures do not say whether topics are useful: read those of 20 and 50 before you "
      "decide.");
  EXPECT_EQ(
      choose_summary(made_of({{1, 90, 100, 110, nan, nan}, {50, 85, 91, 96, nan, nan}})),
      "Held-out documents are predicted best with 50 topics (perplexity 91.00). But some seeds with K = 1 did as well, "
      "so the difference may be due to chance. This is the largest number tried; more topics may predict better still. "
      "These measures do not say whether topics are useful: read those of 50 and of the next numbers before you "
      "decide.");
  EXPECT_EQ(
      choose_summary(made_of({{1, 9, 9, 9, 0.1, nan}, {2, 10, 10, 10, 0.3, nan}, {3, 11, 11, 11, 0.3, nan}}, 1)),
      "Held-out documents are predicted best with 1 topic (perplexity 9.00). With one seed per number, differences may "
      "be due to chance. This is the smallest number tried; fewer topics may predict better still. Coherence is "
      "highest with 2 topics (0.3000). These measures do not say whether topics are useful: read those of 1 and 2 "
      "before you decide.");
  EXPECT_EQ(choose_summary(made_of({{20, 90, 100, 110, 0.1, 0.8}})),
            "Only one number of topics was tried, 20: there is nothing to compare.");
}

}  // namespace
}  // namespace papilio
