// Random walks, and draws: errors, random numbers and the law.

#include <gtest/gtest.h>

#include <cstring>

#include "papilio/tridiagonal.h"
#include "primitives/tridiagonal/references.h"
#include "random/normal_lanes.h"
#include "random/philox.h"
#include "warp/scalar_warp.h"

namespace papilio::testing {
namespace {

template <class T>
std::vector<T> drawn(const Diagonals<T>& all, bool walk, const GaussianOptions& options) {
  std::vector<T> x(static_cast<std::size_t>(all.layout.size), T{-7});
  const Layout& at = all.layout;
  const auto b = at.view<const T>(all.b.data()), c = at.view<const T>(all.c.data()), d = at.view<const T>(all.d.data());
  if (walk)
    draw_random_walk<T>(c, b, d, at.view(x.data()), options);
  else
    draw_gaussian_tridiagonal<T>(b, c, d, at.view(x.data()), options);
  return x;
}

GaussianOptions seeded(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t first = 0) {
  GaussianOptions options;
  options.seed = seed, options.stream = stream, options.first_system_id = first;
  return options;
}

TEST(RandomWalk, SmokeSmoothsThreeObservations) {
  // Steps and weights are 1: A = [2 -1 0; -1 3 -1; 0 -1 2].
  const Layout layout = contiguous(1, 3);
  const std::vector<double> x = walked(Diagonals<double>{layout, {}, {1, 1, 1}, {1, 1, 9}, {8, 0, 8}});
  // A^-1 = [5 2 1; 2 4 2; 1 2 5] / 8.
  EXPECT_NEAR(x[0], 6, 1e-15);
  EXPECT_NEAR(x[1], 4, 1e-15);
  EXPECT_NEAR(x[2], 6, 1e-15);
}

// The systems of docs/tridiagonal.md. A walk's steps have precision 100; the first unknown is observed, the others with
// some probability.
template <class T>
Diagonals<T> observed_walk(std::int64_t n, double probability) {
  Diagonals<T> all = random_walk<T>(contiguous(1, n), 9, probability);
  for (std::int64_t i = 0; i + 1 < n; ++i) all.c[static_cast<std::size_t>(i)] = 100;
  return all;
}

// The bounds are three times what was measured (benchmarks/results/tridiagonal-errors.md). The same matrices lose
// three digits and more by their diagonals, which is why the function exists.
TEST(RandomWalk, KeepsDigitsThatTheMatrixLoses) {
  for (const std::int64_t n : {64, 256, 2048, 4096}) {
    const Diagonals<float> walk = observed_walk<float>(n, 0);
    const Exact exact = thomas_of_walk(walk, 0);
    EXPECT_LT(error_of(walked(walk), walk.layout, 0, exact), 1e-5) << n;
    Diagonals<float> matrix = walk;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const bool first = i == 0, last = i + 1 == static_cast<std::size_t>(n);
      matrix.a[i] = matrix.c[i] = -100;
      matrix.b[i] = walk.b[i] + (first ? 0.0f : 100.0f) + (last ? 0.0f : 100.0f);
    }
    if (n >= 256) {
      EXPECT_GT(error_of(solved(matrix), matrix.layout, 0, exact), 1e-4) << n;
    }
  }
  for (const double probability : {0.1, 0.5, 1.0}) {
    const Diagonals<float> walk = observed_walk<float>(2048, probability);
    EXPECT_LT(error_of(walked(walk), walk.layout, 0, thomas_of_walk(walk, 0)), 2e-6) << probability;
  }
}

TEST(RandomWalk, AgreesWithLongDouble) {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 33, 100, 256, 257, 1000, 5000}) {
    for (const Layout& layout : {contiguous(5, n), interleaved(40, n), gappy(3, n)}) {
      const Diagonals<double> doubles = random_walk<double>(layout, 11);
      const Diagonals<float> floats = random_walk<float>(layout, 12);
      const std::vector<double> x = walked(doubles);
      const std::vector<float> y = walked(floats);
      for (std::int64_t s = 0; s < layout.systems; s += 7) {
        EXPECT_LT(error_of(x, layout, s, thomas_of_walk(doubles, s)), 1e-14) << n;
        EXPECT_LT(error_of(y, layout, s, thomas_of_walk(floats, s)), 4e-6) << n;
      }
    }
  }
}

// Standard normal number i of a system, by its definition.
float normal_number(std::uint64_t seed, std::uint64_t stream, std::uint64_t system, std::uint32_t i) {
  using W = warp::ScalarWarp<1>;
  const random::Block own = random::draw_block(seed, stream, system);
  const random::Block block =
      random::philox4x32(random::Block{{i / 4, own.word[1], own.word[2], own.word[3]}},
                         static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  const int pair = i % 4 / 2 * 2;
  const auto normals = random::normal_pair<W>({{block.word[pair]}}, {{block.word[pair + 1]}});
  return i % 2 == 0 ? normals.first.at[0] : normals.second.at[0];
}

// With A = 1 and h = 0 a draw is its random numbers, those of separators on every level too.
TEST(GaussianTridiagonal, DrawsTheNumbersOfItsKey) {
  constexpr std::uint64_t seed = 0x1234'5678'9abc'def0, stream = 5, first = (1ull << 32) - 2;
  for (const std::int64_t n : {1, 16, 33, 300, 5000}) {
    for (const Layout& layout : {contiguous(4, n), interleaved(40, n)}) {
      const auto size = static_cast<std::size_t>(layout.size);
      const Diagonals<float> identity = {
          layout, {}, std::vector<float>(size, 1), std::vector<float>(size, 0), std::vector<float>(size, 0)};
      for (const bool walk : {false, true}) {
        const std::vector<float> x = drawn(identity, walk, seeded(seed, stream, first));
        for (std::int64_t s = 0; s < layout.systems; s += 3)
          for (std::int64_t i = 0; i < n; ++i)
            ASSERT_EQ(x[layout.at(s, i)],
                      normal_number(seed, stream, first + static_cast<std::uint64_t>(s), static_cast<std::uint32_t>(i)))
                << "system " << s << ", unknown " << i << " of " << n;
      }
    }
  }
}

TEST(GaussianTridiagonal, SplitsAndNumbersFreely) {
  const Diagonals<double> all = positive_definite<double>(contiguous(9, 70), 1);
  const std::vector<double> whole = drawn(all, false, seeded(1, 2, 100));
  std::vector<double> x(whole.size());
  const std::vector<std::int64_t> ids = {108, 107, 106, 105, 104, 103, 102, 101, 100};
  const auto backwards = [&](const std::vector<double>& v) {
    return MatrixView<const double>(v.data() + 8 * 70, 9, 70, -70);
  };
  GaussianOptions options = seeded(1, 2);
  options.system_ids = ids, options.threads = 2;
  draw_gaussian_tridiagonal<double>(backwards(all.b), backwards(all.c), backwards(all.d),
                                    {x.data() + 8 * 70, 9, 70, -70}, options);
  EXPECT_EQ(x, whole);
  EXPECT_NE(drawn(all, false, seeded(2, 2, 100)), whole);
  EXPECT_NE(drawn(all, false, seeded(1, 3, 100)), whole);
}

// Means and covariances of many draws from one system, as standard errors from those of N(A^-1 h, A^-1): the largest.
// The matrix compared with has its diagonal times `factor`.
double largest_deviation(bool walk, double factor) {
  constexpr std::int64_t n = 40, draws = 20'000;
  const Diagonals<double> one =
      walk ? random_walk<double>(contiguous(1, n), 2) : positive_definite<double>(contiguous(1, n), 2);
  std::vector<double> x(draws * n);
  const auto all = [&](const std::vector<double>& v) { return MatrixView<const double>(v.data(), draws, n, 0); };
  if (walk)
    draw_random_walk<double>(all(one.c), all(one.b), all(one.d), {x.data(), draws, n}, seeded(7));
  else
    draw_gaussian_tridiagonal<double>(all(one.b), all(one.c), all(one.d), {x.data(), draws, n}, seeded(7));
  Diagonals<double> matrix = one;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (walk) {
      if (i > 0) matrix.b[at] += one.c[at - 1], matrix.a[at] = -one.c[at - 1];
      if (i + 1 < n) matrix.b[at] += one.c[at], matrix.c[at] = -one.c[at];
    }
    matrix.b[at] *= factor;
  }
  const Exact mean = thomas(matrix, 0);
  std::vector<Exact> covariance;
  for (std::int64_t j = 0; j < n; ++j) {
    matrix.d.assign(n, 0);
    matrix.d[static_cast<std::size_t>(j)] = 1;
    covariance.push_back(thomas(matrix, 0));
  }
  std::vector<double> sums(n), products(n * n);
  for (std::int64_t s = 0; s < draws; ++s) {
    double difference[n];
    for (std::int64_t i = 0; i < n; ++i)
      difference[i] = x[static_cast<std::size_t>(s * n + i)] - static_cast<double>(mean[static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < n; ++i) {
      sums[static_cast<std::size_t>(i)] += difference[i];
      for (std::int64_t j = 0; j <= i; ++j)
        products[static_cast<std::size_t>(i * n + j)] += difference[i] * difference[j];
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto variance = static_cast<double>(covariance[i][i]);
    largest = std::max(largest, std::abs(sums[i]) / std::sqrt(variance * draws));
    for (std::size_t j = 0; j <= i; ++j) {
      const auto expected = static_cast<double>(covariance[i][j]);
      const double error = std::sqrt((variance * static_cast<double>(covariance[j][j]) + expected * expected) * draws);
      largest = std::max(largest, std::abs(products[i * n + j] - draws * expected) / error);
    }
  }
  return largest;
}

// 860 numbers, each beyond 5 standard errors with probability 6e-7. A diagonal that is 3 percent off is seen.
TEST(GaussianTridiagonal, FollowsTheWeightsOfItsMatrix) {
  EXPECT_LT(largest_deviation(false, 1), 5);
  EXPECT_LT(largest_deviation(true, 1), 5);
}
TEST(GaussianTridiagonal, ABiasedSamplerIsFound) {
  EXPECT_GT(largest_deviation(false, 1.03), 6);
  EXPECT_GT(largest_deviation(true, 1.03), 6);
}

}  // namespace
}  // namespace papilio::testing
