// Alias draws: their tables and proposals, and the law of their steps, by the matrix of a token's moves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lda/laws.h"
#include "lda/training/alias/acceptance.h"
#include "lda/training/alias/alias_cells.h"
#include "lda/training/alias/proposals.h"
#include "lda/training/alias/words_cpu.h"
#include "support/chi_square.h"

namespace papilio {
namespace {

using lda::AliasCell, lda::WordsByCounts, lda::TopicAlias;

// --- Tables --------------------------------------------------------------------------------

// Every item's share, by the cells' own numbers.
std::vector<double> shares(const std::vector<AliasCell>& cells) {
  std::vector<double> shares(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double kept = cells[i].keep * 0x1p-32;
    shares[i] += kept;
    shares[cells[i].other] += 1 - kept;
  }
  for (double& share : shares) share /= static_cast<double>(cells.size());
  return shares;
}

TEST(AliasCells, HaveTheSharesOfTheirWeights) {
  std::vector<double> uneven;
  for (int i = 0; i < 1000; ++i) uneven.push_back(std::pow(10, i % 30) / (i + 1));
  for (const std::vector<double>& weights : {std::vector<double>{3},
                                             {1, 1, 1},
                                             {0, 2, 0, 1},
                                             {1e-300, 1},
                                             {5, 0, 0, 0, 0, 0},
                                             {0.1, 0.2, 0.3, 0.4},
                                             uneven}) {
    std::vector<AliasCell> cells(weights.size());
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    lda::make_alias_cells(weights, sum, cells);
    const std::vector<double> found = shares(cells);
    double off = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      off += std::abs(found[i] - weights[i] / sum);
      // An item of weight 0 is never drawn: no cell keeps it or gives to it.
      if (weights[i] == 0) {
        EXPECT_EQ(found[i], 0) << i;
      }
    }
    EXPECT_LT(off, 0x1p-31) << weights.size();
  }
}

TEST(AliasCells, GiveAnItemForEveryPosition) {
  const std::vector<AliasCell> cells = {{0x80000000u, 1}, {0xffffffffu, 1}};
  EXPECT_EQ(lda::alias_item(cells.data(), 2, 0), 0u);
  EXPECT_EQ(lda::alias_item(cells.data(), 2, 0.4999), 0u);
  EXPECT_EQ(lda::alias_item(cells.data(), 2, 0.5), 1u);
  EXPECT_EQ(lda::alias_item(cells.data(), 2, 1.5), 1u);
  EXPECT_EQ(lda::alias_item(cells.data(), 2, 2), 1u);  // where rounding has led past the end
}

// --- The law of one token's steps ------------------------------------------------------------

// Twelve topics of other priors; tokens that share their document and word, words of one token, seed words.
class AliasSteps : public ::testing::Test {
 protected:
  static constexpr std::size_t K = 12;
  static constexpr double beta = 0.3;
  using Law = std::vector<double>;
  using Matrix = std::vector<Law>;  // row: from

  static Corpus text() { return testing::make_corpus({{0, 0, 1, 0, 2}, {0, 1, 1}, {3}}, 4); }
  static std::vector<std::int32_t> old_topics() { return {3, 3, 7, 9, 3, 7, 8, 9, 5}; }
  static std::int64_t document_of(std::int64_t token) { return token < 5 ? 0 : token < 8 ? 1 : 2; }
  static TrainOptions options() {
    TrainOptions options = {.topics = K, .beta = beta, .seed = 9, .threads = 1, .draws = Draws::alias};
    for (std::size_t k = 0; k < K; ++k) options.topic_alpha.push_back(0.05 * static_cast<double>(1 + k % 5));
    options.seed_words = {{5, 0, 3}, {7, 1, 2}, {9, 2, 1}};
    return options;
  }

  AliasSteps() : state_(lda::state_of(corpus_, options(), {.z = old_topics()})), words_(corpus_, options()), prior_(K) {
    words_.build(state_);
    prior_.build([&](std::size_t k) { return state_.priors.alpha[k]; });
  }

  // d(k) without the token.
  Law of_document(std::int64_t token) const {
    Law d = state_.priors.alpha;
    for (std::int64_t i = 0; i < corpus_.tokens(); ++i) {
      if (i != token && document_of(i) == document_of(token)) ++d[topic(i)];
    }
    return d;
  }
  // w(k) without a token of topic `own`; -1: with all.
  Law of_word(std::int64_t token, std::int32_t own) const {
    Law w(K);
    for (std::size_t k = 0; k < K; ++k) w[k] = words_.weight(word(token), static_cast<std::int32_t>(k), own);
    return w;
  }
  Law of_word(std::int64_t token) const { return of_word(token, state_.z[static_cast<std::size_t>(token)]); }

  static Law normalised(Law weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
    return weights;
  }
  static Law product(const Law& a, const Law& b) {
    Law result(K);
    for (std::size_t k = 0; k < K; ++k) result[k] = a[k] * b[k];
    return result;
  }
  Law target(std::int64_t token) const { return normalised(product(of_document(token), of_word(token))); }

  // A step whose proposals have the weights `proposed`, and whose acceptance goes by `left`.
  template <class Accept>
  static Matrix step(const Law& proposed, const Law& left, const Accept& accept) {
    const Law q = normalised(proposed);
    Matrix matrix(K, Law(K));
    for (std::size_t s = 0; s < K; ++s) {
      for (std::size_t k = 0; k < K; ++k) {
        if (k != s) matrix[s][k] = q[k] * accept(left[s], left[k]);
      }
      matrix[s][s] = 1 - std::accumulate(matrix[s].begin(), matrix[s].end(), 0.0);
    }
    return matrix;
  }
  static Law after(const Law& law, const Matrix& matrix) {
    Law result(K);
    for (std::size_t s = 0; s < K; ++s)
      for (std::size_t k = 0; k < K; ++k) result[k] += law[s] * matrix[s][k];
    return result;
  }
  static double distance(const Law& a, const Law& b) {
    double sum = 0;
    for (std::size_t k = 0; k < K; ++k) sum += std::abs(a[k] - b[k]);
    return sum / 2;
  }
  static double imbalance(const Law& law, const Matrix& matrix) {
    double largest = 0;
    for (std::size_t s = 0; s < K; ++s)
      for (std::size_t k = 0; k < K; ++k)
        largest = std::max(largest, std::abs(law[s] * matrix[s][k] - law[k] * matrix[k][s]));
    return largest;
  }

  // The law of a token's topic after a sweep.
  Law law_of_sweep(std::int64_t token, int steps) const {
    const Law d = of_document(token);
    const Law w = of_word(token);
    Law law(K);
    law[topic(token)] = 1;
    for (int s = 0; s < steps; ++s) {
      law = after(law, s % 2 == 0 ? step(w, d, lda::acceptance) : step(d, w, lda::acceptance));
    }
    return law;
  }

  std::size_t topic(std::int64_t token) const {
    return static_cast<std::size_t>(state_.z[static_cast<std::size_t>(token)]);
  }
  std::int32_t word(std::int64_t token) const { return corpus_.words[static_cast<std::size_t>(token)]; }

  Corpus corpus_ = text();
  lda::State state_;
  WordsByCounts words_;
  TopicAlias prior_;
};

TEST_F(AliasSteps, KeepTheLawOfTheDraw) {
  for (std::int64_t token = 0; token < corpus_.tokens(); ++token) {
    const Law d = of_document(token), w = of_word(token), law = target(token);
    EXPECT_LT(imbalance(law, step(w, d, lda::acceptance)), 1e-12) << token;
    EXPECT_LT(imbalance(law, step(d, w, lda::acceptance)), 1e-12) << token;
    Law stepped = law;
    for (int s = 0; s < 3; ++s) {
      stepped = after(after(stepped, step(w, d, lda::acceptance)), step(d, w, lda::acceptance));
    }
    EXPECT_LT(distance(stepped, law), 1e-12) << token;
    EXPECT_LT(distance(law_of_sweep(token, 400), law), 1e-9) << token;  // and lead to it
  }
}

// The power of that: neither steps that take every proposal, nor proposals that hold the token itself, keep the law.
TEST_F(AliasSteps, WouldNotKeepItWithoutAcceptanceOrRemoval) {
  const auto always = [](double, double) { return 1.0; };
  const Law d = of_document(0), law = target(0);
  EXPECT_GT(distance(after(law, step(of_word(0), d, always)), law), 1e-2);
  EXPECT_GT(distance(after(law, step(d, of_word(0), always)), law), 1e-2);
  // Tables that hold the token at the topic that it has: another table for each topic that it may have.
  constexpr std::int64_t only_one = 4;  // of its word
  const std::size_t own = topic(only_one);
  Matrix stale(K);
  for (std::size_t s = 0; s < K; ++s) {
    Law q = of_word(only_one);
    const double itself = s == own ? 0 : 1;
    const auto n_w = static_cast<std::size_t>(word(only_one)) * K;
    q[s] = (state_.n_wk[n_w + s] + itself + beta) / (static_cast<double>(state_.n_k[s]) + itself + 4 * beta);
    stale[s] = step(q, of_document(only_one), lda::acceptance)[s];
  }
  EXPECT_GT(distance(after(target(only_one), stale), target(only_one)), 1e-3);
}

TEST_F(AliasSteps, AcceptWithTheProbabilityThatTheyName) {
  for (const auto& [from, to] : {std::pair{1.0, 2.0}, {2.0, 1.0}, {3.0, 3.0}, {1.0, 0.0}, {0.0, 1.0}, {0.7, 0.2}}) {
    constexpr int places = 1 << 16;
    int accepted = 0;
    for (int i = 0; i < places; ++i) accepted += lda::accepts((i + 0.5) / places, from, to) ? 1 : 0;
    EXPECT_NEAR(accepted, places * lda::acceptance(from, to), 1) << from << ", " << to;
  }
}

// All places of a word's tables, in equal distances: every change between topics costs at most one of them.
TEST_F(AliasSteps, ProposeByTheWeightsOfAllTokens) {
  for (const std::int64_t token : {0, 2, 4, 8}) {
    const std::int32_t w = word(token);
    const Law weights = of_word(token, -1);
    EXPECT_NEAR(words_.mass(w), std::accumulate(weights.begin(), weights.end(), 0.0), 1e-12);
    constexpr int places = 1 << 20;
    Law found(K);
    for (int i = 0; i < places; ++i) {
      found[static_cast<std::size_t>(words_.topic(w, words_.mass(w) * (i + 0.5) / places))] += 1.0 / places;
    }
    EXPECT_LT(distance(found, normalised(weights)), 4.0 * K / places) << token;
  }
}

// A right proposal's p-value is below this for one seed in 100,000.
constexpr double least_p = 1e-5;

double p_value(const std::vector<double>& found, const std::vector<double>& law, double draws) {
  std::vector<double> observed(2), expected(2);  // what is rare, and what is left
  for (std::size_t k = 0; k < law.size(); ++k) {
    if (law[k] * draws >= 2 * testing::least_expected_count) {
      observed.push_back(found[k]);
      expected.push_back(law[k] * draws);
    } else {
      observed[0] += found[k];
      expected[0] += law[k] * draws;
    }
  }
  if (expected[0] < testing::least_expected_count) {  // too rare even together: part of another cell
    observed.back() += observed[0];
    expected.back() += expected[0];
    observed[0] = expected[0] = 0;
  }
  return testing::chi_square_p_value(observed, expected);
}

// The token of word 2 and that of word 3 are their words' only ones: most draws of their own topics are refused.
TEST_F(AliasSteps, ProposeWithoutTheTokenItself) {
  constexpr int draws = 40000;
  const lda::ProposalBlocks blocks(5, 1);
  for (std::int64_t token = 0; token < corpus_.tokens(); ++token) {
    const std::int32_t w = word(token);
    std::mt19937_64 random(static_cast<std::uint64_t>(token));
    Law found(K);
    for (int i = 0; i < draws; ++i) {
      const double place = testing::uniform(random) * words_.mass(w);
      const auto own = static_cast<std::int32_t>(topic(token));
      ++found[static_cast<std::size_t>(lda::proposal_of_word(words_, blocks, i, 0, w, own, place))];
    }
    EXPECT_GT(p_value(found, normalised(of_word(token)), draws), least_p) << token;
    EXPECT_LT(p_value(found, normalised(of_word(token, -1)), draws), least_p) << token;
  }
}

TEST_F(AliasSteps, ProposeByTheDocumentWithoutTheTokenItself) {
  for (const std::int64_t token : {0, 3, 6, 8}) {
    const auto d = static_cast<std::size_t>(document_of(token));
    const std::int64_t begin = corpus_.document_offsets[d];
    const std::int64_t others = corpus_.document_offsets[d + 1] - begin - 1;
    const double mass = static_cast<double>(others) + prior_.sum();
    constexpr int places = 1 << 18;
    Law found(K);
    for (int i = 0; i < places; ++i) {
      const lda::DocumentProposal proposal(mass * (i + 0.5) / places, begin, token, others, prior_);
      EXPECT_NE(proposal.token, token);
      const auto k = proposal.token < 0 ? static_cast<std::size_t>(proposal.topic) : topic(proposal.token);
      found[k] += 1.0 / places;
    }
    EXPECT_LT(distance(found, normalised(of_document(token))), 4.0 * K / places) << token;
  }
}

// What the trainer does in a sweep is the matrices' product, for every token; and not that of another number of steps,
// nor a draw.
TEST_F(AliasSteps, AreThoseOfASweep) {
  constexpr int sweeps = 10000;
  for (const int steps : {1, 2, 5}) {
    TrainOptions o = options();
    o.mh_steps = steps;
    const testing::Sweep sweep = testing::sweep_of(o);
    std::vector<Law> found(corpus_.words.size(), Law(K));
    for (int i = 0; i < sweeps; ++i) {
      std::vector<std::int32_t> z = old_topics();
      sweep(corpus_, z, i);
      for (std::size_t t = 0; t < z.size(); ++t) ++found[t][static_cast<std::size_t>(z[t])];
    }
    for (std::int64_t token = 0; token < corpus_.tokens(); ++token) {
      const Law& of_token = found[static_cast<std::size_t>(token)];
      EXPECT_GT(p_value(of_token, law_of_sweep(token, steps), sweeps), least_p) << steps << " steps, token " << token;
    }
    if (steps > 2) continue;  // by then it is nearly a draw
    double of_another_number = 1, of_a_draw = 1;
    for (std::int64_t token = 0; token < corpus_.tokens(); ++token) {
      const Law& of_token = found[static_cast<std::size_t>(token)];
      of_another_number = std::min(of_another_number, p_value(of_token, law_of_sweep(token, steps + 1), sweeps));
      of_a_draw = std::min(of_a_draw, p_value(of_token, target(token), sweeps));
    }
    EXPECT_LT(of_another_number, least_p) << steps;
    EXPECT_LT(of_a_draw, least_p) << steps;
  }
}

}  // namespace
}  // namespace papilio
