#include "lda/training/parameters/dirichlet_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "lda/training/parameters/fixed_point_sums.h"

namespace papilio::lda {
namespace {

std::vector<float> entries(const AlignedTable& table) {
  const auto view = table.view();
  std::vector<float> all;
  for (std::int64_t i = 0; i < view.rows; ++i)
    all.insert(all.end(), view.data + i * view.row_stride, view.data + i * view.row_stride + view.columns);
  return all;
}

struct Counts {
  std::vector<std::int32_t> n_wk;
  std::int64_t words, tokens = 0;
  std::int32_t topics;
};

// Mostly zeros; the last topic is empty.
Counts some_counts(std::int64_t words, std::int32_t topics) {
  std::mt19937_64 bits(1);
  Counts counts = {std::vector<std::int32_t>(static_cast<std::size_t>(words * topics)), words, 0, topics};
  for (std::size_t i = 0; i < counts.n_wk.size(); ++i) {
    const bool last = static_cast<std::int64_t>(i) % topics == topics - 1;
    counts.n_wk[i] = last || bits() % 8 != 0 ? 0 : static_cast<std::int32_t>(bits() % 50);
    counts.tokens += counts.n_wk[i];
  }
  return counts;
}

AlignedTable phi_of(const Counts& counts, double beta, std::uint64_t stream, int threads) {
  AlignedTable phi(counts.words, counts.topics);
  draw_phi({.n_wk = counts.n_wk.data(),
            .words = counts.words,
            .topics = counts.topics,
            .tokens = counts.tokens,
            .beta = beta,
            .seed = 5,
            .stream = stream,
            .threads = threads},
           phi);
  return phi;
}

TEST(DrawTheta, IsTheGammaRowOfTheDocument) {
  const double alpha[] = {0.1, 2, 0.01};
  const sampling::GammaPrior prior(alpha);
  const std::int32_t n_dk[] = {3, 0, 0};
  float theta[3], row[3];
  draw_theta(17, n_dk, prior, 1, 2, theta);
  sampling::draw_gamma_row({.counts = n_dk, .seed = 1, .stream = 2, .row = 17, .drawn = row}, prior);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(theta[k], row[k]);
}

TEST(DrawPhi, ColumnsSumToOne) {
  const Counts counts = some_counts(500, 37);
  for (const double beta : {1.0, 0.1, 0.01, 1e-4, 1e-6}) {
    const AlignedTable phi = phi_of(counts, beta, 1, 0);
    const auto view = phi.view();
    for (std::int64_t k = 0; k < counts.topics; ++k) {
      double sum = 0;
      for (std::int64_t w = 0; w < counts.words; ++w) {
        ASSERT_GE(view.data[w * view.row_stride + k], 0.0f);
        sum += static_cast<double>(view.data[w * view.row_stride + k]);
      }
      EXPECT_NEAR(sum, 1, 1e-4) << beta << ", topic " << k;
    }
    for (std::int64_t w = 0; w < counts.words; ++w)
      for (std::int64_t k = counts.topics; k < view.row_stride; ++k)
        ASSERT_EQ(view.data[w * view.row_stride + k], 0.0f);
  }
}

TEST(DrawPhi, DoesNotDependOnThreads) {
  const Counts counts = some_counts(700, 20);
  for (const double beta : {0.1, 1e-5}) {
    const auto expected = entries(phi_of(counts, beta, 2, 1));
    for (const int threads : {2, 3, 7}) EXPECT_EQ(entries(phi_of(counts, beta, 2, threads)), expected);
  }
}

// A component's mean is a / A and its variance m (1 - m) / (A + 1), a = n + beta, A their sum; over 2000
// draws, six standard errors.
TEST(DrawPhi, HasTheMomentsOfADirichlet) {
  const Counts counts = some_counts(6, 2);
  constexpr double beta = 0.5;
  constexpr int draws = 2000;
  std::vector<double> sum(12), squares(12);
  for (int i = 0; i < draws; ++i) {
    const auto phi = entries(phi_of(counts, beta, static_cast<std::uint64_t>(i), 1));
    for (std::size_t j = 0; j < 12; ++j) {
      sum[j] += static_cast<double>(phi[j]);
      squares[j] += static_cast<double>(phi[j]) * static_cast<double>(phi[j]);
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    double all = 0;
    for (std::size_t w = 0; w < 6; ++w) all += counts.n_wk[2 * w + k] + beta;
    for (std::size_t w = 0; w < 6; ++w) {
      const double m = (counts.n_wk[2 * w + k] + beta) / all, variance = m * (1 - m) / (all + 1);
      const double mean = sum[2 * w + k] / draws;
      EXPECT_LT(std::abs(mean - m), 6 * std::sqrt(variance / draws)) << w << ' ' << k;
      EXPECT_NEAR((squares[2 * w + k] / draws - mean * mean) / variance, 1, 0.35) << w << ' ' << k;
    }
  }
}

// Draws so small that all of a topic's are 0: then no word is better than another.
TEST(DrawPhi, TopicsOfZerosAreEven) {
  const Counts counts = {std::vector<std::int32_t>(8), 4, 0, 2};
  bool seen = false;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto phi = entries(phi_of(counts, 1e-6, i, 1));
    for (const float x : phi) ASSERT_TRUE(x >= 0 && x <= 1) << x;
    seen |= phi[0] == 0.25f && phi[2] == 0.25f && phi[4] == 0.25f && phi[6] == 0.25f;
  }
  EXPECT_TRUE(seen);
}

TEST(FixedPointSums, HaveRoomAndUnits) {
  for (const std::int64_t tokens : {std::int64_t{0}, std::int64_t{1000}, std::int64_t{1} << 33}) {
    for (const std::int64_t words : {std::int64_t{1}, std::int64_t{141'043}, std::int64_t{1} << 24}) {
      const double mass = static_cast<double>(tokens) + 0.1 * static_cast<double>(words);
      const FixedPointSums sums(tokens, words, 0.1 * static_cast<double>(words));
      EXPECT_LE(8 * (mass + 64) * static_cast<double>(sums.units()), 0x1p62);
      EXPECT_GE(64 * (mass + 64) * static_cast<double>(sums.units()), 0x1p62);
      for (const float greatest : {0x1p-149f, 0x1p-126f, 3e-7f, 1.0f, 0x1.fffffep0f, 1e9f}) {
        const double units = power_of_two(sums.exponent(greatest));
        EXPECT_LE(static_cast<double>(greatest) * units * static_cast<double>(words), 0x1p62);
        EXPECT_GE(static_cast<double>(greatest) * units * static_cast<double>(words), 0x1p59);
      }
    }
  }
  for (const double x : {0x1p-149, 0.3, 1.0, 5e11})
    EXPECT_TRUE(power_of_two(exponent_of_two(x)) <= x && x < 2 * power_of_two(exponent_of_two(x)));
}

}  // namespace
}  // namespace papilio::lda
