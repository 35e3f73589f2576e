// Tokens in order by word as a device puts them: the arrays that the host makes, to the byte.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "cuda/training.h"
#include "execution/cuda/staged_copies.h"
#include "lda/training/sparse/parallel/by_word/tokens_by_word_cuda.h"
#include "lda/training/sparse/parallel/layout_cuda.h"
#include "lda/training/sparse/parallel/word_counts_cuda.h"

namespace papilio {
namespace {

using lda::SparseLayout;
using testing::make_corpus, testing::on_device, testing::uneven_corpus;

using SparseLayoutOnCuda = testing::CudaTest;

template <class T>
std::vector<T> downloaded(const execution::DeviceArray<T>& array, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  array.download(values.data(), count, nullptr);
  execution::check(cudaStreamSynchronize(nullptr), "a copy from the device");
  return values;
}

template <class Number>
void expect_order_of_host(const Corpus& corpus, std::int64_t part_tokens) {
  const SparseLayout host(corpus, 100, {}, {}, 2);
  const auto there = lda::order_by_word<Number>(corpus, host.document_order(), 2, nullptr, part_tokens);
  EXPECT_EQ(there.word_offsets, host.word_offsets);
  EXPECT_EQ(downloaded(there.document, corpus.tokens()), host.document);
  const std::vector<Number> places = downloaded(there.place, corpus.tokens());
  EXPECT_TRUE(std::ranges::equal(places, host.place, {}, {}, [](std::uint32_t x) { return static_cast<Number>(x); }));
}

void expect_order_of_host(const Corpus& corpus) {
  for (const std::int64_t part_tokens : {std::int64_t{7}, std::int64_t{1000}, lda::tokens_per_sort(corpus.tokens())}) {
    if (corpus.tokens() > 10'000 && part_tokens < 10) continue;
    SCOPED_TRACE(std::to_string(corpus.tokens()) + " tokens in parts of " + std::to_string(part_tokens));
    expect_order_of_host<std::uint32_t>(corpus, part_tokens);
    expect_order_of_host<std::uint16_t>(corpus, part_tokens);
  }
}

TEST_F(SparseLayoutOnCuda, HasTheOrderOfTheHost) {
  expect_order_of_host(uneven_corpus());
  // No tokens; one document; words without tokens; documents of one token; one word.
  for (const auto& documents : std::vector<std::vector<std::vector<std::int32_t>>>{
           {}, {{}}, {{0}}, {{8, 0, 8, 1}}, {{}, {5, 0, 5}, {}, {5}}, {{2}, {1}, {2}, {}, {0}, {2}}}) {
    expect_order_of_host(make_corpus(documents, 9));
  }
  expect_order_of_host(make_corpus({{0, 0}, {}, {0, 0, 0}, {0}}, 1));
}

TEST_F(SparseLayoutOnCuda, HasItForManyTokens) {
  std::vector<std::vector<std::int32_t>> documents;
  std::uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525U + 1013904223U) >> 8; };
  for (const std::int32_t words : {2, 257, 100'000}) {
    documents.clear();
    for (int d = 0; d < 3000; ++d) {
      documents.emplace_back(d == 7 ? 70'000 : next() % 200);
      for (std::int32_t& w : documents.back()) {
        w = static_cast<std::int32_t>(std::min(next(), next()) % static_cast<std::uint32_t>(words));
      }
    }
    const Corpus corpus = make_corpus(documents, words);
    for (const std::int64_t part_tokens :
         {std::int64_t{4096}, std::int64_t{50'001}, lda::tokens_per_sort(corpus.tokens())}) {
      SCOPED_TRACE(std::to_string(words) + " words in parts of " + std::to_string(part_tokens));
      expect_order_of_host<std::uint32_t>(corpus, part_tokens);
    }
  }
}

TEST_F(SparseLayoutOnCuda, ChainsAreThoseOfTheHostsOrder) {
  const Corpus corpus = uneven_corpus();
  const TrainOptions options = testing::with_draws(on_device({.topics = 70, .seed = 6}), Draws::sparse);
  std::vector<std::vector<std::int32_t>> z;
  for (const bool on_host : {false, true}) {
    for (const bool wide : {false, true}) {
      lda::CudaChain chain(corpus, options, nullptr, {.sparse_parallel = {.is_wide = wide, .orders_on_host = on_host}});
      for (int sweep = 0; sweep < 3; ++sweep) chain.sweep();
      const lda::State state = chain.take_state();
      EXPECT_NO_THROW(state.verify(corpus));
      z.push_back(state.z);
    }
  }
  EXPECT_TRUE(std::ranges::all_of(z, [&](const auto& one) { return one == z.front(); }));
}

// Counts in one table and in several.
TEST_F(SparseLayoutOnCuda, CountsInLittleMemory) {
  const Corpus corpus = uneven_corpus();
  TrainOptions options = testing::with_draws(on_device({.topics = 5000, .seed = 6}), Draws::sparse);
  options.seed_words = {{3, 7, 5}, {3, 8, 2}, {250, 7, 1}};
  std::int64_t needed = 0;
  for (const std::int64_t more : {0, 4, 5, 6, 8, 11, 20}) {
    SCOPED_TRACE(more);
    options.max_device_memory = more == 0 ? 0 : needed + (more << 20);
    lda::CudaChain chain(corpus, options, nullptr);
    chain.sweep();
    const lda::State state = chain.take_state();
    EXPECT_NO_THROW(state.verify(corpus));
    if (more == 0) needed = chain.bytes();
  }
}

TEST_F(SparseLayoutOnCuda, CountsOnTheHostWhereNoTableHasRoom) {
  lda::SparseDraw<lda::sparse::NarrowEntry> draw;
  draw.masses.topics = 1000;
  const std::vector<std::int64_t> offsets(101);
  std::vector<std::int32_t> n_wk(100'000);
  for (const std::int64_t budget : {-1, 0, 3999, 4000}) {  // a row, for 100 words
    EXPECT_FALSE(lda::count_words_on_device(draw, offsets, budget, 1, n_wk, nullptr, nullptr)) << budget;
  }
}

// Copies in several pieces, and of none, between types of other sizes.
TEST_F(SparseLayoutOnCuda, StagedCopiesAreCopies) {
  for (const std::int64_t count : {0, 1, 1000, 2'097'152, 2'097'153, 9'000'001}) {
    SCOPED_TRACE(count);
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 40503 % 65536);
    execution::DeviceArray<std::uint16_t> there(std::max<std::int64_t>(count, 1), "numbers");
    for (const std::int64_t room : {count * 2, std::int64_t{256}}) {
      if (room < count / 10) continue;  // too many pieces to wait for
      execution::StagedCopies copies(room, 2, nullptr);
      there.clear(nullptr);
      copies.upload(there.data(), values.data(), count);
      std::vector<std::int32_t> back(values.size(), -1);
      copies.download(back.data(), there.data(), count);
      EXPECT_EQ(back, values);
    }
  }
}

}  // namespace
}  // namespace papilio
