#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus_formats.h"

// LDA-C, SVMlight, Matrix Market, gensim's lists of words and MALLET's text: what real
// files look like, and what is refused.

namespace papilio::lda {
namespace {

class CountLines : public testing::Test {
 protected:
  Corpus read(std::string_view bytes, CorpusOptions options = {}) {
    if (options.format == CorpusFormat::detect) options.format = format;
    return read_corpus(folder.write("corpus", bytes), options, &report);
  }

  // What the reader says of the file, without its own name.
  std::string complaint(std::string_view bytes, CorpusOptions options = {}) {
    const std::string caller = "papilio::read_corpus: ";
    const std::string text = folder.message<Error>([&] { read(bytes, options); });
    return text.starts_with(caller) ? text.substr(caller.size()) : text;
  }

  Folder folder;
  ReadReport report;
  CorpusFormat format = CorpusFormat::ldac;
};

// Three documents, the second one without words.
const Corpus named = {{0, 3, 3, 4}, {1, 2, 2, 0}, {"a", "b", "c"}};
Corpus numbered_from(int first) {
  Corpus corpus = named;
  for (std::size_t w = 0; w < 3; ++w) corpus.vocabulary[w] = std::to_string(static_cast<int>(w) + first);
  return corpus;
}

TEST_F(CountLines, LdacReadsWhatRealFilesLookLike) {
  const CorpusOptions with_names = {.vocabulary = folder.write("words", "a\r\nb\nc")};
  EXPECT_EQ(read("2 1:1 2:2\n0\n1 0:1\n", with_names), named);
  EXPECT_EQ(report.format, "ldac");
  EXPECT_EQ(report.empty_documents, 1);
  EXPECT_EQ(report.tokens_read, 4);
  EXPECT_EQ(read("2 1:1 2:2\n0\n1 0:1\n"), numbered_from(0));
  EXPECT_EQ(read("\xef\xbb\xbf 2  2:2.0\t1:1e0 \r\n0\r\n1 0:1\r\n\r\n \n", with_names), named);
  EXPECT_EQ(read("3 2:1 1:1 2:1\n0\n1 0:1", with_names), named);
  EXPECT_EQ(read("2 2:1 3:2\n0\n1 1:1\n", {.first_id = 1}), numbered_from(1));
  EXPECT_EQ(read(gzip("2 1:1 2:2\n0\n1 0:1\n")), numbered_from(0));
  EXPECT_EQ(read(zstd("2 1:1 2:2\n0\n1 0:1\n")), numbered_from(0));
  EXPECT_EQ(read(""), Corpus{});
  EXPECT_EQ(read("1 2:3\n", {.text = {.min_df = 0}}).vocabulary.size(), 3U);
}

TEST_F(CountLines, LdacNamesThePlaceOfMistakes) {
  const std::string expected = "expected \"M id:count ...\", got ";
  EXPECT_EQ(complaint("1 0:1\nx 0:1\n"), "corpus:2:1: " + expected + "\"x 0:1\" (M is not a number)");
  EXPECT_EQ(complaint("-1\n"), "corpus:1:1: " + expected + "\"-1\" (M must be from 0 to 9007199254740992)");
  EXPECT_EQ(complaint("17179869184 0:1\n"),
            "corpus:1:1: " + expected + "\"17179869184 0:1\" (M is 17179869184, but 1 pairs follow)");
  EXPECT_EQ(complaint("1 0:1 1:1\n"), "corpus:1:1: " + expected + "\"1 0:1 1:1\" (M is 1, but 2 pairs follow)");
  EXPECT_EQ(complaint("1 0\n"), "corpus:1:3: " + expected + "\"1 0\" (\"0\" is not a pair)");
  EXPECT_EQ(complaint("1 -1:1\n"), "corpus:1:3: " + expected + "\"1 -1:1\" (id must be from 0 to 2147483646)");
  EXPECT_EQ(complaint("1 0:1\n\n1 0:1\n"),
            "corpus:2:1: " + expected + "an empty line (a document without words is \"0\")");
  for (const std::string count : {"0", "-1", "2147483648", "1e10", "inf"}) {
    EXPECT_EQ(complaint("1 0:" + count + "\n"),
              "corpus:1:5: " + expected + "\"1 0:" + count + "\" (count must be from 1 to 2147483647)");
  }
  EXPECT_EQ(complaint("1 0:1.5\n"), "corpus:1:5: " + expected + "\"1 0:1.5\" (count is not a whole number)");
  EXPECT_EQ(complaint("1 0:nan\n"), "corpus:1:5: " + expected + "\"1 0:nan\" (count is not a number)");
  EXPECT_EQ(complaint("1 2:1\n", {.vocabulary = folder.write("words", "a\nb\n")}),
            "corpus:1:3: " + expected + "\"1 2:1\" (id must be from 0 to 1)");
  EXPECT_EQ(complaint("1 0:1\n", {.first_id = 1}),
            "corpus:1:3: " + expected + "\"1 0:1\" (id must be from 1 to 2147483646)");
}

TEST_F(CountLines, NothingIsMadeOnTheWordOfALargeId) {
  EXPECT_EQ(complaint("1 5:1\n1 2147483646:1\n"),
            "corpus:2:1: id 2147483646 claims 2147483647 words, but the file holds 2 entries; at most 1048576 + 16 per "
            "entry are accepted");
  EXPECT_EQ(read("1 1048590:1\n").vocabulary, (std::vector<std::string>{"1048590"}));
  EXPECT_EQ(complaint("1 0:2147483647\n", {.text = {.max_memory = 1 << 20}}),
            "corpus:1: the corpus up to here (2147483647 tokens, 1 documents) needs more than 1048576 bytes of memory, "
            "the limit for reading; raise it with max_memory (--max-memory; by default half of the machine's memory or "
            "of the container's)");
  std::string empty;
  for (int i = 0; i < 100000; ++i) empty += "0\n";
  EXPECT_NE(complaint(gzip(empty), {.text = {.max_memory = 1 << 20}}).find("needs more than"), std::string::npos);
}

TEST_F(CountLines, SvmlightReadsWhatRealFilesLookLike) {
  format = CorpusFormat::svmlight;
  EXPECT_EQ(read("+1 2:1 3:2\n0\n-1 1:1\n"), numbered_from(1));
  EXPECT_EQ(read("# made by hand\n\n0.5 qid:7 2:1.0 3:2 # text\n1,3\t\n\n-1e0 1:1\r\n"), numbered_from(1));
  EXPECT_EQ(read("2:1 3:2\n\n1:1\n"), numbered_from(1));       // without labels an empty line is a document
  EXPECT_EQ(read("\n# x\n1:1\n").documents(), 2);              // ... also before the first that has words
  EXPECT_EQ(read("1 1:1 2:2\n0\n1 0:1\n"), numbered_from(0));  // an id of 0 tells
  EXPECT_EQ(read("1 1:1 2:2\n0\n1 0:1\n", {.first_id = 0}), numbered_from(0));
  EXPECT_EQ(read("1 2:1 3:2 1:0\n0\n1 1:1 3:0\n"), numbered_from(1));  // a count of 0 is nothing
  const CorpusOptions with_names = {.vocabulary = folder.write("words", "a\nb\nc\n")};
  EXPECT_EQ(read("1 2:1 3:2\n0\n1 1:1\n", with_names), named);
  EXPECT_EQ(read("1 1:1 2:2\n0\n1 0:1\n", with_names), named);
  EXPECT_EQ(read("# nothing\n"), Corpus{});
}

TEST_F(CountLines, SvmlightNamesThePlaceOfMistakes) {
  format = CorpusFormat::svmlight;
  const std::string expected = "expected \"label id:count ...\", got ";
  EXPECT_EQ(complaint("1 1:1\ncats 1:1\n"), "corpus:2:1: " + expected + "\"cats 1:1\" (\"cats\" is not a label)");
  EXPECT_EQ(complaint("1 1:1\n2:1\n"), "corpus:2:1: " + expected + "\"2:1\" (\"2:1\" is not a label)");
  EXPECT_EQ(complaint("1 1:1 cats\n"), "corpus:1:7: " + expected + "\"1 1:1 cats\" (\"cats\" is not a pair)");
  EXPECT_EQ(complaint("1 1:-2\n"), "corpus:1:5: " + expected + "\"1 1:-2\" (count must be from 0 to 2147483647)");
  EXPECT_EQ(complaint("1 1:0.5\n"), "corpus:1:5: " + expected + "\"1 1:0.5\" (count is not a whole number)");
  const CorpusOptions with_names = {.vocabulary = folder.write("words", "a\nb\n")};
  EXPECT_EQ(complaint("1 0:1\n1 2:1\n", with_names),
            "corpus:2: expected ids from 0 to 1 (2 words in the vocabulary), got 2");
  EXPECT_EQ(complaint("1 3:1\n", with_names), "corpus:1:3: " + expected + "\"1 3:1\" (id must be from 0 to 2)");
}

TEST_F(CountLines, MatrixMarketReadsWhatRealFilesLookLike) {
  format = CorpusFormat::matrix_market;
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 1\n1 3 2\n3 1 1\n"), numbered_from(1));
  EXPECT_EQ(read("\xef\xbb\xbf%%matrixmarket MATRIX Coordinate real General \r\n% one\r\n\r\n3 3 5     \r\n"
                 "3 1 1.0\r\n1 3 1\r\n1 3 1.\r\n\r\n 1 2\t1e0\r\n2 2 0\r\n\r\n"),
            numbered_from(1));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n1 2 2\n1 1\n1 2\n"),
            (Corpus{{0, 2}, {0, 1}, {"1", "2"}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n3 3 3\n2 1 1\n3 1 2\n1 3 1\n", {.transposed = true}),
            numbered_from(1));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1\n1 3 2\n3 1 1\n",
                 {.vocabulary = folder.write("words", "a\nb\nc\n")}),
            named);
}

TEST_F(CountLines, MatrixMarketNamesThePlaceOfMistakes) {
  format = CorpusFormat::matrix_market;
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto of_banner = [&](const std::string& line) {
    const std::string text = complaint(line + "\n1 1 1\n1 1 1\n");
    return text.substr(0, text.find(": expected")) + text.substr(std::min(text.rfind(" ("), text.size()));
  };
  EXPECT_EQ(of_banner("%%MatrixMarket matrix array real general"), "corpus:1:23 (only sparse matrices are read)");
  EXPECT_EQ(of_banner("%%MatrixMarket matrix coordinate complex general"), "corpus:1:34 (counts are real or integer)");
  EXPECT_EQ(of_banner("%%MatrixMarket matrix coordinate real symmetric"),
            "corpus:1:39 (counts of words are not symmetric)");
  EXPECT_EQ(of_banner("%%MatrixMarket matrix"), "corpus:1:22 (2 of 5 fields)");
  EXPECT_EQ(of_banner("3 3 3"), "corpus:1:1 (not Matrix Market)");
  EXPECT_EQ(complaint(""), "corpus:1: expected \"%%MatrixMarket ...\", got an empty file");
  EXPECT_EQ(complaint(banner + "% no more\n"), "corpus:3: expected \"rows columns entries\", got the end of the file");
  EXPECT_EQ(complaint(banner + "9 12\n"),
            "corpus:2:5: expected \"rows columns entries\", got \"9 12\" (2 of 3 fields)");
  EXPECT_EQ(complaint(banner + "9 12 17179869184\n1 1 1\n"),
            "corpus:3: expected 17179869184 entries (line 2), got 1 before the end of the file");
  EXPECT_EQ(complaint(banner + "1 1 1\n1 1 1\n1 1 1\n"),
            "corpus:4:1: expected the end of the file after 1 entries (line 2), got \"1 1 1\"");
  EXPECT_EQ(complaint(banner + "2 2 1\n3 1 1\n"),
            "corpus:3:1: expected \"row column count\", got \"3 1 1\" (row must be from 1 to 2)");
  EXPECT_EQ(complaint(banner + "2 2 1\n1 0 1\n"),
            "corpus:3:3: expected \"row column count\", got \"1 0 1\" (column must be from 1 to 2)");
  EXPECT_EQ(complaint(banner + "2 2 1\n1 1 0.5\n"),
            "corpus:3:5: expected \"row column count\", got \"1 1 0.5\" (count is not a whole number)");
  EXPECT_EQ(complaint(banner + "1099511627776 2 1\n1 1 1\n"),
            "corpus:2:1: the header claims 1099511627776 documents, but the file holds 1 entries; at most 1048576 + 16 "
            "per entry are accepted");
  EXPECT_EQ(complaint(banner + "1 2 1\n1 1 1\n", {.vocabulary = folder.write("words", "a\n")}),
            "words: expected 2 words (line 2 of corpus), got 1");
}

TEST_F(CountLines, LowKeepsWordsAsTheyAre) {
  format = CorpusFormat::low;
  EXPECT_EQ(read("3   \r\nThe x,y\t1\r\n\r\nx,y\n\n"), (Corpus{{0, 3, 3, 4}, {0, 1, 2, 1}, {"The", "x,y", "1"}}));
  EXPECT_EQ(read("1\nThe cat\n", {.text = {.stop_words = {"the"}}}), (Corpus{{0, 1}, {0}, {"cat"}}));
  EXPECT_EQ(report.stop_words_dropped, 1);
  EXPECT_EQ(complaint("2\na\n"), "corpus:2: expected 2 documents (line 1), got 1 before the end of the file");
  EXPECT_EQ(complaint("1\na\nb\n"), "corpus:3:1: expected the end of the file after 1 documents (line 1), got \"b\"");
  EXPECT_EQ(complaint("cats and dogs\n"),
            "corpus:1:6: expected \"number of documents\", got \"cats and dogs\" (more than 1 fields)");
  EXPECT_EQ(complaint("1\na \xff\n"), "corpus:2:3: expected UTF-8, got \"\\xff\"");
}

TEST_F(CountLines, MalletNamesDocuments) {
  format = CorpusFormat::mallet;
  const Corpus corpus = read("d1 en Cats, and cats.\r\nd2\ten\nd3 X dogs \xff\n");
  EXPECT_EQ(corpus, (Corpus{{0, 3, 3, 4}, {0, 1, 0, 2}, {"cats", "and", "dogs"}}));
  EXPECT_EQ(corpus.document_names, (std::vector<std::string>{"d1", "d2", "d3"}));
  EXPECT_EQ(report.invalid_utf8, 1);
  EXPECT_EQ(complaint("d1 en a\nd2\n"), "corpus:2:3: expected \"name label text\", got \"d2\" (no label)");
  EXPECT_EQ(complaint("\n"), "corpus:1:1: expected \"name label text\", got \"\" (no name)");
}

TEST_F(CountLines, OptionsMustFitTheFormat) {
  EXPECT_EQ(complaint("0\n", {.format = CorpusFormat::low, .vocabulary = "words"}),
            "a vocabulary was given, but low has none of its own");
  EXPECT_EQ(complaint("0\n", {.format = CorpusFormat::text, .first_id = 1}), "first_id was given, but text has no ids");
  EXPECT_EQ(complaint("0\n", {.format = CorpusFormat::ldac, .transposed = true}),
            "transposed was given, but ldac has no rows and columns");
  EXPECT_EQ(complaint("0\n", {.format = CorpusFormat::ldac, .first_id = 2}), "first_id is 2, expected 0 or 1");
}

}  // namespace
}  // namespace papilio::lda
