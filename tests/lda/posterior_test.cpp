// Chains against the exact posterior of tiny corpora, found by enumeration.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "lda/laws.h"

namespace papilio {
namespace {

using testing::Fault;
using testing::Sweep;

struct TinyModel {
  Corpus corpus;
  std::vector<double> alpha;
  double beta = 0;
  std::vector<SeedWord> seed_words = {};

  std::size_t topics() const { return alpha.size(); }

  TrainOptions options(Sampler sampler, Schedule schedule) const {
    TrainOptions options;
    options.topics = static_cast<std::int32_t>(topics());
    options.topic_alpha = alpha;
    options.beta = beta;
    options.seed_words = seed_words;
    options.seed = 3;
    options.sampler = sampler;
    options.schedule = schedule;
    return options;
  }
};

// Topics differ in their priors, so that no label may stand for another.
TinyModel two_topics() { return {testing::make_corpus({{0, 1, 1}, {2, 0}, {2, 2, 1}}, 3), {0.6, 1.1}, 0.15}; }
TinyModel three_topics() { return {testing::make_corpus({{0, 1}, {1, 2, 2}}, 4), {0.5, 0.9, 1.4}, 0.15}; }

TinyModel seeded(TinyModel model) {
  model.seed_words = {{0, 1, 2}, {1, 0, 1}, {1, 2, 3}};
  return model;
}
TinyModel two_seeded_topics() { return seeded(two_topics()); }
TinyModel three_seeded_topics() { return seeded(three_topics()); }

// All topics of a corpus' tokens have a number each: digits to the base K.
std::size_t number_of(const std::vector<std::int32_t>& z, std::size_t topics) {
  std::size_t number = 0;
  for (const std::int32_t k : z) number = number * topics + static_cast<std::size_t>(k);
  return number;
}

std::vector<std::int32_t> topics_of(std::size_t number, std::size_t tokens, std::size_t topics) {
  std::vector<std::int32_t> z(tokens);
  for (std::size_t i = tokens; i-- > 0; number /= topics) z[i] = static_cast<std::int32_t>(number % topics);
  return z;
}

std::vector<double> exact_posterior(const TinyModel& model) {
  const std::size_t tokens = model.corpus.words.size();
  std::vector<double> mass;
  double total = 0;
  for (std::size_t s = 0; s < static_cast<std::size_t>(std::pow(model.topics(), tokens)); ++s) {
    const auto z = topics_of(s, tokens, model.topics());
    mass.push_back(std::exp(log_joint(model.corpus, z, model.alpha, model.beta, 1, model.seed_words)));
    total += mass.back();
  }
  for (double& m : mass) m /= total;
  return mass;
}

double total_variation(const std::vector<double>& exact, const std::vector<std::int64_t>& counts, double samples) {
  double sum = 0;
  for (std::size_t s = 0; s < exact.size(); ++s) sum += std::abs(static_cast<double>(counts[s]) / samples - exact[s]);
  return sum / 2;
}

// What independent samples are expected to be off by: half the sum of the mean deviations of binomial shares.
double expected_total_variation(const std::vector<double>& exact, double samples) {
  double sum = 0;
  for (const double p : exact) sum += std::sqrt(p * (1 - p) / samples);
  return sum / std::sqrt(2 * M_PI);
}

constexpr int sweeps_per_sample = 4;
constexpr int few = 1000;
constexpr int many = 16 * few;

// The total variation distance after `few` and after `many` samples, each in units of what as many
// independent samples are expected to be off by: constant where the distance falls as
// 1 / sqrt(samples), four times as much after `many` where it stays.
struct Distances {
  double after_few = 0;
  double after_many = 0;
};

Distances distances(const TinyModel& model, const Sweep& sweep) {
  const std::vector<double> exact = exact_posterior(model);
  std::vector<std::int64_t> counts(exact.size());
  const auto distance = [&](double samples) {
    return total_variation(exact, counts, samples) / expected_total_variation(exact, samples);
  };
  std::vector<std::int32_t> z(model.corpus.words.size(), 0);
  Distances result;
  for (int sample = 1; sample <= many; ++sample) {
    for (int i = 0; i < sweeps_per_sample; ++i) sweep(model.corpus, z, (sample - 1) * sweeps_per_sample + i);
    ++counts[number_of(z, model.topics())];
    if (sample == few) result.after_few = distance(few);
  }
  result.after_many = distance(many);
  return result;
}

// The distance of samples that depend on one another is that of fewer independent ones, by the
// autocorrelation time: in four sweeps that of the plain sampler falls to 1.3, and a factor of
// sqrt(1.3) = 1.14 in the distance; the limit leaves room for times up to 2.25. The
// distance itself varies by 5%. What is wrong by one in n_k' is above 2.4 after `many`.
constexpr double limit = 1.5;

void expect_exact(const TinyModel& model, const Sweep& sweep) {
  const Distances found = distances(model, sweep);
  EXPECT_LT(found.after_few, limit);
  EXPECT_LT(found.after_many, limit);
}

void expect_wrong(const TinyModel& model, const Sweep& sweep) {
  EXPECT_GT(distances(model, sweep).after_many, 1.4 * limit);
}

struct Chain {
  Sampler sampler;
  Schedule schedule;
  TinyModel (*model)();

  friend std::ostream& operator<<(std::ostream& out, const Chain& chain) {
    return out << name(chain.sampler) << ", " << name(chain.schedule);
  }
};

class ExactPosterior : public ::testing::TestWithParam<Chain> {};

TEST_P(ExactPosterior, IsWhereTheChainGoes) {
  const TinyModel model = GetParam().model();
  expect_exact(model, testing::sweep_of(model.options(GetParam().sampler, GetParam().schedule)));
}

INSTANTIATE_TEST_SUITE_P(SeededExactSamplers, ExactPosterior,
                         ::testing::Values(Chain{Sampler::uncollapsed, Schedule::parallel, two_seeded_topics},
                                           Chain{Sampler::theta_collapsed, Schedule::parallel, three_seeded_topics},
                                           Chain{Sampler::phi_collapsed, Schedule::sequential, three_seeded_topics},
                                           Chain{Sampler::collapsed, Schedule::sequential, two_seeded_topics}),
                         [](const auto& chain) { return std::string(name(chain.param.sampler)); });

INSTANTIATE_TEST_SUITE_P(ExactSamplers, ExactPosterior,
                         ::testing::Values(Chain{Sampler::uncollapsed, Schedule::parallel, two_topics},
                                           Chain{Sampler::theta_collapsed, Schedule::parallel, three_topics},
                                           Chain{Sampler::phi_collapsed, Schedule::sequential, three_topics},
                                           Chain{Sampler::collapsed, Schedule::sequential, two_topics}),
                         [](const auto& chain) { return std::string(name(chain.param.sampler)); });

// By sparse draws of the sequential schedule.
TEST(ExactPosteriorOfSparseDraws, IsWhereTheyGo) {
  for (const bool with_seeds : {false, true}) {
    const TinyModel model = with_seeds ? two_seeded_topics() : two_topics();
    TrainOptions options = model.options(Sampler::collapsed, Schedule::sequential);
    options.draws = Draws::sparse;
    expect_exact(model, testing::sweep_of(options));
  }
}

// By steps of alias draws, which keep it.
TEST(ExactPosteriorOfAliasDraws, IsWhereTheyGo) {
  for (const bool with_seeds : {false, true}) {
    const TinyModel model = with_seeds ? three_seeded_topics() : three_topics();
    TrainOptions options = model.options(Sampler::theta_collapsed, Schedule::parallel);
    options.draws = Draws::alias;
    options.mh_steps = with_seeds ? 3 : 2;
    expect_exact(model, testing::sweep_of(options));
  }
}

// The power of that: a chain that takes the proposals of alias draws as they come, by word and by document.
TEST(ExactPosteriorOfWrongSamplers, IsNotWhereProposalsWithoutAcceptanceGo) {
  const TinyModel model = three_topics();
  std::mt19937_64 random(1);
  expect_wrong(model, [&](const Corpus& corpus, std::vector<std::int32_t>& z, std::int64_t) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      std::vector<double> of_document = model.alpha;
      const auto document = [](std::size_t token) { return token < 2 ? 0 : 1; };
      for (std::size_t j = 0; j < z.size(); ++j) {
        if (j != i && document(j) == document(i)) ++of_document[static_cast<std::size_t>(z[j])];
      }
      std::vector<double> of_word(model.topics(), model.beta);
      for (std::size_t j = 0; j < z.size(); ++j) {
        if (j != i && corpus.words[j] == corpus.words[i]) ++of_word[static_cast<std::size_t>(z[j])];
      }
      z[i] = testing::draw(testing::uniform(random) < 0.5 ? of_document : of_word, random);
    }
  });
}

TEST(ExactPosteriorOfThePlainSampler, IsWhereItGoes) {
  const TinyModel model = two_topics();
  expect_exact(model, testing::PlainSampler(model.alpha, model.beta, Fault::none, 1));
}

TEST(ExactPosteriorOfWrongSamplers, IsNotWhereTheyGo) {
  const TinyModel model = two_topics();
  for (const Fault fault : {Fault::topic_count_with_the_token, Fault::topic_count_without_another}) {
    expect_wrong(model, testing::PlainSampler(model.alpha, model.beta, fault, 1));
  }
}

// An estimator, that counts the token itself.
TEST(ExactPosteriorOfWrongSamplers, IsNotWhereMeanForModeGoes) {
  const TinyModel model = two_topics();
  expect_wrong(model, testing::sweep_of(model.options(Sampler::mean_for_mode, Schedule::parallel)));
}

}  // namespace
}  // namespace papilio
