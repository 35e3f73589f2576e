// Geweke's joint test: "Getting it right", Journal of the American Statistical Association 99, 2004.
//
// Topics and words from the model itself, against a chain that takes turns: a sweep of the sampler draws
// topics given words, then words are drawn given topics. Where the sampler keeps the posterior
// of the topics, the chain keeps the joint law of both, and any function of them has the
// same mean either way.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lda/laws.h"

namespace papilio {
namespace {

using testing::Fault;
using testing::Sweep;

// Three documents of four tokens, four words, two topics.
const std::vector<double> alpha = {0.4, 0.9};
constexpr double beta = 0.3;

Corpus tokens_to_fill() { return testing::make_corpus({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, 4); }

struct Moment {
  double sum = 0;
  double square = 0;
};

constexpr std::size_t functions = 8;

// Functions of topics and words that between them see every count, and the order of tokens.
std::array<double, functions> functions_of(const Corpus& corpus, const std::vector<std::int32_t>& z) {
  double n_k[2] = {};
  double n_dk[3][2] = {};
  double n_wk[4][2] = {};
  for (std::size_t i = 0; i < z.size(); ++i) {
    ++n_k[z[i]];
    ++n_dk[i / 4][z[i]];
    ++n_wk[corpus.words[i]][z[i]];
  }
  double together_in_documents = 0;
  for (const auto& n : n_dk) together_in_documents += n[0] * n[1];
  double together_in_words = 0;
  double squares_of_words = 0;
  for (const auto& n : n_wk) {
    together_in_words += n[0] * n[1];
    squares_of_words += n[0] * n[0];
  }
  return {n_k[0],
          n_k[0] * n_k[1],
          together_in_documents,
          together_in_words,
          squares_of_words,
          n_dk[0][0] * n_dk[2][1],
          static_cast<double>(z[0] * z[3] + 2 * z[5] * z[6]),
          n_wk[1][0] * n_wk[2][1]};
}

using Moments = std::array<Moment, functions>;

void add(const std::array<double, functions>& values, Moments& moments) {
  for (std::size_t f = 0; f < functions; ++f) {
    moments[f].sum += values[f];
    moments[f].square += values[f] * values[f];
  }
}

double mean(const Moment& moment, double count) { return moment.sum / count; }

// The variance of the mean.
double variance(const Moment& moment, double count) {
  const double m = mean(moment, count);
  return (moment.square / count - m * m) / (count - 1);
}

constexpr int forward_samples = 200000;
constexpr int batches = 64;
constexpr int steps_per_batch = 500;  // above a hundred times the time in which the chain forgets

const Moments& moments_of_the_model() {
  static const Moments moments = [] {
    Moments sums;
    std::mt19937_64 random(1);
    Corpus corpus = tokens_to_fill();
    for (int i = 0; i < forward_samples; ++i) {
      const auto z = testing::draw_topics(corpus, alpha, random);
      testing::redraw_words(corpus, z, alpha.size(), beta, random);
      add(functions_of(corpus, z), sums);
    }
    return sums;
  }();
  return moments;
}

// The means of the batches are nearly independent and normal: their spread gives the error of the chain's mean.
Moments moments_of_batches(const Sweep& sweep) {
  std::mt19937_64 random(2);
  Corpus corpus = tokens_to_fill();
  auto z = testing::draw_topics(corpus, alpha, random);
  testing::redraw_words(corpus, z, alpha.size(), beta, random);
  Moments sums;
  for (int batch = 0; batch < batches; ++batch) {
    Moments of_batch;
    for (int i = 0; i < steps_per_batch; ++i) {
      sweep(corpus, z, batch * steps_per_batch + i);
      testing::redraw_words(corpus, z, alpha.size(), beta, random);
      add(functions_of(corpus, z), of_batch);
    }
    std::array<double, functions> means;
    for (std::size_t f = 0; f < functions; ++f) means[f] = mean(of_batch[f], steps_per_batch);
    add(means, sums);
  }
  return sums;
}

// The largest deviation between the two ways, in standard errors.
double largest_z_score(const Sweep& sweep) {
  const Moments chain = moments_of_batches(sweep);
  const Moments& model = moments_of_the_model();
  double largest = 0;
  for (std::size_t f = 0; f < functions; ++f) {
    const double error = std::sqrt(variance(chain[f], batches) + variance(model[f], forward_samples));
    largest = std::max(largest, std::abs(mean(chain[f], batches) - mean(model[f], forward_samples)) / error);
  }
  return largest;
}

// Four samplers, one of them in three forms and one in two, and the plain one, of eight functions each: were all right
// and the functions independent, one of 64 scores would be beyond 4 for one seed in 240. Seeds are fixed.
constexpr double limit = 4;

Sweep sweep_of(Sampler sampler, Schedule schedule, Draws draws = Draws::automatic) {
  TrainOptions options;
  options.topics = static_cast<std::int32_t>(alpha.size());
  options.topic_alpha = alpha;
  options.beta = beta;
  options.seed = 4;
  options.sampler = sampler;
  options.schedule = schedule;
  options.draws = draws;
  return testing::sweep_of(options);
}

TEST(Geweke, PlainSamplerKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(testing::PlainSampler(alpha, beta, Fault::none, 3)), limit);
}

TEST(Geweke, UncollapsedKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::uncollapsed, Schedule::parallel)), limit);
}

TEST(Geweke, ThetaCollapsedKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::theta_collapsed, Schedule::parallel)), limit);
}

TEST(Geweke, SparseThetaCollapsedKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::theta_collapsed, Schedule::parallel, Draws::sparse)), limit);
}

TEST(Geweke, ThetaCollapsedByAliasKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::theta_collapsed, Schedule::parallel, Draws::alias)), limit);
}

TEST(Geweke, SequentialPhiCollapsedKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::phi_collapsed, Schedule::sequential)), limit);
}

TEST(Geweke, SequentialCollapsedKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::collapsed, Schedule::sequential)), limit);
}

TEST(Geweke, SparseSequentialCollapsedKeepsTheJointLaw) {
  EXPECT_LT(largest_z_score(sweep_of(Sampler::collapsed, Schedule::sequential, Draws::sparse)), limit);
}

// The power of the test: what is off by one in n_k' must be found.
TEST(Geweke, FindsATopicCountWithTheTokenItself) {
  EXPECT_GT(largest_z_score(testing::PlainSampler(alpha, beta, Fault::topic_count_with_the_token, 3)), 1.4 * limit);
}

TEST(Geweke, FindsATopicCountWithoutAnotherToken) {
  EXPECT_GT(largest_z_score(testing::PlainSampler(alpha, beta, Fault::topic_count_without_another, 3)), 1.4 * limit);
}

// What is not a sampler of the posterior by its nature, or by its schedule, must be found too.
TEST(Geweke, FindsMeanForModeAndParallelCollapsed) {
  EXPECT_GT(largest_z_score(sweep_of(Sampler::mean_for_mode, Schedule::parallel)), 1.4 * limit);
  EXPECT_GT(largest_z_score(sweep_of(Sampler::collapsed, Schedule::parallel)), 1.4 * limit);
}

}  // namespace
}  // namespace papilio
