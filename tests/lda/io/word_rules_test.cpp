// What words are by each rule and by a pattern, and the words left out.

#include "papilio/word_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lda/corpus/tokenizer.h"
#include "lda/corpus/word_tally.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_file.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

using Words = std::vector<std::string>;

struct Cut {
  Words tokens;
  LeftOut left_out;
  std::int64_t unspaced;
  std::int64_t ill_formed;
};

Cut cut(std::string_view text, const TextOptions& options) {
  Tokenizer tokenizer(options);
  Cut result = {};
  result.ill_formed = tokenizer.tokenize(text, [&](std::string_view token) { result.tokens.emplace_back(token); });
  tokenizer.left_out().tell(result.left_out);
  result.unspaced = tokenizer.left_out().unspaced;
  return result;
}

Words tokens(std::string_view text, const TextOptions& options) { return cut(text, options).tokens; }

LeftOutWords left_out(LeftOutReason reason, std::string_view text, const TextOptions& options) {
  return cut(text, options).left_out[reason];
}

constexpr std::string_view modern = "5G, GPT-4 and COVID-19 in 2020: 3.14 (Q3) of H2O m\u00b2 \u0663\u0664 a1 7";

TEST(WordRules, LettersLeaveNumbersOut) {
  EXPECT_EQ(tokens(modern, {}), (Words{"gpt", "and", "covid"}));
  EXPECT_EQ(left_out(LeftOutReason::number, modern, {}),
            (LeftOutWords{.tokens = 11, .words = 11, .examples = {"1", "19", "2"}}));
  EXPECT_EQ(left_out(LeftOutReason::too_short, modern, {}).words, 8);  // g in q of h o m a
}

TEST(WordRules, MixedKeepsWordsWithDigits) {
  EXPECT_EQ(tokens(modern, {.words = WordRule::mixed}),
            (Words{"5g", "gpt-4", "and", "covid-19", "q3", "h2o", "m\u00b2", "a1"}));
  EXPECT_EQ(left_out(LeftOutReason::number, modern, {.words = WordRule::mixed}),
            (LeftOutWords{.tokens = 4, .words = 4, .examples = {"2020", "3.14", "7"}}));
  EXPECT_EQ(left_out(LeftOutReason::too_short, modern, {.words = WordRule::mixed}),
            (LeftOutWords{.tokens = 2, .words = 2, .examples = {"in", "of"}}));
  EXPECT_EQ(tokens("caf\u00e9-7 7-\u00e9", {.words = WordRule::mixed}), (Words{"caf\u00e9-7", "7-\u00e9"}));
}

TEST(WordRules, NumbersKeepsNumbersToo) {
  EXPECT_EQ(tokens(modern, {.words = WordRule::numbers}),
            (Words{"5g", "gpt-4", "and", "covid-19", "2020", "3.14", "q3", "h2o", "m\u00b2", "\u0663\u0664", "a1"}));
  EXPECT_EQ(tokens("1,000,000 12:30 2020-01-02 -5 1--2", {.min_token_length = 1, .words = WordRule::numbers}),
            (Words{"1,000,000", "12:30", "2020-01-02", "5", "1", "2"}));
}

TEST(WordRules, ALengthThatIsGivenHoldsForAllWords) {
  EXPECT_EQ(tokens("AI of the EU, 5G and H2O", {.min_token_length = 2}), (Words{"ai", "of", "the", "eu", "and"}));
  EXPECT_EQ(tokens("AI of the EU, 5G and H2O", {.min_token_length = 3, .words = WordRule::mixed}),
            (Words{"the", "and", "h2o"}));
  EXPECT_EQ(tokens("I 5", {.min_token_length = 1, .words = WordRule::mixed}), Words{"i"});
}

TEST(TokenPattern, EachMatchIsATokenOrItsFirstGroup) {
  EXPECT_EQ(tokens("Cats and 2 dogs", {.token_pattern = R"(\b\w\w+\b)"}), (Words{"cats", "and", "dogs"}));
  EXPECT_EQ(tokens("#Cats not #Dogs", {.token_pattern = R"(#(\w+))"}), (Words{"cats", "dogs"}));
  EXPECT_EQ(tokens("New York, york", {.token_pattern = "new york|[a-z]+"}), (Words{"new york", "york"}));
  EXPECT_EQ(tokens("a1 b2", {.token_pattern = "([a-z])([0-9])"}), (Words{"a", "b"}));
  EXPECT_EQ(tokens("ab", {.token_pattern = "a(x)?|b"}), Words{});  // a group that took no part
  EXPECT_EQ(tokens("\u00e9a\u00e9", {.token_pattern = "x*"}), Words{});
  EXPECT_EQ(tokens("aXa", {.token_pattern = "[A-Z]", .fold_case = false}), Words{"X"});
}

TEST(TokenPattern, SeesLinesInNfcAndFolded) {
  EXPECT_EQ(tokens("E\u0301COLE Stra\u00dfe", {.token_pattern = R"([a-z\x{e9}]+)"}), (Words{"\u00e9cole", "strasse"}));
  EXPECT_EQ(tokens("one two\r\nthree four\n\nfive", {.token_pattern = R"(\w+$)"}), (Words{"two", "four", "five"}));
  EXPECT_EQ(tokens("one two\nthree", {.token_pattern = R"(^\w+)"}), (Words{"one", "three"}));
  EXPECT_EQ(tokens("two\nthree", {.token_pattern = R"((?s)two.three|\w+)"}), (Words{"two", "three"}));
  EXPECT_EQ(tokens("Stra\u00dfe", {.token_pattern = R"(\pL+)", .fold_case = false}), Words{"Stra\u00dfe"});
}

TEST(TokenPattern, CountsWhatItDoesNotMatch) {
  const TextOptions options = {.token_pattern = "#(\\w+)"};
  EXPECT_EQ(left_out(LeftOutReason::pattern, "I like #cats, 5 times", options),
            (LeftOutWords{.tokens = 4, .words = 4, .examples = {"5", "i", "like"}}));
  EXPECT_EQ(left_out(LeftOutReason::too_short, "#ab #abc", {.min_token_length = 3, .token_pattern = "#(\\w+)"}),
            (LeftOutWords{.tokens = 1, .words = 1, .examples = {"ab"}}));
}

TEST(TokenPattern, IllFormedSequencesSeparate) {
  const Cut got = cut("caf\xe9 noir\xff\xfe", {.token_pattern = ".+"});
  EXPECT_EQ(got.tokens, (Words{"caf", " noir"}));
  EXPECT_EQ(got.ill_formed, 3);
  EXPECT_EQ(tokens(std::string_view("a\0b", 3), {.token_pattern = "."}), (Words{"a", std::string(1, '\0'), "b"}));
}

TEST(TokenPattern, LongLinesAreSearchedInParts) {
  constexpr std::size_t longest = 4096;
  const std::string line(longest + 4, 'e');
  Tokenizer tokenizer({.token_pattern = "\\pL+"}, longest);
  std::vector<std::size_t> sizes;
  tokenizer.tokenize(line, [&](std::string_view token) { sizes.push_back(token.size()); });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{longest, 4}));
}

TEST(TokenPattern, FaultsNameThePlace) {
  EXPECT_EQ(token_pattern_fault(""), "");
  EXPECT_EQ(token_pattern_fault(R"(\p{L}[\p{L}\p{P}]+\p{L})"), "");
  EXPECT_EQ(token_pattern_fault("ab(c"), "missing ): ab(c at character 1");
  EXPECT_EQ(token_pattern_fault("\u00e9[z-a]"), "invalid character class range: z-a at character 3");
  EXPECT_EQ(token_pattern_fault("a(?=b)"), "invalid perl operator: (?= at character 2");
  EXPECT_EQ(token_pattern_fault("a\\C"),
            "\\C matches single bytes, which may cut characters; use (?s:.) at character 2");
  EXPECT_EQ(token_pattern_fault("\\\\C\\Q\\C\\E"), "");
  EXPECT_EQ(token_pattern_fault("\\Q\\E\\C").substr(0, 2), "\\C");
  EXPECT_EQ(token_pattern_fault("a\xff"), "not UTF-8 at character 2");
  EXPECT_NE(token_pattern_fault("((((a{100}){100}){100}){100})"), "");  // too large
}

TEST(TokenPattern, IsRefusedBesidesARuleOrWhenWrong) {
  const Folder folder;
  const std::vector<std::string_view> texts = {"cats"};
  EXPECT_EQ(folder.message<InvalidArgument>([&] { corpus_from_texts(texts, {.token_pattern = "("}); }),
            "papilio::corpus_from_texts: token_pattern is \"(\": missing ): ( at character 1");
  EXPECT_EQ(folder.message<InvalidArgument>(
                [&] { corpus_from_texts(texts, {.words = WordRule::mixed, .token_pattern = "a"}); }),
            "papilio::corpus_from_texts: words is mixed and there is a token_pattern, expected one of them");
}

TEST(IcuWords, CutTextWithoutSpaces) {
  const TextOptions options = {.words = WordRule::icu};
  if (icu_version().empty()) {
    EXPECT_THROW(corpus_from_texts(std::vector<std::string_view>{""}, options), InvalidArgument);
    GTEST_SKIP() << "a build without ICU";
  }
  EXPECT_EQ(tokens("\u6211\u7231\u5317\u4eac\u3002", options), (Words{"\u6211", "\u7231", "\u5317\u4eac"}));
  EXPECT_EQ(tokens("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", options),
            (Words{"\u0e20\u0e32\u0e29\u0e32", "\u0e44\u0e17\u0e22"}));
  EXPECT_EQ(tokens("\u6771\u4eac\u3067\u30ab\u30e1\u30e9", options),
            (Words{"\u6771\u4eac", "\u3067", "\u30ab\u30e1\u30e9"}));
  EXPECT_EQ(tokens("Don't eat STRASSE \xff"
                   "a 5G 2020",
                   options),
            (Words{"don't", "eat", "strasse", "a", "5g"}));
  EXPECT_EQ(left_out(LeftOutReason::number, "in 2020", options),
            (LeftOutWords{.tokens = 1, .words = 1, .examples = {"2020"}}));
  EXPECT_EQ(tokens("\u5317\u4eac\n\u6211", {.min_token_length = 2, .words = WordRule::icu}), Words{"\u5317\u4eac"});
}

// Half a million characters without a boundary that is given: a quadratic search would take hours.
TEST(IcuWords, TakeLinearTime) {
  if (icu_version().empty()) GTEST_SKIP() << "a build without ICU";
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "\u6211\u7231\u5317\u4eac\u6771";
  EXPECT_GT(tokens(text, {.words = WordRule::icu}).size(), 200'000u);
}

TEST(Unspaced, LongRunsOfScriptsWithoutSpacesAreCounted) {
  EXPECT_EQ(cut("\u6211\u7231\u5317\u4eac\u6771\u6211\u7231\u5317 \u6211\u7231 caf\u00e9s", {}).unspaced, 1);
  EXPECT_EQ(cut("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\u0e20\u0e32\u0e29\u0e32", {}).unspaced, 1);
  ReadReport report;
  corpus_from_texts(std::vector<std::string_view>{"\u6211\u7231\u5317\u4eac\u6771\u6211\u7231\u5317 cats and dogs"}, {},
                    &report);
  EXPECT_EQ(report.unspaced_tokens, 1);
  EXPECT_TRUE(seems_unspaced(report));
  report.tokens_read = 11;
  EXPECT_FALSE(seems_unspaced(report));
  EXPECT_FALSE(seems_unspaced(ReadReport()));
}

TEST(WordTally, CountsAndRemembersTheFirst) {
  WordTally tally(2);
  for (const char* word : {"abc", "of", "abc", "def", "ghi", "abc", "a", "of", "a", "2020", "-5"}) tally.add(word);
  EXPECT_EQ(tally.result(),
            (LeftOutWords{.tokens = 11, .words = 4, .has_more_words = true, .examples = {"abc", "a", "of"}}));
  WordTally next;
  for (const char* word : {"def", "def", "def", "xyz", "a"}) next.add(word);
  next.add(std::string(65, 'x'));
  EXPECT_TRUE(next.result().has_more_words);
  tally.add(next);
  EXPECT_EQ(tally.result(),
            (LeftOutWords{.tokens = 17, .words = 4, .has_more_words = true, .examples = {"def", "a", "abc"}}));
  tally.clear();
  EXPECT_EQ(tally.result(), LeftOutWords());
}

// Parts of a text that ranks have counted, the last one by a limit that is too small for it.
TEST(WordTally, AddsUpOverRanks) {
  const std::vector<std::vector<const char*>> parts = {
      {"abc", "of", "def", "abc"}, {}, {"ghi", "of", "def", "jkl", "def", "abc", "def"}, {"mno", "pqr", "stu", "abc"}};
  const auto added_up = [&](std::int64_t limit, std::int64_t limit_of_rank) {
    std::vector<LeftOutWords> results(parts.size());
    testing::on_ranks({.ranks = 4}, [&](Communicator& ranks) {
      const auto rank = static_cast<std::size_t>(ranks.rank());
      WordTally tally(limit_of_rank);
      for (const char* word : parts[rank]) tally.add(word);
      tally.add_up(limit, ranks);
      results[rank] = tally.result();
    });
    for (const LeftOutWords& result : results) EXPECT_EQ(result, results.front());
    return results.front();
  };
  for (const std::int64_t limit : {0, 1, 2, 3, 4, 6, 7, 8}) {
    WordTally whole(limit);
    for (const auto& part : parts) {
      for (const char* word : part) whole.add(word);
    }
    EXPECT_EQ(added_up(limit, 100), whole.result()) << limit;
    LeftOutWords expected = whole.result(), found = added_up(limit, limit);
    expected.examples = found.examples = {};
    EXPECT_EQ(found, expected) << limit;
  }
}

TEST(LeftOut, NamesEachReason) {
  const std::vector<std::string_view> texts = {"the cats of 1999 purr", "the cats sleep", "the dogs bark",
                                               "the 7 dogs"};
  ReadReport report;
  const Corpus corpus = corpus_from_texts(
      texts, {.stop_words = {"the", "never"}, .min_df = 2, .max_df = 0.5, .max_vocabulary = 1}, &report);
  EXPECT_EQ(corpus.vocabulary, Words{"cats"});
  const LeftOut& left = report.left_out;
  EXPECT_EQ(left[LeftOutReason::too_short], (LeftOutWords{.tokens = 1, .words = 1, .examples = {"of"}}));
  EXPECT_EQ(left[LeftOutReason::number], (LeftOutWords{.tokens = 2, .words = 2, .examples = {"1999", "7"}}));
  EXPECT_EQ(left[LeftOutReason::stop_word], (LeftOutWords{.tokens = 4, .words = 1, .examples = {"the"}}));
  EXPECT_EQ(left[LeftOutReason::min_df],
            (LeftOutWords{.tokens = 3, .words = 3, .examples = {"bark", "purr", "sleep"}}));
  EXPECT_EQ(left[LeftOutReason::max_vocabulary], (LeftOutWords{.tokens = 2, .words = 1, .examples = {"dogs"}}));
  EXPECT_EQ(describe(left),
            "left out 12 tokens: words that are too short (1 token, 1 different: of), numbers (2 tokens, 2 different: "
            "1999, 7), stop words (4 tokens, 1 different: the), words in too few documents (3 tokens, 3 different: "
            "bark, purr, sleep), words beyond the largest vocabulary (2 tokens, 1 different: dogs)");
  EXPECT_EQ(describe(LeftOut()), "");
  corpus_from_texts(texts, {.max_df = 0.6}, &report);
  EXPECT_EQ(report.left_out[LeftOutReason::max_df], (LeftOutWords{.tokens = 4, .words = 1, .examples = {"the"}}));
}

// Pieces are cut at other places for each number of threads and each limit on memory; nothing may depend on that.
TEST(LeftOut, IsTheSameForAnyNumberOfThreads) {
  std::string lines;
  for (int d = 0; d < 40'000; ++d) {
    lines += std::to_string(d * 7919 % 100'003) + "-" + std::to_string(d % 30) + " of caf\u00e9 word" +
             std::string(1, static_cast<char>('a' + d % 26)) + " \u4e00" + std::to_string(d % 9) + (d % 3 ? "\n" : " ");
  }
  const Folder folder;
  const std::string path = folder.write("text", lines);
  for (const WordRule rule : {WordRule::letters, WordRule::mixed}) {
    TextOptions options = {.words = rule, .stop_words = {"caf\u00e9"}, .threads = 1};
    ReadReport expected;
    const Corpus corpus = read_lines_of_text(path, options, &expected);
    EXPECT_TRUE(expected.left_out[LeftOutReason::number].has_more_words);
    for (const int threads : {2, 7}) {
      for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{40'000'000}}) {
        options.threads = threads;
        options.max_memory = memory;
        ReadReport report;
        EXPECT_EQ(read_lines_of_text(path, options, &report), corpus);
        EXPECT_EQ(report.left_out, expected.left_out) << threads;
      }
    }
  }
  TextOptions options = {.token_pattern = "caf\u00e9 (\\w+)", .threads = 1};
  ReadReport expected;
  const Corpus corpus = read_lines_of_text(path, options, &expected);
  options.threads = 5;
  ReadReport report;
  EXPECT_EQ(read_lines_of_text(path, options, &report), corpus);
  EXPECT_EQ(report.left_out, expected.left_out);
}

// Each reader of text takes the same options: folders, tables, JSON, MALLET's lines, imports.
TEST(WordRules, HoldInEveryReader) {
  const Folder folder;
  const TextOptions options = {.words = WordRule::mixed};
  const Words expected = {"5g", "cats"};
  folder.write("lines", "5G cats 7\n");
  folder.write("table.csv", "text\n5G cats 7\n");
  folder.write("json.jsonl", "{\"text\": \"5G cats 7\"}\n");
  folder.write("mallet.mallet", "name label 5G cats 7\n");
  for (const char* name : {"lines", "table.csv", "json.jsonl", "mallet.mallet"}) {
    ReadReport report;
    EXPECT_EQ(read_corpus(folder.path(name), {.text = options}, &report).vocabulary, expected) << name;
    EXPECT_EQ(report.left_out[LeftOutReason::number], (LeftOutWords{.tokens = 1, .words = 1, .examples = {"7"}}))
        << name;
    EXPECT_EQ(import_corpus(folder.path(name), folder.path("imported"), {.text = options}).left_out, report.left_out)
        << name;
  }
}

// A folder's file and a line that are longer than any block, cut into parts.
TEST(TokenPattern, FindsWordsAcrossBlocks) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += i % 5 == 0 ? "New York, " : "cats ";
  const Folder folder;
  const TextOptions options = {.token_pattern = "new york", .max_memory = 100'000'000, .threads = 2};
  const Corpus corpus = read_lines_of_text(folder.write("text", text), options);
  EXPECT_EQ(corpus.tokens(), 60'000);
  EXPECT_EQ(corpus.vocabulary, Words{"new york"});
}

}  // namespace
}  // namespace papilio::lda
