#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/models.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using testing::make_corpus;
using testing::make_model;

// Three topics over four words, priors that differ.
Model tiny_model() { return make_model({{7, 1, 2}, {1, 6, 2}, {2, 1, 3}, {1, 1, 9}}, {0.3, 0.9, 0.5}, 0.2); }

double phi(const Model& model, std::int32_t w, std::size_t k) { return model.phi(w, static_cast<std::int32_t>(k)); }

// Calls visit(z) for every way to give `tokens` tokens one of K topics.
template <class Visit>
void for_every_z(std::size_t tokens, std::size_t topics, Visit&& visit) {
  std::vector<std::size_t> z(tokens);
  for (;;) {
    visit(z);
    std::size_t i = 0;
    for (; i < tokens && ++z[i] == topics; ++i) z[i] = 0;
    if (i == tokens) return;
  }
}

// p(w, z | phi, alpha), theta integrated out: Polya's urn. Also leaves the topics' counts.
double joint(const Model& model, const std::vector<std::int32_t>& words, const std::vector<std::size_t>& z,
             std::vector<double>& n_k) {
  n_k.assign(model.alpha.size(), 0);
  double urn = std::accumulate(model.alpha.begin(), model.alpha.end(), 0.0);
  double probability = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    probability *= (n_k[z[i]] + model.alpha[z[i]]) / urn * phi(model, words[i], z[i]);
    ++n_k[z[i]];
    ++urn;
  }
  return probability;
}

struct Exact {
  double probability = 0;     // p(w | phi, alpha)
  std::vector<double> theta;  // its posterior mean
};

Exact enumerate(const Model& model, const std::vector<std::int32_t>& words) {
  const double alpha_sum = std::accumulate(model.alpha.begin(), model.alpha.end(), 0.0);
  Exact exact;
  exact.theta.resize(model.alpha.size());
  std::vector<double> n_k;
  for_every_z(words.size(), model.alpha.size(), [&](const std::vector<std::size_t>& z) {
    const double p = joint(model, words, z, n_k);
    exact.probability += p;
    for (std::size_t k = 0; k < n_k.size(); ++k) {
      exact.theta[k] += p * (n_k[k] + model.alpha[k]) / (static_cast<double>(words.size()) + alpha_sum);
    }
  });
  for (double& t : exact.theta) t /= exact.probability;
  return exact;
}

// A corpus of 300 documents, and a model trained on it.
struct Trained {
  Corpus corpus = testing::small_generated_corpus().corpus;
  Model model = train(corpus, {.topics = 7, .sweeps = 30, .seed = 3}).model;
};

const Trained& trained() {
  static const Trained it;
  return it;
}

std::vector<std::vector<std::int32_t>> documents_of(const Corpus& corpus) {
  std::vector<std::vector<std::int32_t>> documents;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    documents.emplace_back(corpus.words.begin() + corpus.document_offsets[d],
                           corpus.words.begin() + corpus.document_offsets[d + 1]);
  }
  return documents;
}

TEST(MapWords, GoesBySpellingAndCountsTheUnknown) {
  const Model model = make_model({{1, 0}, {0, 0}, {0, 3}}, {1, 1}, 0.1);  // w1 was never seen
  Corpus corpus = make_corpus({{0, 1, 1, 2}, {3, 3, 3, 0}}, 4);
  corpus.vocabulary = {"w2", "new", "w1", "w0"};
  const WordMap map = map_words(model, corpus);
  EXPECT_EQ(map.model_words, (std::vector<std::int32_t>{2, -1, -1, 0}));
  EXPECT_EQ(map.unknown_words, 2);
  EXPECT_EQ(map.unknown_tokens, 3);
  corpus.vocabulary.emplace_back("never");
  EXPECT_EQ(unknown_words(model, corpus), (LeftOutWords{.tokens = 3, .words = 2, .examples = {"new", "w1"}}));
}

// 30,000 samples, of which even fully correlated tens leave 3,000: the standard deviation of a theta, below 0.25,
// gives errors below 0.005; the bound is four of them.
TEST(Infer, GibbsIsThePosteriorMean) {
  const Model model = tiny_model();
  for (const auto& words : {std::vector<std::int32_t>{0, 0, 1, 3, 2}, {1}, {3, 3, 3, 3, 0, 1}}) {
    const Exact exact = enumerate(model, words);
    const Corpus corpus = make_corpus({words}, 4);
    const DocumentTopics inferred = infer(model, corpus, {.sweeps = 30'100, .burn_in = 100, .seed = 5});
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(double{inferred.theta[k]}, exact.theta[k], 0.02) << words.size() << " words, topic " << k;
    }
  }
}

// Both values by hand: one step from theta = 1/2 is alpha + the share of each topic in the word.
TEST(Infer, EmIsTheFixedPoint) {
  const Model model = make_model({{3, 1}, {1, 3}}, {0.5, 1.5}, 1e-100);  // phi: 3/4 1/4; 1/4 3/4
  const Corpus corpus = make_corpus({{0, 0, 1}}, 2);
  const DocumentTopics once = infer(model, corpus, {.method = InferMethod::em, .em_steps = 1});
  // topic 0: 0.5 + 2 * 3/4 + 1/4 = 2.25; topic 1: 1.5 + 2 * 1/4 + 3/4 = 2.75
  EXPECT_NEAR(double{once.theta[0]}, 2.25 / 5, 1e-7);
  EXPECT_NEAR(double{once.theta[1]}, 2.75 / 5, 1e-7);
  const DocumentTopics often = infer(model, corpus, {.method = InferMethod::em, .em_steps = 300});
  const double t = double{often.theta[0]};
  const double first = 0.75 * t / (0.75 * t + 0.25 * (1 - t));
  const double second = 0.25 * t / (0.25 * t + 0.75 * (1 - t));
  EXPECT_NEAR((0.5 + 2 * first + second) / 5, t, 1e-6);
}

// Bits that every IEEE machine must give; other ones are another result for the same seed.
TEST(Infer, HasTheSameBitsEverywhere) {
  const Corpus corpus = make_corpus({{0, 0, 1, 3, 2}}, 4);
  const DocumentTopics gibbs = infer(tiny_model(), corpus, {.seed = 6});
  EXPECT_EQ(gibbs.theta, (std::vector<float>{0x1.357e16p-2f, 0x1.a44c6ap-2f, 0x1.26357ep-2f}));
  const DocumentTopics em = infer(tiny_model(), corpus, {.method = InferMethod::em});
  EXPECT_EQ(em.theta, (std::vector<float>{0x1.7def7ap-2f, 0x1.6ed7d2p-2f, 0x1.1338b4p-2f}));
}

TEST(Infer, WithoutKnownWordsGivesThePrior) {
  const Model model = tiny_model();
  Corpus corpus = make_corpus({{}, {0, 0}}, 1);
  corpus.vocabulary = {"unheard"};
  for (const InferMethod method : {InferMethod::gibbs, InferMethod::em}) {
    const DocumentTopics inferred = infer(model, corpus, {.method = method});
    EXPECT_EQ(inferred.known_tokens, 0);
    EXPECT_EQ(inferred.unknown_tokens, 2);
    EXPECT_EQ(inferred.unknown_words, 1);
    for (std::int64_t d = 0; d < 2; ++d) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(double{inferred.row(d)[k]}, model.alpha[k] / 1.7, 1e-7) << name(method);
      }
    }
  }
}

// Each row by its document alone: the other documents, their order and that of the words, the vocabulary's
// numbers and the threads change no bit.
TEST(Infer, IsAFunctionOfTheDocumentAlone) {
  const auto& [corpus, model] = trained();
  const auto documents = documents_of(corpus);
  for (const InferMethod method : {InferMethod::gibbs, InferMethod::em}) {
    const InferOptions options = {.method = method, .sweeps = 20, .burn_in = 5, .seed = 9, .threads = 1};
    const DocumentTopics all = infer(model, corpus, options);
    for (const int threads : {2, 7}) {
      InferOptions other = options;
      other.threads = threads;
      EXPECT_EQ(infer(model, corpus, other).theta, all.theta) << name(method);
    }
    for (const std::size_t d : {std::size_t{0}, std::size_t{17}, std::size_t{299}}) {
      std::vector<std::int32_t> backwards(documents[d].rbegin(), documents[d].rend());
      for (std::int32_t& w : backwards) w = 399 - w;
      Corpus other = make_corpus({{399}, backwards}, 400);
      other.vocabulary.assign(corpus.vocabulary.rbegin(), corpus.vocabulary.rend());
      const DocumentTopics alone = infer(model, other, options);
      EXPECT_TRUE(std::equal(alone.row(1), alone.row(1) + 7, all.row(static_cast<std::int64_t>(d)))) << name(method);
    }
  }
  InferOptions options = {.sweeps = 20, .burn_in = 5, .seed = 9};
  const DocumentTopics nine = infer(model, corpus, options);
  options.seed = 10;
  EXPECT_NE(infer(model, corpus, options).theta, nine.theta);
}

TEST(Infer, APreparedModelGivesTheSameBits) {
  const auto& [corpus, model] = trained();
  const Inference inference(model);
  Corpus other = corpus;
  other.vocabulary.assign(corpus.vocabulary.rbegin(), corpus.vocabulary.rend());
  other.vocabulary[3] = "unheard";
  CorpusView own = corpus;
  own.vocabulary = model.vocabulary;
  for (const InferMethod method : {InferMethod::gibbs, InferMethod::em}) {
    const InferOptions options = {.method = method, .sweeps = 20, .burn_in = 5, .seed = 9};
    for (const CorpusView& view : {corpus.view(), other.view(), own}) {
      const DocumentTopics expected = infer(model, view, options);
      const DocumentTopics found = inference.infer(view, options);
      EXPECT_EQ(found.theta, expected.theta) << name(method);
      EXPECT_EQ(found.document_tokens, expected.document_tokens);
      EXPECT_EQ(found.known_tokens, expected.known_tokens);
      EXPECT_EQ(found.unknown_tokens, expected.unknown_tokens);
      EXPECT_EQ(found.unknown_words, expected.unknown_words);
    }
  }
}

// A word of the model that was never counted is unknown in its own vocabulary too.
TEST(Infer, APreparedModelKnowsWhichOfItsOwnWordsItHasCounted) {
  Model model = make_model({{1, 0}, {0, 0}, {0, 3}, {2, 0}}, {1, 1}, 0.1);
  const Corpus corpus = make_corpus({{0, 1, 1, 2, 3}}, 4);
  CorpusView own = corpus;
  own.vocabulary = model.vocabulary;
  const DocumentTopics found = Inference(model).infer(own);
  EXPECT_EQ(found.unknown_words, 1);
  EXPECT_EQ(found.unknown_tokens, 2);
  EXPECT_EQ(found.known_tokens, 3);
  EXPECT_EQ(found.document_tokens, std::vector<std::int64_t>{3});
}

TEST(Infer, RowsSumToOneAndMethodsAgree) {
  const auto& [corpus, model] = trained();
  const DocumentTopics gibbs = infer(model, corpus);
  const DocumentTopics em = infer(model, corpus, {.method = InferMethod::em});
  int same_topic = 0;
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    for (const DocumentTopics* inferred : {&gibbs, &em}) {
      EXPECT_NEAR(std::accumulate(inferred->row(d), inferred->row(d) + 7, 0.0), 1, 1e-6);
    }
    same_topic += std::max_element(gibbs.row(d), gibbs.row(d) + 7) - gibbs.row(d) ==
                          std::max_element(em.row(d), em.row(d) + 7) - em.row(d)
                      ? 1
                      : 0;
  }
  EXPECT_GE(same_topic, 285);  // of 300: the others have two topics of nearly equal weight
}

TEST(Infer, RefusesWhatDoesNotFit) {
  const Model model = tiny_model();
  const Corpus corpus = make_corpus({{0}}, 4);
  EXPECT_THROW(infer(model, corpus, {.sweeps = 0, .burn_in = 0}), InvalidArgument);
  EXPECT_THROW(infer(model, corpus, {.sweeps = 5, .burn_in = 5}), InvalidArgument);
  EXPECT_THROW(infer(model, corpus, {.burn_in = -1}), InvalidArgument);
  EXPECT_THROW(infer(model, corpus, {.em_steps = 0}), InvalidArgument);
  EXPECT_THROW(infer(model, corpus, {.threads = -1}), InvalidArgument);
  EXPECT_THROW(complete_documents(model, corpus, {.em_steps = 0}), InvalidArgument);
  EXPECT_THROW(left_to_right(model, corpus, {.particles = 0}), InvalidArgument);
  Model broken = model;
  broken.alpha[1] = 1e-200;
  EXPECT_THROW(infer(broken, corpus), InvalidArgument);
  broken.alpha.pop_back();
  EXPECT_THROW(infer(broken, corpus), InvalidArgument);
  EXPECT_THROW(hold_out_every(corpus, 1), InvalidArgument);
}

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
