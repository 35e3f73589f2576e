// Sparse draws: bit for bit those of the plainest implementation, and of the law that the dense ones have.

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "lda/corpora.h"
#include "lda/laws.h"
#include "lda/sparse_oracle.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/sparse/parallel/word_order_cpu.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

TrainOptions options(Sampler sampler, std::int32_t topics, std::int64_t sweeps) {
  return {.topics = topics,
          .sweeps = sweeps,
          .alpha = 0.3,
          .beta = 0.05,
          .seed = 0x123456789,
          .threads = 2,
          .sampler = sampler,
          .evaluate_every = 0,
          .draws = Draws::sparse};
}

// The oracle as it was left, for what it has counted.
testing::SparseOracle expect_as_the_oracle(const Corpus& corpus, const TrainOptions& o) {
  lda::CpuChain chain(corpus, o, {}), unseen(corpus, o, {});  // counts follow when somebody looks
  testing::SparseOracle oracle(corpus, o, chain.state().z);
  for (std::int64_t sweep = 1; sweep <= o.sweeps; ++sweep) {
    chain.sweep();
    unseen.sweep();
    oracle.sweep();
    EXPECT_EQ(chain.state().z, oracle.z) << "sweep " << sweep;
    EXPECT_NO_THROW(chain.state().verify(corpus));
    EXPECT_TRUE(chain.draws().sparse);
  }
  EXPECT_EQ(unseen.state().n_wk, chain.state().n_wk);
  EXPECT_EQ(unseen.state().n_k, chain.state().n_k);
  EXPECT_EQ(unseen.state().z, chain.state().z);
  return oracle;
}

class SparseDraws : public ::testing::TestWithParam<Sampler> {};

TEST_P(SparseDraws, AreThoseOfThePlainestForm) {
  for (const std::int32_t topics : {1, 2, 13, 64, 130}) {
    SCOPED_TRACE(topics);
    expect_as_the_oracle(testing::awkward_corpus(), options(GetParam(), topics, 4));
  }
}

TEST_P(SparseDraws, TakeAPriorForEachTopic) {
  TrainOptions o = options(GetParam(), 9, 4);
  o.topic_alpha = {2, 0.01, 0.3, 1e-4, 5, 0.1, 0.1, 30, 0.7};
  expect_as_the_oracle(testing::awkward_corpus(), o);
}

// Of words that no thread shares, that threads share, with one token and with none.
TEST_P(SparseDraws, CountSeedWordsAsTokens) {
  TrainOptions o = options(GetParam(), 13, 4);
  o.seed_words = {{1, 3, 40}, {0, 3, 7}, {12, 7, 1000}, {0, 121, 2}, {1, 120, 5}, {1, 122, 100'000}};
  expect_as_the_oracle(testing::awkward_corpus(), o);
  std::vector<std::vector<std::int32_t>> documents(40, std::vector<std::int32_t>(1000, 1));
  for (std::size_t d = 0; d < documents.size(); ++d) documents[d][d] = 0, documents[d][7 * d + 50] = 2;
  o = options(GetParam(), 6, 2);
  o.seed_words = {{2, 1, 500}, {5, 0, 3}};
  expect_as_the_oracle(testing::make_corpus(documents, 3), o);
}

TEST_P(SparseDraws, TakeThousandsOfTopics) {
  expect_as_the_oracle(testing::awkward_corpus(), options(GetParam(), 2500, 2));
}

// Topics that 16 bits do not hold, and a document with a count that they do not hold.
TEST_P(SparseDraws, TakeTopicsAndCountsBeyond16Bits) {
  expect_as_the_oracle(testing::make_corpus({{0, 1, 2, 1}, {2}, {1, 1}}, 3), options(GetParam(), 70000, 2));
  std::vector<std::vector<std::int32_t>> documents = {{0, 1}, std::vector<std::int32_t>(66000, 1), {1, 0, 0}};
  TrainOptions o = options(GetParam(), 1, 1);
  expect_as_the_oracle(testing::make_corpus(documents, 2), o);
  o.topics = 3;
  o.topic_alpha = {1e5, 1e-3, 1e-3};
  const Corpus corpus = testing::make_corpus(documents, 2);
  const std::vector<std::int32_t> z = train(corpus, o).topics.z;
  o.threads = 1;
  EXPECT_EQ(train(corpus, o).topics.z, z);
}

// A word that threads share, beside words that they do not.
TEST_P(SparseDraws, ShareAFrequentWordAmongThreads) {
  std::vector<std::vector<std::int32_t>> documents(40, std::vector<std::int32_t>(1000, 1));
  for (std::size_t d = 0; d < documents.size(); ++d) documents[d][d] = 0, documents[d][7 * d + 50] = 2;
  const Corpus corpus = testing::make_corpus(documents, 3);
  TrainOptions o = options(GetParam(), 6, 3);
  o.threads = 1;
  lda::CpuChain alone(corpus, o, {});
  o.threads = 7;
  lda::CpuChain together(corpus, o, {});
  for (int sweep = 0; sweep < 3; ++sweep) {
    alone.sweep();
    together.sweep();
    EXPECT_EQ(alone.state().z, together.state().z);
    EXPECT_NO_THROW(alone.state().verify(corpus));
    EXPECT_NO_THROW(together.state().verify(corpus));
  }
}

// As floats these priors are 0; a document's only token has hardly any weight left without itself.
TEST_P(SparseDraws, KeepATopicWhereNoOtherHasWeight) {
  TrainOptions o = options(GetParam(), 6, 3);
  o.alpha = 1e-60;
  expect_as_the_oracle(testing::make_corpus({{0}, {1}, {0}}, 2), o);
}

TEST_P(SparseDraws, TakePriorsAtTheEdge) {
  for (const std::int32_t topics : {1, 60, 1024}) {
    for (const double prior : {1e-60, 1e-30, 1e-18, 1e6}) {
      SCOPED_TRACE(::testing::Message() << topics << " topics, " << prior);
      TrainOptions o = options(GetParam(), topics, 2);
      o.beta = prior;
      expect_as_the_oracle(testing::awkward_corpus(), o);
      o.beta = 0.05, o.alpha = prior;
      expect_as_the_oracle(testing::awkward_corpus(), o);
    }
  }
}

TEST_P(SparseDraws, GoOnAsIfTheyHadNotStopped) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions o = options(GetParam(), 8, 9);
  o.optimize_after = 3;
  o.optimize_every = 3;
  const TrainResult whole = train(corpus, o);
  EXPECT_NE(whole.model.alpha, std::vector<double>(8, o.alpha));
  for (const std::int64_t stop : {2, 3, 9}) {
    o.sweeps = stop;
    const ChainState half = train(corpus, o).topics;
    o.sweeps = 9;
    const TrainResult rest = train(corpus, o, &half);
    EXPECT_EQ(rest.topics.z, whole.topics.z);
    EXPECT_EQ(rest.model.n_wk, whole.model.n_wk);
  }
}

// Every token once, word after word; pairs are a word's tokens in one document, no more than a batch takes.
TEST(WordOrder, GoesByWordsAndHasWholePairs) {
  std::vector<std::vector<std::int32_t>> documents = {{2, 0, 2}, {}, {1}, std::vector<std::int32_t>(40, 2), {0, 0, 2}};
  documents[3][7] = 1;
  const Corpus corpus = testing::make_corpus(documents, 4);
  const lda::sparse::WordOrder order(corpus, 1);
  EXPECT_EQ(order.offsets, (std::vector<std::int64_t>{0, 3, 5, 47, 47}));
  EXPECT_EQ(order.pair_offsets, (std::vector<std::int64_t>{0, 2, 4, 9, 9}));
  const std::vector<std::uint32_t> numbers(order.numbers.data(), order.numbers.data() + 6);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 44, 45, 3, 11, 0}));
  for (std::size_t i = 0; i < corpus.words.size(); ++i) EXPECT_EQ(order.numbers[order.places[i]], i);
  const std::vector<std::uint32_t> of_pairs(order.documents.data(), order.documents.data() + 9);
  EXPECT_EQ(of_pairs, (std::vector<std::uint32_t>{0, 4, 2, 3, 0, 3, 3, 3, 4}));
  const std::vector<int> sizes(order.sizes.data(), order.sizes.data() + order.sizes.size());
  EXPECT_EQ(sizes, (std::vector<int>{1, 2, 1, 1, 2, 16, 16, 7, 1}));
}

INSTANTIATE_TEST_SUITE_P(Samplers, SparseDraws, ::testing::Values(Sampler::mean_for_mode, Sampler::collapsed),
                         [](const auto& sampler) { return std::string(name(sampler.param)); });

// Weak priors: a token's own topic has nearly all weight, or where the token was alone in it, hardly any.
TEST(SparseDraw, TakesWeakPriors) {
  TrainOptions o = options(Sampler::collapsed, 12, 6);
  const Corpus corpus = testing::awkward_corpus();
  for (const double prior : {1e-3, 1e-5, 1e-9}) {
    SCOPED_TRACE(prior);
    o.alpha = prior;
    o.beta = prior;
    const testing::SparseOracle oracle = expect_as_the_oracle(corpus, o);
    EXPECT_GT(oracle.from_own, corpus.tokens());
    EXPECT_GT(oracle.from_document, 1000);
    EXPECT_GT(oracle.from_word, 50);
  }
  o.beta = 20;
  o.topic_alpha = {1e-3, 2e-3, 1e-4, 1e-2, 1e-3, 5e-4, 3e-3, 1e-3, 1e-3, 1e-5, 1e-3, 1e-3};
  EXPECT_GT(expect_as_the_oracle(corpus, o).from_prior, 50);
}

// Every token is alone in its document and its topic, and V beta is lost beside one token, but is all that the
// topic has without it: what the topic then weighs is alpha beta / (V beta), half of what the other topic of its word
// does.
TEST(SparseDraw, LeavesATopicOfOneTokenItsPrior) {
  const Corpus corpus = testing::make_corpus({{0}, {0}, {1}, {1}}, 2);
  const std::vector<std::int32_t> start = {0, 1, 2, 3};
  TrainOptions o = options(Sampler::collapsed, 4, 1);
  o.beta = 5e-18;
  constexpr int runs = 300;
  int stay = 0;
  for (int run = 0; run < runs; ++run) {
    o.seed = static_cast<std::uint64_t>(run);
    lda::CpuChain chain(corpus, o, ChainState{.z = start});
    testing::SparseOracle oracle(corpus, o, start);
    chain.sweep();
    oracle.sweep();
    ASSERT_EQ(chain.state().z, oracle.z);
    for (std::size_t i = 0; i < start.size(); ++i) {
      ASSERT_TRUE(oracle.z[i] == start[i] || oracle.z[i] == (start[i] ^ 1)) << "token " << i << ", run " << run;
      stay += oracle.z[i] == start[i] ? 1 : 0;
    }
  }
  // Each with probability 1/3; the limit is five standard deviations.
  EXPECT_NEAR(stay, runs * 4 / 3.0, 5 * std::sqrt(runs * 4 * 2 / 9.0));
}

TEST(SparseDraw, IsRefusedWhereASamplerDoesNotKnowIt) {
  const Corpus corpus = testing::make_corpus({{0, 1}}, 2);
  TrainOptions o = options(Sampler::uncollapsed, 4, 1);
  EXPECT_THROW(train(corpus, o), InvalidArgument);
  o.sampler = Sampler::phi_collapsed;
  o.schedule = Schedule::sequential;
  EXPECT_THROW(train(corpus, o), InvalidArgument);
  o.sampler = Sampler::collapsed;
  EXPECT_NO_THROW(train(corpus, o));
  o.method = PartialSums::prefix;
  EXPECT_THROW(train(corpus, o), InvalidArgument);
}

TEST(SparseDraw, ReportsWhereItCameFrom) {
  TrainOptions o = options(Sampler::collapsed, 50, 3);
  int reports = 0;
  o.progress = [&](const Progress& progress) {
    ++reports;
    EXPECT_TRUE(progress.draws.sparse);
    EXPECT_GT(progress.draws.topics_per_document, 1);
    EXPECT_LT(progress.draws.topics_per_document, 30);
    const SweepDraws& draws = progress.draws;
    EXPECT_GT(draws.from_own, 0);
    EXPECT_GT(draws.from_document, draws.from_prior);
    EXPECT_NEAR(draws.from_own + draws.from_document + draws.from_word + draws.from_prior, 1, 1e-12);
    return true;
  };
  train(testing::awkward_corpus(), o);
  EXPECT_EQ(reports, 3);
}

// The law: given the counts of a sweep's start every token has a topic of its own, independent of the others.
class SparseLaw {
 public:
  static constexpr std::int32_t topics = 11;
  static constexpr int sweeps = 4000;

  SparseLaw() {
    std::mt19937_64 random(4);
    for (std::size_t i = 0; i < corpus_.words.size(); ++i) z_.push_back(static_cast<std::int32_t>(random() % topics));
  }

  TrainOptions options_of(Sampler sampler, double scale) const {
    TrainOptions o = options(sampler, topics, 1);
    for (int k = 0; k < topics; ++k) o.topic_alpha.push_back(scale * (k % 3 + 0.5));
    o.beta = scale;
    return o;
  }

  // Against weights that leave out `removed` tokens of the token's own topic: 1 is the law of `collapsed`, 0 that of
  // `mean_for_mode`. The number of degrees of freedom is returned as well.
  std::pair<double, int> chi_square(const TrainOptions& o, double removed) const {
    const testing::Sweep sweep = testing::sweep_of(o);
    std::vector<std::array<double, topics>> seen(z_.size());
    for (int s = 0; s < sweeps; ++s) {
      std::vector<std::int32_t> z = z_;
      sweep(corpus_, z, s);
      for (std::size_t i = 0; i < z.size(); ++i) ++seen[i][static_cast<std::size_t>(z[i])];
    }
    double sum = 0;
    int freedom = 0;
    for (std::size_t i = 0; i < z_.size(); ++i) {
      const auto law = law_of(o, i, removed);
      double rare_seen = 0, rare_expected = 0;
      for (std::size_t k = 0; k < law.size(); ++k) {
        const double expected = law[k] * sweeps;
        if (expected < 10) {
          rare_seen += seen[i][k];
          rare_expected += expected;
        } else {
          sum += (seen[i][k] - expected) * (seen[i][k] - expected) / expected;
          ++freedom;
        }
      }
      if (rare_expected >= 10) sum += (rare_seen - rare_expected) * (rare_seen - rare_expected) / rare_expected;
      freedom -= rare_expected >= 10 ? 0 : 1;
    }
    return {sum, freedom};
  }

 private:
  std::array<double, topics> law_of(const TrainOptions& o, std::size_t token, double removed) const {
    std::array<double, topics> n_dk = {}, n_wk = {}, n_k = {}, law = {};
    const auto own = static_cast<std::size_t>(z_[token]);
    n_dk[own] = n_wk[own] = n_k[own] = -removed;
    for (std::size_t d = 0; d + 1 < corpus_.document_offsets.size(); ++d) {
      const bool here = corpus_.document_offsets[d] <= static_cast<std::int64_t>(token) &&
                        static_cast<std::int64_t>(token) < corpus_.document_offsets[d + 1];
      for (auto i = static_cast<std::size_t>(corpus_.document_offsets[d]);
           i < static_cast<std::size_t>(corpus_.document_offsets[d + 1]); ++i) {
        const auto k = static_cast<std::size_t>(z_[i]);
        n_dk[k] += here ? 1 : 0;
        n_wk[k] += corpus_.words[i] == corpus_.words[token] ? 1 : 0;
        n_k[k] += 1;
      }
    }
    double sum = 0;
    for (std::size_t k = 0; k < law.size(); ++k) {
      law[k] = (n_dk[k] + o.topic_alpha[k]) * (n_wk[k] + o.beta) / (n_k[k] + 9 * o.beta);
      sum += law[k];
    }
    for (double& p : law) p /= sum;
    return law;
  }

  const Corpus corpus_ = testing::make_corpus(
      {{0, 1, 1, 2, 3}, {0}, {8, 8, 8, 8, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 5, 5, 4, 3, 2, 2, 2, 2, 1}, {3, 3, 3}, {8, 7}},
      9);
  std::vector<std::int32_t> z_;
};

// A chi-square of f degrees of freedom has mean f and variance 2 f; six deviations above it, it does
// not come by chance. Fewer free cells than counted (rare ones put together) only lower it.
double limit(int freedom) { return freedom + 6 * std::sqrt(2.0 * freedom); }

TEST(SparseLaws, AreThoseOfTheWeights) {
  const SparseLaw law;
  for (const double scale : {0.5, 0.02, 0.001}) {
    for (const auto& [sampler, removed] :
         {std::pair{Sampler::collapsed, 1.0}, std::pair{Sampler::mean_for_mode, 0.0}}) {
      const auto [sum, freedom] = law.chi_square(law.options_of(sampler, scale), removed);
      EXPECT_GT(freedom, scale > 0.01 ? 50 : 20);
      EXPECT_LT(sum, limit(freedom)) << name(sampler) << " at " << scale;
      // The power of the test: the token half removed is told from it.
      const auto [wrong, free] = law.chi_square(law.options_of(sampler, scale), 0.5);
      EXPECT_GT(wrong, 2 * limit(free)) << name(sampler) << " at " << scale;
    }
  }
}

}  // namespace
}  // namespace papilio
