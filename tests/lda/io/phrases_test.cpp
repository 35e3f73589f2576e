// Phrases beside plain implementations that compare spellings.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lda/corpus/phrases/phrase_finder.h"
#include "lda/io/files.h"
#include "lda/io/phrases_oracle.h"
#include "papilio/corpus_file.h"
#include "papilio/corpus_formats.h"
#include "papilio/phrases.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

Documents draw_documents() {
  const auto word = rc::gen::elementOf(Words{"a", "b", "c", "d", "b_c", "a_b", "_", "x__y", "e"});
  return *rc::gen::container<Documents>(rc::gen::container<Words>(word));
}

std::set<std::string> set_of(const Words& words) { return {words.begin(), words.end()}; }

RC_GTEST_PROP(JoinPhrases, TakesTheLongestAtEachWordFromTheLeft, ()) {
  const Documents documents = draw_documents();
  const auto phrase = rc::gen::elementOf(Words{"a_b", "b_c", "a_b_c", "c_d", "d_a_b", "b_b", "a_b_c_d_e", "c_c_c"});
  const Words phrases = *rc::gen::container<Words>(phrase);
  Documents expected;
  for (const Words& document : documents) expected.push_back(join_plainly(document, set_of(phrases)));
  RC_ASSERT(join_phrases(corpus_of(documents), phrases) == corpus_of(expected));
}

RC_GTEST_PROP(FindPhrases, FindsThoseOfThePlainRule, ()) {
  Documents documents = draw_documents();
  const int copies = *rc::gen::inRange(1, 4);
  const Documents once = documents;
  for (int i = 1; i < copies; ++i) documents.insert(documents.end(), once.begin(), once.end());
  for (Words& document : documents) std::erase(document, "_"), std::erase(document, "x__y");
  const PhraseOptions options = {.find = true,
                                 .threshold = *rc::gen::inRange(-9, 10) / 10.0 + 0.0123,
                                 .min_count = *rc::gen::inRange(1, 4),
                                 .length = *rc::gen::inRange(2, 6)};
  const std::map<std::string, double> expected = find_plainly(documents, options);
  const std::vector<Phrase> found = find_phrases(corpus_of(documents), options);
  std::set<std::string> found_words;
  for (const Phrase& phrase : found) {
    found_words.insert(phrase.words);
    RC_ASSERT(phrase.count >= options.min_count);
    RC_ASSERT(phrase.npmi >= options.threshold && phrase.npmi <= 1);
  }
  std::set<std::string> expected_words;
  for (const auto& [phrase, npmi] : expected) expected_words.insert(phrase);
  RC_ASSERT(found_words == expected_words);
  RC_ASSERT(found_words.size() == found.size());
}

// However little of the text is kept at a time.
RC_GTEST_PROP(FindPhrases, DoesNotDependOnHowManyFollowersAreKept, ()) {
  const Corpus corpus = corpus_of(draw_documents());
  const PhraseOptions options = {.find = true, .threshold = -0.2, .min_count = 1, .length = 4};
  std::vector<std::int32_t> words = corpus.words;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    if (begin < static_cast<std::size_t>(corpus.document_offsets[d + 1])) words[begin] = marked(words[begin]);
  }
  const std::size_t block = *rc::gen::inRange<std::size_t>(1, 9);
  const auto blocks = [&](base::FunctionRef<void(std::span<const std::int32_t>)> use) {
    for (std::size_t i = 0; i < words.size(); i += block) {
      use(std::span(words).subspan(i, std::min(block, words.size() - i)));
    }
  };
  const auto found = [&](std::int64_t most_followers) {
    Words phrases;
    for (const Phrase& phrase :
         find_phrases({.vocabulary = corpus.vocabulary, .words = blocks, .most_followers = most_followers}, options,
                      [](std::int64_t) {})) {
      phrases.push_back(phrase.words);
    }
    return phrases;
  };
  const Words all = found(corpus.tokens() + 1);
  RC_ASSERT(found(*rc::gen::inRange(1, 12)) == all);
  RC_ASSERT(found(1) == all);
}

TEST(FindPhrases, OrdersThemByNpmiAndSaysHowOften) {
  Documents documents;
  for (int i = 0; i < 6; ++i) documents.push_back({"new", "york", "city", "hall"});
  for (int i = 0; i < 3; ++i) documents.push_back({"city", "new"});
  documents.push_back({"hall", "york", "new"});
  const std::vector<Phrase> found = find_phrases(corpus_of(documents), {.find = true, .threshold = 0.6, .length = 2});
  // n = 33; new 10, york 7, city 9, hall 7.
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].words, "city_hall");
  EXPECT_EQ(found[0].count, 6);
  EXPECT_NEAR(found[0].npmi, std::log(6.0 * 33 / (7 * 9)) / std::log(33.0 / 6), 1e-15);
  EXPECT_EQ(found[1].words, "york_city");
  EXPECT_EQ(found[2].words, "new_york");
  EXPECT_NEAR(found[2].npmi, std::log(6.0 * 33 / (7 * 10)) / std::log(33.0 / 6), 1e-15);
}

TEST(FindPhrases, GivesWordsThatAreNeverApartExactlyOne) {
  for (const std::int64_t n : {3, 10, 1000003}) EXPECT_EQ(npmi(2, 2, 2, n), 1) << n;
  const Corpus corpus = corpus_of({{"los", "angeles", "is"}, {"los", "angeles"}, {"is", "far"}});
  const std::vector<Phrase> found = find_phrases(corpus, {.find = true, .threshold = 1, .min_count = 2});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].words, "los_angeles");
}

// The same bits on every machine: a C library's logarithm may differ in the last one.
TEST(FindPhrases, HasALogarithmOfItsOwn) {
  EXPECT_EQ(npmi(5, 7, 60, 1000), 0x1.deb716ad7c1acp-2);
  EXPECT_EQ(npmi(123, 4567, 8910, 12345678), 0x1.41d2e6448c44bp-2);
}

// Text. The words that make up a phrase, and what may stand between two of them.
struct Piece {
  std::string word;
  std::string before;  // what stands before it
};

bool is_gap(const std::string& between) {
  return between.find_first_not_of(" \t\n") != std::string::npos ||
         std::count(between.begin(), between.end(), '\n') > 1;
}

// The text in which phrases are spelled with the delimiter: the tokenizer takes those for words.
std::string spell_out(const std::vector<Piece>& pieces, const std::set<std::string>& phrases) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size();) {
    std::string phrase = pieces[i].word;
    std::string longest = phrase;
    std::size_t end = i + 1;
    for (std::size_t j = i + 1; j < pieces.size() && !is_gap(pieces[j].before); ++j) {
      phrase += "_" + pieces[j].word;
      if (phrases.contains(phrase)) longest = phrase, end = j + 1;
    }
    text += pieces[i].before + longest;
    i = end;
  }
  return text;
}

std::string plain(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += piece.before + piece.word;
  return text;
}

std::vector<Piece> draw_pieces() {
  const auto word =
      rc::gen::elementOf(Words{"new", "york", "city", "of", "the", "rights", "Über", "bill", "a", "york_city"});
  const auto between =
      rc::gen::elementOf(Words{" ", " ", "  ", " \n", "\n\n", "\xc2\xa0", ", ", ". ", " 7 ", " \xff "});
  const auto piece = rc::gen::build<Piece>(rc::gen::set(&Piece::word, word), rc::gen::set(&Piece::before, between));
  return *rc::gen::container<std::vector<Piece>>(piece);
}

Corpus read(const std::vector<std::string>& texts, const TextOptions& options) {
  return corpus_from_texts(std::vector<std::string_view>(texts.begin(), texts.end()), options);
}

RC_GTEST_PROP(PhrasesOfText, AreTheWordsOfTheTextThatSpellsThem, ()) {
  const Words phrases = {"new york",
                         "new york city",
                         "city of the",
                         "bill of rights",
                         "\xc3\x9c"
                         "ber new",
                         "york a"};
  std::set<std::string> spelled;
  for (std::string phrase : phrases) {
    std::replace(phrase.begin(), phrase.end(), ' ', '_');
    spelled.insert(phrase);
  }
  std::vector<std::string> texts;
  std::vector<std::string> spelled_out;
  for (int d = *rc::gen::inRange(0, 5); d > 0; --d) {
    std::vector<Piece> pieces = draw_pieces();
    // is_gap knows no blanks beyond ASCII.
    texts.push_back(plain(pieces));
    for (Piece& piece : pieces) piece.before = piece.before == "\xc2\xa0" ? " " : piece.before;
    spelled_out.push_back(spell_out(pieces, spelled));
  }
  TextOptions options = {.min_token_length = *rc::gen::inRange(1, 5),
                         .fold_case = *rc::gen::arbitrary<bool>(),
                         .stop_words = {"the", "of", "rights", "new_york"},
                         .min_df = *rc::gen::inRange(0, 3),
                         .max_vocabulary = *rc::gen::inRange(0, 5)};
  const Corpus expected = read(spelled_out, options);
  options.phrases.list = phrases;
  options.threads = *rc::gen::inRange(1, 4);
  RC_ASSERT(read(texts, options) == expected);
}

// A text of some thousand words in which some stand together.
std::string sample_text(std::uint32_t seed, int words, const char* end) {
  const Words all = {"new", "york", "times", "square", "press", "of", "the", "is", "market", "stock", "bond", "river"};
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < words; ++i) {
    const std::size_t word = random() % all.size();
    text += all[word];
    if (word == 0 && random() % 4 != 0) text += " york";
    if (word == 9 && random() % 3 != 0) text += " market";
    text += random() % 9 == 0 ? ", " : " ";
    if (random() % 50 == 0) text += end;
  }
  return text;
}

TEST(PhrasesOfText, AreTheSameForAnyNumberOfThreadsAndAnyMemory) {
  const Folder folder;
  const std::string path = folder.write("text", sample_text(1, 40000, "\n") + "\n" + sample_text(2, 30000, "") + "\n");
  const TextOptions options = {.stop_words = {"the", "is"},
                               .threads = 1,
                               .phrases = {.find = true, .threshold = 0.2, .min_count = 20, .length = 4}};
  ReadReport report;
  const Corpus expected = read_lines_of_text(path, options, &report);
  EXPECT_GT(report.phrases, 1);
  EXPECT_EQ(report.tokens_read,
            report.tokens_kept + report.stop_words_dropped + report.tokens_joined + report.rare_or_common_dropped);
  for (const int threads : {1, 2, 7}) {
    for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{6} << 20}) {  // small pieces of long lines
      TextOptions same = options;
      same.threads = threads;
      same.max_memory = memory;
      EXPECT_EQ(read_lines_of_text(path, same), expected);
      import_text({.path = path}, folder.path("imported"), same);
      EXPECT_EQ(read_corpus_file(folder.path("imported")), expected);
    }
  }
}

TEST(PhrasesOfText, AreFoundAgainByTheVocabulary) {
  const std::vector<std::string> texts = {sample_text(3, 3000, ". "), sample_text(4, 3000, "\n\n")};
  const PhraseOptions found = {.find = true, .threshold = 0.1, .min_count = 10, .length = 4};
  const Corpus corpus = read(texts, {.stop_words = {"the", "of"}, .phrases = found});
  const Words phrases = phrases_in_vocabulary(corpus.vocabulary);
  EXPECT_GT(phrases.size(), 1U);
  EXPECT_EQ(read(texts, {.stop_words = {"the", "of"}, .phrases = {.list = phrases}}), corpus);
  // Without stop words they stay words of their own.
  const Corpus whole = read(texts, {.phrases = {.list = phrases}});
  EXPECT_EQ(whole.tokens() - corpus.tokens(),
            std::count_if(whole.words.begin(), whole.words.end(),
                          [&](std::int32_t w) { return whole.vocabulary[static_cast<std::size_t>(w)] == "the"; }));
}

// What is found holds no stop word and crosses none; what is listed may hold one.
TEST(PhrasesOfText, AreFoundAmongTheWordsThatStay) {
  const std::vector<std::string> texts(9, "the bill of rights. In the bill of rights");
  const PhraseOptions found = {.find = true, .threshold = -1, .min_count = 1};
  EXPECT_EQ(read(texts, {.stop_words = {"the"}, .phrases = found}).vocabulary, (Words{"bill", "rights"}));
  ReadReport report;
  const Corpus listed = corpus_from_texts(std::vector<std::string_view>(texts.begin(), texts.end()),
                                          {.stop_words = {"the"}, .phrases = {.list = {"Bill of  rights"}}}, &report);
  EXPECT_EQ(listed.vocabulary, (Words{"bill_of_rights"}));
  EXPECT_EQ(report.phrases, 1);
  EXPECT_EQ(report.tokens_joined, 36);
  EXPECT_EQ(report.stop_words_dropped, 18);
  EXPECT_EQ(report.tokens_kept, 18);
  EXPECT_EQ(report.rare_or_common_dropped, 0);
}

// Whatever finds the words, what is not a word parts them.
TEST(PhrasesOfText, AreOfTheWordsThatTheRuleFinds) {
  const std::vector<std::string> texts = {"route 66 here, route 66\nroute\n66 route\n\n66 route \xff 66"};
  const PhraseOptions phrases = {.list = {"route 66"}};
  const auto joined = [&](TextOptions options) {
    options.phrases = phrases;
    const Corpus corpus = read(texts, options);
    std::string words;
    for (const std::int32_t word : corpus.words) words += corpus.vocabulary[static_cast<std::size_t>(word)] + " ";
    return words;
  };
  EXPECT_EQ(joined({}), "route here route route route route ");
  const std::string all = "route_66 here route_66 route_66 route 66 route 66 ";
  EXPECT_EQ(joined({.words = WordRule::numbers}), all);
  EXPECT_EQ(joined({.token_pattern = "[a-z0-9]+"}), all);
  EXPECT_EQ(joined({.token_pattern = "[a-z]+|66,?"}), all);
  EXPECT_EQ(joined({.token_pattern = "(route|66)"}), "route_66 route_66 route_66 route 66 route 66 ");
  if (icu_version().empty()) return;
  EXPECT_EQ(joined({.words = WordRule::icu}), "route here route route route route ");
}

// By reason, after phrases are joined: a word that a phrase holds is not left out.
TEST(PhrasesOfText, SayWhatIsLeftOutBesideThem) {
  const std::vector<std::string> texts = {"bill of rights 7 of the of", "the Rights of an A"};
  ReadReport report;
  corpus_from_texts(std::vector<std::string_view>(texts.begin(), texts.end()),
                    {.stop_words = {"the"}, .phrases = {.list = {"bill of rights"}}}, &report);
  EXPECT_EQ(report.left_out[LeftOutReason::too_short],
            (LeftOutWords{.tokens = 5, .words = 3, .examples = {"of", "a", "an"}}));
  EXPECT_EQ(report.left_out[LeftOutReason::stop_word], (LeftOutWords{.tokens = 2, .words = 1, .examples = {"the"}}));
  EXPECT_EQ(report.left_out[LeftOutReason::number], (LeftOutWords{.tokens = 1, .words = 1, .examples = {"7"}}));
  EXPECT_EQ(report.stop_words_dropped, 2);
  EXPECT_EQ(report.tokens_joined, 2);
  EXPECT_EQ(report.tokens_kept, 2);
  EXPECT_EQ(report.tokens_read, 6);
}

TEST(PhrasesOfText, HaveTheDelimiterAskedFor) {
  const std::vector<std::string> texts = {"New York is new-york"};
  EXPECT_EQ(read(texts, {.phrases = {.list = {"new york"}, .delimiter = "-"}}).vocabulary, (Words{"new-york"}));
  EXPECT_EQ(read(texts, {.phrases = {.list = {"new york"}, .delimiter = "::"}}).vocabulary,
            (Words{"new::york", "new-york"}));
  EXPECT_EQ(phrases_in_vocabulary(Words{"a", "new::york", "x_y", "::b", "c::", "d::::e"}, "::"), (Words{"new::york"}));
}

TEST(PhrasesOfText, EndWhereMemoryEnds) {
  const Folder folder;
  std::string words;
  for (int i = 0; i < 20000; ++i) {
    std::string word = "w";
    for (int n = i; n > 0; n /= 26) word += static_cast<char>('a' + n % 26);
    words += word + " ";
  }
  // Each word is followed by one other: 20,000 words, 20,000 phrases.
  const std::string path = folder.write("text", words + "\n");
  const PhraseOptions found = {.find = true, .threshold = -1, .min_count = 1};
  const std::string message = folder.message<FormatError>(
      [&] { read_lines_of_text(path, {.max_memory = std::int64_t{7} << 20, .phrases = found}); });
  EXPECT_NE(message.find("joining phrases of "), std::string::npos) << message;
  EXPECT_NE(message.find("--max-memory"), std::string::npos) << message;
  EXPECT_GT(read_lines_of_text(path, {.phrases = found}).vocabulary_size(), 0);
}

TEST(PhrasesOfText, AreRefusedWhereThereIsNoText) {
  const Folder folder;
  const PhraseOptions phrases = {.find = true};
  const std::string uci = folder.write("docword.x.txt", "1\n1\n1\n1 1 1\n");
  EXPECT_EQ(
      folder.message<InvalidArgument>([&] { read_corpus(uci, {.text = {.phrases = phrases}}); }),
      "papilio::read_corpus: phrases are joined only when text is read (text, csv, tsv, jsonl, json, folder); this "
      "is uci");
  EXPECT_THROW(read_uci_bag_of_words(uci, "", {.phrases = phrases}), InvalidArgument);
  write_corpus_file(corpus_of({{"a", "b"}}), folder.path("it.papilio-corpus"));
  EXPECT_THROW(read_corpus_file(folder.path("it.papilio-corpus"), {.phrases = phrases}), InvalidArgument);
  EXPECT_THROW(import_corpus(uci, folder.path("out"), {.text = {.phrases = phrases}}), InvalidArgument);
}

TEST(PhrasesOfText, NameTheOptionThatIsOutOfRange) {
  const Folder folder;
  const auto message = [&](PhraseOptions phrases) {
    return folder.message<InvalidArgument>([&] { corpus_from_texts({}, {.phrases = phrases}); });
  };
  EXPECT_EQ(message({.threshold = 1.5}), "papilio::corpus_from_texts: phrases.threshold is 1.5, expected -1 to 1");
  EXPECT_EQ(message({.threshold = std::nan("")}),
            "papilio::corpus_from_texts: phrases.threshold is nan, expected -1 to 1");
  EXPECT_EQ(message({.min_count = 0}), "papilio::corpus_from_texts: phrases.min_count is 0, expected at least 1");
  EXPECT_EQ(message({.length = 1}), "papilio::corpus_from_texts: phrases.length is 1, expected 2 to 16");
  EXPECT_EQ(message({.length = 17}), "papilio::corpus_from_texts: phrases.length is 17, expected 2 to 16");
  EXPECT_EQ(message({.delimiter = ""}), "papilio::corpus_from_texts: phrases.delimiter has 0 bytes, expected 1 to 16");
  EXPECT_EQ(message({.delimiter = "\xff"}), "papilio::corpus_from_texts: phrases.delimiter is not well-formed UTF-8");
  EXPECT_EQ(message({.delimiter = "\xe2\x80\xa8"}),
            "papilio::corpus_from_texts: phrases.delimiter holds white space or a control character");
  EXPECT_EQ(message({.list = {"a b", "york"}}),
            "papilio::corpus_from_texts: phrases.list[1] has 1 words, expected 2 to 16");
  EXPECT_EQ(message({.list = {"a b c d e f g h i j k l m n o p q"}}),
            "papilio::corpus_from_texts: phrases.list[0] has 17 words, expected 2 to 16");
  EXPECT_EQ(message({.list = {"a \xff"}}), "papilio::corpus_from_texts: phrases.list[0] is not well-formed UTF-8");
  EXPECT_EQ(message({.find = true, .list = {"a b"}}),
            "papilio::corpus_from_texts: phrases.find is set, and phrases.list has 1 entries; expected one of the two");
}

}  // namespace
}  // namespace papilio::lda
