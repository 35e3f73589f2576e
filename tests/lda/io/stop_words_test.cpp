#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lda/corpus/stop_word_texts.h"
#include "lda/corpus/tokenizer.h"
#include "lda/io/files.h"
#include "lda/io/language_texts.h"
#include "papilio/stop_words.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

const std::vector<std::string> languages = {"catalan",    "czech",   "danish",    "dutch",   "english",
                                            "finnish",    "french",  "german",    "greek",   "hungarian",
                                            "indonesian", "italian", "norwegian", "polish",  "portuguese",
                                            "romanian",   "russian", "spanish",   "swedish", "turkish"};

class StopWords : public testing::TestWithParam<std::string> {
 protected:
  const std::vector<std::string>& words() const { return stop_words(GetParam()); }
  bool has(const std::string& word) const { return std::binary_search(words().begin(), words().end(), word); }
};

INSTANTIATE_TEST_SUITE_P(Languages, StopWords, testing::ValuesIn(languages),
                         [](const auto& language) { return language.param; });

TEST(StopWordLanguages, AreSorted) { EXPECT_EQ(stop_word_languages(), languages); }

TEST_P(StopWords, AreSortedDistinctAndOfPlausibleNumber) {
  EXPECT_EQ(std::adjacent_find(words().begin(), words().end(), std::greater_equal<>()), words().end());
  EXPECT_GE(words().size(), 350u);
  EXPECT_LE(words().size(), 900u);
}

// Folded, in NFC, and one token each: a list has no entry that can never match.
TEST_P(StopWords, AreTokensThemselves) {
  Tokenizer tokenizer(1);
  for (const std::string& word : words()) {
    EXPECT_EQ(tokenizer.fold(word), word);
    std::vector<std::string> tokens;
    EXPECT_EQ(tokenizer.tokenize(word, [&](std::string_view token) { tokens.emplace_back(token); }), 0);
    EXPECT_EQ(tokens, std::vector{word});
  }
}

TEST_P(StopWords, HaveEitherApostrophe) {
  for (std::string word : words()) {
    const std::size_t place = word.find('\'');
    if (place == word.npos) continue;
    word.replace(place, 1, "\u2019");
    EXPECT_TRUE(word.find('\'') != word.npos || has(word)) << word;
  }
}

// The file of a language holds its list: classes of words with a line that says what they are.
TEST(StopWordTexts, AreClassesOfWords) {
  EXPECT_EQ(stop_word_texts.size() + 1, languages.size());
  for (const StopWordText& row : stop_word_texts) {
    std::istringstream blocks{std::string(row.text)};
    bool in_class = false;
    int classes = 0;
    for (std::string line; std::getline(blocks, line);) {
      if (line.starts_with("# ")) ++classes;
      in_class = !line.empty() && (in_class || line.starts_with("# "));
      EXPECT_TRUE(in_class || line.empty()) << row.language << ": " << line;
      EXPECT_EQ(line, line.substr(0, line.find_last_not_of(" \t") + 1)) << row.language;
    }
    EXPECT_GE(classes, 8) << row.language;
  }
}

TEST(StopWordTexts, FoldAsTextDoes) {
  const auto has = [](const char* language, const char* word) {
    return std::binary_search(stop_words(language).begin(), stop_words(language).end(), word);
  };
  EXPECT_TRUE(has("german", "dass") && has("german", "ausser") && !has("german", "da\u00df"));
  EXPECT_TRUE(has("greek", "\u03c4\u03b7\u03c3")) << "the final sigma folds to the other";
  EXPECT_TRUE(has("turkish", "i\u0307\u00e7in") && has("turkish", "i\u00e7in")) << "a capital i keeps its dot";
  EXPECT_TRUE(has("french", "qu'il") && has("french", "qu\u2019il"));
  EXPECT_TRUE(has("romanian", "\u0219i") && has("romanian", "\u015fi")) << "comma and cedilla";
}

// Everyday text in a language: half of it is stop words, and they are known as that language's.
TEST(FrequentStopWords, AreFoundInTheirLanguage) {
  ASSERT_EQ(std::size(language_texts), languages.size());
  for (std::size_t i = 0; i < languages.size(); ++i) {
    const auto [language, text] = language_texts[i];
    EXPECT_EQ(language, languages[i]);
    const std::string_view texts[] = {text};
    const Corpus corpus = corpus_from_texts(texts, {.min_token_length = 1});
    const Corpus rest = corpus_from_texts(texts, {.min_token_length = 1, .stop_words = stop_words(language)});
    EXPECT_LE(2 * rest.tokens(), corpus.tokens()) << language;
    for (const int threads : {1, 3}) {
      const auto found = find_frequent_stop_words(corpus_from_texts(texts, {}), threads);
      ASSERT_TRUE(found) << language;
      EXPECT_EQ(found->language, language);
      EXPECT_EQ(found->among, 30);
      EXPECT_GT(found->words.size(), 15u);
    }
    EXPECT_FALSE(find_frequent_stop_words(rest)) << language;
  }
}

// A corpus in which word i of the list occurs `size - i` times.
Corpus falling_counts(const std::vector<std::string>& vocabulary) {
  Corpus corpus;
  corpus.vocabulary = vocabulary;
  for (std::int32_t w = 0; w < std::ssize(vocabulary); ++w) {
    corpus.words.insert(corpus.words.end(), vocabulary.size() - static_cast<std::size_t>(w), w);
  }
  corpus.document_offsets.push_back(corpus.tokens());
  return corpus;
}

TEST(FrequentStopWords, AreMoreThanHalfOfThoseLookedAt) {
  const std::vector<std::string> half = {"the", "ship", "And", "sail", "of", "wind", "with", "mast", "from", "rope"};
  EXPECT_FALSE(find_frequent_stop_words(falling_counts(half)));
  std::vector<std::string> more = half;
  more.insert(more.begin() + 2, "into");
  const auto found = find_frequent_stop_words(falling_counts(more));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->language, "english");
  EXPECT_EQ(found->among, 11);
  EXPECT_EQ(found->words, (std::vector<std::string>{"the", "into", "and", "of", "with", "from"})) << "folded, in order";
  more.resize(9);
  EXPECT_FALSE(find_frequent_stop_words(falling_counts(more))) << "too few words to tell";
  EXPECT_FALSE(find_frequent_stop_words(falling_counts({})));
}

TEST(FrequentStopWords, AreLookedForAmongThirtyWordsThatOccur) {
  std::vector<std::string> vocabulary;
  for (int i = 0; i < 15; ++i) vocabulary.push_back("word" + std::string(1, static_cast<char>('a' + i)));
  const std::vector<std::string>& english = stop_words("english");
  vocabulary.insert(vocabulary.end(), english.begin(), english.begin() + 200);
  EXPECT_FALSE(find_frequent_stop_words(falling_counts(vocabulary))) << "15 of 30";
  vocabulary.erase(vocabulary.begin());
  const auto found = find_frequent_stop_words(falling_counts(vocabulary));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->among, 30);
  EXPECT_EQ(found->words.size(), 16u);

  Corpus unused = falling_counts({"ship", "sail"});
  unused.vocabulary.insert(unused.vocabulary.end(), english.begin(), english.begin() + 100);
  EXPECT_FALSE(find_frequent_stop_words(unused)) << "words that never occur";
}

}  // namespace
}  // namespace papilio::lda
