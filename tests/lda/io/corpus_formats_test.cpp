#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus_formats.h"

namespace papilio::lda {
namespace {

// The words of nine titles that occur twice or more (Deerwester et al. 1990, table 2).
constexpr const char* titles =
    "computer human interface\n"
    "computer response survey system time user\n"
    "interface system user eps\n"
    "human system system eps\n"
    "response time user\n"
    "trees\n"
    "trees graph\n"
    "trees graph minors\n"
    "survey graph minors\n";

// Each document as its words with their counts, whatever the order and the numbers.
std::vector<std::map<std::string, int>> counts_by_word(const Corpus& corpus) {
  std::vector<std::map<std::string, int>> documents;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    auto& counts = documents.emplace_back();
    for (std::int64_t i = corpus.document_offsets[d]; i < corpus.document_offsets[d + 1]; ++i) {
      ++counts[corpus.vocabulary[static_cast<std::size_t>(corpus.words[static_cast<std::size_t>(i)])]];
    }
  }
  return documents;
}

Corpus sorted(Corpus corpus) {
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    std::sort(corpus.words.begin() + corpus.document_offsets[d], corpus.words.begin() + corpus.document_offsets[d + 1]);
  }
  return corpus;
}

TEST(CorpusFormats, OneMatrixInEveryForm) {
  const Folder folder;
  const Corpus expected = sorted(read_corpus(folder.write("titles", titles)));
  ASSERT_EQ(expected.documents(), 9);
  ASSERT_EQ(expected.vocabulary_size(), 12);
  ASSERT_EQ(expected.tokens(), 29);
  EXPECT_EQ(sorted(read_corpus(folder.write("titles.low", std::string("9\n") + titles))), expected);
  const std::map<CorpusFormat, std::string> names = {
      {CorpusFormat::uci, "t.uci"},           {CorpusFormat::ldac, "t.ldac"},
      {CorpusFormat::svmlight, "t.svmlight"}, {CorpusFormat::matrix_market, "t.mm"},
      {CorpusFormat::npz, "t.npz"},           {CorpusFormat::corpus_file, "t.papilio-corpus"}};
  for (const auto& [format, file] : names) {
    const std::string path = folder.path(file);
    write_corpus(expected, path, format, has_vocabulary_file(format) ? path + ".vocab" : "");
    ReadReport report;
    EXPECT_EQ(read_corpus(path, {}, &report), expected) << file;
    EXPECT_EQ(report.format, name(format));
    folder.write(file, zstd(folder.read(file)));
    if (format != CorpusFormat::corpus_file) {
      EXPECT_EQ(read_corpus(path), expected) << file;
    }
  }
}

// gensim's files of the same nine titles. Those of Matrix Market, SVMlight and UCI number
// words by their first occurrence in the .low file; testcorpus.uci.vocab lists them in
// another order, which is that of the LDA-C file, so the words of the others are taken from the text.
TEST(CorpusFormats, ReadsGensimsCorpusAlikeInAllItsForms) {
  const char* data = std::getenv("PAPILIO_DATA");
  if (data == nullptr) GTEST_SKIP() << "PAPILIO_DATA does not name a folder with reference/gensim";
  const std::filesystem::path gensim = std::filesystem::path(data) / "reference" / "gensim";
  if (!std::filesystem::exists(gensim)) GTEST_SKIP() << gensim << " is not there";
  const Folder folder;
  const auto path = [&](const char* ending) { return (gensim / "testcorpus").string() + ending; };
  const Corpus expected = read_corpus(path(".low"));
  EXPECT_EQ(expected, read_corpus(folder.write("titles", titles)));
  EXPECT_EQ(read_corpus(path(".txt")), expected);
  EXPECT_EQ(read_corpus(path(".mallet")), expected);
  EXPECT_EQ(counts_by_word(read_corpus(path(".blei"))), counts_by_word(expected));
  std::string words;
  for (const std::string& word : expected.vocabulary) words += word + "\n";
  for (const char* ending : {".mm", ".svmlight", ".uci"}) {
    EXPECT_EQ(read_corpus(path(ending), {.vocabulary = folder.write("words", words)}), sorted(expected)) << ending;
  }
}

TEST(CorpusFormats, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (const CorpusFormatChoice& row : corpus_formats()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(name(row.value), row.name);
    EXPECT_EQ(parse_corpus_format(row.name), row.value);
    EXPECT_EQ(is_written(row.value), row.is_written);
    EXPECT_EQ(has_vocabulary_file(row.value), row.has_vocabulary_file);
  }
  EXPECT_EQ(name(CorpusFormat::matrix_market), "mtx");
  EXPECT_THROW(parse_corpus_format("MTX"), InvalidArgument);
}

TEST(CorpusFormats, KnowsFilesByNameThenByContent) {
  const Folder folder;
  const auto detected = [&](const char* file, std::string_view bytes) {
    return name(detect_corpus_format(folder.write(file, bytes)));
  };
  EXPECT_EQ(detected("docword.x", ""), "uci");
  EXPECT_EQ(detected("x.ldac.gz", ""), "ldac");
  EXPECT_EQ(detected("x.mm.zst", ""), "mtx");
  EXPECT_EQ(detected("x.svm", "1\n2\n3\n"), "svmlight");
  EXPECT_EQ(detected("x.csv", ""), "csv");
  EXPECT_EQ(detected("x.low", ""), "low");
  for (const char* array : {"[\"a\"]", "[]", " \r\n\t[\n", "\xef\xbb\xbf\n[1"}) {
    for (const char* file : {"x.json", "x.jsonl", "x.ndjson"}) EXPECT_EQ(detected(file, array), "json") << array;
    EXPECT_EQ(detected("x.json.gz", gzip(array)), "json") << array;
    EXPECT_EQ(detected("x.csv", array), "csv") << array;
  }
  for (const char* lines : {"", "{}", "\n {\"text\":\"[\"}\n[", "\"[\""}) {
    EXPECT_EQ(detected("x.json", lines), "jsonl") << lines;
  }
  EXPECT_EQ(corpus_format_of_name("x.json"), CorpusFormat::json_lines) << "only its content tells more";
  const std::map<std::string, std::string> contents = {{"3   \r\n12 \n5\n1 1 1\n", "uci"},
                                                       {"3\n12\n", "text"},
                                                       {"%%MatrixMarket matrix coordinate real general\n", "mtx"},
                                                       {"PK\x03\x04", "npz"},
                                                       {"[{\"text\": \"a\"}]", "json"},
                                                       {" \r\n[\n\t{\n", "json"},
                                                       {"[Verse 1]\n{cats}\n", "text"},
                                                       {"[\n\"a\"", "json"},
                                                       {"[", "text"},
                                                       {"[]", "text"},
                                                       {"[1, 2]\n", "text"},
                                                       {"2 0:1 5:2\n0\n1 7:1\n\n", "ldac"},
                                                       {"2 0:1 5:2\n0\n1 7:1 8:1\n", "svmlight"},
                                                       {"# text\n+1 qid:2 1:0.5\n", "svmlight"},
                                                       {"1:1 2:1\n2:1", "svmlight"},
                                                       {"The meeting is at 10:30\n", "text"},
                                                       {"10:30 to 11:00\n", "text"},
                                                       {"", "text"}};
  for (const auto& [bytes, format] : contents) {
    EXPECT_EQ(detected("x.dat", bytes), format) << bytes;
    EXPECT_EQ(detected("x.dat", "\xef\xbb\xbf" + bytes), format) << bytes;
    EXPECT_EQ(detected("x.dat", gzip(bytes)), format) << bytes;
  }
  EXPECT_EQ(detect_corpus_format("-"), CorpusFormat::text);
  EXPECT_EQ(detect_corpus_format(folder.path("")), CorpusFormat::folder);
}

// Also where a file or a folder has that name; nothing is read.
TEST(CorpusFormats, StandardInputIsText) {
  const Folder folder;
  const std::string matrix = folder.write("-", "%%MatrixMarket matrix coordinate real general\n");
  const std::filesystem::path before = std::filesystem::current_path();
  const int input_before = ::dup(STDIN_FILENO);
  const int input = ::open(matrix.c_str(), O_RDONLY);
  ASSERT_GE(input, 0);
  ASSERT_EQ(::dup2(input, STDIN_FILENO), STDIN_FILENO);
  std::filesystem::current_path(folder.path("."));
  EXPECT_EQ(detect_corpus_format("-"), CorpusFormat::text);
  EXPECT_EQ(::lseek(STDIN_FILENO, 0, SEEK_CUR), 0);
  std::filesystem::remove("-");
  std::filesystem::create_directory("-");
  EXPECT_EQ(detect_corpus_format("-"), CorpusFormat::text);
  EXPECT_EQ(::lseek(STDIN_FILENO, 0, SEEK_CUR), 0);
  std::filesystem::current_path(before);
  if (input_before >= 0) ::dup2(input_before, STDIN_FILENO);
  ::close(input_before);
  ::close(input);
}

TEST(CorpusFormats, FindsTheVocabularyBesideTheCorpus) {
  const Folder folder;
  folder.write("vocab.a.txt.gz", "");
  folder.write("b.ldac.vocab", "");
  folder.write("c.vocab", "");
  EXPECT_EQ(find_vocabulary(folder.path("docword.a.txt.zst")), folder.path("vocab.a.txt.gz"));
  EXPECT_EQ(find_vocabulary(folder.path("b.ldac.gz")), folder.path("b.ldac.vocab"));
  EXPECT_EQ(find_vocabulary(folder.path("c.mm")), folder.path("c.vocab"));
  EXPECT_EQ(find_vocabulary(folder.path("d.mm")), "");
  folder.write("docword.e.txt.vocab", "");
  folder.write("docword.a.txt.zst.vocab", "");
  folder.write("f.mm.gz.vocab", "");
  EXPECT_EQ(find_vocabulary(folder.path("docword.e.txt")), folder.path("docword.e.txt.vocab"));
  EXPECT_EQ(find_vocabulary(folder.path("docword.a.txt.zst")), folder.path("vocab.a.txt.gz"));
  EXPECT_EQ(find_vocabulary(folder.path("f.mm.gz")), folder.path("f.mm.gz.vocab"));
  EXPECT_EQ(find_vocabulary("-"), "");
}

TEST(WriteCorpus, WritesEachFormatAsItIsKnown) {
  const Folder folder;
  const Corpus corpus = {{0, 4, 4, 5}, {2, 0, 2, 1, 0}, {"a", "b", "c"}};
  const auto written = [&](CorpusFormat format) {
    write_corpus(corpus, folder.path("corpus"), format);
    return folder.read("corpus");
  };
  EXPECT_EQ(written(CorpusFormat::ldac), "3 0:1 1:1 2:2\n0\n1 0:1\n");
  EXPECT_EQ(written(CorpusFormat::svmlight), "0 1:1 2:1 3:2\n0\n0 1:1\n");
  EXPECT_EQ(written(CorpusFormat::matrix_market),
            "%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 1 1\n1 2 1\n1 3 2\n3 1 1\n");
  EXPECT_EQ(written(CorpusFormat::text), "c a c b\n\na\n");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"corpus"});
  EXPECT_EQ(folder.message<InvalidArgument>([&] { write_corpus(corpus, folder.path("x"), CorpusFormat::low); }),
            "papilio::write_corpus: corpora are not written as low");
  EXPECT_EQ(folder.message<InvalidArgument>(
                [&] { write_corpus(corpus, folder.path("x"), CorpusFormat::text, folder.path("y")); }),
            "papilio::write_corpus: a vocabulary was given, but text has none of its own");
  EXPECT_EQ(folder.message<InvalidArgument>([&] {
    write_corpus(Corpus{{0}, {}, {"a", "a"}}, folder.path("x"), CorpusFormat::npz, folder.path("y"));
  }),
            "papilio::write_corpus: words 0 and 1 are both \"a\"");
}

}  // namespace
}  // namespace papilio::lda
