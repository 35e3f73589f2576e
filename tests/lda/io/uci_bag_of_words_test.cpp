#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus.h"

namespace papilio::lda {
namespace {

using Words = std::vector<std::string>;

class UciBagOfWords : public testing::Test {
 protected:
  Corpus read(std::string_view docword, std::string_view vocabulary, const TextOptions& options = {}) {
    return read_uci_bag_of_words(folder.write("docword.txt", docword), folder.write("vocab.txt", vocabulary), options,
                                 &report);
  }
  Corpus read_numbers(std::string_view docword, const TextOptions& options = {}) {
    return read_uci_bag_of_words(folder.write("docword.txt", docword), "", options, &report);
  }

  // What the reader says of the file, without its own name.
  std::string complaint(std::string_view docword, std::string_view vocabulary = "a\nb\nc\n") {
    const std::string caller = "papilio::read_uci_bag_of_words: ";
    const std::string text = folder.message<FormatError>([&] { read(docword, vocabulary); });
    return text.starts_with(caller) ? text.substr(caller.size()) : text;
  }

  Folder folder;
  ReadReport report;
};

// Two documents, three words, and a third document without any.
constexpr const char* small = "3\n3\n3\n1 2 1\n1 3 2\n2 1 1\n";
const Corpus small_corpus = {{0, 3, 4, 4}, {1, 2, 2, 0}, {"a", "b", "c"}};

TEST_F(UciBagOfWords, ReadsCountsAsTokens) {
  EXPECT_EQ(read(small, "a\nb\nc\n"), small_corpus);
  EXPECT_EQ(report.format, "uci");
  EXPECT_EQ(report.documents, 3);
  EXPECT_EQ(report.empty_documents, 1);
  EXPECT_EQ(report.tokens_read, 4);
  EXPECT_EQ(report.tokens_kept, 4);
}

TEST_F(UciBagOfWords, ReadsWhatRealFilesLookLike) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "3         \r\n   3\r\n3\t\r\n1 2 1\r\n1\t3  2 \r\n 2 1 1\r\n\r\n",
                 "a\r\nb\r\nc"),
            small_corpus);
  EXPECT_EQ(read("3\n3\n3\n1.0 2 1\n1 3 2.000e+00\n2 1 1.", "a\nb\nc"), small_corpus);
  EXPECT_EQ(read(gzip(small), zstd("a\nb\nc\n")), small_corpus);
  EXPECT_EQ(read(zstd(small), gzip("a\nb\nc\n")), small_corpus);
}

TEST_F(UciBagOfWords, SortsDocumentsAndWordsAndAddsRepeatedPairs) {
  EXPECT_EQ(read("3\n3\n5\n2 1 1\n1 3 1\n3 2 1\n1 2 1\n1 3 1\n", "a\nb\nc\n"),
            (Corpus{{0, 3, 4, 5}, {1, 2, 2, 0, 1}, {"a", "b", "c"}}));
}

TEST_F(UciBagOfWords, NamesWordsByNumberWithoutAVocabulary) {
  EXPECT_EQ(read_numbers(small), (Corpus{{0, 3, 4, 4}, {1, 2, 2, 0}, {"1", "2", "3"}}));
  EXPECT_EQ(read_numbers("1\n5\n2\n1 2 1\n1 4 1\n"), (Corpus{{0, 2}, {0, 1}, {"2", "4"}}));
  EXPECT_EQ(read_numbers("1\n5\n1\n1 2 1\n", {.min_df = 0}), (Corpus{{0, 1}, {1}, {"1", "2", "3", "4", "5"}}));
}

TEST_F(UciBagOfWords, AppliesStopWordsAndLimits) {
  EXPECT_EQ(read(small, "The\nb\nc\n", {.stop_words = {"the", "B"}}), (Corpus{{0, 2, 2, 2}, {0, 0}, {"c"}}));
  EXPECT_EQ(report.stop_words_dropped, 2);
  EXPECT_EQ(report.empty_documents, 2);
  EXPECT_EQ(read("2\n3\n3\n1 1 5\n1 2 1\n2 2 1\n", "a\nb\nc\n", {.min_df = 2}), (Corpus{{0, 1, 2}, {0, 0}, {"b"}}));
  EXPECT_EQ(report.rare_or_common_dropped, 5);
  EXPECT_EQ(read(small, "a\nb\nc\n", {.max_vocabulary = 2}).vocabulary, (Words{"a", "c"}));
  EXPECT_EQ(read("1\n3\n1\n1 2 1\n", "the\nb\nc\n", {.stop_words = {"the"}, .min_df = 0}),
            (Corpus{{0, 1}, {0}, {"b", "c"}}));
}

TEST_F(UciBagOfWords, TakesAnEmptyCorpus) {
  EXPECT_EQ(read("0\n0\n0\n", ""), Corpus{});
  EXPECT_EQ(read("2\n0\n0", ""), (Corpus{{0, 0, 0}, {}, {}}));
}

TEST_F(UciBagOfWords, GivesTheSameCorpusForAnyNumberOfThreads) {
  std::string body;
  int entries = 0;
  for (int d = 2000; d >= 1; --d) {
    for (int w = d % 7 + 1; w <= 50; w += d % 11 + 1, ++entries) {
      body += std::to_string(d) + " " + std::to_string(51 - w) + " " + std::to_string(w % 3 + 1) + "\n";
    }
  }
  const std::string text = "2001\n50\n" + std::to_string(entries) + "\n" + body;
  const Corpus expected = read_numbers(text, {.threads = 1});
  expected.verify();
  EXPECT_EQ(expected.documents(), 2001);
  for (const int threads : {0, 2, 7}) EXPECT_TRUE(read_numbers(text, {.threads = threads}) == expected) << threads;
}

TEST_F(UciBagOfWords, NamesThePlaceOfBadHeaders) {
  EXPECT_EQ(complaint(""), "docword.txt:1: expected the number of documents, D, got the end of the file");
  EXPECT_EQ(complaint("3\n3\n"), "docword.txt:3: expected the number of entries, NNZ, got the end of the file");
  EXPECT_EQ(complaint("3\nx\n3\n"), "docword.txt:2:1: expected the number of words, W (0 to 2147483647), got \"x\"");
  EXPECT_EQ(complaint("3\n\n3\n"), "docword.txt:2:1: expected the number of words, W (0 to 2147483647), got \"\"");
  EXPECT_EQ(complaint("3\n3 4\n3\n"),
            "docword.txt:2:3: expected the number of words, W (0 to 2147483647), got \"3 4\"");
  EXPECT_EQ(complaint("-3\n3\n3\n"),
            "docword.txt:1:1: expected the number of documents, D (0 to 9007199254740992), got \"-3\"");
  EXPECT_EQ(complaint("3\n2147483648\n3\n"),
            "docword.txt:2:1: expected the number of words, W (0 to 2147483647), got \"2147483648\"");
  EXPECT_EQ(complaint("3\n3\n2.5\n"),
            "docword.txt:3:1: expected the number of entries, NNZ (0 to 9007199254740992), got \"2.5\"");
}

TEST_F(UciBagOfWords, NamesThePlaceOfBadEntries) {
  const auto entry = [&](const std::string& line) { return complaint("3\n3\n2\n1 1 1\n" + line + "\n"); };
  const std::string expected = "expected \"document word count\", got ";
  EXPECT_EQ(entry("2 x 3"), "docword.txt:5:3: " + expected + "\"2 x 3\" (word is not a number)");
  EXPECT_EQ(entry("2 3x 3"), "docword.txt:5:3: " + expected + "\"2 3x 3\" (word is not a number)");
  EXPECT_EQ(entry("2 nan 3"), "docword.txt:5:3: " + expected + "\"2 nan 3\" (word is not a number)");
  EXPECT_EQ(entry("  2 1 3.5"), "docword.txt:5:7: " + expected + "\"  2 1 3.5\" (count is not a whole number)");
  EXPECT_EQ(entry("0 1 3"), "docword.txt:5:1: " + expected + "\"0 1 3\" (document must be from 1 to 3)");
  EXPECT_EQ(entry("4 1 3"), "docword.txt:5:1: " + expected + "\"4 1 3\" (document must be from 1 to 3)");
  EXPECT_EQ(entry("2 0 3"), "docword.txt:5:3: " + expected + "\"2 0 3\" (word must be from 1 to 3)");
  EXPECT_EQ(entry("2 4 3"), "docword.txt:5:3: " + expected + "\"2 4 3\" (word must be from 1 to 3)");
  for (const std::string count : {"0", "-1", "2147483648", "1e10", "99999999999999999999", "inf"}) {
    EXPECT_EQ(entry("2 1 " + count),
              "docword.txt:5:5: " + expected + "\"2 1 " + count + "\" (count must be from 1 to 2147483647)");
  }
  EXPECT_EQ(entry("2 1"), "docword.txt:5:4: " + expected + "\"2 1\" (2 of 3 fields)");
  EXPECT_EQ(entry(""), "docword.txt:5:1: " + expected + "\"\" (0 of 3 fields)");
  EXPECT_EQ(entry("2 1 1 9 9"), "docword.txt:5:7: " + expected + "\"2 1 1 9 9\" (more than 3 fields)");
  EXPECT_EQ(entry("2 1 \x01\xff"), "docword.txt:5:5: " + expected + "\"2 1 \\x01\\xff\" (count is not a number)");
  EXPECT_EQ(entry("2 1 " + std::string(100, '9')), "docword.txt:5:5: " + expected + "\"2 1 " + std::string(56, '9') +
                                                       "...\" (count must be from 1 to 2147483647)");
  try {
    read("3\n3\n1\n1 x 1\n", "a\nb\nc\n");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_EQ(error.line, 4);
    EXPECT_EQ(error.column, 3);
  }
}

TEST_F(UciBagOfWords, RefusesHeadersThatLie) {
  EXPECT_EQ(complaint("3\n3\n17179869184\n1 1 1\n2 1 1\n"),
            "docword.txt:5: expected 17179869184 entries (line 3: NNZ), got 2 before the end of the file");
  EXPECT_EQ(complaint("3\n3\n9007199254740992\n1 1 1\n"),
            "docword.txt:4: expected 9007199254740992 entries (line 3: NNZ), got 1 before the end of the file");
  EXPECT_EQ(
      complaint("3\n3\n1152921504606846976\n1 1 1\n"),
      "docword.txt:3:1: expected the number of entries, NNZ (0 to 9007199254740992), got \"1152921504606846976\"");
  EXPECT_EQ(complaint("3\n3\n1\n1 1 1\n\n2 1 1\n"),
            "docword.txt:6:1: expected the end of the file after 1 entries (line 3: NNZ), got \"2 1 1\"");
  EXPECT_EQ(complaint("3\n3\n1\n1 1 1\ngarbage\n"),
            "docword.txt:5:1: expected the end of the file after 1 entries (line 3: NNZ), got \"garbage\"");
  EXPECT_EQ(complaint("1099511627776\n3\n1\n1099511627776 1 1\n"),
            "docword.txt:1:1: the header claims 1099511627776 documents, but the file holds 1 entries; at most 1048576 "
            "+ 16 per entry are accepted");
  EXPECT_EQ(folder.message<FormatError>([&] { read_numbers("1\n2147483647\n1\n1 2147483647 1\n"); }),
            "papilio::read_uci_bag_of_words: docword.txt:2:1: the header claims 2147483647 words, but the file holds 1 "
            "entries; at most 1048576 + 16 per entry are accepted");
}

// Its counts would not fit 32 bits. Refused before memory is taken for its tokens.
TEST_F(UciBagOfWords, RefusesDocumentsOfTooManyTokens) {
  const TextOptions options = {.max_memory = std::int64_t{1} << 45};
  EXPECT_EQ(
      folder.message<FormatError>([&] { read_numbers("2\n2\n4\n1 1 7\n2 1 2147483647\n1 2 1\n2 2 1\n", options); }),
      "papilio::read_uci_bag_of_words: docword.txt: document 2 has 2147483648 tokens, expected at most 2^31 - 1; "
      "split it");
  const std::vector<std::int64_t> offsets = {0, 5, (std::int64_t{1} << 31) + 5};
  const CorpusView corpus = {offsets, {}, {}, {}};
  EXPECT_EQ(folder.message<InvalidArgument>([&] { corpus.verify(); }),
            "papilio::Corpus::verify: document 1 has 2147483648 tokens, expected at most 2^31 - 1; split it");
}

TEST_F(UciBagOfWords, StopsBeforeCountsExhaustTheMemory) {
  std::string text = "1\n1\n1000\n";
  for (int i = 0; i < 1000; ++i) text += "1 1 2147483647\n";
  // 2^31 - 1 tokens per line, 12 bytes each; by default the limit is the machine's.
  EXPECT_EQ(
      folder.message<FormatError>([&] { read_numbers(text, {.max_memory = 100000000000}); }),
      "papilio::read_uci_bag_of_words: docword.txt:7: the corpus up to here (8589934588 tokens, 1 documents) needs "
      "more than 100000000000 bytes of memory, the limit for reading; raise it with max_memory (--max-memory; by "
      "default half of the machine's memory or of the container's)");
  EXPECT_THROW(read_numbers(text), FormatError);
  EXPECT_THROW(read_numbers("100000\n1\n1\n1 1 1\n", {.max_memory = 1000000}), FormatError);
  EXPECT_THROW(read_numbers("1\n100000\n1\n1 1 1\n", {.max_memory = 1000000}), FormatError);
  std::string entries = "1000\n1\n1000\n";
  for (int i = 0; i < 1000; ++i) entries += std::to_string(i % 2 * 500 + 1) + " 1 1\n";
  EXPECT_THROW(read_numbers(entries, {.max_memory = 10000}), FormatError);
}

TEST_F(UciBagOfWords, RefusesVocabulariesThatDoNotFit) {
  EXPECT_EQ(complaint(small, "a\nb\n"), "vocab.txt: expected 3 words (line 2 of docword.txt: W), got 2");
  EXPECT_EQ(complaint(small, "a\nb\nc\nd\n"), "vocab.txt: expected 3 words (line 2 of docword.txt: W), got 4");
  EXPECT_EQ(complaint(small, "a\nb\na\n"), "vocab.txt:3:1: word \"a\" is already on line 1");
  EXPECT_EQ(complaint(small, "a\n\nc\n"), "vocab.txt:2:1: expected a word, got an empty line");
  EXPECT_EQ(complaint(small, "a\nb\nc\n\n"), "vocab.txt:4:1: expected a word, got an empty line");
  EXPECT_EQ(complaint(small, "a\nb\xe9\nc\n"), "vocab.txt:2:2: expected UTF-8, got \"\\xe9\"");
}

TEST_F(UciBagOfWords, RefusesDamagedAndMissingFiles) {
  const std::string whole = gzip(small);
  EXPECT_NE(complaint(whole.substr(0, whole.size() - 1)).find("gzip stream ends too early"), std::string::npos);
  EXPECT_EQ(folder.message<IoError>([&] { read_uci_bag_of_words(folder.path("none"), ""); }),
            "papilio::read_uci_bag_of_words: cannot open none: No such file or directory");
  EXPECT_EQ(
      folder.message<IoError>([&] { read_uci_bag_of_words(folder.write("docword.txt", small), folder.path("none")); }),
      "papilio::read_uci_bag_of_words: cannot open none: No such file or directory");
  EXPECT_EQ(folder.message<InvalidArgument>([&] { read_uci_bag_of_words("-", "-"); }),
            "papilio::read_uci_bag_of_words: docword and vocabulary cannot both be standard input");
}

TEST(WriteUciBagOfWords, CountsAndSortsWords) {
  const Folder folder;
  const Corpus corpus = {{0, 4, 4, 5}, {2, 0, 2, 1, 0}, {"a", "b", "c"}};
  write_uci_bag_of_words(corpus, folder.path("docword"), folder.path("vocab"));
  EXPECT_EQ(folder.read("docword"), "3\n3\n4\n1 1 1\n1 2 1\n1 3 2\n3 1 1\n");
  EXPECT_EQ(folder.read("vocab"), "a\nb\nc\n");
  testing::internal::CaptureStdout();
  write_uci_bag_of_words(corpus, "-", folder.path("vocab"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), folder.read("docword"));
}

TEST(WriteUciBagOfWords, RefusesWordsThatWouldNotComeBack) {
  const Folder folder;
  const auto message = [&](const Words& vocabulary) {
    return folder.message<InvalidArgument>([&] {
      write_uci_bag_of_words(Corpus{{0}, {}, vocabulary}, folder.path("docword"), folder.path("vocab"));
    });
  };
  const std::string caller = "papilio::write_uci_bag_of_words: ";
  EXPECT_EQ(message({"a", ""}), caller + "word 1 is \"\", expected one line that is not empty");
  EXPECT_EQ(message({"a\nb"}), caller + "word 0 is \"a\\x0ab\", expected one line that is not empty");
  EXPECT_EQ(message({"a", "b", "a"}), caller + "words 0 and 2 are both \"a\"");
  EXPECT_EQ(message({"\xe9"}), caller + "word 0 is \"\\xe9\", expected UTF-8");
  EXPECT_EQ(folder.names(), Words{});
}

}  // namespace
}  // namespace papilio::lda
