// Ranks that read a corpus together: it is the corpus of one process, and each holds its own words.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_file.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

using testing::expect_identity;
using testing::on_ranks;

constexpr int numbers_of_ranks[] = {1, 2, 3, 7};

void expect_report(const ReadReport& found, const ReadReport& expected) {
  EXPECT_EQ(found.documents, expected.documents);
  EXPECT_EQ(found.empty_documents, expected.empty_documents);
  EXPECT_EQ(found.tokens_read, expected.tokens_read);
  EXPECT_EQ(found.tokens_kept, expected.tokens_kept);
  EXPECT_EQ(found.stop_words_dropped, expected.stop_words_dropped);
  EXPECT_EQ(found.rare_or_common_dropped, expected.rare_or_common_dropped);
  EXPECT_EQ(found.phrases, expected.phrases);
  EXPECT_EQ(found.tokens_joined, expected.tokens_joined);
  EXPECT_EQ(found.invalid_utf8, expected.invalid_utf8);
  EXPECT_EQ(found.unspaced_tokens, expected.unspaced_tokens);
  EXPECT_EQ(found.format, expected.format);
}

class ReadOverRanks : public ::testing::Test {
 protected:
  // Reads a file by one process and by ranks.
  void expect_same(const std::string& path, CorpusOptions options = {}) const {
    if (options.text.threads == 0) options.text.threads = 1;
    ReadReport expected_report;
    const Corpus expected = read_corpus(path, options, &expected_report);
    for (const int number : numbers_of_ranks) {
      SCOPED_TRACE(number);
      on_ranks({.ranks = number}, [&](Communicator& ranks) {
        ReadReport report;
        const RankCorpus corpus = read_corpus(path, options, ranks, &report);
        const CorpusView view = corpus.view();
        EXPECT_EQ(std::vector<std::int64_t>(view.document_offsets.begin(), view.document_offsets.end()),
                  expected.document_offsets);
        EXPECT_EQ(view.tokens(), expected.tokens());
        EXPECT_EQ(std::vector<std::string>(view.vocabulary.begin(), view.vocabulary.end()), expected.vocabulary);
        expect_identity(corpus.identity(), identity_of(expected));
        std::vector<std::int64_t> counts(expected.vocabulary.size());
        for (const std::int32_t word : expected.words) ++counts[static_cast<std::size_t>(word)];
        EXPECT_EQ(std::vector<std::int64_t>(corpus.word_counts().begin(), corpus.word_counts().end()), counts);
        expect_report(report, expected_report);
        if (ranks.rank() == 0) {
          EXPECT_EQ(report.left_out, expected_report.left_out);
          EXPECT_EQ(std::vector<std::string>(view.document_names.begin(), view.document_names.end()),
                    expected.document_names);
        }
        const Corpus whole = corpus.gather(ranks);
        EXPECT_EQ(whole, ranks.rank() == 0 ? expected : Corpus{});
      });
    }
    const std::string without_file = folder_.message<Error>([&] {
      on_ranks({.ranks = 2}, [&](Communicator& ranks) {
        read_corpus(ranks.rank() == 0 ? path : folder_.path("missing"), options, ranks);
      });
    });
    EXPECT_EQ(is_read_in_parts(path, options), without_file != "nothing thrown") << without_file;
  }

  // What one process throws is thrown by one rank alone, and the others hear of it.
  void expect_same_error(const std::string& path, CorpusOptions options = {}) const {
    options.text.threads = 1;
    const std::string expected = folder_.message<Error>([&] { read_corpus(path, options); });
    ASSERT_NE(expected, "nothing thrown");
    for (const int number : numbers_of_ranks) {
      std::vector<std::string> messages(static_cast<std::size_t>(number));
      on_ranks({.ranks = number}, [&](Communicator& ranks) {
        messages[static_cast<std::size_t>(ranks.rank())] =
            folder_.message<Error>([&] { read_corpus(path, options, ranks); });
      });
      int thrown = 0;
      for (const std::string& message : messages) {
        thrown += message == expected ? 1 : 0;
        EXPECT_TRUE(message == expected || message.find(" has failed: " + expected.substr(0, 20)) != message.npos)
            << message << "\nexpected " << expected;
      }
      EXPECT_EQ(thrown, 1) << expected;
    }
  }

  std::string uci(std::string_view docword, std::string_view vocabulary = "a\nb\nc\n") const {
    folder_.write("vocab.x.txt", vocabulary);
    return folder_.write("docword.x.txt", docword);
  }

  const Folder folder_;
};

constexpr const char* small = "3\n3\n3\n1 2 1\n1 3 2\n2 1 1\n";

TEST_F(ReadOverRanks, UciOfAnyForm) {
  for (const char* docword :
       {small, "3\r\n3\r\n3\r\n1 2 1\r\n1\t3  2 \r\n 2 1 1\r\n\r\n",
        "\xef\xbb\xbf"
        "3\n3\n3\n1.0 2 1\n1 3 2.000e+00\n2 1 1.",
        "3\n3\n5\n2 1 1\n1 3 1\n3 2 1\n1 2 1\n1 3 1\n", "0\n3\n0\n", "5\n3\n0\n\n\n \n\n\n\n\n\n\n\n\n\n\n",
        "3\n3\n1\n2 2 2\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "1\n3\n1\n1 1 900"}) {
    SCOPED_TRACE(docword);
    expect_same(uci(docword));
    expect_same(uci(docword), {.text = {.min_df = 0}});
    expect_same(uci(docword), {.text = {.stop_words = {"b"}, .min_df = 2}});
  }
}

// Documents whose entries stand anywhere, and pairs that come again, in the parts of other ranks.
std::string scattered(const Corpus& corpus) {
  std::string entries;
  std::int64_t count = 0;
  const std::int64_t documents = corpus.documents();
  for (std::int64_t turn = 0; turn < 3; ++turn) {
    for (std::int64_t i = 0; i < documents; ++i) {
      const std::int64_t d = turn == 1 ? documents - 1 - i : i * 7 % documents;
      for (std::int64_t t = corpus.document_offsets[static_cast<std::size_t>(d)] + turn;
           t < corpus.document_offsets[static_cast<std::size_t>(d) + 1]; t += 3) {
        entries += std::to_string(d + 1) + " " + std::to_string(corpus.words[static_cast<std::size_t>(t)] + 1) + " 1\n";
        ++count;
      }
    }
  }
  return std::to_string(documents) + "\n" + std::to_string(corpus.vocabulary_size()) + "\n" + std::to_string(count) +
         "\n" + entries;
}

TEST_F(ReadOverRanks, UciOfManyDocuments) {
  for (const Corpus& corpus : {testing::small_generated_corpus().corpus, testing::awkward_corpus()}) {
    write_uci_bag_of_words(corpus, folder_.path("docword.c.txt"), folder_.path("vocab.c.txt"));
    const std::string vocabulary = folder_.read("vocab.c.txt");
    for (const std::string& path : {folder_.path("docword.c.txt"), uci(scattered(corpus), vocabulary)}) {
      expect_same(path);
      expect_same(path, {.text = {.min_df = 3, .max_df = 0.3, .max_vocabulary = 50, .threads = 2}});
      expect_same(path, {.text = {.stop_words = {corpus.vocabulary[3], corpus.vocabulary[7]}, .min_df = 2}});
    }
  }
}

TEST_F(ReadOverRanks, WordsWithoutNamesAreCalledByNumber) {
  expect_same(folder_.write("x.uci", small));
  expect_same(folder_.write("x.uci", "3\n900\n3\n1 2 1\n1 300 2\n2 1 1\n"), {.text = {.min_df = 0}});
}

// Of other formats, and of what is compressed, rank 0 reads all.
TEST_F(ReadOverRanks, WhatHasNoParts) {
  uci("");
  expect_same(folder_.write("docword.x.txt.gz", gzip(small)));
  expect_same(folder_.write("docword.x.txt.zst", zstd(small)));
  expect_same(folder_.write("a.csv", "id,text\none,a cat and a dog\ntwo,\nthree,\"dogs\nand dogs\"\n"));
  expect_same(
      folder_.write("a.json", "[\n{\"text\":\"a cat and a dog\",\"id\":1},\n{\"text\":\"dogs and dogs\",\n\"id\":2}]"),
      {.id_column = "id"});
  expect_same(folder_.write("b.json", "[\"a cat\",\n\"and a dog\"]"));
  expect_same(folder_.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 2\n2 3 1\n1 2 1\n"));
  expect_same(folder_.write("a.txt.gz", gzip("cats and dogs\nand more\n")));
  std::string text;
  for (int i = 0; i < 40; ++i) text += "new york has cats\nthe new york times\n\n";
  expect_same(folder_.write("a.txt", text), {.text = {.stop_words = {"the"}, .phrases = {.find = true}}});
}

// Each rank copies its own documents; words are left out by their counts in those of all.
TEST_F(ReadOverRanks, CorpusFiles) {
  Corpus named = testing::awkward_corpus();
  for (std::int64_t d = 0; d < named.documents(); ++d) named.document_names.push_back("d" + std::to_string(d));
  for (const Corpus& corpus : {named, testing::small_generated_corpus().corpus}) {
    write_corpus_file(corpus, folder_.path("c"));
    expect_same(folder_.path("c"));
    expect_same(folder_.path("c"), {.text = {.min_df = 0}});
    expect_same(folder_.path("c"), {.text = {.stop_words = {corpus.vocabulary[3], corpus.vocabulary[7]}, .min_df = 0}});
    expect_same(
        folder_.path("c"),
        {.text = {
             .stop_words = {corpus.vocabulary[7]}, .min_df = 3, .max_df = 0.3, .max_vocabulary = 50, .threads = 2}});
  }
  write_corpus_file(Corpus{{0, 0, 0}, {}, {"a"}}, folder_.path("c"));
  expect_same(folder_.path("c"));
  write_corpus_file(named, folder_.path("c"));
  expect_same_error(folder_.path("c"), {.text = {.min_df = -1}});
  expect_same_error(folder_.path("c"), {.text = {.phrases = {.find = true}}});
  expect_same_error(folder_.path("none"), {.format = CorpusFormat::corpus_file});
  std::string bytes = folder_.read("c");
  const std::string_view words(reinterpret_cast<const char*>(named.words.data()), 4 * named.words.size());
  bytes[bytes.find(words) + words.size() - 4] ^= 1;
  expect_same_error(folder_.write("c", bytes));
}

TEST_F(ReadOverRanks, LinesOfText) {
  std::string text =
      "\xef\xbb\xbf"
      "Cats and dogs, 12 of them\r\n\n";
  for (int i = 0; i < 60; ++i) {
    text +=
        "Word" + std::string(1, static_cast<char>('a' + i % 26)) + " of a the don't X-ray 1" + std::to_string(i % 7);
    text += i % 5 == 0
                ? " \xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
                : "";
    text += i % 9 == 0 ? " bad\xff"
                         "bytes \xc3"
                       : "";
    text += i % 4 == 0 ? "\n\n" : "\n";
  }
  text += "the last one, without an end";
  for (const std::string& content : {text, std::string("\n\n\n\n\n\n"), std::string("one line\n"), std::string("a"),
                                     std::string(90, '\n') + "cats" + std::string(90, '\n')}) {
    const std::string path = folder_.write("a.txt", content);
    expect_same(path);
    expect_same(path, {.text = {.stop_words = {"the", "Dogs"}, .min_df = 2, .max_df = 0.9, .threads = 2}});
    expect_same(path, {.text = {.min_token_length = 4, .fold_case = false, .max_vocabulary = 3}});
    expect_same(path, {.text = {.words = WordRule::numbers}});
    expect_same(path, {.text = {.token_pattern = "[a-z]+"}});
  }
  expect_same(folder_.write("a.jsonl",
                            "{\"text\":\"cats and\",\"id\":\"one\"}\n\n{\"id\":2,\"text\":\"dogs\"}\n"
                            "{\"text\":\"and cats\",\"id\":\"three\"}"),
              {.id_column = "id"});
  expect_same(folder_.write("a.jsonl", ""));
}

// More words that are left out than are counted, each rank's own first ones among them.
TEST_F(ReadOverRanks, ManyWordsThatAreLeftOut) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    text += "some words " + std::to_string(1'000'000 + i * 7 % 18'000) + " " + std::to_string(i % 50) + "\n";
  }
  expect_same(folder_.write("a.txt", text));
}

// Distinct ones without end, as the times of a log are: what a rank remembers is bounded, and the report is the same.
TEST_F(ReadOverRanks, WordsThatAreLeftOutTakeLittleMemory) {
  std::string text;
  for (int i = 0; i < 1'200'000; ++i) {
    text += std::to_string(100'000'000 + i) + (i % 1000 == 0 ? " 7654321 some words\n" : " ");
  }
  expect_same(folder_.write("a.txt", text), {.text = {.max_memory = std::int64_t{48} << 20}});
}

TEST_F(ReadOverRanks, AnErrorInATextIsThatOfOneProcess) {
  std::string text, json;
  for (int i = 0; i < 50; ++i) {
    text += "cats and dogs\n";
    json += "{\"text\":\"cats\"}\n";
  }
  const std::string long_line(3000, 'x');
  for (const std::size_t lines : {0, 1, 20, 37, 50}) {
    SCOPED_TRACE(lines);
    const auto with = [&](std::string content, std::size_t width, const std::string& line) {
      return content.insert(lines * width, line + "\n");
    };
    const TextOptions options = {.max_line_bytes = 2000};
    expect_same_error(folder_.write("a.txt", with(text, 14, long_line)), {.text = options});
    expect_same_error(folder_.write("a.jsonl", with(json, 16, "{\"text\":")));
    expect_same_error(folder_.write("a.jsonl", with(json, 16, "{\"other\":\"text\"}")));
    expect_same_error(folder_.write("a.jsonl", with(json, 16, "[")), {.format = CorpusFormat::json_lines});
    expect_same_error(folder_.write("a.json", "[" + with(json, 16, ",")));
  }
  expect_same_error(folder_.write("a.txt", std::string("\0\1\2\3", 4) + text));
  expect_same_error(folder_.write("a.txt", "\xff\xfe" + text));
  // What shows it may lie behind the share of the first rank.
  for (const std::string& binary :
       {std::string("a\n\0b\n", 5), std::string("a\n\0", 3), std::string("\0", 1), text + std::string("\0", 1) + text,
        std::string("\xff\xfe"
                    "a\0\n\0b\0\n\0",
                    10),
        "%PDF-1.7\n" + text, std::string("%PDF-")}) {
    expect_same_error(folder_.write("a.txt", binary));
  }
  expect_same(folder_.write("a.txt", std::string(4096, '\n') + std::string("a\0b\n", 4)));
  expect_same_error(folder_.path("none.txt"));
  expect_same_error(folder_.write("a.txt", text), {.id_column = "id"});
}

TEST_F(ReadOverRanks, AnErrorIsThatOfOneProcess) {
  std::string many = "90\n3\n400\n";
  for (int i = 0; i < 400; ++i) many += std::to_string(i % 90 + 1) + " " + std::to_string(i % 3 + 1) + " 1\n";
  const auto with = [&](std::size_t at, const std::string& line) {  // in place of a line, from 0
    std::string text = many;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < at; ++i) begin = text.find('\n', begin) + 1;
    return text.replace(begin, text.find('\n', begin) - begin, line);
  };
  ASSERT_NO_THROW(read_corpus(uci(many)));
  for (const std::string& docword : {std::string(),
                                     std::string("3\n"),
                                     std::string("3\n3\n"),
                                     std::string("3\nx\n3\n"),
                                     std::string("3\n3\n3\n1 2 1\n"),
                                     std::string("3\n3\n3 "),
                                     std::string("3\n3\n3\n1 2 1"),
                                     many + "1 1 1\n",
                                     many + "\n\n\n1 1 1\n",
                                     many + "\n\n\nx",
                                     with(2, "399"),
                                     with(2, "401"),
                                     with(2, "0"),
                                     with(2, "1000000"),
                                     with(0, "1"),
                                     with(0, "99999999999"),
                                     with(1, "2"),
                                     with(3, "91 1 1"),
                                     with(200, "1 1"),
                                     with(402, "1 1 0"),
                                     with(402, ""),
                                     with(100, ""),
                                     with(350, "1 4 1"),
                                     with(399, "1 1 1 1"),
                                     with(399, std::string(3000, '1')),
                                     with(150, "x") + "x\n",
                                     "\xff\xfe" + many,
                                     std::string("1\n1\n2\n1 1 2147483647\n1 1 2147483647\n")}) {
    SCOPED_TRACE(docword.substr(0, 60));
    expect_same_error(uci(docword), {.text = {.max_line_bytes = 2000, .max_memory = 1LL << 40}});
  }
  // Of several the first in the file.
  std::string both = with(50, "1 4 1");
  both.replace(both.size() - 3, 1, "x");
  expect_same_error(uci(both));
  expect_same_error(uci(many, "a\nb\n"));
  expect_same_error(uci(many, "a\nb\nb\n"));
  expect_same_error(uci("3\n3\n3\n1 2 1\n", "a\n"));
  uci(many);
  expect_same_error(folder_.path("docword.x.txt"), {.vocabulary = folder_.path("none")});
  expect_same_error(folder_.path("docword.none.txt"));
  expect_same_error(folder_.path("docword.x.txt"), {.text = {.min_df = -1}});
  expect_same_error(folder_.path("docword.x.txt"), {.text_column = "a"});
  expect_same_error(folder_.write("docword.z.txt.gz", gzip(many).substr(0, 200)));
}

// Whether the system reads the word for us.
bool can_read(const std::int32_t* word) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const bool can = ::write(ends[1], word, sizeof *word) > 0;
  ::close(ends[0]);
  ::close(ends[1]);
  return can;
}

// From the file to the model, by each way to start.
TEST_F(ReadOverRanks, ARankHasNoWordsButItsOwn) {
  const Corpus corpus =
      generate_corpus({.documents = 4000, .vocabulary = 300, .topics = 7, .mean_length = 40, .seed = 6}).corpus;
  write_uci_bag_of_words(corpus, folder_.path("docword.c.txt"), folder_.path("vocab.c.txt"));
  const Corpus as_read = read_corpus(folder_.path("docword.c.txt"));
  for (const Start start : {Start::uniform, Start::progressive}) {
    TrainOptions of_run = {.topics = 12, .sweeps = 4, .seed = 3, .threads = 1};
    of_run.start = start;
    of_run.optimize_every = 2;
    of_run.optimize_after = 1;
    of_run.evaluate_every = 2;
    const TrainResult expected = train(as_read, of_run);
    on_ranks({.ranks = 3}, [&](Communicator& ranks) {
      const RankCorpus read = read_corpus(folder_.path("docword.c.txt"), {}, ranks);
      const CorpusView view = read.view();
      for (int r = 0; r < 3; ++r) {
        const RankDocuments of_rank = documents_of_rank(view, r, 3);
        EXPECT_EQ(can_read(view.words.data() + (of_rank.first_token + of_rank.end_token) / 2), r == ranks.rank());
      }
      TrainOptions options = of_run;
      options.ranks = &ranks;
      options.corpus_identity = &read.identity();
      options.checkpoint_every = 2;
      CheckpointWriter writer(view, options, folder_.path("kept"));
      options.checkpoint_writer = &writer;
      const TrainResult result = train(view, options);
      save_checkpoint(result.topics, view, options, folder_.path("kept"));
      EXPECT_EQ(model_hash(result.model), model_hash(expected.model));
      EXPECT_EQ(result.log_joint_per_token, expected.log_joint_per_token);
    });
    // One process goes on from what they have saved.
    TrainOptions alone = of_run;
    EXPECT_EQ(load_checkpoint(as_read, alone, folder_.path("kept")).z, expected.topics.z);
  }
}

}  // namespace
}  // namespace papilio::lda
