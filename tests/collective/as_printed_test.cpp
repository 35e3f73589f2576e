// The papers' Algorithms 1, 4 and 7 as benchmarks/cuda/as_printed.h has them, exactly: with weights whose sums are
// whole numbers, the draw of every token is the topic in whose interval its target lies, by counting.

#include "as_printed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "random/philox.h"
#include "random/uniform.h"
#include "warp/scalar_warp.h"

namespace papers {
namespace {

using papilio::warp::ScalarWarp;

// Two groups of documents; the last three documents are empty.
template <class T>
struct Problem {
  Problem(int width, std::int32_t topics, std::uint64_t seed) : K(topics) {
    std::mt19937_64 generator(seed);
    const int documents = 2 * width;
    for (int m = 0; m < documents; ++m) {
      const int length = m + 3 < documents ? static_cast<int>(generator() % 9) : 0;
      first.push_back(length == 0 ? 0 : static_cast<std::int32_t>(words.size()));
      lengths.push_back(length);
      for (int i = 0; i < length; ++i) words.push_back(static_cast<std::int32_t>(generator() % V));
    }
    if (words.empty()) words.push_back(0);
    const auto whole = [&](std::size_t count, unsigned below) {
      std::vector<T> numbers(count);
      for (T& number : numbers) number = static_cast<T>(generator() % below);
      return numbers;
    };
    theta = whole(static_cast<std::size_t>(documents * stride()), 4);
    phi = whole(static_cast<std::size_t>(V * stride()), 5);
    for (int m = 0; m < documents; ++m) theta[static_cast<std::size_t>(m * stride() + K / 2)] = 1;
    for (int v = 0; v < V; ++v) phi[static_cast<std::size_t>(v * stride() + K / 2)] = 2;
    z.assign(words.size(), -7);
  }

  int stride() const { return K + 3; }

  PrintedDraw<T> draw(int width) {
    return {.groups = static_cast<std::int32_t>(lengths.size()) / width,
            .first = first.data(),
            .lengths = lengths.data(),
            .words = words.data(),
            .theta = theta.data(),
            .theta_stride = stride(),
            .phi = phi.data(),
            .phi_stride = stride(),
            .z = z.data(),
            .topics = K,
            .seed = 11,
            .stream = 5};
  }

  // The topic of each token, by counting units.
  std::vector<std::int32_t> expected() const {
    std::vector<std::int32_t> topics(words.size(), -7);
    for (std::size_t m = 0; m < lengths.size(); ++m) {
      for (std::int32_t i = 0; i < lengths[m]; ++i) {
        const auto t = static_cast<std::size_t>(first[m] + i);
        const auto block = papilio::random::draw_block(11, 5, t);
        const T u = sizeof(T) == 4 ? static_cast<T>(papilio::random::uniform24(block.word[1]))
                                   : static_cast<T>(papilio::random::uniform53(block.word[0], block.word[1]));
        const auto weight = [&](std::int32_t k) {
          return theta[m * static_cast<std::size_t>(stride()) + static_cast<std::size_t>(k)] *
                 phi[static_cast<std::size_t>(words[t] * stride() + k)];
        };
        T total = 0;
        for (std::int32_t k = 0; k < K; ++k) total += weight(k);
        const T target = total * u;
        T sum = 0;
        for (topics[t] = 0; topics[t] < K; ++topics[t]) {
          sum += weight(topics[t]);
          if (target < sum) break;
        }
      }
    }
    return topics;
  }

  static constexpr int V = 13;
  std::int32_t K;
  std::vector<std::int32_t> first, lengths, words, z;
  std::vector<T> theta, phi;
};

template <Printed how, int width, class T>
void expect_exact(std::int32_t K) {
  using W = ScalarWarp<width>;
  Problem<T> problem(width, K, static_cast<std::uint64_t>(K));
  const PrintedDraw<T> draw = problem.draw(width);
  std::vector<T> theta_local(static_cast<std::size_t>(K * width)), p(theta_local.size());
  for (std::int32_t q = 0; q < draw.groups; ++q)
    draw_group<how, W>(draw, q, LaneArray<W, T, false>(theta_local.data()), LaneArray<W, T, false>(p.data()));
  EXPECT_EQ(problem.z, problem.expected()) << "K = " << K;
}

template <int width, class T>
void expect_all_exact() {
  for (const std::int32_t K : {1, 2, width - 1, width, width + 1, 2 * width, 3 * width - 1, 3 * width + 5, 71, 100}) {
    expect_exact<Printed::algorithm_1, width, T>(K);
    expect_exact<Printed::algorithm_4, width, T>(K);
    expect_exact<Printed::algorithm_7, width, T>(K);
  }
}

TEST(AsPrinted, FloatsOf32Lanes) { expect_all_exact<32, float>(); }
TEST(AsPrinted, DoublesOf32Lanes) { expect_all_exact<32, double>(); }
TEST(AsPrinted, FloatsOf4Lanes) { expect_all_exact<4, float>(); }

}  // namespace
}  // namespace papers
