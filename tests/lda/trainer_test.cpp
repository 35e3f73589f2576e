#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "lda/corpora.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

bool equal(const Model& a, const Model& b) {
  return a.topics == b.topics && a.vocabulary == b.vocabulary && a.alpha == b.alpha && a.beta == b.beta &&
         a.n_wk == b.n_wk && a.n_k == b.n_k && a.settings == b.settings;
}

double total_variation(const Model& model, std::int32_t k, const std::vector<float>& phi, std::size_t true_topic) {
  const std::size_t words = model.vocabulary.size();
  double distance = 0;
  for (std::size_t w = 0; w < words; ++w) {
    distance += std::abs(model.phi(static_cast<std::int64_t>(w), k) - double{phi[true_topic * words + w]}) / 2;
  }
  return distance;
}

// With 16,000 tokens per topic over 500 words, counting noise alone makes a total
// variation of about sqrt(500 / 16000) / 2.5 = 0.07; two planted topics are 0.44
// or more apart. So 0.15 tells a topic found from one missed, merged or split.
// A chain may stay where two topics are one; of three, the likeliest is taken, as
// a user would who does not know the truth.
TEST(Train, RecoversPlantedTopics) {
  const int topics = 8;
  const GeneratedCorpus generated =
      generate_corpus({.documents = 2000, .vocabulary = 500, .topics = topics, .mean_length = 64, .seed = 3});
  TrainResult best;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    TrainResult result = train(generated.corpus, {.topics = topics, .sweeps = 60, .seed = seed, .evaluate_every = 0});
    if (seed == 0 || result.log_joint_per_token > best.log_joint_per_token) {
      best = std::move(result);
    }
  }
  const Model& model = best.model;
  std::vector<bool> taken(topics);
  for (std::int32_t k = 0; k < topics; ++k) {
    std::size_t nearest = 0;
    for (std::size_t t = 1; t < topics; ++t) {
      if (total_variation(model, k, generated.phi, t) < total_variation(model, k, generated.phi, nearest)) {
        nearest = t;
      }
    }
    EXPECT_LT(total_variation(model, k, generated.phi, nearest), 0.15) << "topic " << k;
    EXPECT_FALSE(taken[nearest]) << "two topics found are nearest to planted topic " << nearest;
    taken[nearest] = true;
  }
}

TEST(Train, ClimbsToTheLikelihoodOfTheTruth) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  const TrainOptions options = {.topics = 7, .sweeps = 100, .evaluate_every = 0};
  const TrainResult start = train(generated.corpus, {.topics = 7, .sweeps = 0});
  const TrainResult end = train(generated.corpus, options);
  const double truth = log_joint(generated.corpus, generated.topics, 7, options.alpha, options.beta) /
                       static_cast<double>(generated.corpus.tokens());
  EXPECT_GT(end.log_joint_per_token, start.log_joint_per_token + 0.5);
  EXPECT_NEAR(end.log_joint_per_token, truth, 0.25);
  EXPECT_EQ(end.log_joint_per_token, log_joint(generated.corpus, end.topics.z, 7, options.alpha, options.beta) /
                                         static_cast<double>(generated.corpus.tokens()));
}

TEST(Train, ResumedIsTheSameAsUninterrupted) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 5, .sweeps = 12, .seed = 9, .threads = 2};
  const TrainResult whole = train(corpus, options);
  options.sweeps = 5;
  const TrainResult half = train(corpus, options);
  EXPECT_EQ(half.topics.sweep, 5);
  options.sweeps = 12;
  options.threads = 1;
  const TrainResult rest = train(corpus, options, &half.topics);
  EXPECT_EQ(rest.topics.z, whole.topics.z);
  EXPECT_TRUE(equal(rest.model, whole.model));
  EXPECT_FALSE(equal(half.model, whole.model));
}

TEST(Train, StopsWhereTheCallbackSays) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 5, .sweeps = 12, .seed = 9};
  options.progress = [](const Progress& progress) { return progress.sweep < 4; };
  const TrainResult stopped = train(corpus, options);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_EQ(stopped.topics.sweep, 4);
  options.progress = {};
  options.sweeps = 4;
  const TrainResult ended = train(corpus, options);
  EXPECT_FALSE(ended.stopped);
  EXPECT_TRUE(equal(stopped.model, ended.model));
  EXPECT_EQ(stopped.log_joint_per_token, ended.log_joint_per_token);
}

TEST(Train, ReportsEachSweepAndEvaluatesWhenAsked) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  std::vector<Progress> seen;
  TrainOptions options = {.topics = 3, .sweeps = 7, .evaluate_every = 3};
  options.progress = [&](const Progress& progress) {
    seen.push_back(progress);
    return true;
  };
  const TrainResult result = train(corpus, options);
  ASSERT_EQ(seen.size(), 7u);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].sweep, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(seen[i].sweeps, 7);
    EXPECT_EQ(seen[i].evaluated, i == 2 || i == 5 || i == 6) << i;
    EXPECT_GT(seen[i].tokens_per_second, 0);
    EXPECT_GE(seen[i].seconds, i == 0 ? 0 : seen[i - 1].seconds);
  }
  EXPECT_EQ(seen.back().log_joint_per_token, result.log_joint_per_token);
}

TEST(Train, ReportsAsSeldomAsAsked) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  std::vector<std::int64_t> seen;
  TrainOptions options = {.topics = 3, .sweeps = 7, .evaluate_every = 0};
  options.progress = [&](const Progress& progress) {
    seen.push_back(progress.sweep);
    EXPECT_GT(progress.tokens_per_second, 0);
    return true;
  };
  options.progress_every = 3;
  train(corpus, options);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{3, 6, 7}));
  options.progress_every = 0;
  EXPECT_THROW(train(corpus, options), InvalidArgument);
}

// Its score is complete_documents of the model that training to that sweep gives, optimised priors included.
TEST(Train, ScoresHeldOutDocumentsOnTheWay) {
  const HeldOutSplit split = hold_out_every(testing::small_generated_corpus().corpus, 5);
  Corpus held_out = split.held_out;
  std::reverse(held_out.vocabulary.begin(), held_out.vocabulary.end());  // other numbers for the words
  for (std::int32_t& word : held_out.words) word = static_cast<std::int32_t>(held_out.vocabulary_size()) - 1 - word;
  std::vector<Progress> seen;
  TrainOptions options = {.topics = 5, .sweeps = 7, .seed = 4, .optimize_every = 2, .optimize_after = 1};
  const TrainResult alone = train(split.training, options);
  options.held_out = held_out.view();
  options.held_out_every = 3;
  options.progress = [&](const Progress& progress) {
    seen.push_back(progress);
    return true;
  };
  const TrainResult result = train(split.training, options);
  EXPECT_TRUE(equal(result.model, alone.model));
  ASSERT_EQ(result.held_out.size(), 3u);
  double before = 0;
  for (const HeldOutScore& score : result.held_out) {
    TrainOptions up_to_here = {.topics = 5, .sweeps = score.sweep, .seed = 4, .optimize_every = 2, .optimize_after = 1};
    const Completion expected = complete_documents(train(split.training, up_to_here).model, split.held_out);
    EXPECT_EQ(score.completion.log_likelihood, expected.log_likelihood) << score.sweep;
    EXPECT_EQ(score.completion.tokens, expected.tokens);
    const Progress& progress = seen.at(static_cast<std::size_t>(score.sweep) - 1);
    EXPECT_TRUE(progress.held_out_evaluated);
    EXPECT_EQ(progress.held_out_perplexity, score.completion.perplexity());
    EXPECT_EQ(progress.training_seconds, score.training_seconds);
    EXPECT_GT(score.training_seconds, before);
    EXPECT_LT(score.training_seconds, progress.seconds);  // which has the scoring in it
    before = score.training_seconds;
  }
  EXPECT_EQ(result.held_out.back().sweep, 7);
  EXPECT_FALSE(seen[0].held_out_evaluated);
}

TEST(Train, RefusesHeldOutDocumentsThatCannotBeScored) {
  const Corpus corpus = testing::make_corpus({{0, 1, 1}}, 3);  // word 2 is in no document
  const Corpus unknown = testing::make_corpus({{0, 2, 2}, {}, {1}}, 3);
  TrainOptions options = {.topics = 2, .sweeps = 1};
  options.held_out = unknown.view();
  EXPECT_THROW(train(corpus, options), InvalidArgument);
  const Corpus known = testing::make_corpus({{2, 0, 2, 1}}, 3);
  options.held_out = known.view();
  EXPECT_EQ(train(corpus, options).held_out.at(0).completion.unknown_tokens, 2);
  options.held_out_every = -1;
  EXPECT_THROW(train(corpus, options), InvalidArgument);
}

TEST(Train, DependsOnTheSeedAndNotOnTheThreads) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const TrainResult one = train(corpus, {.topics = 6, .sweeps = 3, .seed = 1, .threads = 1});
  EXPECT_TRUE(equal(train(corpus, {.topics = 6, .sweeps = 3, .seed = 1, .threads = 3}).model, one.model));
  EXPECT_NE(train(corpus, {.topics = 6, .sweeps = 3, .seed = 2, .threads = 1}).topics.z, one.topics.z);
}

// A document longer than a call to the sampler, beside short and empty ones.
TEST(Train, TakesDocumentsOfAnyLength) {
  std::vector<std::int32_t> longest(30000);
  for (std::size_t i = 0; i < longest.size(); ++i) {
    longest[i] = static_cast<std::int32_t>(i * i % 7);
  }
  const Corpus corpus = testing::make_corpus({{}, {1, 2}, longest, {}, {3}, {}}, 9);
  for (const int topics : {1, 2, 33}) {
    const TrainResult result = train(corpus, {.topics = topics, .sweeps = 2, .threads = 2});
    result.model.verify();
    const auto [least, most] = std::minmax_element(result.topics.z.begin(), result.topics.z.end());
    EXPECT_GE(*least, 0);
    EXPECT_LT(*most, topics);
  }
}

TEST(Train, TakesTheModelsPriorsFromTheOptions) {
  const Corpus corpus = testing::make_corpus({{0, 1}, {1}}, 2);
  const Model plain = train(corpus, {.topics = 2, .sweeps = 1, .alpha = 0.2, .beta = 0.3}).model;
  EXPECT_EQ(plain.alpha, (std::vector<double>{0.2, 0.2}));
  EXPECT_EQ(plain.beta, 0.3);
  const TrainResult result = train(corpus, {.topics = 2, .sweeps = 1, .topic_alpha = {0.5, 7}});
  EXPECT_EQ(result.model.alpha, (std::vector<double>{0.5, 7}));
  EXPECT_TRUE(result.topics.alpha.empty());  // they are those of the options
  EXPECT_EQ(result.topics.beta, 0);
}

// Priors that come with topics to resume from take the place of the options'.
TEST(Train, GoesOnWithThePriorsOfTheTopics) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  ChainState topics = train(corpus, {.topics = 3, .sweeps = 1}).topics;
  topics.alpha = {0.1, 2, 0.5};
  topics.beta = 0.3;
  const TrainResult resumed = train(corpus, {.topics = 3, .sweeps = 2}, &topics);
  const TrainOptions same = {.topics = 3, .sweeps = 2, .beta = 0.3, .topic_alpha = topics.alpha};
  topics.alpha = {};
  topics.beta = 0;
  EXPECT_EQ(resumed.topics.z, train(corpus, same, &topics).topics.z);
  EXPECT_EQ(resumed.model.alpha, same.topic_alpha);
  EXPECT_EQ(resumed.model.beta, 0.3);
  EXPECT_EQ(resumed.topics.alpha, same.topic_alpha);
  EXPECT_EQ(resumed.topics.beta, 0.3);
}

TEST(Train, RefusesOptionsOutOfRange) {
  const Corpus corpus = testing::make_corpus({{0, 1}}, 2);
  EXPECT_THROW(train(corpus, {.topics = 0}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.sweeps = -1}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.sweeps = std::int64_t{1} << 32}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.alpha = 0}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.alpha = INFINITY}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.beta = -1}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.beta = NAN}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.threads = -1}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.evaluate_every = -1}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.topics = 2, .topic_alpha = {1}}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.topics = 2, .topic_alpha = {1, 0}}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.topics = 2, .topic_alpha = {NAN, 1}}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.optimize_every = -1}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.optimize_after = -1}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.sampler = static_cast<Sampler>(5)}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.schedule = static_cast<Schedule>(2)}), InvalidArgument);
  EXPECT_THROW(train(corpus, {.method = static_cast<PartialSums>(10)}), InvalidArgument);
  EXPECT_THROW(train(testing::make_corpus({{}, {}}, 2), {}), InvalidArgument);
  EXPECT_THROW(train(testing::make_corpus({{0, 2}}, 2), {}), InvalidArgument);
}

// What could not be saved is not trained.
TEST(Train, RefusesWordsThatAModelCannotHold) {
  for (const char* word : {"", "w0", "\xff"}) {
    Corpus corpus = testing::make_corpus({{0, 1}}, 2);
    corpus.vocabulary[1] = word;
    bool swept = false;
    const auto progress = [&](const Progress&) { return swept = true; };
    EXPECT_THROW(train(corpus, {.topics = 2, .progress = progress}), InvalidArgument) << word;
    EXPECT_FALSE(swept);
  }
}

// One range of priors: what is trained can be inferred with.
TEST(Train, AcceptsThePriorsThatInferAccepts) {
  const Corpus corpus = testing::make_corpus({{0, 1}, {1, 1}}, 2);
  const auto message = [](const auto& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      return text.substr(std::min(text.find(", expected"), text.size()));
    }
    return std::string();
  };
  Model model = train(corpus, {.topics = 2, .sweeps = 1}).model;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double prior : {0.0, -0.0, -1.0, 5e-324, 1e-320, 2.3e-308, 1e-101, 1e-100, 1e-60, 1e-6, 0.5, 1e6,
                             std::nextafter(1e6, 2e6), 1e300, infinity, std::nan("")}) {
    const bool fits = 1e-100 <= prior && prior <= 1e6;
    const std::string expected = fits ? "" : ", expected 1e-100 to 1e6";
    for (const SamplerChoice& sampler : samplers()) {
      const auto expected_where = [&](Parameter parameter) {  // a prior that a parameter is drawn by is a float
        return fits && prior < 1.18e-38 && parameter == Parameter::drawn
                   ? fmt::format(", expected 1.18e-38 to 1e6 for the sampler {}, which draws by it", sampler.name)
                   : expected;
      };
      TrainOptions options = {.topics = 2, .sweeps = 2, .alpha = prior, .sampler = sampler.value};
      EXPECT_EQ(message([&] { infer(train(corpus, options).model, corpus); }), expected_where(sampler.theta)) << prior;
      options = {.topics = 2, .sweeps = 2, .beta = prior, .sampler = sampler.value};
      EXPECT_EQ(message([&] { infer(train(corpus, options).model, corpus); }), expected_where(sampler.phi)) << prior;
      options = {.topics = 2, .sweeps = 2, .sampler = sampler.value, .topic_alpha = {0.1, prior}};
      EXPECT_EQ(message([&] { infer(train(corpus, options).model, corpus); }), expected_where(sampler.theta)) << prior;
    }
    if (!(prior > 0) || std::isinf(prior)) continue;  // no model of these verifies
    model.alpha[1] = prior;
    EXPECT_EQ(message([&] { infer(model, corpus); }), expected) << prior;
  }
}

TEST(Train, RefusesTopicsThatDoNotFit) {
  const Corpus corpus = testing::make_corpus({{0, 1}}, 2);
  const TrainOptions options = {.topics = 2, .sweeps = 3};
  for (const ChainState& bad :
       {ChainState{.sweep = 1, .z = {0}}, ChainState{.sweep = 1, .z = {0, 2}}, ChainState{.sweep = 4, .z = {0, 1}},
        ChainState{.sweep = -1, .z = {0, 1}}, ChainState{.sweep = 1, .z = {0, 1}, .alpha = {1}},
        ChainState{.sweep = 1, .z = {0, 1}, .beta = -1}, ChainState{.sweep = 1, .z = {0, 1}, .alpha = {1, INFINITY}}}) {
    EXPECT_THROW(train(corpus, options, &bad), InvalidArgument);
  }
}

TEST(Model, TopWordsGoByCountThenNumber) {
  Model model;
  model.topics = 2;
  model.vocabulary = {"a", "b", "c", "d"};
  model.alpha = {0.5, 0.5};
  model.beta = 0.5;
  model.n_wk = {1, 0, 3, 0, 3, 2, 0, 0};
  model.n_k = {7, 2};
  model.verify();
  const std::vector<TopWord> top = top_words(model, 0, 3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].word, 1);
  EXPECT_EQ(top[1].word, 2);
  EXPECT_EQ(top[2].word, 0);
  EXPECT_DOUBLE_EQ(top[0].probability, 3.5 / 9);
  EXPECT_EQ(top_words(model, 1, 100).size(), 4u);
  EXPECT_TRUE(top_words(model, 1, 0).empty());
  EXPECT_THROW(top_words(model, 2, 1), InvalidArgument);
  EXPECT_THROW(top_words(model, 0, -1), InvalidArgument);
  double sum = 0;
  for (int w = 0; w < 4; ++w) {
    sum += model.phi(w, 1);
  }
  EXPECT_DOUBLE_EQ(sum, 1);
  EXPECT_THROW(model.phi(4, 0), InvalidArgument);
  EXPECT_THROW(model.phi(0, -1), InvalidArgument);
  model.n_k[1] = 3;
  EXPECT_THROW(model.verify(), InvalidArgument);
}

}  // namespace
}  // namespace papilio
