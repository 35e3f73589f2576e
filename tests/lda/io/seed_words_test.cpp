#include "papilio/seed_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/io/files.h"

namespace papilio::lda {
namespace {

using Words = std::vector<SeedWord>;

const std::vector<std::string> vocabulary = {"bank", "loan", "money", "river", "water", "c#", "std::span", "caf\u00e9"};

class SeedWordsFile : public ::testing::Test {
 protected:
  Words read(const std::string& text, const SeedWordsOptions& options = {.topics = 5}) {
    return read_seed_words(folder_.write("seeds", text), vocabulary, options, &report_);
  }
  std::string refusal(const std::string& text, const SeedWordsOptions& options = {.topics = 5}) {
    const std::string message = folder_.message<FormatError>([&] { read(text, options); });
    const std::string begin = "papilio::read_seed_words: seeds:";
    return message.starts_with(begin) ? message.substr(begin.size()) : message;
  }

  const Folder folder_;
  SeedWordsReport report_;
};

TEST_F(SeedWordsFile, HasALinePerTopic) {
  EXPECT_EQ(read("0: bank money\n3: river water bank\n"),
            (Words{{0, 0, 100}, {0, 2, 100}, {3, 3, 100}, {3, 4, 100}, {3, 0, 100}}));
  EXPECT_EQ(report_.words, 5);
  EXPECT_EQ(report_.unknown, 0);
}

TEST_F(SeedWordsFile, CountsLinesWithoutNumbers) {
  EXPECT_EQ(read("bank\nmoney: money\n\n3: river\nfresh water: water"),
            (Words{{0, 0, 100}, {1, 2, 100}, {3, 3, 100}, {4, 4, 100}}));
  EXPECT_EQ(read("2: bank\n2: money\n"), (Words{{2, 0, 100}, {2, 2, 100}}));
}

TEST_F(SeedWordsFile, TakesAWeightPerLine) {
  const SeedWordsOptions seven = {.topics = 5, .weight = 7};
  EXPECT_EQ(read("0 weight 20: bank\n1: money\nweight 3: loan\nrivers weight 4: river", seven),
            (Words{{0, 0, 20}, {1, 2, 7}, {2, 1, 3}, {3, 3, 4}}));
}

TEST_F(SeedWordsFile, HasCommentsBlanksAndAnyLineEnds) {
  EXPECT_EQ(read("\xef\xbb\xbf# all\r\n 0:\tbank # money\r\n\r\n  # none\n1:c# caf\u00e9\n  4 :  std::span  "),
            (Words{{0, 0, 100}, {1, 7, 100}, {4, 6, 100}}));
  EXPECT_EQ(report_.unknown, 1);  // 1:c# is a word, since no blank follows its colon
  EXPECT_EQ(report_.examples, std::vector<std::string>{"1:c#"});
  EXPECT_EQ(read("1: c#"), (Words{{1, 5, 100}}));
  EXPECT_EQ(read("bank # note: money"), (Words{{0, 0, 100}}));
  EXPECT_TRUE(read("# nothing\n").empty());
}

TEST_F(SeedWordsFile, ReportsWordsThatTheVocabularyLacks) {
  EXPECT_EQ(read("0: Bank bank sea ocean"), (Words{{0, 0, 100}}));
  EXPECT_EQ(report_.unknown, 3);
  EXPECT_EQ(report_.examples, (std::vector<std::string>{"Bank", "sea", "ocean"}));
  std::string many = "0: bank";
  for (int i = 0; i < 40; ++i) many += " x" + std::to_string(i);
  read(many);
  EXPECT_EQ(report_.unknown, 40);
  EXPECT_EQ(report_.examples.size(), 10u);
}

TEST_F(SeedWordsFile, NamesThePlaceOfWhatDoesNotFit) {
  EXPECT_EQ(refusal("5: bank"), "1: the topic is \"5\", expected 0 to 4");
  EXPECT_EQ(refusal("0: bank\n99999999999999999999: bank"),
            "2: the topic is \"99999999999999999999\", expected 0 to 4");
  EXPECT_EQ(refusal("4: bank\nmoney"), "2: the topic of a line without a number is \"5\", expected 0 to 4");
  EXPECT_EQ(refusal("0 weight 0: bank"), "1: the weight is \"0\", expected 1 to 1000000");
  EXPECT_EQ(refusal("0 weight 1000001: bank"), "1: the weight is \"1000001\", expected 1 to 1000000");
  EXPECT_EQ(refusal("0 weight 1.5: bank"), "1: the weight is \"1.5\", expected 1 to 1000000");
  EXPECT_EQ(refusal("0:\n"), "1: no words for topic 0, expected some");
  EXPECT_EQ(refusal("0: # bank\n"), "1: no words for topic 0, expected some");
  EXPECT_EQ(refusal("1: sea ocean"),
            "1: none of the words for topic 1 is in the vocabulary, the first of them \"sea\"");
  EXPECT_EQ(refusal("0: bank loan bank"), "1: topic 0 has the word \"bank\" twice, expected it once");
  EXPECT_EQ(refusal("0: bank\n0: bank"), "2: topic 0 has the word \"bank\" twice, expected it once");
  EXPECT_EQ(refusal("0: bank caf\xe9"), "1:12: expected UTF-8, got \"\\xe9\"");
}

TEST_F(SeedWordsFile, KeepsToALimitOfMemory) {
  std::vector<std::string> words;
  std::string line = "0:";
  for (int i = 0; i < 100'000; ++i) line += " " + words.emplace_back("x" + std::to_string(i));
  const std::string path = folder_.write("seeds", line);
  EXPECT_EQ(read_seed_words(path, words, {.topics = 1}).size(), 100'000u);
  EXPECT_THROW(read_seed_words(path, words, {.topics = 1, .max_memory = 4'000'000}), FormatError);
}

}  // namespace
}  // namespace papilio::lda
