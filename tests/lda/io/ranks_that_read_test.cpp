// Ranks that read a corpus together: what they refuse for want of memory, how they are stopped, and how long they wait.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_file.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "papilio/interruption.h"

namespace papilio::lda {
namespace {

using testing::on_ranks;

constexpr const char* small = "3\n3\n3\n1 2 1\n1 3 2\n2 1 1\n";

class RanksThatRead : public ::testing::Test {
 protected:
  // What each rank throws.
  std::vector<std::string> messages(const std::string& path, const std::vector<std::int64_t>& limits,
                                    const std::string& id_column = {}) const {
    std::vector<std::string> found(limits.size());
    on_ranks({.ranks = static_cast<int>(limits.size())}, [&](Communicator& ranks) {
      const auto rank = static_cast<std::size_t>(ranks.rank());
      const CorpusOptions options = {.id_column = id_column,
                                     .text = {.min_df = 0, .max_memory = limits[rank], .threads = 1}};
      found[rank] = folder_.message<Error>([&] { read_corpus(path, options, ranks); });
    });
    return found;
  }

  void expect_refused(const std::vector<std::string>& messages, std::size_t rank, std::string_view what) const {
    for (std::size_t r = 0; r < messages.size(); ++r) {
      const std::string expected =
          r == rank ? std::string(what) : "rank " + std::to_string(rank) + " of " + std::to_string(messages.size());
      EXPECT_NE(messages[r].find(expected), std::string::npos) << r << ": " << messages[r];
    }
  }

  std::string uci(std::string_view docword, std::string_view vocabulary) const {
    folder_.write("vocab.x.txt", vocabulary);
    return folder_.write("docword.x.txt", docword);
  }

  const Folder folder_;
  static constexpr std::int64_t plenty_ = std::int64_t{1} << 32;
};

// What ranks exchange counts towards each one's limit, before they do.
TEST_F(RanksThatRead, EntriesThatAreDealt) {
  constexpr int documents = 200, words = 500;
  std::string text = "200\n500\n100000\n";
  for (int d = documents; d >= 1; --d) {  // so that each of two ranks reads the other's
    for (int w = 1; w <= words; ++w) text += std::to_string(d) + " " + std::to_string(w) + " 1\n";
  }
  const std::string path = folder_.write("x.uci", text);
  constexpr std::int64_t entries = documents * words / 2;
  expect_refused(messages(path, {34 * entries, plenty_}), 0, "dealing ");
  expect_refused(messages(path, {34 * entries, 34 * entries}), 0, "dealing ");
  expect_refused(messages(path, {plenty_, 34 * entries}), 1, "dealing ");
  expect_refused(messages(path, {plenty_, 20 * entries}), 1, "the corpus up to here");
  EXPECT_EQ(messages(path, {48 * entries, 48 * entries}), std::vector<std::string>(2, "nothing thrown"));
}

// Of 58 letters, one per line.
std::string many_words(int count) {
  std::string words;
  for (int i = 0; i < count; ++i) {
    words += std::string(51, 'x');
    for (const char digit : std::to_string(1'000'000 + i)) words += static_cast<char>('a' + (digit - '0'));
    words += '\n';
  }
  return words;
}

TEST_F(RanksThatRead, VocabularyOfUci) {
  const std::string path = uci("1\n10000\n1\n1 1 1\n", many_words(10'000));
  expect_refused(messages(path, {plenty_, 1 << 20}), 1, "the vocabulary of 10000 words needs more than 1048576 bytes");
  EXPECT_EQ(messages(path, {plenty_, 2 << 20}), std::vector<std::string>(2, "nothing thrown"));
}

TEST_F(RanksThatRead, WordsOfText) {
  const std::string path = folder_.write("a.txt", many_words(20'000));
  constexpr std::int64_t little = std::int64_t{4} << 20;
  const auto limits = [](std::int64_t first, std::int64_t third) {
    return std::vector<std::int64_t>{first, plenty_, third, plenty_, plenty_, plenty_, plenty_};
  };
  expect_refused(messages(path, limits(little, plenty_)), 0, "numbering the words of all ranks needs more than ");
  expect_refused(messages(path, limits(plenty_, 3 << 20)), 2, "the vocabulary of all ranks needs more than ");
  EXPECT_EQ(messages(path, limits(4 * little, 2 * little)), std::vector<std::string>(7, "nothing thrown"));
}

// Rank 0 has the names of all documents.
TEST_F(RanksThatRead, NamesOfAllDocuments) {
  std::string text;
  for (int i = 0; i < 7000; ++i) {
    text += "{\"text\":\"cats and dogs\",\"id\":\"" + std::string(1000, 'x') + "\"}\n";
  }
  const std::string path = folder_.write("a.jsonl", text);
  const auto limits = [](std::int64_t first) {
    constexpr std::int64_t others = std::int64_t{8} << 20;
    return std::vector<std::int64_t>{first, others, others, others, others, others, others};
  };
  expect_refused(messages(path, limits(8 << 20), "id"), 0, "the names of documents needs more than ");
  EXPECT_EQ(messages(path, limits(20 << 20), "id"), std::vector<std::string>(7, "nothing thrown"));
}

// Every rank has where all documents begin.
TEST_F(RanksThatRead, OffsetsOfAllDocuments) {
  constexpr std::int64_t documents = 700'000;
  const std::string path = folder_.write("a.txt", "cats and dogs\n" + std::string(documents - 1, '\n'));
  const auto limits = [](std::int64_t fifth) {
    return std::vector<std::int64_t>{plenty_, plenty_, plenty_, plenty_, fifth, plenty_, plenty_};
  };
  expect_refused(messages(path, limits(8 * documents)), 4,
                 "the vocabulary, and where the documents of all ranks begin, needs more than ");
  EXPECT_EQ(messages(path, limits(10 * documents)), std::vector<std::string>(7, "nothing thrown"));
}

// A rank whose lines have no words holds those that it receives, and for a moment both copies.
TEST_F(RanksThatRead, WordsThatAreHandedOn) {
  constexpr int lines = 100'000, words_of_line = 20;
  const std::string dropped(80, '1');
  std::string text;
  for (int i = 0; i < lines; ++i) text += dropped + "\n";
  for (int i = 0; i < lines; ++i) {
    for (int w = 0; w < words_of_line; ++w) text += "cat ";
    text += "\n";
  }
  const std::string path = folder_.write("a.txt", text);
  constexpr std::int64_t tokens_of_rank = std::int64_t{lines} * words_of_line / 2;
  expect_refused(messages(path, {7 * tokens_of_rank, plenty_}), 0,
                 "handing on documents to the ranks that draw them needs more than ");
  EXPECT_EQ(messages(path, {16 * tokens_of_rank, plenty_}), std::vector<std::string>(2, "nothing thrown"));
}

// A corpus file that each rank copies its documents from.
TEST_F(RanksThatRead, DocumentsOfACorpusFile) {
  const Corpus corpus =
      generate_corpus({.documents = 4000, .vocabulary = 300, .topics = 7, .mean_length = 100, .seed = 6}).corpus;
  write_corpus_file(corpus, folder_.path("c"));
  const std::int64_t of_rank = corpus.tokens() / 2;
  expect_refused(messages(folder_.path("c"), {plenty_, 10 * of_rank}), 1, "the corpus needs more than ");
  expect_refused(messages(folder_.path("c"), {plenty_, 1000}), 1, "the vocabulary needs more than ");
  EXPECT_EQ(messages(folder_.path("c"), {16 * of_rank, 16 * of_rank}), std::vector<std::string>(2, "nothing thrown"));
}

// Rank 0 makes the names of all documents, twice; the others none.
TEST_F(RanksThatRead, NamesOfACorpusFile) {
  constexpr std::int64_t documents = 4000;
  Corpus corpus =
      generate_corpus({.documents = documents, .vocabulary = 300, .topics = 7, .mean_length = 100, .seed = 6}).corpus;
  const std::int64_t of_rank = corpus.tokens() / 2;
  corpus.document_names.assign(documents, std::string(8, 'x'));
  write_corpus_file(corpus, folder_.path("short"));
  constexpr std::int64_t of_short = documents * (2 * sizeof(std::string) + 16);
  expect_refused(messages(folder_.path("short"), {of_short, plenty_}), 0, "the names of documents needs more than ");
  // Beside what is counted of the corpus, at least 12 bytes per token.
  expect_refused(messages(folder_.path("short"), {12 * of_rank + of_short, plenty_}), 0, "the corpus needs more than ");
  EXPECT_EQ(messages(folder_.path("short"), {13 * of_rank + of_short, 13 * of_rank}),
            std::vector<std::string>(2, "nothing thrown"));

  corpus.document_names.assign(documents, std::string(1000, 'x'));
  write_corpus_file(corpus, folder_.path("long"));
  expect_refused(messages(folder_.path("long"), {13 * of_rank, plenty_}), 0, "the names of documents needs more than ");
  EXPECT_EQ(messages(folder_.path("long"), {plenty_, 13 * of_rank}), std::vector<std::string>(2, "nothing thrown"));
}

// One process, and ranks of which one is told to stop.
TEST_F(RanksThatRead, ReadingThatIsToldToStop) {
  const std::atomic<bool> stop = true;
  const std::string text = folder_.write("a.txt", "cats and dogs\n");
  for (const std::string& path :
       {text, uci(small, "a\nb\nc\n"), folder_.write("a.txt.gz", gzip("cats and dogs\n")),
        folder_.write("a.csv", "id,text\n1,cats\n"), folder_.write("a.jsonl", "{\"text\":\"cats\"}\n"),
        folder_.write("a.json", "[\"cats\"]"),
        folder_.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 2\n")}) {
    SCOPED_TRACE(path);
    {
      const InterruptionScope scope(stop);
      EXPECT_THROW(read_corpus(path, {.text = {.threads = 2}}), Interrupted);
    }
    std::vector<std::string> messages(3);
    on_ranks({.ranks = 3}, [&](Communicator& ranks) {
      std::optional<InterruptionScope> scope;
      if (ranks.rank() == 1) scope.emplace(stop);
      messages[static_cast<std::size_t>(ranks.rank())] = folder_.message<Error>([&] { read_corpus(path, {}, ranks); });
    });
    EXPECT_EQ(messages[1], Interrupted().what());
    for (const int r : {0, 2}) {
      EXPECT_NE(messages[static_cast<std::size_t>(r)].find("rank 1 of 3 has failed"), std::string::npos)
          << messages[static_cast<std::size_t>(r)];
    }
  }
}

// Longer than the deadline, which is for those that hang.
TEST_F(RanksThatRead, AVocabularyThatTakesLong) {
  const std::string path = folder_.write("x.uci", small);
  const std::string pipe = folder_.path("vocabulary");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] {
    std::ofstream words(pipe);
    std::this_thread::sleep_for(std::chrono::seconds(4));
    words << "a\nb\nc\n";
  });
  on_ranks({.ranks = 2, .deadline = std::chrono::seconds(2)}, [&](Communicator& ranks) {
    const RankCorpus corpus = read_corpus(path, {.vocabulary = pipe}, ranks);
    EXPECT_EQ(corpus.view().vocabulary_size(), 3);
  });
}

}  // namespace
}  // namespace papilio::lda
