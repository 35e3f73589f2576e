// The law of one sweep, from given topics: every outcome's probability, computed, against how
// often it comes. It tells schedules apart, and holds for those that do not keep the posterior.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lda/laws.h"
#include "support/chi_square.h"

namespace papilio {
namespace {

// Two topics, two words, so that theta and phi have one number per row; whole priors of 1 and
// more, so that their densities are polynomials, which Gauss' rule integrates.
Corpus corpus() { return testing::make_corpus({{0, 1, 1}, {0, 0, 1}}, 2); }
const std::vector<std::int32_t> old_z = {0, 1, 1, 0, 0, 0};
const std::vector<double> alpha = {1, 2};
constexpr double beta = 1;
const std::vector<SeedWord> seeds = {{1, 0, 3}, {0, 1, 1}, {1, 1, 1}};  // whole numbers too
constexpr std::size_t tokens = 6;
constexpr std::size_t outcomes = 64;

// A parameter of two entries, and the share of its law that it stands for.
struct Node {
  std::array<double, 2> value;
  double share;
};

// Gauss and Legendre's rule for Beta(a, b).
std::vector<Node> nodes_of_beta(double a, double b) {
  constexpr int points = 20;
  std::vector<Node> nodes;
  double total = 0;
  for (int i = 0; i < points; ++i) {
    double x = std::cos(M_PI * (i + 0.75) / (points + 0.5));
    double slope = 0;
    for (int step = 0; step < 20; ++step) {  // Newton, to the root of the polynomial
      double before = 1;
      double value = x;
      for (int n = 2; n <= points; ++n) {
        before = std::exchange(value, ((2 * n - 1) * x * value - (n - 1) * before) / n);
      }
      slope = points * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    const double t = (1 + x) / 2;
    nodes.push_back({{t, 1 - t}, std::pow(t, a - 1) * std::pow(1 - t, b - 1) / ((1 - x * x) * slope * slope)});
    total += nodes.back().share;
  }
  for (Node& node : nodes) node.share /= total;
  return nodes;
}

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

enum class Source { drawn, counted, counted_without_the_token };

// What a sweep of a sampler is.
struct Rule {
  Sampler sampler;
  Schedule schedule;
  Source theta;
  Source phi;
  bool sees_new_topics;  // those of the tokens before
  Draws draws = Draws::dense;
  bool seeded = false;

  TrainOptions options() const {
    TrainOptions options;
    options.topics = 2;
    options.topic_alpha = alpha;
    options.beta = beta;
    options.seed = 9;
    options.sampler = sampler;
    options.schedule = schedule;
    options.draws = draws;
    if (seeded) options.seed_words = seeds;
    return options;
  }
  friend std::ostream& operator<<(std::ostream& out, const Rule& rule) {
    return out << name(rule.sampler) << ", " << name(rule.schedule) << ", " << name(rule.draws)
               << (rule.seeded ? ", seeded" : "");
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
  Counts seen_by(std::size_t token, const std::vector<std::int32_t>& z) const {
    Counts counts(rule_.seeded);
    for (std::size_t j = 0; j < tokens; ++j) {
      if (j != token) counts.add(text_, j, rule_.sees_new_topics && j < token ? z[j] : old_z[j]);
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

constexpr auto drawn = Source::drawn;
constexpr auto counted = Source::counted;
constexpr auto without = Source::counted_without_the_token;
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

// Sparse draws have the laws of dense ones.
constexpr Rule sparse_rules[] = {{Sampler::mean_for_mode, Schedule::parallel, counted, counted, false, Draws::sparse},
                                 {Sampler::theta_collapsed, Schedule::parallel, without, drawn, true, Draws::sparse},
                                 {Sampler::collapsed, Schedule::parallel, without, without, false, Draws::sparse}};

INSTANTIATE_TEST_SUITE_P(SparseSamplers, SweepLaw, ::testing::ValuesIn(sparse_rules),
                         [](const auto& rule) { return std::string(name(rule.param.sampler)); });

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

// --- Many topics: from 32 on, sparse draws are the default ---------------------------------

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

  // Tokens whose law follows from the old topics alone: where new ones are seen, a document's
  // first, be it by place or, as sparse draws go, by word.
  static std::vector<std::size_t> tokens_of(const Rule& rule) {
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

INSTANTIATE_TEST_SUITE_P(Sparse, ManyTopics, ::testing::ValuesIn(sparse_rules),
                         [](const auto& rule) { return std::string(name(rule.param.sampler)); });
std::vector<Rule> seeded_rules_of_many_topics() {
  std::vector<Rule> seeded = dense_rules();
  seeded.insert(seeded.end(), std::begin(sparse_rules), std::end(sparse_rules));
  for (Rule& rule : seeded) rule.seeded = true;
  return seeded;
}

INSTANTIATE_TEST_SUITE_P(Seeded, ManyTopics, ::testing::ValuesIn(seeded_rules_of_many_topics()), [](const auto& rule) {
  return std::string(name(rule.param.sampler)) + "_" + std::string(name(rule.param.draws));
});
INSTANTIATE_TEST_SUITE_P(Dense, ManyTopics, ::testing::ValuesIn(dense_rules()),
                         [](const auto& rule) { return std::string(name(rule.param.sampler)); });

}  // namespace
}  // namespace papilio
