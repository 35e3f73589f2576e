#include "lda/corpus/corpus_builder.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lda/io/files.h"

namespace papilio::lda {
namespace {

using Counts = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

// Documents: a a b | (empty) | b c | a d d d
const Corpus four_documents = {{0, 3, 3, 5, 9}, {0, 0, 1, 1, 2, 0, 3, 3, 3}, {"a", "b", "c", "d", "unused"}};

TEST(DocumentFrequencies, CountsEachDocumentOnce) {
  for (const int threads : {1, 2, 7}) EXPECT_EQ(document_frequencies(four_documents, threads), (Counts{2, 2, 1, 1, 0}));
}

TEST(KeepWords, DropsWordsThatNeverOccurUnlessAsked) {
  EXPECT_EQ(keep_words(four_documents, {}).vocabulary, (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(keep_words(four_documents, {.min_df = 0}), four_documents);
}

TEST(KeepWords, RenumbersInOrder) {
  EXPECT_EQ(keep_words(four_documents, {.min_df = 2}), (Corpus{{0, 3, 3, 4, 5}, {0, 0, 1, 1, 0}, {"a", "b"}}));
}

// The share of all documents, empty ones too: 2 of 4.
TEST(KeepWords, ComparesTheShareOfDocumentsExactly) {
  EXPECT_EQ(keep_words(four_documents, {.max_df = 0.5}).vocabulary, (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(keep_words(four_documents, {.max_df = 0.49}).vocabulary, (Words{"c", "d"}));
  Corpus hundred = {{0}, {}, {"w", "x"}};
  for (int d = 1; d <= 100; ++d) {
    hundred.words.push_back(d <= 29 ? 0 : 1);
    hundred.document_offsets.push_back(d);
  }
  EXPECT_EQ(keep_words(hundred, {.max_df = 0.29}).vocabulary, Words{"w"});
  EXPECT_EQ(keep_words(hundred, {.max_df = 0.71}).vocabulary, (Words{"w", "x"}));
  EXPECT_EQ(keep_words(hundred, {.max_df = 0.28}).vocabulary, Words{});
}

TEST(KeepWords, TakesTheMostFrequentAndOfEqualOnesTheFirst) {
  EXPECT_EQ(keep_words(four_documents, {.max_vocabulary = 1}).vocabulary, Words{"a"});  // a and d: 3 times each
  EXPECT_EQ(keep_words(four_documents, {.max_vocabulary = 2}).vocabulary, (Words{"a", "d"}));
  EXPECT_EQ(keep_words(four_documents, {.max_vocabulary = 3}).vocabulary, (Words{"a", "b", "d"}));
  EXPECT_EQ(keep_words(four_documents, {.min_df = 2, .max_vocabulary = 3}).vocabulary, (Words{"a", "b"}));
}

TEST(KeepWords, TakesCorporaWithoutWordsOrDocuments) {
  EXPECT_EQ(keep_words(Corpus{}, {.min_df = 2, .max_df = 0.5}), Corpus{});
  EXPECT_EQ(keep_words({{0, 0, 0}, {}, {}}, {.min_df = 2}), (Corpus{{0, 0, 0}, {}, {}}));
  EXPECT_EQ(keep_words(four_documents, {.min_df = 5}), (Corpus{{0, 0, 0, 0, 0}, {}, {}}));
}

// The same by sets and one word at a time.
Corpus keep_words_plainly(const Corpus& corpus, const TextOptions& options) {
  const auto document = [&](std::int64_t d) {
    const auto begin = corpus.words.begin();
    return std::vector<std::int32_t>(begin + corpus.document_offsets[static_cast<std::size_t>(d)],
                                     begin + corpus.document_offsets[static_cast<std::size_t>(d + 1)]);
  };
  std::vector<std::pair<std::int64_t, std::int32_t>> ranked;
  for (std::int32_t w = 0; w < static_cast<std::int32_t>(corpus.vocabulary.size()); ++w) {
    std::int64_t df = 0;
    for (std::int64_t d = 0; d < corpus.documents(); ++d) {
      const auto words = document(d);
      df += std::count(words.begin(), words.end(), w) > 0 ? 1 : 0;
    }
    if (df < options.min_df || static_cast<double>(df) > options.max_df * static_cast<double>(corpus.documents())) {
      continue;
    }
    ranked.emplace_back(-std::count(corpus.words.begin(), corpus.words.end(), w), w);
  }
  std::sort(ranked.begin(), ranked.end());
  if (options.max_vocabulary > 0 && std::ssize(ranked) > options.max_vocabulary) {
    ranked.resize(static_cast<std::size_t>(options.max_vocabulary));
  }
  std::set<std::int32_t> kept;
  for (const auto& [count, word] : ranked) kept.insert(word);
  Corpus result;
  for (const std::int32_t w : kept) result.vocabulary.push_back(corpus.vocabulary[static_cast<std::size_t>(w)]);
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    for (const std::int32_t w : document(d)) {
      if (kept.contains(w))
        result.words.push_back(static_cast<std::int32_t>(std::distance(kept.begin(), kept.find(w))));
    }
    result.document_offsets.push_back(result.tokens());
  }
  return result;
}

RC_GTEST_PROP(KeepWords, AgreesWithThePlainWay, ()) {
  const auto documents =
      *rc::gen::container<std::vector<std::vector<int>>>(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12)));
  Corpus corpus;
  for (int w = 0; w < 12; ++w) corpus.vocabulary.push_back("word" + std::to_string(w));
  for (const auto& words : documents) {
    corpus.words.insert(corpus.words.end(), words.begin(), words.end());
    corpus.document_offsets.push_back(corpus.tokens());
  }
  TextOptions options;
  options.min_df = *rc::gen::inRange(0, 5);
  options.max_df = *rc::gen::element(1.0, 0.5, 0.25);
  options.max_vocabulary = *rc::gen::inRange(0, 8);
  options.threads = *rc::gen::element(1, 2, 7);
  RC_ASSERT(keep_words(corpus, options) == keep_words_plainly(corpus, options));
}

TEST(CorpusVerify, NamesTheFirstMistake) {
  const Folder folder;
  const auto message = [&](const Corpus& corpus) { return folder.message<InvalidArgument>([&] { corpus.verify(); }); };
  EXPECT_NO_THROW(Corpus{}.verify());
  EXPECT_NO_THROW(four_documents.verify());
  const std::string caller = "papilio::Corpus::verify: ";
  EXPECT_EQ(message({{}, {}, {}}), caller + "document_offsets must begin with 0; it is empty");
  EXPECT_EQ(message({{1, 1}, {0}, {"a"}}), caller + "document_offsets must begin with 0; it begins with 1");
  EXPECT_EQ(message({{0, 2, 1}, {0}, {"a"}}), caller + "document_offsets[2] is 1, less than 2 before it");
  EXPECT_EQ(message({{0, 2}, {0}, {"a"}}), caller + "document_offsets ends with 2, but there are 1 words");
  EXPECT_EQ(message({{0, 2}, {0, 1}, {"a"}}), caller + "words[1] is 1, expected 0 <= word < 1");
  EXPECT_EQ(message({{0, 1}, {-1}, {"a"}}), caller + "words[0] is -1, expected 0 <= word < 1");
}

}  // namespace
}  // namespace papilio::lda
