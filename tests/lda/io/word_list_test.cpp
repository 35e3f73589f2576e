#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus.h"

namespace papilio::lda {
namespace {

TEST(WordList, ReadsAWordALineWithoutCommentsAndBlanks) {
  const Folder folder;
  const std::string path = folder.write("words", "# all\nthe\r\n  of  # a preposition\n\n\tcaf\u00e9\nNew York\nlast");
  EXPECT_EQ(read_word_list(path), (std::vector<std::string>{"the", "of", "caf\u00e9", "New York", "last"}));
}

TEST(WordList, NamesThePlaceOfWhatIsNotUtf8) {
  const Folder folder;
  EXPECT_EQ(folder.message<FormatError>([&] { read_word_list(folder.write("words", "ab\ncaf\xe9\n")); }),
            "papilio::read_word_list: words:2:4: expected UTF-8, got \"\\xe9\"");
}

TEST(EnglishStopWords, AreSortedAndDistinct) {
  const std::vector<std::string>& words = english_stop_words();
  EXPECT_GE(words.size(), 300u);
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end(), std::greater_equal<>()), words.end());
  for (const char* word : {"the", "of", "and", "don't", "dont", "don\u2019t", "whereas", "should"}) {
    EXPECT_TRUE(std::binary_search(words.begin(), words.end(), word)) << word;
  }
  for (const char* word : {"", "well-known", "butterfly", "ill-"}) {
    EXPECT_FALSE(std::binary_search(words.begin(), words.end(), word)) << word;
  }
}

// Each stop word is one token, so the list has no entry that can never match.
TEST(EnglishStopWords, AreTokensThemselves) {
  const Folder folder;
  std::string text;
  for (const std::string& word : english_stop_words()) text += word + "\n";
  const std::string path = folder.write("text", text);
  EXPECT_EQ(read_lines_of_text(path, {.min_token_length = 1}).vocabulary, english_stop_words());
  EXPECT_EQ(read_lines_of_text(path, {.min_token_length = 1, .stop_words = english_stop_words()}).tokens(), 0);
}

}  // namespace
}  // namespace papilio::lda
