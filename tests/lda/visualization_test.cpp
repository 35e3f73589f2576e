#include "papilio/visualization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/models.h"
#include "lda/visualization/symmetric_eigen.h"
#include "lda/visualization/topic_plane.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

// Three topics over five words.
Model tiny_model() {
  return testing::make_model({{7, 1, 0}, {1, 6, 2}, {2, 1, 3}, {0, 1, 9}, {4, 0, 0}}, {0.1, 0.1, 0.1}, 0.2);
}

// A v = lambda v and orthonormal v, largest lambda first; of the matrix of all ones, whose eigenvalues are
// n and zeros, and of one with 1 and -1 as well as random ones.
TEST(SymmetricEigen, SolvesItsEquations) {
  std::mt19937 bits(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::size_t n : {1u, 2u, 3u, 20u, 61u}) {
    for (const bool ones : {false, true}) {
      std::vector<double> a(n * n, 1.0);
      for (std::size_t i = 0; i < n && !ones; ++i) {
        for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = n == 2 ? (i == j ? 0 : 1) : uniform(bits);
      }
      const lda::Eigen eigen = lda::eigen_of_symmetric(a, n);
      ASSERT_EQ(eigen.values.size(), n);
      EXPECT_TRUE(std::is_sorted(eigen.values.rbegin(), eigen.values.rend()));
      for (std::size_t e = 0; e < n; ++e) {
        const std::vector<double>& v = eigen.vectors[e];
        for (std::size_t i = 0; i < n; ++i) {
          const double product =
              std::inner_product(v.begin(), v.end(), a.begin() + static_cast<std::ptrdiff_t>(i * n), 0.0);
          EXPECT_NEAR(product, eigen.values[e] * v[i], 1e-12) << n;
        }
        for (std::size_t f = 0; f <= e; ++f) {
          const std::vector<double>& u = eigen.vectors[f];
          EXPECT_NEAR(std::inner_product(v.begin(), v.end(), u.begin(), 0.0), e == f ? 1 : 0, 1e-12) << n;
        }
      }
    }
  }
}

TEST(TopicPlane, FindsPointsByTheirDistances) {
  const std::vector<double> x = {3, -1, 0, 2, -4, 0.5}, y = {0.5, 1, -2, 0.25, -0.5, 0.75};
  const std::size_t n = x.size();
  std::vector<double> distances(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) distances[i * n + j] = std::hypot(x[i] - x[j], y[i] - y[j]);
  }
  const lda::TopicPlane plane = lda::scale_to_plane(distances, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_NEAR(std::hypot(plane.x[i] - plane.x[j], plane.y[i] - plane.y[j]), distances[i * n + j], 1e-12);
    }
  }
  EXPECT_NEAR(std::accumulate(plane.x.begin(), plane.x.end(), 0.0), 0, 1e-12);
  const auto [least, most] = std::minmax_element(plane.x.begin(), plane.x.end());
  EXPECT_GT(*most, -*least);

  const lda::TopicPlane one_place = lda::scale_to_plane(std::vector<double>(9, 0.0), 3);
  EXPECT_EQ(one_place.x, std::vector<double>(3, 0.0));
  EXPECT_EQ(one_place.y, std::vector<double>(3, 0.0));
  EXPECT_EQ(lda::scale_to_plane({0}, 1).x, std::vector<double>{0});
}

// From the definition, over all words.
TEST(TopicPlane, MeasuresJensenAndShannonsDivergence) {
  const Model model = tiny_model();
  const std::vector<double> found = lda::topic_divergences(model, 2);
  for (std::int32_t i = 0; i < 3; ++i) {
    for (std::int32_t j = 0; j < 3; ++j) {
      double expected = 0;
      for (std::int64_t w = 0; w < 5; ++w) {
        const double p = model.phi(w, i), q = model.phi(w, j), m = (p + q) / 2;
        expected += (p * std::log(p / m) + q * std::log(q / m)) / 2;
      }
      EXPECT_NEAR(found[static_cast<std::size_t>(3 * i + j)], expected, 1e-15);
    }
  }
}

struct ExpectedBar {
  const char* word;
  double frequency, total, log_probability, log_lift;
};

// What pyLDAvis 3.4.1 gives for this model: prepare(phi, identity, n_k, words, R=3, lambda_step=0.5).
TEST(Ldavis, GivesWhatPyldavisGives) {
  const LdavisData data = prepare_ldavis(tiny_model(), {.terms = 3, .lambda_step = 0.5});
  EXPECT_EQ(data.terms, 3);
  ASSERT_EQ(data.topics.size(), 3u);
  const double x[] = {0.2182385446908975, -0.18931919593758983, -0.028919348753307723};  // of the other sign there
  const double y[] = {-0.02961173133025539, -0.04562830492234332, 0.07524003625259879};
  const double percent[] = {37.83783783783784, 37.83783783783784, 24.324324324324326};
  const std::int32_t order[] = {0, 2, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(data.topics[i].topic, order[i]);
    EXPECT_NEAR(data.topics[i].x, x[i], 1e-14);
    EXPECT_NEAR(data.topics[i].y, y[i], 1e-14);
    EXPECT_NEAR(data.topics[i].percent, percent[i], 1e-12);
  }
  const ExpectedBar bars[] = {{"w3", 9, 9, 3, 3},
                              {"w1", 8, 8, 2, 2},
                              {"w0", 7, 7, 1, 1},
                              {"w4", 3.92, 4.286666666666667, -1.273, 0.8824},
                              {"w0", 6.72, 7.986666666666667, -0.734, 0.7992},
                              {"w2", 2.0533333333333332, 6.12, -1.9196, -0.1202},
                              {"w3", 8.586666666666666, 9.853333333333333, -0.4888, 0.8343},
                              {"w2", 2.986666666666667, 6.12, -1.5449, 0.2545},
                              {"w1", 2.0533333333333332, 8.753333333333334, -1.9196, -0.4781},
                              {"w1", 5.58, 8.753333333333334, -0.478, 0.9634},
                              {"w2", 1.08, 6.12, -2.1203, -0.3209},
                              {"w0", 1.08, 7.986666666666667, -2.1203, -0.5871}};
  ASSERT_EQ(data.bars.size(), std::size(bars));
  for (std::size_t i = 0; i < std::size(bars); ++i) {
    EXPECT_EQ(data.bars[i].place, static_cast<std::int32_t>(i / 3) - 1);
    EXPECT_EQ(data.words[static_cast<std::size_t>(data.bars[i].word)], bars[i].word);
    EXPECT_NEAR(data.bars[i].frequency, bars[i].frequency, 1e-12);
    EXPECT_NEAR(data.bars[i].total, bars[i].total, 1e-12);
    EXPECT_EQ(data.bars[i].log_probability, bars[i].log_probability);
    EXPECT_EQ(data.bars[i].log_lift, bars[i].log_lift);
  }
  const LdavisShare shares[] = {{0, 0, 0.8764607679465776},  {2, 0, 0.12520868113522537}, {0, 1, 0.11424219345011423},
                                {1, 1, 0.22848438690022846}, {2, 1, 0.6854531607006854},  {0, 2, 0.32679738562091504},
                                {1, 2, 0.49019607843137253}, {2, 2, 0.16339869281045752}, {1, 3, 0.9133964817320703},
                                {2, 3, 0.10148849797023003}, {0, 4, 0.9331259720062207}};
  ASSERT_EQ(data.shares.size(), std::size(shares));
  for (std::size_t i = 0; i < std::size(shares); ++i) {
    EXPECT_EQ(data.shares[i].place, shares[i].place);
    EXPECT_EQ(data.shares[i].word, shares[i].word);
    EXPECT_NEAR(data.shares[i].share, shares[i].share, 1e-14);
  }
}

TEST(Ldavis, TakesOtherTokensAndTheModelsOrder) {
  const std::vector<double> tokens = {1, 5, 0};
  const LdavisData data = prepare_ldavis(tiny_model(), tokens, {.terms = 50, .lambda_step = 1, .sort_topics = false});
  EXPECT_EQ(data.terms, 5);  // there are no more words
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(data.topics[k].topic, static_cast<std::int32_t>(k));
    EXPECT_NEAR(data.topics[k].percent, 100 * tokens[k] / 6, 1e-12);
  }
  for (const LdavisTerm& bar : data.bars) EXPECT_TRUE(std::isfinite(bar.frequency) && std::isfinite(bar.log_lift));
  EXPECT_EQ(data.bars.size(), 20u);
  EXPECT_EQ(prepare_ldavis(tiny_model(), tokens, {.terms = 50, .lambda_step = 1, .sort_topics = false, .threads = 1})
                .to_json(),
            data.to_json());
}

TEST(Ldavis, AddsUpTheTokensOfDocuments) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  const Model model = train(generated.corpus, {.topics = 5, .sweeps = 20, .evaluate_every = 0}).model;
  const std::vector<double> tokens = expected_topic_tokens(model, generated.corpus, 1);
  const DocumentTopics theta = infer(model, generated.corpus, {.seed = 1});
  for (std::size_t k = 0; k < 5; ++k) {
    double expected = 0;
    for (std::size_t d = 0; d + 1 < generated.corpus.document_offsets.size(); ++d) {
      expected += static_cast<double>(generated.corpus.document_offsets[d + 1] - generated.corpus.document_offsets[d]) *
                  double{theta.row(static_cast<std::int64_t>(d))[k]};
    }
    EXPECT_NEAR(tokens[k], expected, 1e-6);
  }
}

TEST(Ldavis, QuotesWords) {
  Model model = tiny_model();
  model.vocabulary = {"\"", "\\", "\n\x01", "caf\u00e9", "x"};
  const std::string json = prepare_ldavis(model).to_json();
  for (const char* quoted : {R"("\"")", R"("\\")", R"("\u000a\u0001")", "\"caf\u00e9\""}) {
    EXPECT_NE(json.find(quoted), std::string::npos) << quoted;
  }
}

TEST(Ldavis, RefusesWhatDoesNotFit) {
  const Model model = tiny_model();
  EXPECT_THROW(prepare_ldavis(model, {.terms = 0}), InvalidArgument);
  EXPECT_THROW(prepare_ldavis(model, {.lambda_step = 0}), InvalidArgument);
  EXPECT_THROW(prepare_ldavis(model, {.lambda_step = 1.5}), InvalidArgument);
  EXPECT_THROW(prepare_ldavis(model, std::vector<double>{1, 2}), InvalidArgument);
  EXPECT_THROW(prepare_ldavis(model, std::vector<double>{1, -2, 1}), InvalidArgument);
  EXPECT_THROW(prepare_ldavis(model, std::vector<double>{0, 0, 0}), InvalidArgument);
  EXPECT_THROW(prepare_ldavis(model, std::vector<double>{0, NAN, 1}), InvalidArgument);
}

}  // namespace
}  // namespace papilio
