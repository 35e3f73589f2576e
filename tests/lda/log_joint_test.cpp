#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>

#include "lda/corpora.h"
#include "lda/evaluation/log_joint_terms.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

// The same likelihood by the chain rule: each token's topic and word from the
// predictive probabilities given all tokens before it. No gamma function.
double log_joint_by_prediction(const Corpus& corpus, const std::vector<std::int32_t>& z,
                               const std::vector<double>& alpha, double beta) {
  const auto words = static_cast<double>(corpus.vocabulary_size());
  const double alpha_sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  std::map<std::pair<std::int32_t, std::int32_t>, double> n_wk;
  std::map<std::int32_t, double> n_k;
  double sum = 0;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    std::map<std::int32_t, double> n_dk;
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t k = z[i];
      const std::pair wk(corpus.words[i], k);
      sum += std::log((n_dk[k] + alpha.at(static_cast<std::size_t>(k))) / (static_cast<double>(i - begin) + alpha_sum));
      sum += std::log((n_wk[wk] + beta) / (n_k[k] + words * beta));
      ++n_dk[k];
      ++n_wk[wk];
      ++n_k[k];
    }
  }
  return sum;
}

double log_joint_by_prediction(const Corpus& corpus, const std::vector<std::int32_t>& z, int topics, double alpha,
                               double beta) {
  return log_joint_by_prediction(corpus, z, std::vector<double>(static_cast<std::size_t>(topics), alpha), beta);
}

using Z = std::vector<std::int32_t>;
using Alpha = std::vector<double>;

TEST(LogJoint, IsTheProductOfThePredictiveProbabilities) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  const auto tokens = static_cast<double>(generated.corpus.tokens());
  for (const auto& [alpha, beta] : {std::pair(0.1, 0.01), std::pair(1.0, 0.1), std::pair(3.7, 20.0)}) {
    const double expected = log_joint_by_prediction(generated.corpus, generated.topics, 9, alpha, beta);
    EXPECT_NEAR(log_joint(generated.corpus, generated.topics, 9, alpha, beta) / tokens, expected / tokens, 1e-11);
  }
}

TEST(LogJoint, TakesAPriorForEachTopic) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  const auto tokens = static_cast<double>(generated.corpus.tokens());
  const std::vector<double> alpha = {0.01, 3.5, 0.2, 1e-5, 40.0, 0.1, 1.0, 0.1, 0.1};
  const double expected = log_joint_by_prediction(generated.corpus, generated.topics, alpha, 0.05);
  EXPECT_NEAR(log_joint(generated.corpus, generated.topics, alpha, 0.05) / tokens, expected / tokens, 1e-11);
  EXPECT_EQ(log_joint(generated.corpus, generated.topics, alpha, 0.05, 7),
            log_joint(generated.corpus, generated.topics, alpha, 0.05, 1));
}

TEST(LogJoint, IsTheSameForOnePriorAndForEqualOnes) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  EXPECT_EQ(log_joint(generated.corpus, generated.topics, std::vector<double>(7, 0.1), 0.01),
            log_joint(generated.corpus, generated.topics, 7, 0.1, 0.01));
}

TEST(LogGammaRise, TabulatesByTopic) {
  const lda::LogGammaRise rise({0.5, 2.0, 0.1}, 30, 5);
  ASSERT_EQ(rise.tabulated(), 5);
  ASSERT_EQ(rise.topic_stride(), 5);
  ASSERT_EQ(rise.table().size(), 15u);
  for (int k = 0; k < 3; ++k) {
    const lda::LogGammaRise alone(std::vector<double>{0.5, 2.0, 0.1}[static_cast<std::size_t>(k)], 30);
    for (int n = 0; n < 9; ++n) {
      EXPECT_EQ(rise(n, k), alone(n));
    }
    for (int n = 0; n < 5; ++n) {
      EXPECT_EQ(rise.table()[static_cast<std::size_t>(k * 5 + n)], alone(n));
    }
  }
}

TEST(LogGammaRise, OfEqualPriorsHasOneTable) {
  const lda::LogGammaRise rise({0.5, 0.5, 0.5}, 30, 5);
  EXPECT_EQ(rise.topic_stride(), 0);
  EXPECT_EQ(rise.table(), lda::LogGammaRise(0.5, 30, 5).table());
  EXPECT_EQ(rise(7, 2), lda::LogGammaRise(0.5, 30)(7));
}

TEST(LogJoint, OfOneTokenIsOneOverTopicsTimesWords) {
  const Corpus corpus = testing::make_corpus({{}, {3}, {}}, 5);
  EXPECT_NEAR(log_joint(corpus, Z{1}, 4, 0.3, 0.7), -std::log(4 * 5), 1e-13);
}

// Topics with more tokens than the table of small counts holds.
TEST(LogJoint, HoldsForLargeCounts) {
  const Corpus corpus = testing::make_corpus({std::vector<std::int32_t>(5000, 0), {1, 0}}, 2);
  const std::vector<std::int32_t> z(5002, 1);
  const double expected = log_joint_by_prediction(corpus, z, 2, 0.5, 0.25);
  EXPECT_NEAR(log_joint(corpus, z, 2, 0.5, 0.25), expected, 1e-9);
}

TEST(LogJoint, IsTheSameForAnyNumberOfThreads) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  const double one = log_joint(generated.corpus, generated.topics, 7, 0.1, 0.01, 1);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(log_joint(generated.corpus, generated.topics, 7, 0.1, 0.01, threads), one);
  }
}

// The sum is one of integers: the order of the documents does not enter.
TEST(LogJoint, IsTheSameForAnyOrderOfDocuments) {
  const GeneratedCorpus generated = testing::small_generated_corpus();
  const Corpus& corpus = generated.corpus;
  std::vector<std::vector<std::int32_t>> documents;
  std::vector<std::int32_t> z;
  for (auto d = static_cast<std::ptrdiff_t>(corpus.documents()) - 1; d >= 0; --d) {
    const auto begin = corpus.document_offsets[static_cast<std::size_t>(d)];
    const auto end = corpus.document_offsets[static_cast<std::size_t>(d) + 1];
    documents.emplace_back(corpus.words.begin() + begin, corpus.words.begin() + end);
    z.insert(z.end(), generated.topics.begin() + begin, generated.topics.begin() + end);
  }
  const Corpus reversed = testing::make_corpus(documents, static_cast<int>(corpus.vocabulary_size()));
  EXPECT_EQ(log_joint(reversed, z, 7, 0.1, 0.01), log_joint(corpus, generated.topics, 7, 0.1, 0.01));
}

TEST(LogJoint, RefusesWhatDoesNotFit) {
  const Corpus corpus = testing::make_corpus({{0, 1}}, 2);
  EXPECT_THROW(log_joint(corpus, Z{0}, 2, 0.1, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 2}, 2, 0.1, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, -1}, 2, 0.1, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 1}, 2, 0.0, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 1}, 2, 0.1, NAN), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 1}, 2, 1e7, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{}, 0, 0.1, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 1}, std::vector<double>{0.1, -0.1}, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 2}, std::vector<double>{0.1, 0.1}, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(corpus, Z{0, 1}, std::vector<double>{}, 0.1), InvalidArgument);
}

// Two documents, three words, two topics.
struct FewCounts {
  std::vector<std::int64_t> offsets = {0, 2, 3};
  std::vector<std::int32_t> topics = {1, 0, 1};
  std::vector<std::int32_t> n_dk = {2, 1, 3};
  std::vector<std::int32_t> n_wk = {1, 0, 0, 4, 0, 1};
  std::vector<std::int64_t> n_k = {1, 5};

  TopicCounts view() const { return {offsets, topics, n_dk, n_wk, n_k}; }
};

TEST(LogJointOfCounts, IsThatOfTheirTokens) {
  const Corpus corpus = testing::make_corpus({{1, 0, 1}, {2, 1, 1}}, 3);
  const std::vector<std::int32_t> z = {1, 0, 1, 1, 1, 1};
  EXPECT_EQ(FewCounts().view().tokens(), 6);
  EXPECT_EQ(log_joint(FewCounts().view(), Alpha{0.3, 0.7}, 0.2),
            log_joint(corpus, z, std::vector<double>{0.3, 0.7}, 0.2));
  EXPECT_EQ(log_joint(FewCounts().view(), Alpha{0.3, 0.3}, 0.2), log_joint(corpus, z, 2, 0.3, 0.2));
}

TEST(LogJointOfCounts, RefusesWhatDoesNotFit) {
  const auto refuses = [](const std::function<void(FewCounts&)>& damage) {
    FewCounts counts;
    damage(counts);
    EXPECT_THROW(log_joint(counts.view(), std::vector<double>(counts.n_k.size(), 0.1), 0.1), InvalidArgument);
  };
  refuses([](FewCounts& counts) { counts.offsets.clear(); });
  refuses([](FewCounts& counts) { counts.offsets[0] = 1; });
  refuses([](FewCounts& counts) { counts.offsets[1] = 4; });
  refuses([](FewCounts& counts) { counts.offsets[1] = -1; });
  refuses([](FewCounts& counts) { counts.offsets[2] = 2; });
  refuses([](FewCounts& counts) { counts.topics[2] = 2; });
  refuses([](FewCounts& counts) { counts.topics[2] = -1; });
  refuses([](FewCounts& counts) { counts.topics.pop_back(); });
  refuses([](FewCounts& counts) { counts.topics[0] = 0; });
  refuses([](FewCounts& counts) { counts.n_dk = {6, 1, -1}; });
  refuses([](FewCounts& counts) { counts.n_dk[0] = 3; });
  refuses([](FewCounts& counts) { counts.n_wk.pop_back(); });
  refuses([](FewCounts& counts) { counts.n_wk = {1, -1, 0, 5, 0, 1}; });
  refuses([](FewCounts& counts) { counts.n_wk[0] = 0; });
  refuses([](FewCounts& counts) { counts.n_k[1] = 4; });
  refuses([](FewCounts& counts) { counts.n_k.clear(); });
  EXPECT_THROW(log_joint(FewCounts().view(), Alpha{0.1}, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(FewCounts().view(), Alpha{0.1, 0.0}, 0.1), InvalidArgument);
  EXPECT_THROW(log_joint(FewCounts().view(), Alpha{0.1, 0.1}, NAN), InvalidArgument);
}

// Rows of counts by number, as GraphLab writes them: a number, then one count per topic.
std::map<int, std::vector<int>> read_counts(const std::filesystem::path& folder, const std::string& name) {
  std::map<int, std::vector<int>> rows;
  for (const char* part : {".1_of_2", ".2_of_2"}) {
    std::ifstream file(folder / (name + part));
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      int row = 0;
      fields >> row;
      for (int count = 0; fields >> count;) {
        rows[row].push_back(count);
      }
    }
  }
  return rows;
}

// Where GraphLab's counts lie; nothing where they are not there.
std::optional<std::filesystem::path> graphlab_folder() {
  const char* data = std::getenv("PAPILIO_DATA");
  if (data == nullptr) {
    return std::nullopt;
  }
  const std::filesystem::path folder = std::filesystem::path(data) / "reference" / "kos-graphlab-k50";
  return std::filesystem::exists(folder) ? std::optional(folder) : std::nullopt;
}

// What GraphLab printed for the final state of its sampler on the KOS corpus, K = 50.
constexpr double likelihood_by_graphlab = -4113179.90;

// Its counts do not say which word of a document has which topic, nor does the likelihood
// ask: any corpus with these counts will do.
TEST(LogJoint, AgreesWithGraphLabOnKos) {
  const auto folder = graphlab_folder();
  if (!folder) {
    GTEST_SKIP() << "PAPILIO_DATA does not name a folder with reference/kos-graphlab-k50";
  }
  constexpr std::int32_t topics = 50;
  std::vector<std::vector<std::int32_t>> words_of_topic(topics);
  const auto word_counts = read_counts(*folder, "word_counts");
  for (const auto& [word, counts] : word_counts) {
    for (std::size_t k = 0; k < counts.size(); ++k) {
      words_of_topic.at(k).insert(words_of_topic[k].end(), static_cast<std::size_t>(counts[k]), word);
    }
  }
  std::vector<std::vector<std::int32_t>> documents;
  std::vector<std::int32_t> z;
  for (const auto& [document, counts] : read_counts(*folder, "doc_counts")) {
    documents.emplace_back();
    for (std::size_t k = 0; k < counts.size(); ++k) {
      for (int i = 0; i < counts[k]; ++i) {
        ASSERT_FALSE(words_of_topic[k].empty());
        documents.back().push_back(words_of_topic[k].back());
        words_of_topic[k].pop_back();
        z.push_back(static_cast<std::int32_t>(k));
      }
    }
  }
  ASSERT_EQ(z.size(), 467714u);
  const Corpus corpus = testing::make_corpus(documents, static_cast<int>(word_counts.size()));
  EXPECT_NEAR(log_joint(corpus, z, topics, 1.0, 0.1), likelihood_by_graphlab, 0.005);
}

// What loglikelihood() of the Python package lda (3.0.2) says of the topics that it begins with, token i having
// topic i mod K, on its own Reuters corpus (alpha 0.1, eta 0.01). It adds up in double by another lgamma.
TEST(LogJoint, AgreesWithThePackageLdaOnReuters) {
  const char* data = std::getenv("PAPILIO_DATA");
  const auto folder = std::filesystem::path(data == nullptr ? "" : data) / "reuters-lda";
  if (data == nullptr || !std::filesystem::exists(folder)) {
    GTEST_SKIP() << "PAPILIO_DATA does not name a folder with reuters-lda";
  }
  const Corpus corpus = read_uci_bag_of_words(folder / "docword.reuters-lda.txt", folder / "vocab.reuters-lda.txt");
  ASSERT_EQ(corpus.tokens(), 84010);
  std::vector<std::int32_t> z(corpus.words.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = static_cast<std::int32_t>(i % 20);
  EXPECT_NEAR(log_joint(corpus, z, 20, 0.1, 0.01), -1051747.546865, 1e-4);
}

TEST(LogJointOfCounts, AgreesWithGraphLabOnKos) {
  const auto folder = graphlab_folder();
  if (!folder) {
    GTEST_SKIP() << "PAPILIO_DATA does not name a folder with reference/kos-graphlab-k50";
  }
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> document_topics;
  std::vector<std::int32_t> n_dk;
  for (const auto& [document, counts] : read_counts(*folder, "doc_counts")) {
    for (std::size_t k = 0; k < counts.size(); ++k) {
      document_topics.push_back(static_cast<std::int32_t>(k));
      n_dk.push_back(counts[k]);
    }
    offsets.push_back(static_cast<std::int64_t>(n_dk.size()));
  }
  std::vector<std::int32_t> n_wk;
  std::vector<std::int64_t> n_k(50);
  for (const auto& [word, counts] : read_counts(*folder, "word_counts")) {
    ASSERT_EQ(counts.size(), n_k.size());
    n_wk.insert(n_wk.end(), counts.begin(), counts.end());
    for (std::size_t k = 0; k < counts.size(); ++k) n_k[k] += counts[k];
  }
  const TopicCounts counts = {offsets, document_topics, n_dk, n_wk, n_k};
  EXPECT_EQ(counts.tokens(), 467714);
  EXPECT_NEAR(log_joint(counts, std::vector<double>(50, 1.0), 0.1), likelihood_by_graphlab, 0.005);
}

}  // namespace
}  // namespace papilio
