#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/training.h"
#include "lda/training/sparse/parallel/layout_cuda.h"

// How a sparse sweep on a device orders its tokens: computed on the host, so this needs no device.
namespace papilio::lda {
namespace {

// A corpus of enough tokens for several threads: its words, and the lengths of its documents, by a plain generator.
Corpus large_corpus(std::int32_t words) {
  std::vector<std::vector<std::int32_t>> documents;
  std::uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525U + 1013904223U) >> 8; };
  for (int d = 0; d < 3000; ++d) {
    documents.emplace_back(d == 7 ? 200'000 : next() % 300);
    for (std::int32_t& w : documents.back()) w = static_cast<std::int32_t>(next() % static_cast<std::uint32_t>(words));
  }
  return testing::make_corpus(documents, words);
}

void expect_layout_of(const CorpusView& corpus, int threads) {
  const SparseLayout layout(corpus, 100, {}, {}, threads);
  ASSERT_EQ(layout.document.size(), corpus.words.size());
  // By its definition: tokens by word, in a word by document, the longest first, in a document by place.
  std::size_t at = 0;
  std::vector<std::vector<std::pair<std::int32_t, std::uint32_t>>> by_word(
      static_cast<std::size_t>(corpus.vocabulary_size()));
  for (std::size_t d = 0; d < layout.documents.size(); ++d) {
    const SparseDocument& document = layout.documents[d];
    if (d > 0) {
      ASSERT_GE(layout.documents[d - 1].tokens, document.tokens);
    }
    for (std::uint32_t i = 0; i < document.tokens; ++i) {
      by_word[static_cast<std::size_t>(corpus.words[document.first_token + i])].emplace_back(d, i);
    }
  }
  for (const auto& places : by_word) {
    for (const auto& [document, place] : places) {
      ASSERT_EQ(layout.document[at], document) << at;
      ASSERT_EQ(layout.place[at], place) << at;
      ++at;
    }
  }
  EXPECT_EQ(at, corpus.words.size());
}

TEST(SparseLayout, IsTheSameForAnyNumberOfThreads) {
  for (const std::int32_t words : {1, 50, 5000}) {
    const Corpus corpus = large_corpus(words);
    for (const int threads : {1, 2, 7, 64}) {
      SCOPED_TRACE(::testing::Message() << words << " words, " << threads << " threads");
      expect_layout_of(corpus, threads);
    }
  }
}

TEST(SparseLayout, OfFewTokens) {
  for (const auto& documents :
       std::vector<std::vector<std::vector<std::int32_t>>>{{}, {{}}, {{0}}, {{}, {1, 0, 1}, {}}}) {
    expect_layout_of(testing::make_corpus(documents, 2), 7);
  }
}

}  // namespace
}  // namespace papilio::lda
