// Held-out likelihood: document completion and left-to-right.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lda/small_models.h"
#include "papilio/evaluation.h"

namespace papilio {
namespace {

using testing::documents_of;
using testing::enumerate;
using testing::make_corpus;
using testing::make_model;
using testing::phi;
using testing::tiny_model;
using testing::trained;

// The protocol of document completion once more, plainly: K x V probabilities, a token at a time.
double completion_by_hand(const Model& model, const std::vector<std::vector<std::int32_t>>& documents, int steps) {
  const std::size_t topics = model.alpha.size();
  double sum = 0;
  for (const auto& words : documents) {
    std::vector<double> theta(topics, 1.0 / static_cast<double>(topics));
    for (int step = 0; words.size() >= 2 && step < steps; ++step) {
      std::vector<double> next = model.alpha;
      for (std::size_t i = 0; i < words.size(); i += 2) {
        double total = 0;
        for (std::size_t k = 0; k < topics; ++k) total += phi(model, words[i], k) * theta[k];
        for (std::size_t k = 0; k < topics; ++k) next[k] += phi(model, words[i], k) * theta[k] / total;
      }
      const double total = std::accumulate(next.begin(), next.end(), 0.0);
      for (std::size_t k = 0; k < topics; ++k) theta[k] = next[k] / total;
    }
    for (std::size_t i = 1; i < words.size(); i += 2) {
      double probability = 0;
      for (std::size_t k = 0; k < topics; ++k) probability += phi(model, words[i], k) * theta[k];
      sum += std::log(probability);
    }
  }
  return sum;
}

TEST(CompleteDocuments, FollowsTheProtocol) {
  const auto& [corpus, trained_model] = trained();
  Model model = trained_model;
  model.alpha = {0.1, 0.2, 0.3, 0.05, 0.4, 0.1, 0.7};
  const Completion completion = complete_documents(model, corpus, {.shuffle = false});
  const double expected = completion_by_hand(model, documents_of(corpus), 50);
  EXPECT_NEAR(completion.log_likelihood, expected, 1e-9 * std::abs(expected));
  std::int64_t scored = 0;
  for (const auto& document : documents_of(corpus)) scored += static_cast<std::int64_t>(document.size()) / 2;
  EXPECT_EQ(completion.tokens, scored);
  EXPECT_EQ(completion.tokens_seen, corpus.tokens() - scored);
  EXPECT_NEAR(completion.perplexity(), std::exp(-expected / static_cast<double>(scored)), 1e-6);
}

TEST(CompleteDocuments, LeavesOutUnknownWordsAndShortDocuments) {
  const Model model = make_model({{3, 1}, {1, 3}, {0, 0}}, {0.5, 1.5}, 1e-3);
  const Corpus corpus = make_corpus({{0, 2, 1}, {2, 2, 0}, {}, {1, 1, 0, 1}}, 3);
  const Completion completion = complete_documents(model, corpus, {.shuffle = false});
  EXPECT_EQ(completion.documents, 2);
  EXPECT_EQ(completion.left_out, 2);
  EXPECT_EQ(completion.tokens, 3);
  EXPECT_EQ(completion.tokens_seen, 3);
  EXPECT_EQ(completion.unknown_tokens, 3);
  EXPECT_NEAR(completion.log_likelihood, completion_by_hand(model, {{0, 1}, {1, 1, 0, 1}}, 50), 1e-12);
}

// A document of the words 0 to 9 each once: whichever five are seen, the shuffle of a seed always picks the same,
// of another seed others; over 2,000 seeds each word is scored in half of them.
TEST(CompleteDocuments, ShufflesBySeed) {
  std::vector<std::vector<std::int32_t>> n_wk(10, std::vector<std::int32_t>{1});
  for (int w = 0; w < 10; ++w) n_wk[static_cast<std::size_t>(w)][0] = 1 << w;  // so the sum tells who was scored
  const Model model = make_model(n_wk, {1.0}, 1e-100);
  const Corpus corpus = make_corpus({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, 10);
  const Corpus backwards = make_corpus({{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}}, 10);
  std::vector<int> sums(46);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const double score = complete_documents(model, corpus, {.em_steps = 1, .seed = seed}).log_likelihood;
    EXPECT_EQ(score, complete_documents(model, backwards, {.em_steps = 1, .seed = seed}).log_likelihood);
    const double exponents = (score + 5 * std::log(1023.0)) / std::log(2.0);  // the scored words' numbers, summed
    ++sums.at(static_cast<std::size_t>(std::lround(exponents)));
  }
  double mean = 0;
  for (std::size_t s = 0; s < sums.size(); ++s) mean += static_cast<double>(s) * sums[s] / 2000;
  // Five of ten numbers without replacement: mean 22.5, variance 5 * 8.25 * 5/9 = 22.9; four standard errors.
  EXPECT_NEAR(mean, 22.5, 4 * std::sqrt(22.9 / 2000));
  EXPECT_GT(std::count_if(sums.begin(), sums.end(), [](int n) { return n > 0; }), 15);
}

TEST(CompleteDocuments, IsTheSameForAnyNumberOfThreads) {
  const auto& [corpus, model] = trained();
  const double one = complete_documents(model, corpus, {.seed = 7, .threads = 1}).log_likelihood;
  for (const int threads : {2, 7}) {
    EXPECT_EQ(complete_documents(model, corpus, {.seed = 7, .threads = threads}).log_likelihood, one);
  }
  EXPECT_NE(complete_documents(model, corpus, {.seed = 8}).log_likelihood, one);
}

// Its own words in another order, words that it does not know, and the model's own vocabulary.
TEST(CompleteDocuments, APreparedModelGivesTheSameBits) {
  const auto& [corpus, model] = trained();
  const Inference inference(model);
  Corpus other = corpus;
  other.vocabulary.assign(corpus.vocabulary.rbegin(), corpus.vocabulary.rend());
  other.vocabulary[3] = "unheard";
  Model unseen = model;  // word 5 was never counted
  for (std::size_t k = 0; k < 7; ++k) unseen.n_k[k] -= std::exchange(unseen.n_wk[5 * 7 + k], 0);
  CorpusView own = corpus, own_of_unseen = corpus;
  own.vocabulary = model.vocabulary;
  own_of_unseen.vocabulary = unseen.vocabulary;
  const auto same = [](const Completion& found, const Completion& expected) {
    EXPECT_EQ(found.log_likelihood, expected.log_likelihood);
    EXPECT_EQ(found.documents, expected.documents);
    EXPECT_EQ(found.left_out, expected.left_out);
    EXPECT_EQ(found.tokens, expected.tokens);
    EXPECT_EQ(found.tokens_seen, expected.tokens_seen);
    EXPECT_EQ(found.unknown_tokens, expected.unknown_tokens);
  };
  for (const bool shuffle : {true, false}) {
    const CompletionOptions options = {.em_steps = 5, .seed = 9, .shuffle = shuffle};
    for (const CorpusView& view : {corpus.view(), other.view(), own}) {
      same(inference.complete_documents(view, options), complete_documents(model, view, options));
    }
    const Completion expected = complete_documents(unseen, own_of_unseen, options);
    EXPECT_GT(expected.unknown_tokens, 0);
    same(Inference(unseen).complete_documents(own_of_unseen, options), expected);
  }
}

// The mean of exp(estimate) is the exact probability. 8,000 seeds, the bound four standard errors as the
// estimates themselves show them; and these must be small enough for a mean that is 5 % off to be seen.
TEST(LeftToRight, IsUnbiased) {
  const Model model = tiny_model();
  for (const int particles : {1, 3}) {
    for (const auto& words : {std::vector<std::int32_t>{0, 0, 1, 3, 2, 3}, {1, 3}, {3, 0, 3, 0, 3, 0, 0}}) {
      const double exact = enumerate(model, words).probability;
      const Corpus corpus = make_corpus({words}, 4);
      constexpr int runs = 8000;
      double sum = 0;
      double squares = 0;
      for (std::uint64_t seed = 0; seed < runs; ++seed) {
        const LeftToRight estimate = left_to_right(model, corpus, {.particles = particles, .seed = seed, .threads = 1});
        const double ratio = std::exp(estimate.log_likelihood) / exact;
        sum += ratio;
        squares += ratio * ratio;
      }
      const double error = std::sqrt((squares / runs - sum / runs * sum / runs) / runs);
      EXPECT_NEAR(sum / runs, 1, 4 * error) << particles << " particles, " << words.size() << " words";
      EXPECT_LT(error, 0.0125);
    }
  }
}

TEST(LeftToRight, ConvergesWithParticles) {
  const Model model = tiny_model();
  const std::vector<std::int32_t> words = {0, 1, 1, 3, 2, 0, 3, 1};
  const LeftToRight estimate = left_to_right(model, make_corpus({words, {}, words}, 4), {.particles = 4000});
  const double exact = std::log(enumerate(model, words).probability);
  EXPECT_NEAR(estimate.log_likelihoods[0], exact, 0.06);  // four standard errors of about 1 / sqrt(4,000)
  EXPECT_EQ(estimate.log_likelihoods[1], 0);
  EXPECT_EQ(estimate.log_likelihoods[2], estimate.log_likelihoods[0]);
  EXPECT_EQ(estimate.tokens, 16);
  EXPECT_EQ(estimate.log_likelihood, estimate.log_likelihoods[0] + estimate.log_likelihoods[2]);
}

// One topic leaves nothing to chance.
TEST(LeftToRight, IsExactForOneTopic) {
  const Model model = make_model({{3}, {1}}, {0.4}, 0.5);
  const LeftToRight estimate = left_to_right(model, make_corpus({{0, 1, 0}}, 2));
  EXPECT_NEAR(estimate.log_likelihood, std::log(0.7 * 0.3 * 0.7), 1e-14);
}

TEST(LeftToRight, IsTheSameForAnyNumberOfThreads) {
  const auto& [corpus, model] = trained();
  const LeftToRight one = left_to_right(model, corpus, {.particles = 2, .seed = 7, .threads = 1});
  for (const int threads : {2, 7}) {
    EXPECT_EQ(left_to_right(model, corpus, {.particles = 2, .seed = 7, .threads = threads}).log_likelihoods,
              one.log_likelihoods);
  }
}

TEST(HoldOutEvery, TakesEveryNth) {
  Corpus corpus = make_corpus({{0}, {1, 1}, {2}, {}, {0, 2}}, 3);
  corpus.document_names = {"a", "b", "c", "d", "e"};
  const HeldOutSplit split = hold_out_every(corpus, 2);
  EXPECT_EQ(documents_of(split.training), (std::vector<std::vector<std::int32_t>>{{0}, {2}, {0, 2}}));
  EXPECT_EQ(documents_of(split.held_out), (std::vector<std::vector<std::int32_t>>{{1, 1}, {}}));
  EXPECT_EQ(split.training.document_names, (std::vector<std::string>{"a", "c", "e"}));
  EXPECT_EQ(split.held_out.document_names, (std::vector<std::string>{"b", "d"}));
  EXPECT_EQ(split.held_out.vocabulary, corpus.vocabulary);
  split.training.verify();
  EXPECT_EQ(hold_out_every(corpus, 9).held_out.documents(), 0);
}

}  // namespace
}  // namespace papilio
