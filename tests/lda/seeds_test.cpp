// Seed words: what a chain counts, where it starts, what a model has of them, and that they give topics their words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "lda/corpora.h"
#include "lda/model/optimize_priors.h"
#include "lda/model/seeds.h"
#include "lda/model/state.h"
#include "lda/models.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "lda/ways.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/visualization.h"

namespace papilio {
namespace {

using Words = std::vector<SeedWord>;

TEST(Seeds, AreSortedAndSummed) {
  const lda::Seeds seeds({{2, 5, 3}, {0, 5, 4}, {2, 1, 1}}, 3, "train");
  EXPECT_EQ(seeds.words(), (Words{{2, 1, 1}, {0, 5, 4}, {2, 5, 3}}));
  EXPECT_EQ(seeds.s_k(), (std::vector<std::int64_t>{4, 0, 4}));
  EXPECT_EQ(seeds.total(), 8);
  EXPECT_EQ(seeds.of_word(5).size(), 2u);
  EXPECT_TRUE(seeds.of_word(0).empty());
  EXPECT_TRUE(seeds.of_word(9).empty());
}

// As the order in which the options have them says nothing.
TEST(Seeds, OfAnyOrderGiveTheSameModel) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 7, .sweeps = 5, .seed_words = {{2, 5, 3}, {0, 5, 4}, {2, 1, 1}}};
  const TrainResult one = train(corpus, options);
  std::reverse(options.seed_words.begin(), options.seed_words.end());
  const TrainResult other = train(corpus, options);
  EXPECT_EQ(one.topics.z, other.topics.z);
  EXPECT_EQ(one.model.seed_words, other.model.seed_words);
  EXPECT_EQ(one.log_joint_per_token, other.log_joint_per_token);
}

// --- The start ----------------------------------------------------------------------------

TEST(SeededStart, PutsTokensInTheTopicsThatListTheirWord) {
  const Corpus corpus = testing::make_corpus(std::vector<std::vector<std::int32_t>>(4000, {0, 1, 2}), 3);
  TrainOptions options = {.topics = 5, .seed = 3};
  const std::vector<std::int32_t> uniform = lda::starting_topics(corpus, options);
  EXPECT_EQ(uniform, lda::initial_topics(corpus.tokens(), 5, 3, 1));
  options.seed_words = {{4, 0, 10}, {1, 1, 1}, {3, 1, 3}};
  const std::vector<std::int32_t> z = lda::starting_topics(corpus, options);
  int in_3 = 0;
  for (std::size_t i = 0; i < z.size(); i += 3) {
    EXPECT_EQ(z[i], 4);
    EXPECT_TRUE(z[i + 1] == 1 || z[i + 1] == 3);
    in_3 += z[i + 1] == 3 ? 1 : 0;
    EXPECT_EQ(z[i + 2], uniform[i + 2]);
  }
  EXPECT_NEAR(in_3, 3000, 5 * std::sqrt(4000 * 3 / 16.0));
  options.threads = 1;
  EXPECT_EQ(lda::starting_topics(corpus, options), z);
}

TEST(SeededStart, MayBeProgressive) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {
      .topics = 7, .sweeps = 45, .start = Start::progressive, .seed_words = {{6, 0, 50}, {6, 1, 5}}};
  options.threads = 1;
  const TrainResult one = train(corpus, options);
  options.threads = 5;
  EXPECT_EQ(train(corpus, options).topics.z, one.topics.z);
  for (const std::int64_t stop : {3, 17, 40}) {  // of a part of the documents
    TrainOptions until = options;
    until.sweeps = stop;
    const ChainState state = train(corpus, until).topics;
    EXPECT_EQ(train(corpus, options, &state).topics.z, one.topics.z) << stop;
  }
}

// --- What holds for every sampler ---------------------------------------------------------

class SeededTraining : public ::testing::TestWithParam<testing::Way> {
 protected:
  static TrainOptions options() {
    TrainOptions options = {.topics = 40, .sweeps = 6, .seed = 4};
    options.sampler = GetParam().sampler;
    options.schedule = GetParam().schedule;
    options.seed_words = {{3, 0, 20}, {3, 17, 20}, {39, 17, 4}, {0, 122, 9}};
    return options;
  }
};

TEST_P(SeededTraining, CountsTokensAloneInTheModel) {
  const Corpus corpus = testing::awkward_corpus();
  const TrainResult result = train(corpus, options());
  ASSERT_NO_THROW(result.model.verify());
  std::vector<std::int32_t> n_wk(result.model.n_wk.size());
  for (std::size_t i = 0; i < corpus.words.size(); ++i) {
    ++n_wk[static_cast<std::size_t>(corpus.words[i]) * 40 + static_cast<std::size_t>(result.topics.z[i])];
  }
  EXPECT_EQ(result.model.n_wk, n_wk);
  EXPECT_EQ(std::accumulate(result.model.n_k.begin(), result.model.n_k.end(), std::int64_t{0}), corpus.tokens());
  EXPECT_EQ(result.model.seed_words.size(), 4u);
  EXPECT_EQ(result.model.s_k[3], 40);
  const double mass = static_cast<double>(result.model.n_k[3] + 40) + 123 * result.model.beta;
  EXPECT_DOUBLE_EQ(result.model.phi(0, 3), (n_wk[3] + 20 + result.model.beta) / mass);
  EXPECT_DOUBLE_EQ(result.log_joint_per_token * static_cast<double>(corpus.tokens()),
                   log_joint(corpus, result.topics.z, result.model.alpha, result.model.beta, 1, options().seed_words));
}

TEST_P(SeededTraining, IsTheSameForAnyNumberOfThreadsAndAfterAStop) {
  const Corpus corpus = testing::awkward_corpus();
  for (const Draws draws : {Draws::automatic, Draws::dense}) {
    TrainOptions o = options();
    o.draws = draws;
    o.threads = 1;
    const TrainResult one = train(corpus, o);
    for (const int threads : {2, 7}) {
      o.threads = threads;
      EXPECT_EQ(train(corpus, o).topics.z, one.topics.z) << threads;
    }
    TrainOptions first = o;
    first.sweeps = 3;
    const ChainState state = train(corpus, first).topics;
    const TrainResult resumed = train(corpus, o, &state);
    EXPECT_EQ(resumed.topics.z, one.topics.z);
    EXPECT_EQ(resumed.log_joint_per_token, one.log_joint_per_token);
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, SeededTraining, ::testing::ValuesIn(testing::all_ways()), testing::name_of);

// --- Likelihood and priors ----------------------------------------------------------------

double log_gamma_rise(double n, double prior) { return std::lgamma(n + prior) - std::lgamma(prior); }

TEST(SeededLogJoint, IsThatOfTheDirichletWithTheirWeights) {
  const Corpus corpus = testing::make_corpus({{0, 1, 1}, {2, 0, 2}}, 4);
  const std::vector<std::int32_t> z = {0, 1, 0, 1, 0, 1};
  const Words seeds = {{0, 1, 3}, {1, 3, 2}, {0, 0, 1}};
  const std::vector<double> alpha = {0.5, 0.25};
  const double beta = 0.1;
  const double counted[2][4] = {{2, 1, 0, 0}, {0, 1, 2, 0}}, s[2][4] = {{1, 3, 0, 0}, {0, 0, 0, 2}};
  double expected = 0;
  for (const auto& n_d : {std::vector<double>{2, 1}, std::vector<double>{1, 2}}) {
    expected += log_gamma_rise(n_d[0], 0.5) + log_gamma_rise(n_d[1], 0.25) - log_gamma_rise(3, 0.75);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    double mass = 4 * beta;
    for (std::size_t w = 0; w < 4; ++w) {
      expected += log_gamma_rise(counted[k][w], beta + s[k][w]);
      mass += s[k][w];
    }
    expected -= log_gamma_rise(3, mass);
  }
  EXPECT_NEAR(log_joint(corpus, z, alpha, beta, 1, seeds), expected, 1e-9);
}

TEST(SeededPriors, AreOptimisedByTheLikelihood) {
  GeneratedCorpus generated = testing::small_generated_corpus();
  lda::State state;
  state.topics = 7;
  state.z = std::move(generated.topics);
  state.seeds = lda::Seeds({{0, 3, 5}, {1, 3, 900}, {2, 200, 2000}, {6, 10, 1}}, 7, "train");
  state.count(generated.corpus, 1);
  lda::Priors priors = {std::vector<double>(7, 0.1), 0.01};
  const lda::PriorSearch to_the_end = {.most_iterations = 100000, .tolerance = 1e-12};
  lda::optimize_priors(generated.corpus, state.z, state.n_wk, state.n_k, priors, 1, to_the_end, state.seeds);
  const auto likelihood = [&](double beta) {
    return log_joint(generated.corpus, state.z, priors.alpha, beta, 1, state.seeds.words());
  };
  const double best = likelihood(priors.beta);
  EXPECT_GT(best, likelihood(priors.beta * 1.01));
  EXPECT_GT(best, likelihood(priors.beta / 1.01));
  lda::Priors plain = {std::vector<double>(7, 0.1), 0.01};  // as if their counts were tokens
  lda::optimize_priors(generated.corpus, state.z, state.n_wk, state.n_k, plain, 1, to_the_end);
  EXPECT_GT(std::abs(plain.beta / priors.beta - 1), 1e-3);
  TrainOptions options = {.topics = 7, .sweeps = 8, .seed_words = state.seeds.words(), .optimize_every = 2};
  options.optimize_after = 2;
  const TrainResult one = train(generated.corpus, options);
  options.threads = 1;
  EXPECT_EQ(train(generated.corpus, options).model.beta, one.model.beta);
}

// --- Models -------------------------------------------------------------------------------

// Two models of the same phi: seed words in one, as many tokens in the other.
struct TwoModels {
  Model seeded = testing::make_model({{2, 0}, {1, 1}, {0, 3}, {4, 1}}, {0.5, 0.25}, 0.1);
  Model counted = testing::make_model({{2, 5}, {8, 1}, {0, 4}, {4, 1}}, {0.5, 0.25}, 0.1);
  TwoModels() {
    seeded.seed_words = {{1, 0, 5}, {0, 1, 7}, {1, 2, 1}};
    seeded.s_k = {7, 6};
  }
};

TEST(SeededModel, HasThePhiOfItsPrior) {
  const TwoModels models;
  ASSERT_NO_THROW(models.seeded.verify());
  for (std::int64_t w = 0; w < 4; ++w) {
    for (std::int32_t k = 0; k < 2; ++k) EXPECT_EQ(models.seeded.phi(w, k), models.counted.phi(w, k)) << w << k;
  }
  EXPECT_EQ(models.seeded.seed_weight(1, 0), 7);
  EXPECT_EQ(models.seeded.seed_weight(1, 1), 0);
  EXPECT_EQ(models.seeded.seed_weight(3, 0), 0);
  for (std::int32_t k = 0; k < 2; ++k) {
    const auto words = top_words(models.seeded, k, 4), expected = top_words(models.counted, k, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(words[i].word, expected[i].word);
      EXPECT_EQ(words[i].probability, expected[i].probability);
    }
  }
}

TEST(SeededModel, CountsTheTopWordsThatHaveTokens) {
  const TwoModels models;
  const auto words = [&](int count) {
    std::vector<std::int32_t> numbers;
    for (const TopWord& top : counted_top_words(models.seeded, 1, count)) numbers.push_back(top.word);
    return numbers;
  };
  ASSERT_EQ(top_words(models.seeded, 1, 1).front().word, 0);  // a seed word without a token of the topic
  EXPECT_EQ(words(0), (std::vector<std::int32_t>{}));
  EXPECT_EQ(words(1), (std::vector<std::int32_t>{2}));  // not none, though word 0 is more probable
  EXPECT_EQ(words(2), (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(words(4), (std::vector<std::int32_t>{2, 1, 3}));
  EXPECT_EQ(diversity(models.seeded, 1), 1);
  EXPECT_EQ(counted_top_words(models.seeded, 1, 1).front().probability, models.seeded.phi(2, 1));
}

TEST(SeededModel, InfersAndScoresByItsPhi) {
  const TwoModels models;
  const Corpus corpus = testing::make_corpus({{0, 1, 1, 3}, {2, 2, 3, 0}, {1}, {0, 1, 2, 3, 0, 1, 2, 3}}, 4);
  const DocumentTopics one = infer(models.seeded, corpus, {.seed = 2});
  const DocumentTopics other = infer(models.counted, corpus, {.seed = 2});
  EXPECT_EQ(one.theta, other.theta);
  EXPECT_EQ(complete_documents(models.seeded, corpus).log_likelihood,
            complete_documents(models.counted, corpus).log_likelihood);
  EXPECT_EQ(left_to_right(models.seeded, corpus).log_likelihood, left_to_right(models.counted, corpus).log_likelihood);
}

TEST(SeededModel, RefusesSeedWordsThatAreNotInOrder) {
  const auto refusal = [](auto change) -> std::string {
    TwoModels models;
    change(models.seeded);
    try {
      models.seeded.verify();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  const std::string begin = "papilio::Model::verify: ";
  EXPECT_EQ(refusal([](Model& m) { std::swap(m.seed_words[0], m.seed_words[1]); }),
            begin + "seed_words do not ascend by word, then by topic");
  EXPECT_EQ(refusal([](Model& m) { m.seed_words[2].word = 4; }),
            begin + "a seed word has the number 4, expected 0 <= word < 4");
  EXPECT_EQ(refusal([](Model& m) { m.seed_words[0].word = -1; }),
            begin + "a seed word has the number -1, expected 0 or more");
  EXPECT_EQ(refusal([](Model& m) { m.seed_words[0].topic = 2; }),
            begin + "a seed word is of topic 2, expected 0 <= topic < 2");
  EXPECT_EQ(refusal([](Model& m) { m.seed_words[0].weight = 0; }),
            begin + "the weight of seed word 0 is 0, expected 1 to 1000000");
  EXPECT_EQ(refusal([](Model& m) { m.seed_words.insert(m.seed_words.begin(), m.seed_words[0]); }),
            begin + "topic 1 has seed word 0 twice");
  EXPECT_EQ(refusal([](Model& m) { m.s_k[0] = 6; }), begin + "s_k are not the sums of the seed words' weights");
  EXPECT_EQ(refusal([](Model& m) { m.seed_words.clear(); }), begin + "s_k are not the sums of the seed words' weights");
}

TEST(SeededTrainingOptions, AreRefusedWhereTheyDoNotFit) {
  const Corpus corpus = testing::make_corpus({{0, 1, 1}}, 2);
  const auto refusal = [&](Words words) -> std::string {
    try {
      train(corpus, {.topics = 3, .sweeps = 1, .seed_words = std::move(words)});
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(refusal({{3, 0, 1}}), "papilio::train: a seed word is of topic 3, expected 0 <= topic < 3");
  EXPECT_EQ(refusal({{0, 2, 1}}), "papilio::train: a seed word has the number 2, expected 0 <= word < 2");
  EXPECT_EQ(refusal({{0, 0, 1}, {0, 0, 2}}), "papilio::train: topic 0 has seed word 0 twice");
  EXPECT_EQ(refusal({{0, 0, 1'000'001}}),
            "papilio::train: the weight of seed word 0 is 1000001, expected 1 to 1000000");
  EXPECT_EQ(refusal({{0, 0, 1'000'000}, {1, 0, 1}}), "nothing thrown");
}

// --- What they are for --------------------------------------------------------------------

constexpr std::size_t planted_topics = 10;
constexpr int runs = 3;
constexpr int all_of_them = runs * static_cast<int>(planted_topics);

double planted_phi(const GeneratedCorpus& generated, std::size_t topic, std::size_t w) {
  return double{generated.phi[topic * generated.corpus.vocabulary.size() + w]};
}

// Words that are frequent in a planted topic and rare elsewhere.
std::vector<std::int32_t> typical_words(const GeneratedCorpus& generated, std::size_t topic, std::size_t count) {
  std::vector<double> score;
  for (std::size_t w = 0; w < generated.corpus.vocabulary.size(); ++w) {
    double all = 0;
    for (std::size_t k = 0; k < planted_topics; ++k) all += planted_phi(generated, k, w);
    score.push_back(std::pow(planted_phi(generated, topic, w), 2) / all);
  }
  std::vector<std::int32_t> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  const auto of = [&](std::int32_t w) { return score[static_cast<std::size_t>(w)]; };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return of(a) > of(b); });
  order.resize(count);
  return order;
}

// The total variation distance of a topic from a planted one.
double distance(const GeneratedCorpus& generated, const Model& model, std::int32_t topic, std::size_t planted) {
  double sum = 0;
  for (std::int64_t w = 0; w < model.vocabulary_size(); ++w) {
    sum += std::abs(model.phi(w, topic) - planted_phi(generated, planted, static_cast<std::size_t>(w)));
  }
  return sum / 2;
}

// How many planted topics are found under their numbers, each moved by one so that no order of the corpus helps.
int found_in_place(const GeneratedCorpus& generated, std::uint64_t seed, bool seeded) {
  TrainOptions options = {
      .topics = static_cast<std::int32_t>(planted_topics), .sweeps = 100, .alpha = 0.1, .beta = 0.01, .seed = seed};
  const auto place = [](std::size_t topic) { return static_cast<std::int32_t>((topic + 1) % planted_topics); };
  for (std::size_t topic = 0; seeded && topic < planted_topics; ++topic) {
    for (const std::int32_t w : typical_words(generated, topic, 3))
      options.seed_words.push_back({place(topic), w, 100});
  }
  const Model model = train(generated.corpus, options).model;
  int found = 0;
  for (std::size_t topic = 0; topic < planted_topics; ++topic) {
    found += distance(generated, model, place(topic), topic) < 0.35 ? 1 : 0;
  }
  return found;
}

TEST(SeedWords, PutPlantedTopicsUnderTheirNumbers) {
  const GeneratedCorpus generated = generate_corpus(
      {.documents = 600, .vocabulary = 800, .topics = static_cast<int>(planted_topics), .mean_length = 60, .seed = 6});
  int seeded = 0, plain = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    seeded += found_in_place(generated, seed, true);
    plain += found_in_place(generated, seed, false);
  }
  EXPECT_GE(seeded, all_of_them - 2);
  EXPECT_LE(plain, all_of_them / 2);
}

}  // namespace
}  // namespace papilio
