// The law of one sweep, from given topics: every outcome's probability, computed, against how
// often it comes. It tells schedules apart, and holds for those that do not keep the posterior.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "lda/laws.h"
#include "lda/sweep_rules.h"

namespace papilio {
namespace {

using testing::alpha;
using testing::beta;
using testing::counted;
using testing::drawn;
using testing::Node;
using testing::nodes_of_beta;
using testing::Rule;
using testing::seeds;
using testing::Source;
using testing::sparse_rules;
using testing::without;

// Two topics, two words, so that theta and phi have one number per row.
Corpus corpus() { return testing::make_corpus({{0, 1, 1}, {0, 0, 1}}, 2); }
const std::vector<std::int32_t> old_z = {0, 1, 1, 0, 0, 0};
constexpr std::size_t tokens = 6;
constexpr std::size_t outcomes = 64;

struct Counts {
  double n_dk[2][2] = {};
  double n_wk[2][2] = {};
  double n_k[2] = {};

  explicit Counts(bool seeded = false) {
    if (!seeded) return;
    for (const SeedWord& seed : seeds) {
      n_wk[seed.word][seed.topic] += seed.weight;
      n_k[seed.topic] += seed.weight;
    }
  }

  void add(const Corpus& text, std::size_t token, std::int32_t k) {
    ++n_dk[token / 3][k];
    ++n_wk[text.words[token]][k];
    ++n_k[k];
  }
};

class Law {
 public:
  explicit Law(const Rule& rule) : rule_(rule) {
    Counts all(rule.seeded);
    for (std::size_t i = 0; i < tokens; ++i) all.add(text_, i, old_z[i]);
    for (std::size_t d = 0; d < 2; ++d) {
      theta_[d] = nodes_of_beta(all.n_dk[d][0] + alpha[0], all.n_dk[d][1] + alpha[1]);
    }
    for (std::size_t k = 0; k < 2; ++k) phi_[k] = nodes_of_beta(all.n_wk[0][k] + beta, all.n_wk[1][k] + beta);
    // What is not drawn has one node, of any value.
    if (rule.theta != Source::drawn) theta_[0] = theta_[1] = {{{}, 1}};
    if (rule.phi != Source::drawn) phi_[0] = phi_[1] = {{{}, 1}};
  }

  // That the sweep's topics are z.
  double probability(const std::vector<std::int32_t>& z) const {
    std::array<Counts, tokens> counts;
    for (std::size_t i = 0; i < tokens; ++i) counts[i] = seen_by(i, z);
    double sum = 0;
    for (const Node& first : phi_[0]) {
      for (const Node& second : phi_[1]) {
        double product = first.share * second.share;
        for (std::size_t d = 0; d < 2; ++d) {
          double of_document = 0;
          for (const Node& theta : theta_[d]) {
            double part = theta.share;
            for (std::size_t i = 3 * d; i < 3 * d + 3; ++i) part *= share(i, z[i], counts[i], theta, first, second);
            of_document += part;
          }
          product *= of_document;
        }
        sum += product;
      }
    }
    return sum;
  }

 private:
  // Sparse draws of the sequential schedule go from word to word, the others from document to document.
  bool is_before(std::size_t a, std::size_t b) const {
    const bool by_word = rule_.schedule == Schedule::sequential && rule_.draws == Draws::sparse;
    return by_word && text_.words[a] != text_.words[b] ? text_.words[a] < text_.words[b] : a < b;
  }

  Counts seen_by(std::size_t token, const std::vector<std::int32_t>& z) const {
    Counts counts(rule_.seeded);
    for (std::size_t j = 0; j < tokens; ++j) {
      if (j != token) counts.add(text_, j, rule_.sees_new_topics && is_before(j, token) ? z[j] : old_z[j]);
    }
    return counts;
  }

  double share(std::size_t token, std::int32_t topic, const Counts& counts, const Node& theta, const Node& first,
               const Node& second) const {
    const auto w = static_cast<std::size_t>(text_.words[token]);
    double weight[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const double itself = static_cast<std::size_t>(old_z[token]) == k ? 1 : 0;
      const double in_theta = rule_.theta == Source::counted ? itself : 0;
      const double in_phi = rule_.phi == Source::counted ? itself : 0;
      weight[k] = rule_.theta == Source::drawn ? theta.value[k] : counts.n_dk[token / 3][k] + in_theta + alpha[k];
      weight[k] *= rule_.phi == Source::drawn
                       ? (k == 0 ? first : second).value[w]
                       : (counts.n_wk[w][k] + in_phi + beta) / (counts.n_k[k] + in_phi + 2 * beta);
    }
    return weight[topic] / (weight[0] + weight[1]);
  }

  const Rule rule_;
  const Corpus text_ = corpus();
  std::array<std::vector<Node>, 2> theta_;  // of each document
  std::array<std::vector<Node>, 2> phi_;    // of each topic
};

std::array<double, outcomes> probabilities(const Rule& rule) {
  const Law law(rule);
  std::array<double, outcomes> result;
  for (std::size_t s = 0; s < outcomes; ++s) {
    std::vector<std::int32_t> z;
    for (std::size_t i = 0; i < tokens; ++i) z.push_back(static_cast<std::int32_t>(s >> i & 1));
    result[s] = law.probability(z);
  }
  return result;
}

constexpr int sweeps = 20000;

// Sweeps of different numbers are independent of each other.
double chi_square(const TrainOptions& options, const std::array<double, outcomes>& law) {
  const Corpus text = corpus();
  const testing::Sweep sweep = testing::sweep_of(options);
  std::array<double, outcomes> counts = {};
  for (int i = 0; i < sweeps; ++i) {
    std::vector<std::int32_t> z = old_z;
    sweep(text, z, i);
    std::size_t s = 0;
    for (std::size_t t = 0; t < tokens; ++t) s |= static_cast<std::size_t>(z[t]) << t;
    ++counts[s];
  }
  double sum = 0;
  double rare_count = 0;
  double rare_expected = 0;
  for (std::size_t s = 0; s < outcomes; ++s) {
    const double expected = law[s] * sweeps;
    if (expected < 10) {  // together a cell of their own: fewer degrees of freedom, the same limit
      rare_count += counts[s];
      rare_expected += expected;
    } else {
      sum += (counts[s] - expected) * (counts[s] - expected) / expected;
    }
  }
  if (rare_expected > 0) sum += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
  return sum;
}

constexpr Rule rules[] = {{Sampler::mean_for_mode, Schedule::parallel, counted, counted, false},
                          {Sampler::uncollapsed, Schedule::parallel, drawn, drawn, false},
                          {Sampler::theta_collapsed, Schedule::parallel, without, drawn, true},
                          {Sampler::phi_collapsed, Schedule::parallel, drawn, without, false},
                          {Sampler::phi_collapsed, Schedule::sequential, drawn, without, true},
                          {Sampler::collapsed, Schedule::parallel, without, without, false},
                          {Sampler::collapsed, Schedule::sequential, without, without, true}};

// Of 63 degrees of freedom a chi-square is above 123 once in 100,000.
constexpr double limit = 123;

class SweepLaw : public ::testing::TestWithParam<Rule> {};

TEST_P(SweepLaw, AddsUpToOne) {
  double sum = 0;
  for (const double p : probabilities(GetParam())) sum += p;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST_P(SweepLaw, IsThatOfTheSampler) { EXPECT_LT(chi_square(GetParam().options(), probabilities(GetParam())), limit); }

INSTANTIATE_TEST_SUITE_P(SparseSamplers, SweepLaw, ::testing::ValuesIn(sparse_rules), [](const auto& rule) {
  return std::string(name(rule.param.sampler)) + "_" + std::string(name(rule.param.schedule));
});

// The prior of a seed word is beta + weight: every sampler, dense and sparse.
std::vector<Rule> seeded_rules() {
  std::vector<Rule> seeded(std::begin(rules), std::end(rules));
  seeded.insert(seeded.end(), std::begin(sparse_rules), std::end(sparse_rules));
  for (Rule& rule : seeded) rule.seeded = true;
  return seeded;
}

INSTANTIATE_TEST_SUITE_P(SeededSamplers, SweepLaw, ::testing::ValuesIn(seeded_rules()), [](const auto& rule) {
  return std::string(name(rule.param.sampler)) + "_" + std::string(name(rule.param.schedule)) + "_" +
         std::string(name(rule.param.draws));
});

INSTANTIATE_TEST_SUITE_P(Samplers, SweepLaw, ::testing::ValuesIn(rules), [](const auto& rule) {
  return std::string(name(rule.param.sampler)) + "_" + std::string(name(rule.param.schedule));
});

// The power of the test: no sampler passes for another.
TEST(SweepLaws, TellTheSamplersApart) {
  for (const Rule& rule : rules) {
    const auto expected = probabilities(rule);
    for (const Rule& other : rules) {
      if (&rule == &other) continue;
      const auto law = probabilities(other);
      double sum = 63;
      for (std::size_t s = 0; s < outcomes; ++s) {
        sum += sweeps * (law[s] - expected[s]) * (law[s] - expected[s]) / expected[s];
      }
      EXPECT_GT(sum, 1.5 * limit) << other << " for " << rule;
    }
  }
}

// And no sampler without seed words passes for one with them, or the other way round.
TEST(SweepLaws, TellSeedWordsFromNone) {
  for (const Rule& rule : seeded_rules()) {
    Rule plain = rule;
    plain.seeded = false;
    EXPECT_GT(chi_square(plain.options(), probabilities(rule)), 1.5 * limit) << rule;
    EXPECT_GT(chi_square(rule.options(), probabilities(plain)), 1.5 * limit) << rule;
  }
}

}  // namespace
}  // namespace papilio
