#include "lda/corpus/tokenizer.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "lda/corpus/ascii.h"
#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

using Tokens = std::vector<std::string>;

struct Tokenized {
  Tokens tokens;
  std::int64_t ill_formed;
};

Tokenized tokenize(std::string_view text, int min_token_length = 1) {
  Tokenizer tokenizer(min_token_length);
  Tokenized result;
  result.ill_formed = tokenizer.tokenize(text, [&](std::string_view token) { result.tokens.emplace_back(token); });
  return result;
}

Tokens tokens(std::string_view text, int min_token_length = 1) { return tokenize(text, min_token_length).tokens; }

TEST(Tokenizer, CutsAsciiAtWhatIsNoLetter) {
  EXPECT_EQ(tokens(""), Tokens{});
  EXPECT_EQ(tokens(" \t--12 34!"), Tokens{});
  EXPECT_EQ(tokens("The quick Brown\tFOX"), (Tokens{"the", "quick", "brown", "fox"}));
  EXPECT_EQ(tokens("a1b2c a+b a=b `q` 3d"), (Tokens{"a", "b", "c", "a", "b", "a", "b", "q", "d"}));
  EXPECT_EQ(tokens(std::string_view("nul\0bytes\rhere", 14)), (Tokens{"nul", "bytes", "here"}));
}

// Words are folded eight bytes at once: every character at every place, and no other changes.
TEST(Tokenizer, FoldsEachAsciiCharacterAtEachPlace) {
  for (std::size_t size = 1; size <= 20; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (int code = 0; code < 128; ++code) {
        std::string word(size, 'z'), folded(size, '?');
        word[place] = static_cast<char>(code);
        fold_ascii(word, folded.data());
        word[place] = static_cast<char>(code >= 'A' && code <= 'Z' ? code - 'A' + 'a' : code);
        ASSERT_EQ(folded, word) << code << " at " << place << " of " << size;
      }
    }
  }
  for (const std::size_t size : {63, 64, 65, 200}) {
    EXPECT_EQ(tokens(std::string(size, 'Q')), Tokens{std::string(size, 'q')}) << size;
  }
}

TEST(Tokenizer, JoinsBySinglePunctuationInside) {
  EXPECT_EQ(tokens("don't x-ray snake_case e.g. 'quoted' -dash-"),
            (Tokens{"don't", "x-ray", "snake_case", "e.g", "quoted", "dash"}));
  EXPECT_EQ(tokens("so--called end. (in) a.,b"), (Tokens{"so", "called", "end", "in", "a", "b"}));
  // U+2019, printer's apostrophe; U+2014, dash; twice the dash.
  EXPECT_EQ(tokens("don\u2019t a\u2014b c\u2014\u2014d e-\u2014f"),
            (Tokens{"don\u2019t", "a\u2014b", "c", "d", "e", "f"}));
  EXPECT_EQ(tokens("a-\u00e9 \u00e9-a \u00e9-"), (Tokens{"a-\u00e9", "\u00e9-a", "\u00e9"}));
}

TEST(Tokenizer, CountsCodePointsOfTheFoldedToken) {
  EXPECT_EQ(tokens("ab abc a-b \u00e9\u00e9 \u00e9\u00e9\u00e9", 3), (Tokens{"abc", "a-b", "\u00e9\u00e9\u00e9"}));
  EXPECT_EQ(tokens("e\u0301e", 2), Tokens{"\u00e9e"});  // two after composition
  EXPECT_EQ(tokens("e\u0301e", 3), Tokens{});
  EXPECT_EQ(tokens("a\u00df", 3), Tokens{"ass"});  // three after folding
}

TEST(Tokenizer, FoldsCaseAndComposes) {
  EXPECT_EQ(tokens("STRASSE Stra\u00dfe"), (Tokens{"strasse", "strasse"}));
  EXPECT_EQ(tokens("\u00c9cole E\u0301COLE \u00e9cole"), (Tokens{"\u00e9cole", "\u00e9cole", "\u00e9cole"}));
  EXPECT_EQ(tokens("\u03a3\u0399\u03a3\u03a5\u03a6\u039f\u03a3 \u03c3\u03b9\u03c2"),
            (Tokens{"\u03c3\u03b9\u03c3\u03c5\u03c6\u03bf\u03c3", "\u03c3\u03b9\u03c3"}));
  EXPECT_EQ(tokens("\u041c\u043e\u0441\u043a\u0432\u0430, \u6771\u4eac\u3002\u5927\u962a"),
            (Tokens{"\u043c\u043e\u0441\u043a\u0432\u0430", "\u6771\u4eac\u3002\u5927\u962a"}));
  EXPECT_EQ(tokens("\u1112\u1161\u11ab"), Tokens{"\ud55c"});  // Hangul jamo compose
  // Marks come in canonical order: cedilla (202) before acute (230).
  EXPECT_EQ(tokens("e\u0301\u0327"), tokens("e\u0327\u0301"));
}

TEST(Tokenizer, LeavesCaseWhereItIsToldTo) {
  Tokenizer tokenizer(1, false);
  Tokens found;
  tokenizer.tokenize("The E\u0301COLE Stra\u00dfe", [&](std::string_view token) { found.emplace_back(token); });
  EXPECT_EQ(found, (Tokens{"The", "\u00c9COLE", "Stra\u00dfe"}));
  EXPECT_EQ(tokenizer.fold("Stra\u00dfe"), "strasse");
}

TEST(Tokenizer, MarksBelongToTheLetterBeforeThem) {
  EXPECT_EQ(tokens("\u0301 \u0301abc"), Tokens{"abc"});
  EXPECT_EQ(tokens("x\u0332y"), Tokens{"x\u0332y"});
  EXPECT_EQ(tokens("a-\u0301b"), (Tokens{"a", "b"}));
}

TEST(Tokenizer, CountsIllFormedSequencesAndSeparatesThere) {
  const auto check = [](std::string_view text, const Tokens& expected, std::int64_t ill_formed) {
    const Tokenized got = tokenize(text);
    EXPECT_EQ(got.tokens, expected) << testing::PrintToString(text);
    EXPECT_EQ(got.ill_formed, ill_formed) << testing::PrintToString(text);
  };
  check("caf\xe9 noir", {"caf", "noir"}, 1);  // Latin-1
  check(
      "ab\xff"
      "cd",
      {"ab", "cd"}, 1);
  check(
      "ab\xc0\xaf"
      "cd",
      {"ab", "cd"}, 2);                                     // overlong
  check("\xe0\x9f\xbfz \xf0\x8f\xbf\xbfz", {"z", "z"}, 7);  // overlong, three and four bytes
  check("\xed\xa0\x80z", {"z"}, 3);                         // surrogate
  check("\xf4\x90\x80\x80z", {"z"}, 4);                     // beyond U+10FFFF
  check("\xf0\x9f\x98", {}, 1);                             // cut short at the end
  check(
      "\xe2\x82"
      "ac",
      {"ac"}, 1);  // maximal subpart of two bytes
  check("\xc3\xa9\xff\xc3\xa9", {"\u00e9", "\u00e9"}, 1);
  check("a-\xff", {"a"}, 1);
  check("a-\xff-b", {"a", "b"}, 1);
}

// A long run of marks of two classes in turn: a quadratic sort would take minutes.
TEST(Tokenizer, TakesLinearTimeForMarks) {
  std::string text = "a";
  std::string sorted = "\u1ea1";  // a with U+0323
  const int pairs = 200000;
  for (int i = 0; i < pairs; ++i) text += "\u0301\u0323";
  for (int i = 1; i < pairs; ++i) sorted += "\u0323";
  for (int i = 0; i < pairs; ++i) sorted += "\u0301";
  const Tokens got = tokens(text);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_TRUE(got[0] == sorted);
}

std::string encode(const std::vector<std::int32_t>& code_points) {
  std::string text;
  for (const std::int32_t c : code_points) {
    utf8proc_uint8_t bytes[4];
    text.append(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(utf8proc_encode_char(c, bytes)));
  }
  return text;
}

// Letters, marks and punctuation of the first planes, surrogates left out.
rc::Gen<std::vector<std::int32_t>> code_points() {
  return rc::gen::container<std::vector<std::int32_t>>(
      rc::gen::oneOf(rc::gen::inRange(0x20, 0x7f), rc::gen::inRange(0xa0, 0x600), rc::gen::inRange(0x900, 0x3200),
                     rc::gen::inRange(0xac00, 0xd7a4), rc::gen::inRange(0x10000, 0x20000)));
}

RC_GTEST_PROP(Tokenizer, FindsItsOwnTokensAgain, ()) {
  const std::string text = encode(*code_points());
  std::string joined;
  const Tokenized first = tokenize(text);
  for (const std::string& token : first.tokens) joined += token + "\n";
  RC_ASSERT(first.ill_formed == 0);
  RC_ASSERT(tokens(joined) == first.tokens);
}

// utf8proc's own folding and composition is the reference.
RC_GTEST_PROP(Tokenizer, FoldsAsUtf8procDoes, ()) {
  const std::string text = encode(*code_points());
  utf8proc_uint8_t* folded = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &folded, static_cast<utf8proc_option_t>(UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE));
  const std::string expected(reinterpret_cast<char*>(folded), static_cast<std::size_t>(size));
  std::free(folded);
  RC_ASSERT(Tokenizer(1).fold(text) == expected);
}

TEST(Utf8, FindsTheFirstIllFormedSequence) {
  EXPECT_EQ(find_ill_formed(""), std::string_view::npos);
  EXPECT_EQ(find_ill_formed("abc\u00e9\U0001f600"), std::string_view::npos);
  EXPECT_EQ(find_ill_formed("ab\u00e9\xff\u00e9"), 4u);
}

}  // namespace
}  // namespace papilio::lda
