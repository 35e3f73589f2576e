// How tokens are ordered for sparse draws and dealt out to threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "lda/corpora.h"
#include "lda/training/sparse/parallel/word_order_cpu.h"

namespace papilio {
namespace {

using lda::sparse::Claims;
using lda::sparse::DrawTask;
using lda::sparse::DrawTasks;
using lda::sparse::most_tokens_per_word;
using lda::sparse::WordOrder;

// About 500,000 tokens of 300 words, of which word 0 has 100,000 and word 3 about 45,000; words 10 to 19 never come.
Corpus uneven_corpus() {
  std::mt19937_64 random(3);
  std::vector<std::vector<std::int32_t>> documents;
  for (int d = 0; d < 1000; ++d) {
    auto& document = documents.emplace_back(static_cast<std::size_t>(d % 7 == 0 ? 0 : 100 + d % 13 * 80));
    for (std::int32_t& word : document) {
      const std::uint64_t r = random();
      word = r % 5 == 0 ? 0 : r % 9 == 0 ? 3 : static_cast<std::int32_t>(20 + (r >> 8) % 280 * ((r >> 32) % 280) / 280);
    }
  }
  return testing::make_corpus(documents, 300);
}

// The plainest order: words one after another, a word's tokens by number, and pairs as they come.
TEST(WordOrder, IsTheSameForAnyNumberOfThreads) {
  const Corpus corpus = uneven_corpus();
  std::vector<std::uint32_t> numbers(corpus.words.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return corpus.words[a] < corpus.words[b]; });
  std::vector<std::uint32_t> documents;
  std::vector<int> sizes;
  std::int32_t last_word = -1;
  for (const std::uint32_t number : numbers) {
    const auto after =
        std::upper_bound(corpus.document_offsets.begin(), corpus.document_offsets.end(), std::int64_t{number});
    const auto document = static_cast<std::uint32_t>(after - corpus.document_offsets.begin() - 1);
    if (corpus.words[number] != last_word || documents.back() != document || sizes.back() == 16) {
      documents.push_back(document);
      sizes.push_back(0);
    }
    ++sizes.back();
    last_word = corpus.words[number];
  }
  for (const int threads : {1, 2, 3, 7, 64}) {
    SCOPED_TRACE(threads);
    const WordOrder order(corpus, threads);
    ASSERT_EQ(order.numbers.size(), numbers.size() + lda::sparse::look_ahead);
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), order.numbers.data()));
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(order.places[numbers[i]], i);
    ASSERT_EQ(order.sizes.size(), sizes.size());
    EXPECT_TRUE(std::equal(sizes.begin(), sizes.end(), order.sizes.data()));
    EXPECT_TRUE(std::equal(documents.begin(), documents.end(), order.documents.data()));
    ASSERT_EQ(order.offsets.size(), corpus.vocabulary.size() + 1);
    std::int64_t pairs = 0;
    for (std::size_t w = 0; w + 1 < order.offsets.size(); ++w) {
      EXPECT_EQ(order.pair_offsets[w], pairs);
      for (std::int64_t left = order.offsets[w + 1] - order.offsets[w]; left > 0; ++pairs) {
        left -= sizes[static_cast<std::size_t>(pairs)];
      }
      EXPECT_EQ(order.offsets[w], std::ranges::count_if(corpus.words, [&](std::int32_t word) {
                  return word < static_cast<std::int32_t>(w);
                }));
    }
    EXPECT_EQ(order.pair_offsets.back(), pairs);
  }
}

class DrawTasksOf : public ::testing::TestWithParam<int> {
 protected:
  static std::int64_t word_at(const WordOrder& order, std::int64_t place) {
    return std::upper_bound(order.offsets.begin(), order.offsets.end(), place) - order.offsets.begin() - 1;
  }
};

TEST_P(DrawTasksOf, HoldEveryTokenOnceInWholePairs) {
  const Corpus corpus = uneven_corpus();
  const WordOrder order(corpus, 2);
  std::vector<bool> is_seed(corpus.vocabulary.size());
  for (const std::size_t word : {12, 250, 299}) is_seed[word] = true;
  const DrawTasks tasks(order, is_seed, GetParam());
  EXPECT_EQ(std::vector<std::int64_t>(tasks.shared_words().begin(), tasks.shared_words().end()),
            (std::vector<std::int64_t>{0, 3, 12, 250, 299}));

  std::vector<std::int64_t> pair_begins;
  std::int64_t at = 0;
  for (std::size_t pair = 0; pair < order.sizes.size(); at += order.sizes[pair++]) pair_begins.push_back(at);
  pair_begins.push_back(at);
  std::vector<int> taken(corpus.words.size());
  for (const DrawTask& task : tasks.all()) {
    ASSERT_LT(task.begin, task.end);
    for (std::int64_t i = task.begin; i < task.end; ++i) ++taken[static_cast<std::size_t>(i)];
    EXPECT_EQ(pair_begins[static_cast<std::size_t>(task.first_pair)], task.begin);
    EXPECT_TRUE(std::ranges::binary_search(pair_begins, task.end));
    const std::int64_t last_word = word_at(order, task.end - 1);
    if (task.shared_word >= 0) {
      EXPECT_EQ(tasks.shared_words()[static_cast<std::size_t>(task.shared_word)], task.first_word);
      EXPECT_EQ(word_at(order, task.begin), task.first_word);
      EXPECT_EQ(last_word, task.first_word);
    } else {
      const auto first = static_cast<std::size_t>(task.first_word);
      EXPECT_EQ(order.offsets[first], task.begin) << "whole words";
      EXPECT_EQ(order.offsets[static_cast<std::size_t>(last_word) + 1], task.end) << "whole words";
      EXPECT_LE(task.tokens(), most_tokens_per_word);
      for (std::int64_t word = task.first_word; word <= last_word; ++word) {
        EXPECT_FALSE(std::ranges::binary_search(tasks.shared_words(), word)) << word;
      }
    }
  }
  EXPECT_EQ(std::ranges::count(taken, 1), std::ssize(taken));
}

// Whoever takes the last task has others wait for that one alone.
TEST_P(DrawTasksOf, BecomeSmallTowardsTheEnd) {
  const std::int64_t threads = GetParam();
  const Corpus corpus = uneven_corpus();
  const WordOrder order(corpus, 1);
  const DrawTasks tasks(order, std::vector<bool>(corpus.vocabulary.size()), GetParam());
  if (threads == 1) {
    EXPECT_LE(std::ssize(tasks.all()), 80) << "tasks cost";
    return;
  }
  std::int64_t left = corpus.tokens(), most = most_tokens_per_word;
  for (const DrawTask& task : tasks.all()) {
    const bool is_one_word = word_at(order, task.end - 1) == task.first_word;
    if (task.shared_word >= 0) {
      EXPECT_LT(task.tokens(), 8192 + 16);
    } else if (is_one_word && most > 2048) {
      EXPECT_LE(task.tokens(), most) << "the largest first";
      most = task.tokens();
    } else {
      most = 2048;
      EXPECT_LE(task.tokens(), std::max<std::int64_t>(left / (4 * threads), 2048)) << "of " << left << " left";
    }
    left -= task.tokens();
  }
  EXPECT_EQ(most, 2048);
  EXPECT_EQ(left, 0);
  EXPECT_LE(tasks.all().back().tokens(), 2048);
}

INSTANTIATE_TEST_SUITE_P(Threads, DrawTasksOf, ::testing::Values(1, 2, 3, 16, 64));

TEST(DrawTasks, AreNoneWithoutTokens) {
  const Corpus corpus = testing::make_corpus({{}, {}}, 3);
  const DrawTasks tasks(WordOrder(corpus, 2), std::vector<bool>(3), 2);
  EXPECT_TRUE(tasks.all().empty());
  EXPECT_TRUE(tasks.shared_words().empty());
}

TEST(Claims, HandOutEveryPlaceOnce) {
  constexpr std::size_t count = 20000;
  Claims claims(count);
  std::vector<std::atomic<int>> taken(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      std::size_t place = 0;
      for (std::size_t last = 0; claims.take(place); last = place) {
        EXPECT_LE(last, place);
        ++taken[place];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : taken) ASSERT_EQ(one, 1);
  std::size_t place = 0;
  EXPECT_FALSE(claims.take(place));
}

}  // namespace
}  // namespace papilio
