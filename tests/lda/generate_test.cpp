#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "papilio/corpus.h"
#include "papilio/error.h"
#include "random/elementary.h"
#include "support/chi_square.h"

namespace papilio {
namespace {

double units_in_the_last_place(double value, double expected) {
  return std::abs(value - expected) / (std::nextafter(std::abs(expected), INFINITY) - std::abs(expected));
}

TEST(NaturalLogOverItsRange, IsWithinTwoUnits) {
  for (double x = 1e-300; x < 1e300; x *= 1.0137) {
    EXPECT_LE(units_in_the_last_place(random::natural_log(x), std::log(x)), 2) << x;
  }
  for (double x = 0.5; x < 2; x += 0.00037) {
    EXPECT_NEAR(random::natural_log(x), std::log(x), std::max(0x1p-53, std::abs(std::log(x)) * 0x1p-51)) << x;
  }
  EXPECT_EQ(random::natural_log(1), 0);
}

TEST(ExponentialOverItsRange, IsWithinTwoUnits) {
  for (double x = -708; x < 700; x += 0.0917) {
    EXPECT_LE(units_in_the_last_place(random::exponential(x), std::exp(x)), 2) << x;
  }
  EXPECT_EQ(random::exponential(0), 1);
  EXPECT_EQ(random::exponential(-709), 0);
}

// Bits that every IEEE machine must give.
TEST(ElementaryFunctions, HasTheSameBitsEverywhere) {
  std::uint64_t logs = 0;
  std::uint64_t exponentials = 0;
  for (int i = 1; i <= 1000; ++i) {
    logs = std::rotl(logs, 1) ^ std::bit_cast<std::uint64_t>(random::natural_log(0.37 * i));
    exponentials = std::rotl(exponentials, 1) ^ std::bit_cast<std::uint64_t>(random::exponential(-0.37 * i));
  }
  EXPECT_EQ(logs, 5433959077479897537u);
  EXPECT_EQ(exponentials, 8932760189200115773u);
}

const GenerateOptions options = {.documents = 4000, .vocabulary = 300, .topics = 6, .mean_length = 25, .seed = 8};

const GeneratedCorpus& generated() {
  static const GeneratedCorpus corpus = generate_corpus(options);
  return corpus;
}

TEST(GenerateCorpus, IsWellFormed) {
  generated().corpus.verify();
  EXPECT_EQ(generated().corpus.documents(), 4000);
  EXPECT_EQ(generated().corpus.vocabulary_size(), 300);
  EXPECT_EQ(generated().corpus.vocabulary[0], "xaa");
  EXPECT_EQ(generated().corpus.vocabulary[27], "xbb");
  ASSERT_EQ(generated().topics.size(), generated().corpus.words.size());
  for (const std::int32_t k : generated().topics) {
    ASSERT_TRUE(0 <= k && k < 6);
  }
  for (std::size_t k = 0; k < 6; ++k) {
    double sum = 0;
    for (std::size_t w = 0; w < 300; ++w) {
      sum += double{generated().phi[k * 300 + w]};
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(GenerateCorpus, LengthsArePoisson) {
  double sum = 0;
  double squares = 0;
  for (std::size_t d = 0; d < 4000; ++d) {
    const auto length =
        static_cast<double>(generated().corpus.document_offsets[d + 1] - generated().corpus.document_offsets[d]);
    EXPECT_GE(length, 1);
    sum += length;
    squares += length * length;
  }
  const double mean = sum / 4000;
  EXPECT_NEAR(mean, 25, 4 * 5 / std::sqrt(4000));                                  // four standard errors
  EXPECT_NEAR(squares / 4000 - mean * mean, 25, 4 * 25 * std::sqrt(2.04 / 4000));  // 2 + 1 / mean
}

// Without the number of tokens, which is Poisson, the logarithm of a long document's length is normal.
TEST(GenerateCorpus, LengthsWithASpreadAreLogNormal) {
  const double spread = 0.5;
  const GeneratedCorpus long_ones = generate_corpus(
      {.documents = 4000, .vocabulary = 50, .topics = 2, .mean_length = 1000, .length_spread = spread, .seed = 3});
  double sum = 0, logs = 0, squares = 0;
  for (std::size_t d = 0; d < 4000; ++d) {
    const auto length =
        static_cast<double>(long_ones.corpus.document_offsets[d + 1] - long_ones.corpus.document_offsets[d]);
    sum += length;
    logs += std::log(length);
    squares += std::log(length) * std::log(length);
  }
  const double mean = logs / 4000;
  // Four standard errors: of the mean, of a normal number's mean and of its variance. A Poisson number of m tokens adds
  // 1 / m to the variance of the logarithm, and takes 1 / (2 m) from its mean: up to 0.002 here.
  EXPECT_NEAR(sum / 4000, 1000, 4 * 1000 * std::sqrt((std::exp(spread * spread) - 1) / 4000));
  EXPECT_NEAR(mean, std::log(1000) - spread * spread / 2, 4 * spread / std::sqrt(4000) + 0.002);
  EXPECT_NEAR(squares / 4000 - mean * mean, spread * spread, 4 * spread * spread * std::sqrt(2.0 / 4000) + 0.002);
}

TEST(GenerateCorpus, ASpreadChangesLengthsAlone) {
  GenerateOptions with = options;
  with.length_spread = 1;
  EXPECT_EQ(generate_corpus(with).phi, generated().phi);
  with.threads = 1;
  const GeneratedCorpus one = generate_corpus(with);
  with.threads = 3;
  EXPECT_EQ(one.corpus.words, generate_corpus(with).corpus.words);
  EXPECT_NE(one.corpus.document_offsets, generated().corpus.document_offsets);
}

// Each token's word given its topic is an independent draw from the row of phi.
TEST(GenerateCorpus, WordsOfATopicFollowPhi) {
  for (std::size_t k = 0; k < 6; ++k) {
    std::vector<double> observed(300);
    double tokens = 0;
    for (std::size_t i = 0; i < generated().topics.size(); ++i) {
      if (static_cast<std::size_t>(generated().topics[i]) == k) {
        ++observed[static_cast<std::size_t>(generated().corpus.words[i])];
        ++tokens;
      }
    }
    std::vector<double> counts = {0};
    std::vector<double> expected = {0};
    double total = 0;
    for (std::size_t w = 0; w < 300; ++w) {
      total += double{generated().phi[k * 300 + w]};
    }
    for (std::size_t w = 0; w < 300; ++w) {
      const double expectation = tokens * double{generated().phi[k * 300 + w]} / total;
      if (expectation >= testing::least_expected_count) {
        counts.push_back(observed[w]);
        expected.push_back(expectation);
      } else {
        counts[0] += observed[w];
        expected[0] += expectation;
      }
    }
    EXPECT_GT(testing::chi_square_p_value(counts, expected), 1e-4) << "topic " << k;
  }
}

// Two tokens of one document share their topic with probability
// (alpha + 1) / (K alpha + 1) under a symmetric Dirichlet.
TEST(GenerateCorpus, TopicsOfADocumentAreDirichletMultinomial) {
  double pairs = 0;
  double same = 0;
  std::vector<double> first_topics(6);
  for (std::size_t d = 0; d < 4000; ++d) {
    const auto begin = static_cast<std::size_t>(generated().corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(generated().corpus.document_offsets[d + 1]);
    ++first_topics[static_cast<std::size_t>(generated().topics[begin])];
    if (end - begin >= 2) {
      ++pairs;
      same += generated().topics[begin] == generated().topics[end - 1] ? 1 : 0;
    }
  }
  const double probability = 1.1 / 1.6;
  EXPECT_NEAR(same / pairs, probability, 4 * std::sqrt(probability * (1 - probability) / pairs));
  EXPECT_GT(testing::chi_square_p_value(first_topics, std::vector<double>(6, 4000.0 / 6)), 1e-4);
}

// Topics of equal weight together give the Zipf frequencies, to within how evenly
// the words could be dealt out.
TEST(GenerateCorpus, TopicsTogetherAreZipf) {
  double normaliser = 0;
  for (int rank = 1; rank <= 300; ++rank) {
    normaliser += std::pow(rank, -1.07);
  }
  for (std::size_t w = 0; w < 300; ++w) {
    double frequency = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      frequency += double{generated().phi[k * 300 + w]} / 6;
    }
    const double expected = std::pow(static_cast<double>(w + 1), -1.07) / normaliser;
    EXPECT_NEAR(frequency, expected, 0.02 * expected) << w;
  }
}

// Topics share frequent words, but more than two fifths of each is not the other's.
TEST(GenerateCorpus, TopicsAreApart) {
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double distance = 0;
      for (std::size_t w = 0; w < 300; ++w) {
        distance += std::abs(double{generated().phi[a * 300 + w]} - double{generated().phi[b * 300 + w]}) / 2;
      }
      EXPECT_GT(distance, 0.4) << a << " " << b;
    }
  }
}

TEST(GenerateCorpus, TakesItsLimits) {
  generate_corpus({.documents = 3, .vocabulary = 1, .topics = 1, .mean_length = 1e-3}).corpus.verify();
  generate_corpus({.documents = 3, .vocabulary = 50, .topics = 50, .mean_length = 2000, .overlap = 0}).corpus.verify();
  generate_corpus({.documents = 3, .vocabulary = 700, .topics = 2, .zipf_exponent = 0, .overlap = 1}).corpus.verify();
  const GeneratedCorpus long_one = generate_corpus({.documents = 1, .vocabulary = 9, .topics = 2, .mean_length = 1e4});
  EXPECT_NEAR(static_cast<double>(long_one.corpus.tokens()), 1e4, 500);  // five standard deviations
  for (const double mean : {5e-324, 1e-3, 1e6}) {
    const Corpus corpus =
        generate_corpus({.documents = 60, .vocabulary = 9, .topics = 2, .mean_length = mean, .length_spread = 5})
            .corpus;
    corpus.verify();
    const auto& offsets = corpus.document_offsets;
    for (std::size_t d = 1; d < offsets.size(); ++d) EXPECT_LE(offsets[d] - offsets[d - 1], 1'005'000);
  }
}

TEST(GenerateCorpus, RefusesOptionsOutOfRange) {
  EXPECT_THROW(generate_corpus({.documents = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.vocabulary = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.topics = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.vocabulary = 5, .topics = 6}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.mean_length = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.length_spread = -1}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.length_spread = NAN}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.length_spread = 5.5}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.length_spread = INFINITY}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.alpha = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.alpha = NAN}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.zipf_exponent = -1}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.overlap = 1.5}), InvalidArgument);
  EXPECT_THROW(generate_corpus({.threads = -1}), InvalidArgument);
}

}  // namespace
}  // namespace papilio
