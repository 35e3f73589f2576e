#include "lda/corpus/word_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lda/corpus/word_hash.h"

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

// The reference's own vectors of SipHash-2-4: the key 00 01 ... 0f, the texts of 0, 1, 8 and 15 bytes 00 01 ...
TEST(WordHash, IsSipHash) {
  const HashKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string text;
  const auto hash = [&](std::size_t bytes) {
    while (text.size() < bytes) text.push_back(static_cast<char>(text.size()));
    return sip_hash<2, 4>(text, key);
  };
  EXPECT_EQ(hash(0), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(hash(1), 0x74f839c593dc67fdu);
  EXPECT_EQ(hash(8), 0x93f5f5799a932462u);
  EXPECT_EQ(hash(15), 0xa129ca6149be45e5u);
}

// Words chosen so that std::hash, whose seed everybody knows, puts them all into one of 4,096 places: 2,000 of them
// took two million comparisons once. Under the process's own key they are words like any others: of 4,096 places the
// fullest holds 5 or 6, and 12 or more with a probability below 1e-7.
TEST(WordHash, KeepsConstructedCollisionsApart) {
  constexpr std::size_t places = 4096;
  std::vector<int> found(places);
  int words = 0;
  for (int i = 0; words < 2000; ++i) {
    const std::string word = "w" + std::to_string(i);
    if (std::hash<std::string_view>{}(word) % places != 0) continue;
    ++words;
    ++found[WordHash{}(word) % places];
  }
  EXPECT_LT(*std::max_element(found.begin(), found.end()), 12);
}

}  // namespace
}  // namespace papilio::lda
