#include "sampling/gamma/gamma_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "papilio/error.h"
#include "random/gamma.h"
#include "sampling/support.h"
#include "support/chi_square.h"
#include "support/kolmogorov_smirnov.h"
#include "warp/scalar_warp.h"

// Gamma draws of the instruction set in use: fixed bits, moments and distribution.

namespace papilio::sampling {
namespace {

class GammaRows : public testing::SamplingTest {};

constexpr std::int64_t columns = 1024;

std::vector<float> draws_of(double shape, std::int64_t rows, std::uint64_t seed) {
  const GammaPrior prior(shape, columns);
  std::vector<float> drawn(static_cast<std::size_t>(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r)
    draw_gamma_row(
        {.seed = seed, .stream = 3, .row = static_cast<std::uint64_t>(r), .drawn = drawn.data() + r * columns}, prior);
  return drawn;
}

TEST_F(GammaRows, KnownBits) {
  const double priors[] = {1e-3, 0.01, 0.1, 0.5, 1, 1.5, 40, 1e6};
  const std::int32_t counts[] = {0, 0, 0, 3, 0, 100, 0, 0};
  struct {
    std::uint64_t row;
    float drawn[8];
  } const expected[] = {
      {5, {0, 0, 0x1.b722f4p-11f, 0x1.39f47cp+0f, 0x1.851b8cp-2f, 0x1.763702p+6f, 0x1.1d3b3p+5f, 0x1.e87032p+19f}},
      {6, {0, 0, 0x1.78b7fap-8f, 0x1.1257fep+1f, 0x1.6ce78ep+0f, 0x1.7b3554p+6f, 0x1.a3bdbap+5f, 0x1.e83f1p+19f}},
      {0x1234'5678'9abc,
       {0, 0x1.f8ffc2p-74f, 0x1.692d3cp-9f, 0x1.53e5bp+0f, 0x1.05bd52p+1f, 0x1.97cf5ap+6f, 0x1.885444p+5f,
        0x1.e7cabap+19f}}};
  for (const auto& [row, values] : expected) {
    float drawn[8];
    draw_gamma_row({.counts = counts, .seed = 42, .stream = 7, .row = row, .drawn = drawn}, GammaPrior(priors));
    for (int k = 0; k < 8; ++k) EXPECT_EQ(drawn[k], values[k]) << row << ' ' << k;
  }
}

// Mean a, variance a, and the variance of (x - a)^2, 2 a^2 + 6 a, give the standard errors. A normal number
// is beyond six of them in 2e-9 of all cases; small shapes are less normal, so not five.
TEST_F(GammaRows, MeanAndVariance) {
  for (const double a : {1e-3, 0.01, 0.1, 0.5, 1.0, 1.01, 2.5, 10.0, 1e3, 1e6, 1e9}) {
    const auto drawn = draws_of(a, 256, 11);
    double sum = 0, squares = 0;
    for (const float x : drawn) {
      ASSERT_GE(x, 0.0f);
      sum += x - a;
      squares += (x - a) * (x - a);
    }
    const auto n = static_cast<double>(drawn.size());
    EXPECT_LT(std::abs(sum / n) / std::sqrt(a / n), 6) << a;
    EXPECT_LT(std::abs(squares / n - a) / std::sqrt((2 * a * a + 6 * a) / n), 6) << a;
  }
}

double p_value(const std::vector<float>& drawn, double shape) {
  const auto cdf = [&](double x) { return 1 - testing::upper_incomplete_gamma(shape, x); };
  return testing::kolmogorov_p_value(testing::kolmogorov_distance(drawn, cdf, 0x1p-120), drawn.size());
}

// Ten tests: one of a right sampler fails once in 10^5 seeds.
constexpr double threshold = 1e-6;

TEST_F(GammaRows, DistributionIsTheGammas) {
  for (const double a : {1e-3, 0.01, 0.1, 0.5, 0.999, 1.0, 1.3, 2.5, 10.0, 300.0})
    EXPECT_GT(p_value(draws_of(a, 192, 12), a), threshold) << a;
}

// The test sees what it should: a shape that is two percent off.
TEST_F(GammaRows, WrongShapesAreSeen) {
  for (const double a : {0.1, 0.5, 1.3, 2.5, 10.0, 300.0})
    EXPECT_LT(p_value(draws_of(1.02 * a, 192, 12), a), threshold) << a;
}

// Likewise a sampler that accepts every candidate.
TEST_F(GammaRows, MissingAcceptanceIsSeen) {
  using W = warp::ScalarWarp<32>;
  for (const double a : {1.0, 1.3}) {
    std::vector<float> drawn;
    const auto blocks = random::gamma_blocks(12, 3, 0);
    const auto d = random::gamma_d<W>(W::splat<float>(static_cast<float>(a)));
    for (std::uint32_t group = 0; group < 1536 * 32; group += 32) {
      const auto here = W::bit_cast<std::uint32_t>(W::lane_id()) + group;
      const auto normals = random::four_normals<W>(random::gamma_block<W>(blocks, random::GammaPart::normal, here));
      for (const auto& normal : normals.at) {
        const auto value = random::gamma_value<W>(random::gamma_candidate<W>(d, normal, here));
        drawn.insert(drawn.end(), value.at, value.at + W::width);
      }
    }
    for (float& x : drawn) x = std::max(x, 0.0f);
    EXPECT_LT(p_value(drawn, a), threshold) << a;
  }
}

// The normal numbers under the gammas: by distribution, and in the tails, where the counts have a Poisson
// law: five standard errors.
TEST(Normal, DistributionAndTails) {
  using W = warp::ScalarWarp<32>;
  std::vector<float> normals;
  const auto blocks = random::gamma_blocks(13, 3, 0);
  for (std::uint32_t group = 0; group < 8192 * 32; group += 32) {
    const auto here = W::bit_cast<std::uint32_t>(W::lane_id()) + group;
    for (const auto& four : random::four_normals<W>(random::gamma_block<W>(blocks, random::GammaPart::normal, here)).at)
      normals.insert(normals.end(), four.at, four.at + W::width);
  }
  const auto n = static_cast<double>(normals.size());
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_GT(testing::kolmogorov_p_value(testing::kolmogorov_distance(normals, cdf, -100), normals.size()), threshold);
  for (const double t : {2.0, 3.0, 4.0, 4.5}) {
    for (const double sign : {-1.0, 1.0}) {
      double beyond = 0;
      for (const float x : normals) beyond += sign * x > t;
      const double expected = n * cdf(-t);
      EXPECT_LT(std::abs(beyond - expected), 5 * std::sqrt(expected) + 5) << t;
    }
  }
}

// Pr(0) = 2^(-125 a).
TEST_F(GammaRows, SmallShapesAreOftenZero) {
  for (const double a : {1e-6, 1e-3, 0.01}) {
    const auto drawn = draws_of(a, 64, 14);
    double zeros = 0;
    for (const float x : drawn) zeros += x == 0;
    const double p = std::exp2(-125 * a), n = static_cast<double>(drawn.size());
    EXPECT_LT(std::abs(zeros - n * p), 5 * std::sqrt(n * p * (1 - p)) + 1) << a;
  }
}

TEST_F(GammaRows, RowsStreamsAndSeedsDiffer) {
  const GammaPrior prior(2.0, 64);
  std::vector<float> first(64), other(64);
  draw_gamma_row({.seed = 1, .stream = 2, .row = 3, .drawn = first.data()}, prior);
  for (const GammaRow& changed :
       {GammaRow{.seed = 2, .stream = 2, .row = 3}, GammaRow{.seed = 1, .stream = 3, .row = 3},
        GammaRow{.seed = 1, .stream = 2, .row = 4}, GammaRow{.seed = 1, .stream = 2, .row = 3ull << 32 | 3}}) {
    GammaRow row = changed;
    row.drawn = other.data();
    draw_gamma_row(row, prior);
    for (std::size_t k = 0; k < 64; ++k) EXPECT_NE(first[k], other[k]);
  }
}

TEST(GammaPrior, MustBePositive) {
  for (const double bad : {0.0, -1.0, 1e-50, 1e50, std::nan("")}) EXPECT_THROW(GammaPrior(bad, 3), InvalidArgument);
}

}  // namespace
}  // namespace papilio::sampling
