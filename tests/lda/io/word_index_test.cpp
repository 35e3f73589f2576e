#include "lda/corpus/word_index.h"

#include <gtest/gtest.h>

#include <string>

namespace papilio::lda {
namespace {

TEST(WordIndex, NumbersWordsByFirstOccurrence) {
  WordIndex index;
  EXPECT_EQ(index.find("a"), -1);
  EXPECT_EQ(index.number("a"), 0);
  EXPECT_EQ(index.number(""), 1);
  EXPECT_EQ(index.number("a"), 0);
  EXPECT_EQ(index.find(""), 1);
  EXPECT_EQ(index.words(), (std::vector<std::string>{"a", ""}));
}

TEST(WordIndex, KeepsNumbersWhileItGrows) {
  WordIndex index;
  const std::int64_t before = index.memory();
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(index.number("a word " + std::to_string(i)), i);
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(index.find("a word " + std::to_string(i)), i);
  EXPECT_EQ(index.find("a word 20000"), -1);
  EXPECT_GT(index.memory() - before, 20000 * 40);
  EXPECT_EQ(index.take_words().size(), 20000u);
  EXPECT_EQ(index.find("a word 7"), -1);
  EXPECT_EQ(index.number("a word 7"), 0);
}

TEST(WordIndex, CountsTheMemoryOfLongWords) {
  WordIndex index;
  const std::int64_t before = index.memory();
  index.number(std::string(100000, 'x'));
  EXPECT_GE(index.memory() - before, 100000);
  index.clear();
  EXPECT_LT(index.memory() - before, 100000);
}

}  // namespace
}  // namespace papilio::lda
