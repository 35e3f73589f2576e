#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/math.h"
#include "cuda/training.h"
#include "lda/training/sparse/parallel/layout_cuda.h"
#include "lda/training/sparse/parallel/list_sizes.h"

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
  ASSERT_EQ(layout.word_offsets.size(), by_word.size() + 1);
  for (std::size_t w = 0; w < by_word.size(); ++w) {
    EXPECT_EQ(layout.word_offsets[w + 1] - layout.word_offsets[w], std::ssize(by_word[w])) << w;
  }
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

// Documents of the corpus by their definition: those of several tokens and of one, the longest first, in their order;
// lists one after another.
void expect_documents_of(const CorpusView& corpus, std::int32_t topics, int threads) {
  const SparseLayout layout(corpus, topics, {}, {}, threads);
  std::vector<std::pair<std::int64_t, std::int64_t>> expected;  // tokens, the first one
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const std::int64_t first = corpus.document_offsets[d], tokens = corpus.document_offsets[d + 1] - first;
    if (tokens > 0) expected.emplace_back(tokens, first);
  }
  std::ranges::stable_sort(expected, std::ranges::greater(), [](const auto& document) { return document.first; });
  const ListSizes sizes(topics, 4, true);
  ASSERT_EQ(layout.documents.size(), expected.size());
  std::int64_t units = 0, listed = 0, not_short = 0, not_sorted = 0;
  for (std::size_t d = 0; d < expected.size(); ++d) {
    const auto [tokens, first] = expected[d];
    ASSERT_EQ(layout.documents[d].tokens, tokens) << d;
    ASSERT_EQ(layout.documents[d].first_token, first) << d;
    ASSERT_EQ(layout.documents[d].list.group, units) << d;
    units += sizes.units(tokens);
    listed += tokens > 1 ? 1 : 0;
    not_short += tokens > 1 && !sizes.is_short(tokens) ? 1 : 0;
    not_sorted += tokens > longest_sorted ? 1 : 0;
  }
  EXPECT_EQ(layout.list_units, units);
  EXPECT_EQ(layout.listed_documents, listed);
  EXPECT_EQ(layout.short_entries.first_document, not_short);
  EXPECT_EQ(layout.long_documents, not_sorted);
}

// Enough of them for several threads; some of more tokens than lengths that are counted, and one of just as many.
TEST(SparseLayout, PlacesDocumentsByTheirLengths) {
  Corpus corpus = testing::make_corpus({}, 1);
  std::uint32_t state = 1;
  std::int64_t end = 0;
  for (int d = 0; d < 300'000; ++d) {
    state = state * 1664525U + 1013904223U;
    corpus.document_offsets.push_back(end += (state >> 8) % 10);
  }
  corpus.words.assign(static_cast<std::size_t>(end), 0);
  for (const int threads : {1, 3, 16}) {
    SCOPED_TRACE(threads);
    expect_documents_of(corpus, 1000, threads);
  }
  constexpr std::int64_t counted = std::int64_t{1} << 20;
  for (const std::int64_t tokens : {counted + 7, std::int64_t{600}, counted, counted + 1, counted + 9, counted + 7}) {
    corpus.document_offsets.push_back(end += tokens);
  }
  corpus.words.assign(static_cast<std::size_t>(end), 0);
  for (const std::int32_t topics : {3, 1000, 3'000'000}) {
    SCOPED_TRACE(topics);
    expect_documents_of(corpus, topics, 3);
  }
}

TEST(SparseLayout, OfFewTokens) {
  for (const auto& documents :
       std::vector<std::vector<std::vector<std::int32_t>>>{{}, {{}}, {{0}}, {{}, {1, 0, 1}, {}}}) {
    expect_layout_of(testing::make_corpus(documents, 2), 7);
  }
}

// The most bytes that the list of a document takes, whatever its topics are.
std::int64_t most_bytes(std::int64_t tokens, std::int64_t topics, const ShortEntries& entries, bool is_short) {
  const auto padded = [](std::int64_t size) { return base::round_up<std::int64_t>(size, sparse::lanes); };
  if (!is_short) return 4 * padded(std::min(tokens, topics));
  const std::int64_t mask = entries.count_mask();
  std::int64_t most = 0;
  for (std::int64_t large = 0; large * mask <= tokens && large <= topics; ++large) {
    const std::int64_t others = std::min(tokens - large * mask, topics - large);  // of one token each
    most = std::max(most, 2 * padded(large + others) + 4 * large);
  }
  return most;
}

TEST(SparseLayout, HasRoomForEveryList) {
  std::vector<std::vector<std::int32_t>> documents;
  for (int tokens = 1; tokens <= 700; ++tokens) documents.emplace_back(tokens, 0);
  const Corpus corpus = testing::make_corpus(documents, 1);
  for (const std::int32_t topics :
       {1, 2, 3, 8, 60, 64, 100, 255, 256, 257, 1000, 1024, 1025, 2048, 2049, 4097, 70000}) {
    SCOPED_TRACE(topics);
    const SparseLayout layout(corpus, topics, {}, {}, 1);
    ASSERT_EQ(layout.documents.size(), documents.size());
    EXPECT_EQ(layout.listed_documents, 699);
    EXPECT_EQ(layout.documents.back().tokens, 1U);
    // Lists are one after another, the longest first; those of more than a unit begin with a sector of memory.
    EXPECT_EQ(layout.documents[0].list.group, 0U);
    for (std::size_t d = 0; d < 699; ++d) {
      const SparseDocument& document = layout.documents[d];
      const std::int64_t end = d + 1 < 699 ? layout.documents[d + 1].list.group : layout.list_units;
      const bool is_short = static_cast<std::int32_t>(d) >= layout.short_entries.first_document;
      EXPECT_EQ(is_short, topics <= 2048 && document.tokens <= std::min(512U, 8 * layout.short_entries.count_mask()));
      EXPECT_LE(most_bytes(document.tokens, topics, layout.short_entries, is_short),
                (end - document.list.group) * list_unit)
          << document.tokens << " tokens";
      EXPECT_TRUE(end - document.list.group == 1 || document.list.group % 2 == 0) << document.tokens << " tokens";
    }
  }
}

// Documents of one token have no lists, and take no room for them.
TEST(SparseLayout, DocumentsOfOneTokenHaveNoLists) {
  const Corpus corpus = testing::make_corpus({{3}, {}, {1, 2}, {0}}, 4);
  const SparseLayout layout(corpus, 1000, {}, {}, 1);
  EXPECT_EQ(layout.listed_documents, 1);
  EXPECT_EQ(layout.list_units, 1);
  ASSERT_EQ(layout.documents.size(), 3U);
  EXPECT_EQ(layout.documents[1].first_token, 0U);
  EXPECT_EQ(layout.documents[2].first_token, 3U);
}

TEST(SparseLayout, CutsLongDocumentsIntoSlices) {
  const Corpus corpus = testing::make_corpus(
      {std::vector<std::int32_t>(100, 0), std::vector<std::int32_t>(200'001, 0), std::vector<std::int32_t>(65'536, 0)},
      1);
  const SparseLayout layout(corpus, 100, {}, {}, 1);
  EXPECT_EQ(layout.counted_documents, 1);
  EXPECT_EQ(layout.tokens_of_long, 200'001 + 65'536);
  std::int64_t at = 100;
  for (const SparseItem& slice : layout.slices) {
    EXPECT_EQ(slice.first, at);
    EXPECT_LE(slice.count, slice_tokens);
    EXPECT_EQ(slice.row, 0);
    at += slice.count;
  }
  EXPECT_EQ(at, 200'101);
}

}  // namespace
}  // namespace papilio::lda
