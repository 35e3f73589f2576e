// The law of one sweep with many topics: from 32 on, sparse draws are the default.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "lda/laws.h"
#include "lda/sweep_rules.h"
#include "support/chi_square.h"

namespace papilio {
namespace {

using testing::beta;
using testing::Node;
using testing::nodes_of_beta;
using testing::Rule;
using testing::Source;
using testing::sparse_rules;

// Forty topics of other priors; tokens that share their document and word, and topics that only
// the document, only the word, both or neither have.
class ManyTopics : public ::testing::TestWithParam<Rule> {
 protected:
  static constexpr std::size_t K = 40;
  static constexpr int sweeps = 20000;
  using Probabilities = std::vector<double>;

  static Corpus text() { return testing::make_corpus({{0, 0, 1, 0, 1}, {0, 1, 1}, {0}}, 2); }
  static std::vector<std::int32_t> old_topics() { return {3, 3, 17, 39, 3, 17, 8, 39, 25}; }
  static std::vector<double> priors() {
    std::vector<double> priors;
    for (std::size_t k = 0; k < K; ++k) priors.push_back(0.05 * static_cast<double>(1 + k % 5));
    return priors;
  }
  // Of topics that have no tokens, some of the word, and some of the document.
  static std::vector<SeedWord> seed_words(const Rule& rule) {
    if (!rule.seeded) return {};
    return {{5, 0, 3}, {17, 0, 1}, {17, 1, 2}, {39, 1, 2}, {8, 0, 4}};
  }
  static TrainOptions options(const Rule& rule) {
    TrainOptions options = rule.options();
    options.seed_words = seed_words(rule);
    options.topics = K;
    options.topic_alpha = priors();
    return options;
  }

  // Tokens whose law follows from the old topics alone. Where new ones are seen: a document's first, be it by place or,
  // as sparse draws go, by word; in the sequential schedule the corpus's first.
  static std::vector<std::size_t> tokens_of(const Rule& rule) {
    if (rule.schedule == Schedule::sequential) return {0};
    if (rule.sees_new_topics) return {0, 5, 8};
    return {0, 1, 2, 3, 4, 5, 6, 7, 8};
  }

  // The law of a token's new topic.
  static Probabilities law(const Rule& rule, std::size_t token) {
    const Corpus corpus = text();
    const std::vector<std::int32_t> z = old_topics();
    const auto document = [&](std::size_t i) { return i < 5 ? 0 : i < 8 ? 1 : 2; };
    std::vector<double> theta = priors(), in_topic(K), of_word(K);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto k = static_cast<std::size_t>(z[i]);
      const bool itself = i == token;
      if (document(i) == document(token) && (!itself || rule.theta == Source::counted)) ++theta[k];
      if (itself && rule.phi == Source::counted_without_the_token) continue;
      ++in_topic[k];
      if (corpus.words[i] == corpus.words[token]) ++of_word[k];
    }
    for (const SeedWord& seed : seed_words(rule)) {
      in_topic[static_cast<std::size_t>(seed.topic)] += seed.weight;
      if (seed.word == corpus.words[token]) of_word[static_cast<std::size_t>(seed.topic)] += seed.weight;
    }
    if (rule.phi == Source::drawn) return shares_of_drawn_phi(theta, of_word, in_topic);
    Probabilities shares(K);
    double sum = 0;
    for (std::size_t k = 0; k < K; ++k) sum += shares[k] = theta[k] * (of_word[k] + beta) / (in_topic[k] + 2 * beta);
    for (double& share : shares) share /= sum;
    return shares;
  }

  // E[a_k X_k / sum_j a_j X_j] of independent X_j, by 1 / S = the integral of e^(-s S) over s > 0: the
  // expectation of a product of functions of one X each.
  static Probabilities shares_of_drawn_phi(const std::vector<double>& theta, const std::vector<double>& of_word,
                                           const std::vector<double>& in_topic) {
    std::vector<std::vector<Node>> phi;
    double mass = 0;
    for (std::size_t k = 0; k < K; ++k) {
      phi.push_back(nodes_of_beta(of_word[k] + beta, in_topic[k] - of_word[k] + beta));
      mass += theta[k];
    }
    Probabilities shares(K);
    constexpr int steps = 4000;              // Simpson's rule
    const double step = 100 / mass / steps;  // past that, e^(-s S) is below 1e-16
    for (int i = 0; i <= steps; ++i) {
      const double s = i * step;
      double product = 1;
      std::vector<double> ratio(K);
      for (std::size_t k = 0; k < K; ++k) {
        double plain = 0, weighted = 0;
        for (const Node& node : phi[k]) {
          const double weight = theta[k] * node.value[0], part = node.share * std::exp(-s * weight);
          plain += part;
          weighted += part * weight;
        }
        product *= plain;
        ratio[k] = weighted / plain;
      }
      const double factor = step / 3 * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2);
      for (std::size_t k = 0; k < K; ++k) shares[k] += factor * product * ratio[k];
    }
    return shares;
  }

  // The topics of all tokens after one sweep, of each of many.
  static std::vector<std::vector<std::int32_t>> topics_of_sweeps(const Rule& rule) {
    const Corpus corpus = text();
    const testing::Sweep sweep = testing::sweep_of(options(rule));
    std::vector<std::vector<std::int32_t>> all;
    for (int i = 0; i < sweeps; ++i) {
      all.push_back(old_topics());
      sweep(corpus, all.back(), i);
    }
    return all;
  }

  static double p_value(const std::vector<std::vector<std::int32_t>>& topics, std::size_t token,
                        const Probabilities& law) {
    std::vector<double> observed(K), expected;
    for (const auto& z : topics) ++observed[static_cast<std::size_t>(z[token])];
    for (const double p : law) expected.push_back(p * sweeps);
    return testing::chi_square_p_value(observed, expected);
  }

  // Of two tokens together, their topics taken in four groups of ten.
  static double p_value(const std::vector<std::vector<std::int32_t>>& topics, std::size_t a, const Probabilities& law_a,
                        std::size_t b, const Probabilities& law_b) {
    std::vector<double> observed(16), expected(16);
    for (const auto& z : topics) ++observed[static_cast<std::size_t>(z[a] % 4 * 4 + z[b] % 4)];
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t l = 0; l < K; ++l) expected[k % 4 * 4 + l % 4] += law_a[k] * law_b[l] * sweeps;
    return testing::chi_square_p_value(observed, expected);
  }
};

// A right sampler's p-value is below this for one seed in 100,000; there are about 120 of them.
constexpr double least_p = 1e-5;

TEST_P(ManyTopics, HaveLawsThatAddUpToOne) {
  for (const std::size_t token : tokens_of(GetParam())) {
    double sum = 0;
    for (const double p : law(GetParam(), token)) sum += p;
    EXPECT_NEAR(sum, 1, 1e-9) << token;
  }
}

TEST_P(ManyTopics, AreDrawnAsTheSamplerSays) {
  const auto topics = topics_of_sweeps(GetParam());
  for (const std::size_t token : tokens_of(GetParam()))
    EXPECT_GT(p_value(topics, token, law(GetParam(), token)), least_p) << "token " << token;
}

// Where no token sees another's new topic, they are independent.
TEST_P(ManyTopics, AreDrawnIndependently) {
  if (GetParam().sees_new_topics) return;
  const auto topics = topics_of_sweeps(GetParam());
  std::vector<Probabilities> laws;
  for (const std::size_t token : tokens_of(GetParam())) laws.push_back(law(GetParam(), token));
  for (std::size_t a = 0; a < laws.size(); ++a)
    for (std::size_t b = a + 1; b < laws.size(); b += 2)
      EXPECT_GT(p_value(topics, a, laws[a], b, laws[b]), least_p) << "tokens " << a << " and " << b;
}

// The power of these tests: no sampler passes for another.
TEST_P(ManyTopics, AreNotThoseOfAnotherSampler) {
  const auto topics = topics_of_sweeps(GetParam());
  for (Rule other : sparse_rules) {
    if (other.sampler == GetParam().sampler) continue;
    other.seeded = GetParam().seeded;
    EXPECT_LT(p_value(topics, 0, law(other, 0)), least_p) << other;
  }
}

// Of the same samplers.
std::vector<Rule> dense_rules() {
  std::vector<Rule> dense(std::begin(sparse_rules), std::end(sparse_rules));
  for (Rule& rule : dense) rule.draws = Draws::dense;
  return dense;
}

std::string name_of_rule(const ::testing::TestParamInfo<Rule>& rule) {
  return std::string(name(rule.param.sampler)) + "_" + std::string(name(rule.param.schedule)) + "_" +
         std::string(name(rule.param.draws));
}

std::vector<Rule> seeded_rules_of_many_topics() {
  std::vector<Rule> seeded = dense_rules();
  seeded.insert(seeded.end(), std::begin(sparse_rules), std::end(sparse_rules));
  for (Rule& rule : seeded) rule.seeded = true;
  return seeded;
}

INSTANTIATE_TEST_SUITE_P(Sparse, ManyTopics, ::testing::ValuesIn(sparse_rules), name_of_rule);
INSTANTIATE_TEST_SUITE_P(Seeded, ManyTopics, ::testing::ValuesIn(seeded_rules_of_many_topics()), name_of_rule);
INSTANTIATE_TEST_SUITE_P(Dense, ManyTopics, ::testing::ValuesIn(dense_rules()), name_of_rule);

}  // namespace
}  // namespace papilio
