#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lda/io/corpus_file/corpus_file_writer.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "lda/io/files.h"
#include "papilio/corpus_file.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

const Corpus small = {{0, 3, 3, 5}, {2, 0, 2, 1, 0}, {"cats", "caf\u00e9", "b"}, {"a", "", "b/c"}};

Corpus copy(const MappedCorpus& mapped) {
  const CorpusView view = mapped.view();
  return {{view.document_offsets.begin(), view.document_offsets.end()},
          {view.words.begin(), view.words.end()},
          {view.vocabulary.begin(), view.vocabulary.end()},
          {view.document_names.begin(), view.document_names.end()}};
}

std::string bytes_of(const Folder& folder, const Corpus& corpus) {
  write_corpus_file(corpus, folder.path("c"));
  return folder.read("c");
}

// Opens and verifies: what is thrown, "" for nothing.
std::string refusal(const Folder& folder, const std::string& bytes) {
  folder.write("x", bytes);
  const std::string message = folder.message<FormatError>([&] {
    const MappedCorpus mapped(folder.path("x"));
    mapped.verify();
    mapped.view().verify();
  });
  return message == "nothing thrown" ? "" : message;
}

TEST(CorpusFile, ComesBackAsItWas) {
  const Folder folder;
  for (const Corpus& corpus : {small, Corpus{}, Corpus{{0, 1}, {0}, {"one"}}, Corpus{{0, 0}, {}, {"unused"}}}) {
    const std::string bytes = bytes_of(folder, corpus);
    const MappedCorpus mapped(folder.path("c"));
    mapped.verify();
    EXPECT_EQ(copy(mapped), corpus);
    EXPECT_EQ(mapped.document_names(), corpus.document_names);
    EXPECT_EQ(mapped.documents(), corpus.documents());
    EXPECT_EQ(mapped.tokens(), corpus.tokens());
    EXPECT_EQ(mapped.vocabulary_size(), corpus.vocabulary_size());
    write_corpus_file(mapped.view(), folder.path("again"));
    EXPECT_EQ(folder.read("again"), bytes);
    EXPECT_TRUE(is_corpus_file(folder.path("c")));
  }
  EXPECT_FALSE(is_corpus_file(folder.write("x", "text")));
  EXPECT_FALSE(is_corpus_file(folder.path("none")));
}

TEST(CorpusFile, TrainsFromTheMapping) {
  const Folder folder;
  const Corpus corpus = generate_corpus({.documents = 50, .vocabulary = 60, .topics = 3}).corpus;
  write_corpus_file(corpus, folder.path("c"));
  const MappedCorpus mapped(folder.path("c"));
  const TrainOptions options = {.topics = 3, .sweeps = 3, .threads = 1};
  EXPECT_EQ(train(mapped.view(), options).topics.z, train(corpus, options).topics.z);
}

TEST(CorpusFile, IsRefusedAtEveryShorterLength) {
  const Folder folder;
  const std::string bytes = bytes_of(folder, small);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(refusal(folder, bytes.substr(0, length)).empty()) << length;
  }
  EXPECT_FALSE(refusal(folder, bytes + '\0').empty());
}

TEST(CorpusFile, ShowsEveryFlippedBit) {
  const Folder folder;
  const std::string bytes = bytes_of(folder, small);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(refusal(folder, damaged).empty()) << bit;
  }
}

TEST(CorpusFile, SaysWhatIsWrong) {
  const Folder folder;
  const std::string bytes = bytes_of(folder, small);
  const std::string begin = "papilio::MappedCorpus: x: ";
  EXPECT_EQ(refusal(folder, ""),
            begin + "expected a papilio corpus file, got no bytes (it must be a regular file, not compressed)");
  EXPECT_EQ(refusal(folder, "cats"), begin + "byte 0: expected the header of a papilio corpus file, got \"cats\"");
  EXPECT_EQ(refusal(folder, bytes.substr(0, bytes.size() - 1)),
            begin + "expected " + std::to_string(bytes.size()) + " bytes (by the header), got " +
                std::to_string(bytes.size() - 1) + ": the file is cut short");
  std::string damaged = bytes;
  damaged[damaged.find("cats")] = 'r';
  EXPECT_EQ(refusal(folder, damaged), begin + "the hash of tensor vocabulary does not match: the file is damaged");
  damaged = bytes;
  const std::string words(reinterpret_cast<const char*>(small.words.data()), small.words.size() * sizeof(std::int32_t));
  damaged[bytes.find(words) + 3] = 1;  // a word that is none: the hash is what is said to be wrong
  EXPECT_EQ(refusal(folder, damaged), begin + "the hash of tensor words does not match: the file is damaged");
  EXPECT_EQ(folder.message<IoError>([&] { MappedCorpus(folder.path("none")); }),
            "papilio::MappedCorpus: cannot open none: No such file or directory");
  EXPECT_THROW(MappedCorpus(folder.path("")), IoError);
  EXPECT_THROW(MappedCorpus("-"), FormatError);
}

// Not everybody who writes such files checks the words; a model could not be saved with these.
TEST(CorpusFile, RefusesWordsThatAreNone) {
  const Folder folder;
  const auto refusal_of = [&](const std::vector<std::string>& vocabulary,
                              const std::vector<std::int32_t>& words = {0, 1}) {
    const std::vector<std::int64_t> offsets = {0, std::ssize(words)};
    CorpusSizes sizes = {.documents = 1, .tokens = std::ssize(words), .words = std::ssize(vocabulary)};
    for (const std::string& word : vocabulary) sizes.vocabulary_bytes += std::ssize(word);
    CorpusFileWriter file(folder.path("x"), "test", sizes);
    file.write_elements(std::span(offsets));
    file.end_part();
    file.write_offsets(vocabulary);
    file.end_part();
    file.end_part();
    file.write_elements(std::span(words));
    file.end_part();
    file.write_strings(vocabulary);
    file.end_part();
    file.end_part();
    file.commit();
    const std::string refused = folder.message<FormatError>([&] { read_corpus_file(folder.path("x")); });
    EXPECT_EQ(refused, folder.message<FormatError>([&] { MappedCorpus(folder.path("x")).verify(); }));
    return refused;
  };
  const std::string begin = "papilio::MappedCorpus: x: tensor vocabulary: ";
  EXPECT_EQ(refusal_of({"cats", "dogs"}), "nothing thrown");
  EXPECT_EQ(refusal_of({"cats", ""}), begin + "word 1 is empty, expected one or more characters");
  EXPECT_EQ(refusal_of({"cats", "dogs", "cats"}),
            begin + "words 0 and 2 are spelled the same, expected distinct words");
  EXPECT_EQ(refusal_of({"caf\xe9", "dogs"}), begin + "word 0 is not well-formed UTF-8: its byte 3 is 0xe9");
  std::vector<std::int32_t> words(1'000'000);  // for several threads
  for (const std::int32_t bad : {2, -1}) {
    words[900'000] = words[700'001] = bad;
    EXPECT_EQ(refusal_of({"cats", "dogs"}, words),
              "papilio::MappedCorpus: x: tensor words: expected words from 0 to 1, got " + std::to_string(bad) +
                  " as token 700001");
  }
  const Corpus doubled = {{0, 2}, {0, 1}, {"cats", "cats"}};
  EXPECT_EQ(folder.message<InvalidArgument>([&] { write_corpus_file(doubled, folder.path("y")); }),
            "papilio::write_corpus_file: words 0 and 1 are spelled the same, expected distinct words");
}

// A header whose numbers lie, but agree with each other.
TEST(CorpusFile, BelievesNoHeader) {
  const Folder folder;
  for (const std::int64_t many : {std::int64_t{1} << 20, std::int64_t{1} << 40, std::int64_t{1} << 55}) {
    for (int which = 0; which < 5; ++which) {
      CorpusSizes sizes;
      (which == 0   ? sizes.documents
       : which == 1 ? sizes.tokens
       : which == 2 ? sizes.words
       : which == 3 ? sizes.vocabulary_bytes
                    : sizes.name_bytes) = many;
      EXPECT_NE(refusal(folder, layout_of(sizes).header + std::string(200, '\0')).find("cut short"), std::string::npos);
    }
  }
}

// Offsets that lead outside are refused before they are followed, whether or not somebody asks for the hashes.
TEST(CorpusFile, NeverReadsOutsideOfIt) {
  const Folder folder;
  const std::string bytes = bytes_of(folder, small);
  const CorpusLayout layout = *parse_corpus_header(bytes);
  for (const CorpusPart part : {CorpusPart::vocabulary_offsets, CorpusPart::name_offsets}) {
    for (const std::int64_t offset : {std::int64_t{-1}, std::int64_t{1} << 62, std::int64_t{1000}}) {
      const auto i = static_cast<std::size_t>(part);
      for (std::int64_t place = 0; place < layout.bytes[i]; place += 8) {
        std::string damaged = bytes;
        std::memcpy(damaged.data() + layout.begin[i] + place, &offset, sizeof offset);
        folder.write("x", damaged);
        EXPECT_THROW(MappedCorpus(folder.path("x")).view(), FormatError) << offset << " " << place;
      }
    }
  }
}

TEST(CorpusFile, LeavesWordsOutWhenReadIntoMemory) {
  const Folder folder;
  const Corpus corpus = {{0, 3, 5}, {0, 1, 1, 1, 2}, {"The", "cats", "dogs", "unused"}, {"a", "b"}};
  write_corpus_file(corpus, folder.path("c"));
  ReadReport report;
  const Corpus read = read_corpus_file(folder.path("c"), {.stop_words = {"the"}, .min_df = 2}, &report);
  EXPECT_EQ(read, (Corpus{{0, 2, 3}, {0, 0, 0}, {"cats"}}));
  EXPECT_EQ(read.document_names, corpus.document_names);
  EXPECT_EQ(report.stop_words_dropped, 1);
  EXPECT_EQ(report.rare_or_common_dropped, 1);
  EXPECT_EQ(read_corpus_file(folder.path("c"), {.min_df = 0}), corpus);
}

TEST(CorpusFile, IsNotReadIntoMemoryBeyondTheLimit) {
  const Folder folder;
  const Corpus corpus = {{0, 100000}, std::vector<std::int32_t>(100000), {"cats"}};
  write_corpus_file(corpus, folder.path("c"));
  EXPECT_EQ(read_corpus_file(folder.path("c"), {.max_memory = 1300000}), corpus);
  EXPECT_EQ(folder.message<FormatError>([&] { read_corpus_file(folder.path("c"), {.max_memory = 1200000}); }),
            "papilio::read_corpus_file: c: the corpus up to here (100000 tokens, 1 documents) needs more than 1200000 "
            "bytes of memory, the limit for reading; raise it with max_memory (--max-memory; by default half of the "
            "machine's memory or of the container's)");
}

// Pages of the file that the process has touched since it was mapped.
std::int64_t touched_kib(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::int64_t kib = 0;
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ') && line.find(' ') < line.find(':')) here = line.ends_with(path);
    if (here && line.starts_with("Rss:")) kib += std::stoll(line.substr(4));
  }
  return kib;
}

// Opening reads the header and the ends of three tensors: the same few pages for
// 200 KB and 64 MB (Linux maps up to 16 pages around each that is read).
TEST(CorpusFile, OpensInATimeThatDoesNotDependOnItsSize) {
  const Folder folder;
  for (const std::size_t tokens : {std::size_t{50000}, std::size_t{16000000}}) {
    const Corpus corpus = {{0, static_cast<std::int64_t>(tokens)}, std::vector<std::int32_t>(tokens, 0), {"word"}};
    write_corpus_file(corpus, folder.path("c"));
    const MappedCorpus mapped(folder.path("c"));
    EXPECT_EQ(mapped.tokens(), static_cast<std::int64_t>(tokens));
    const std::int64_t touched = touched_kib(folder.path("c"));
    EXPECT_GT(touched, 0);
    EXPECT_LE(touched, 4 * 16 * 4);
  }
}

class ImportText : public testing::TestWithParam<TextOptions> {};

// The same bytes as through a corpus in memory.
TEST_P(ImportText, MakesTheFileOfTheCorpusThatReadTextReads) {
  const Folder folder;
  std::string csv = "id,text\n";
  for (int i = 0; i < 3000; ++i) {
    csv.append("n").append(std::to_string(i)).append(",\"the\n");
    for (int j = 0; j < i % 50; ++j)
      csv.append(" w").append(1 + (i * 31 + j * j) % 90, static_cast<char>('a' + j % 26));
    csv += "\"\n";
  }
  const std::string path = folder.write("t.csv.gz", gzip(csv));
  const TextSource source = {.path = path, .form = TextForm::csv, .id = "id"};
  ReadReport expected;
  write_corpus_file(read_text(source, GetParam(), &expected), folder.path("expected"));
  const ReadReport report = import_text(source, folder.path("imported"), GetParam());
  EXPECT_TRUE(folder.read("imported") == folder.read("expected"));
  EXPECT_EQ(report.documents, expected.documents);
  EXPECT_EQ(report.empty_documents, expected.empty_documents);
  EXPECT_EQ(report.tokens_read, expected.tokens_read);
  EXPECT_EQ(report.tokens_kept, expected.tokens_kept);
  EXPECT_EQ(report.stop_words_dropped, expected.stop_words_dropped);
  EXPECT_EQ(report.rare_or_common_dropped, expected.rare_or_common_dropped);
  EXPECT_EQ(report.format, expected.format);
  std::vector<std::string> names = folder.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"expected", "imported", "t.csv.gz"})) << "words on the way leave no file";
}

INSTANTIATE_TEST_SUITE_P(Options, ImportText,
                         testing::Values(TextOptions{}, TextOptions{.stop_words = {"the"}, .min_df = 3, .max_df = 0.3},
                                         TextOptions{.max_vocabulary = 100, .threads = 1},
                                         TextOptions{.min_token_length = 95}));

TEST(ImportTextErrors, LeaveNothingBehind) {
  const Folder folder;
  EXPECT_THROW(
      import_text({.path = folder.write("t", "a,b\n1\n"), .form = TextForm::csv, .text = "a"}, folder.path("c")),
      FormatError);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t"});
  EXPECT_THROW(import_text({.path = folder.path("t")}, folder.path("no/such/folder")), IoError);
}

}  // namespace
}  // namespace papilio::lda
