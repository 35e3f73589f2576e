#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "lda/small_models.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using testing::documents_of;
using testing::enumerate;
using testing::Exact;
using testing::make_corpus;
using testing::make_model;
using testing::phi;
using testing::tiny_model;
using testing::trained;

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

TEST(Infer, RefusesTextsForAModelOfNumberedColumns) {
  Model model = make_model({{1, 0}, {0, 2}, {0, 3}}, {1, 1}, 0.1);
  Corpus text = make_corpus({{0, 1}, {}}, 2);
  text.vocabulary = {"cats", "purr"};
  EXPECT_NO_THROW(infer(model, text));  // of a model with words none is known: the prior
  for (const int first : {0, 1}) {
    for (int w = 0; w < 3; ++w) model.vocabulary[static_cast<std::size_t>(w)] = std::to_string(first + w);
    for (const InferMethod method : {InferMethod::gibbs, InferMethod::em}) {
      EXPECT_THROW(infer(model, text, {.method = method}), InvalidArgument);
      EXPECT_THROW(Inference(model).infer(text, {.method = method}), InvalidArgument);
    }
    EXPECT_NO_THROW(unknown_words(model, text));
    Corpus counts = text;
    counts.vocabulary = {"0", "1"};
    EXPECT_NO_THROW(infer(model, counts));
    counts.vocabulary = {"cats", "2"};  // one of them is known
    EXPECT_NO_THROW(infer(model, counts));
    EXPECT_NO_THROW(infer(model, make_corpus({{}}, 0)));
    Model of_one_word = make_model({{1, 1}}, {1, 1}, 0.1);
    of_one_word.vocabulary = {std::to_string(first)};
    EXPECT_NO_THROW(infer(of_one_word, text));
  }
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

}  // namespace
}  // namespace papilio
