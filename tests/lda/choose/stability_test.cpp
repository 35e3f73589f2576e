// The share of distinct words, and the agreement of two models, against all assignments.

#include "lda/evaluation/stability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "lda/corpora.h"
#include "lda/evaluation/assignment.h"
#include "lda/models.h"
#include "papilio/evaluation.h"
#include "papilio/interruption.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using Lists = std::vector<std::int32_t>;

// Topics of words without their order and without -1.
std::vector<std::set<std::int32_t>> sets(const Lists& lists, std::int32_t topics) {
  std::vector<std::set<std::int32_t>> found(static_cast<std::size_t>(topics));
  const std::size_t width = lists.size() / found.size();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i] >= 0) found[i / width].insert(lists[i]);
  }
  return found;
}

double jaccard(const std::set<std::int32_t>& a, const std::set<std::int32_t>& b) {
  std::set<std::int32_t> either = a;
  either.insert(b.begin(), b.end());
  return either.empty() ? 0
                        : static_cast<double>(a.size() + b.size() - either.size()) / static_cast<double>(either.size());
}

// The largest mean over all assignments.
double best_of_all(const Lists& first, const Lists& second, std::int32_t topics) {
  const auto a = sets(first, topics), b = sets(second, topics);
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), 0u);
  double best = 0;
  do {
    double sum = 0;
    for (std::size_t k = 0; k < order.size(); ++k) sum += jaccard(a[k], b[order[k]]);
    best = std::max(best, sum / topics);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

// Distinct words of a small vocabulary, and sometimes fewer of them.
Lists random_lists(std::int32_t topics, std::int32_t width, std::int32_t vocabulary, std::mt19937& bits) {
  Lists lists;
  std::vector<std::int32_t> words(static_cast<std::size_t>(vocabulary));
  std::iota(words.begin(), words.end(), 0);
  for (std::int32_t k = 0; k < topics; ++k) {
    std::shuffle(words.begin(), words.end(), bits);
    const auto length = static_cast<std::int32_t>(bits() % 5 == 0 ? bits() % static_cast<std::uint32_t>(width) : width);
    for (std::int32_t i = 0; i < width; ++i) lists.push_back(i < length ? words[static_cast<std::size_t>(i)] : -1);
  }
  return lists;
}

TEST(TopicStability, IsTheBestOfAllAssignments) {
  std::mt19937 bits(7);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const auto topics = static_cast<std::int32_t>(1 + repeat % 6), width = static_cast<std::int32_t>(1 + repeat % 4);
    const Lists first = random_lists(topics, width, 7, bits), second = random_lists(topics, width, 7, bits);
    const TopicStability found = lda::stability_of(first, second, topics, 7);
    EXPECT_NEAR(found.mean, best_of_all(first, second, topics), 1e-11);
    EXPECT_EQ(found.mean, lda::stability_of(second, first, topics, 7).mean);
    const std::set<std::int32_t> partners(found.partner.begin(), found.partner.end());
    EXPECT_EQ(std::ssize(partners), topics);
    EXPECT_TRUE(*partners.begin() == 0 && *partners.rbegin() == topics - 1);
    const auto a = sets(first, topics), b = sets(second, topics);
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(found.similarity[k], jaccard(a[k], b[static_cast<std::size_t>(found.partner[k])]));
    }
    EXPECT_NEAR(std::accumulate(found.similarity.begin(), found.similarity.end(), 0.0) / topics, found.mean, 1e-11);
  }
}

// Costs without the structure of shared words.
TEST(Assignment, IsTheLeastOfAll) {
  std::mt19937 bits(3);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto n = static_cast<std::size_t>(1 + repeat % 7);
    std::vector<std::int64_t> costs(n * n);
    for (std::int64_t& cost : costs) cost = static_cast<std::int64_t>(bits() % (repeat % 2 == 0 ? 4u : 1000u));
    const auto cost = [&](std::size_t row, std::size_t column) { return costs[row * n + column]; };
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    do {
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < n; ++row) sum += cost(row, order[row]);
      least = std::min(least, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    std::int64_t sum = 0;
    const std::vector<std::int32_t> found = lda::least_assignment(n, cost);
    for (std::size_t row = 0; row < n; ++row) sum += cost(row, static_cast<std::size_t>(found[row]));
    EXPECT_EQ(sum, least);
  }
}

// Topic 0 shares 2 of 4 words with both topics of the other model, topic 1 with the first only (and 1 of 5 with the
// second). Matching topics as they come gives 1/2 and 1/5.
TEST(TopicStability, IsNotGreedy) {
  const Lists first = {0, 1, 2, 0, 1, 3}, second = {0, 1, 4, 0, 5, 2};
  const TopicStability found = lda::stability_of(first, second, 2, 6);
  EXPECT_EQ(found.partner, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(found.similarity, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(found.mean, 0.5);
}

TEST(TopicStability, ByHand) {
  // Topic 0: w0, w1; topic 1: w2; topic 2: nothing.
  const Model first = testing::make_model({{3, 0, 0}, {2, 0, 0}, {0, 4, 0}, {0, 0, 0}}, {1, 1, 1}, 0.1);
  // The same in another order; topic 1 has w1 and w3.
  const Model second = testing::make_model({{0, 0, 0}, {0, 1, 0}, {0, 0, 5}, {0, 1, 0}}, {1, 1, 1}, 0.1);
  const TopicStability found = topic_stability(first, second);
  EXPECT_EQ(found.partner, (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(found.similarity, (std::vector<double>{1.0 / 3, 1, 0}));
  EXPECT_NEAR(found.mean, 4.0 / 9, 1e-12);
  EXPECT_EQ(topic_stability(first, second, 1).similarity, (std::vector<double>{0, 1, 0}));  // w0 and w1
}

TEST(TopicStability, OfAModelWithItselfIsOne) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const Model model = train(corpus, {.topics = 40, .sweeps = 10, .seed = 1}).model;
  const TopicStability found = topic_stability(model, model);
  EXPECT_EQ(found.mean, 1);
  for (std::int32_t k = 0; k < 40; ++k) EXPECT_EQ(found.partner[static_cast<std::size_t>(k)], k);
  const Model other = train(corpus, {.topics = 40, .sweeps = 10, .seed = 2}).model;
  const double mean = topic_stability(model, other).mean;
  EXPECT_TRUE(0 < mean && mean < 1) << mean;
}

TEST(TopicStability, CanBeInterrupted) {
  const Model model = testing::make_model({{1, 0}, {0, 1}}, {1, 1}, 0.1);
  const std::atomic<bool> stop = true;
  const InterruptionScope scope(stop);
  EXPECT_THROW(topic_stability(model, model), Interrupted);
}

TEST(DiversityOfLists, CountsDistinctWords) {
  EXPECT_EQ(lda::diversity_of(Lists{0, 1, 2, 2, 3, -1}), 0.8);
  EXPECT_EQ(lda::diversity_of(Lists{4, 4, 4, 4}), 0.25);
  EXPECT_TRUE(std::isnan(lda::diversity_of(Lists{-1, -1})));
}

}  // namespace
}  // namespace papilio
