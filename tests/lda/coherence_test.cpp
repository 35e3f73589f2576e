#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "lda/corpora.h"
#include "lda/models.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"

namespace papilio {
namespace {

using testing::make_corpus;
using testing::make_model;

// Topic 0: words 0, 1, 2 by probability; topic 1: words 3, 2.
Model two_topics() { return make_model({{9, 0}, {5, 0}, {2, 4}, {0, 6}, {0, 0}}, {1, 1}, 0.1); }

TEST(Coherence, UmassByHand) {
  // D(0) = 3, D(1) = 2, D(2) = 2, D(3) = 1; D(0,1) = 2, D(0,2) = 1, D(1,2) = 1, D(2,3) = 1
  const Corpus corpus = make_corpus({{0, 0, 1}, {0, 4}, {}, {2, 3, 3}, {0, 1, 2}}, 5);
  const Coherence umass = coherence(two_topics(), corpus, {.measure = CoherenceMeasure::umass, .top_words = 3});
  ASSERT_EQ(umass.topics.size(), 2u);
  EXPECT_NEAR(umass.topics[0], (std::log(3.0 / 3) + std::log(2.0 / 3) + std::log(2.0 / 2)) / 3, 1e-15);
  EXPECT_NEAR(umass.topics[1], std::log(2.0 / 1), 1e-15);
  EXPECT_NEAR(umass.mean, (umass.topics[0] + umass.topics[1]) / 2, 1e-15);
  EXPECT_EQ(umass.windows, 4);
  EXPECT_EQ(umass.window, 0);
  EXPECT_EQ(umass.missing_words, 0);
}

double npmi(double together, double a, double b, double windows) {
  const double p = together / windows + 1e-12;
  return std::log(p / (a / windows * b / windows)) / -std::log(p);
}

TEST(Coherence, NpmiByHand) {
  // Windows of two: 01 12 24, 33 32, 0.
  const Corpus corpus = make_corpus({{0, 1, 2, 4}, {3, 3, 2}, {0}, {}}, 5);
  const Coherence result = coherence(two_topics(), corpus, {.top_words = 3, .window = 2});
  EXPECT_EQ(result.windows, 6);
  EXPECT_EQ(result.window, 2);
  // P(0) = 2, P(1) = 2, P(2) = 3, P(3) = 2; together 01: 1, 02: 0, 12: 1, 32: 1, of 6
  EXPECT_NEAR(result.topics[0], (npmi(1, 2, 2, 6) + npmi(0, 2, 3, 6) + npmi(1, 2, 3, 6)) / 3, 1e-14);
  EXPECT_NEAR(result.topics[1], npmi(1, 2, 3, 6), 1e-14);
}

TEST(Coherence, NpmiOfWordsThatAreAlwaysTogetherIsOne) {
  const Corpus corpus = make_corpus({{0, 1, 2, 3}, {4}}, 5);
  EXPECT_NEAR(coherence(two_topics(), corpus, {.top_words = 2}).mean, 1, 1e-11);
  const Corpus everywhere = make_corpus({{0, 1, 2, 3}}, 5);
  EXPECT_EQ(coherence(two_topics(), everywhere, {.top_words = 2}).mean, 1);
}

TEST(Coherence, CvByHand) {
  const Corpus corpus = make_corpus({{0, 1, 2, 4}, {3, 3, 2}, {0}, {}}, 5);
  const Coherence result =
      coherence(two_topics(), corpus, {.measure = CoherenceMeasure::c_v, .top_words = 3, .window = 2});
  const double self_2 = npmi(2, 2, 2, 6);
  const double self_3 = npmi(3, 3, 3, 6);
  const std::vector<std::vector<double>> vectors = {{self_2, npmi(1, 2, 2, 6), npmi(0, 2, 3, 6)},
                                                    {npmi(1, 2, 2, 6), self_2, npmi(1, 2, 3, 6)},
                                                    {npmi(0, 2, 3, 6), npmi(1, 2, 3, 6), self_3}};
  double cosines = 0;
  for (const auto& v : vectors) {
    double product = 0;
    double squares_v = 0;
    double squares_sum = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      const double sum = vectors[0][j] + vectors[1][j] + vectors[2][j];
      product += v[j] * sum;
      squares_v += v[j] * v[j];
      squares_sum += sum * sum;
    }
    cosines += product / std::sqrt(squares_v * squares_sum);
  }
  EXPECT_NEAR(result.topics[0], cosines / 3, 1e-13);
  const Coherence usual = coherence(two_topics(), corpus, {.measure = CoherenceMeasure::c_v});
  EXPECT_EQ(usual.window, 110);
  EXPECT_EQ(usual.windows, 3);
}

TEST(Coherence, LeavesOutWordsThatTheCorpusDoesNotHold) {
  Corpus corpus = make_corpus({{0, 1}, {0}, {3}}, 5);
  corpus.vocabulary[2] = "other";
  const Coherence result = coherence(two_topics(), corpus, {.measure = CoherenceMeasure::umass});
  EXPECT_NEAR(result.topics[0], std::log(2.0 / 2), 1e-15);
  EXPECT_TRUE(std::isnan(result.topics[1]));
  EXPECT_NEAR(result.mean, result.topics[0], 1e-15);
  EXPECT_EQ(result.missing_words, 2);
  EXPECT_TRUE(std::isnan(coherence(two_topics(), make_corpus({{}}, 1)).mean));
}

// The same counts by looking at every window.
TEST(Coherence, CountsWindowsAsOneByOneDoes) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  std::vector<std::vector<std::int32_t>> n_wk(400, std::vector<std::int32_t>(2));
  for (std::int32_t w = 0; w < 8; ++w) n_wk[static_cast<std::size_t>(w)] = {20 - w, w + 1};
  Model model = make_model(n_wk, {1, 1}, 0.1);
  model.vocabulary = corpus.vocabulary;
  for (const int window : {1, 3, 10, 50}) {
    std::vector<std::vector<double>> pairs(8, std::vector<double>(8));
    double windows = 0;
    for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
      const auto begin = corpus.document_offsets[d];
      const auto end = corpus.document_offsets[d + 1];
      for (auto first = begin; first == begin || first + window <= end; ++first) {
        std::set<std::int32_t> present(corpus.words.begin() + first,
                                       corpus.words.begin() + std::min(first + window, end));
        ++windows;
        for (std::size_t i = 0; i < 8; ++i) {
          for (std::size_t j = 0; j < 8; ++j) {
            pairs[i][j] += present.count(static_cast<int>(i)) * present.count(static_cast<int>(j)) > 0 ? 1 : 0;
          }
        }
      }
    }
    double expected = 0;
    for (std::size_t j = 1; j < 8; ++j) {
      for (std::size_t i = 0; i < j; ++i) expected += npmi(pairs[i][j], pairs[i][i], pairs[j][j], windows) / 28;
    }
    for (const int threads : {1, 3}) {
      const Coherence result = coherence(model, corpus, {.top_words = 8, .window = window, .threads = threads});
      EXPECT_EQ(static_cast<double>(result.windows), windows);
      EXPECT_NEAR(result.topics[0], expected, 1e-12) << window;
      EXPECT_NEAR(result.topics[1], expected, 1e-12) << window;  // the same words in another order
    }
  }
}

TEST(Coherence, RefusesOptionsOutOfRange) {
  const Corpus corpus = make_corpus({{0}}, 5);
  EXPECT_THROW(coherence(two_topics(), corpus, {.top_words = 1}), InvalidArgument);
  EXPECT_THROW(coherence(two_topics(), corpus, {.window = -1}), InvalidArgument);
  EXPECT_THROW(coherence(two_topics(), corpus, {.measure = CoherenceMeasure::umass, .window = 5}), InvalidArgument);
}

TEST(Diversity, IsTheShareOfDistinctWords) {
  EXPECT_EQ(diversity(two_topics()), 4.0 / 5);  // 0, 1, 2 and 3, 2
  EXPECT_EQ(diversity(two_topics(), 2), 1.0);   // 0, 1 and 3, 2
  EXPECT_EQ(diversity(make_model({{1, 1}, {1, 1}}, {1, 1}, 0.1)), 0.5);
  EXPECT_THROW(diversity(two_topics(), 0), InvalidArgument);
}

}  // namespace
}  // namespace papilio
