#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus.h"

namespace papilio::lda {
namespace {

using namespace std::string_view_literals;
using Words = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;
using Offsets = std::vector<std::int64_t>;

TEST(LinesOfText, NumbersWordsByFirstOccurrence) {
  const Folder folder;
  ReadReport report;
  const Corpus corpus = read_lines_of_text(folder.write("text", "Cats and dogs\nDOGS, cats; birds!\n"), {}, &report);
  EXPECT_EQ(corpus, (Corpus{{0, 3, 6}, {0, 1, 2, 2, 0, 3}, {"cats", "and", "dogs", "birds"}}));
  corpus.verify();
  EXPECT_EQ(report.format, "text");
  EXPECT_EQ(report.documents, 2);
  EXPECT_EQ(report.empty_documents, 0);
  EXPECT_EQ(report.tokens_read, 6);
  EXPECT_EQ(report.tokens_kept, 6);
}

TEST(LinesOfText, KeepsEmptyDocuments) {
  const Folder folder;
  ReadReport report;
  const std::string path = folder.write("text", "\r\ncats\r\n 12 --\r\n\r\ndogs");
  EXPECT_EQ(read_lines_of_text(path, {}, &report).document_offsets, (Offsets{0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(report.documents, 5);
  EXPECT_EQ(report.empty_documents, 3);
  EXPECT_EQ(read_lines_of_text(folder.write("empty", ""), {}, &report), Corpus{});
  EXPECT_EQ(report.documents, 0);
}

TEST(LinesOfText, DropsStopWordsAndCountsThem) {
  const Folder folder;
  ReadReport report;
  const std::string path = folder.write("text", "the caf\u00e9\nTHE Caf\u00c9 tea\nstop\n");
  const TextOptions options = {.stop_words = {"The", "CAFE\u0301", "stop", "absent"}};
  EXPECT_EQ(read_lines_of_text(path, options, &report), (Corpus{{0, 0, 1, 1}, {0}, {"tea"}}));
  EXPECT_EQ(report.tokens_read, 6);
  EXPECT_EQ(report.stop_words_dropped, 5);
  EXPECT_EQ(report.tokens_kept, 1);
  EXPECT_EQ(report.rare_or_common_dropped, 0);
  EXPECT_EQ(report.empty_documents, 2);
}

TEST(LinesOfText, KeepsCaseWhereItIsAskedTo) {
  const Folder folder;
  ReadReport report;
  const std::string path = folder.write("text", "the Caf\u00e9 CAFE\u0301 tea\nTHE Tea tea\n");
  const TextOptions options = {.fold_case = false, .stop_words = {"the"}};
  EXPECT_EQ(read_lines_of_text(path, options, &report),
            (Corpus{{0, 3, 5}, {0, 1, 2, 3, 2}, {"Caf\u00e9", "CAF\u00c9", "tea", "Tea"}}));
  EXPECT_EQ(report.stop_words_dropped, 2);
}

TEST(LinesOfText, AppliesTheLimitsOfDocumentFrequency) {
  const Folder folder;
  ReadReport report;
  const std::string path = folder.write("text", "all rare rare\nall some\nall some most\nall most most\n most");
  const Corpus corpus = read_lines_of_text(path, {.min_df = 2, .max_df = 0.6}, &report);
  EXPECT_EQ(corpus, (Corpus{{0, 0, 1, 3, 5, 6}, {0, 0, 1, 1, 1, 1}, {"some", "most"}}));
  EXPECT_EQ(report.rare_or_common_dropped, 6);
  EXPECT_EQ(read_lines_of_text(path, {.max_vocabulary = 2}).vocabulary, (Words{"all", "most"}));
}

TEST(LinesOfText, CountsInvalidUtf8) {
  const Folder folder;
  ReadReport report;
  const std::string_view bytes = "one\n\xff\xfethree\xc3\nfour\xe2\x82\n"sv;
  const Corpus corpus = read_lines_of_text(folder.write("text", bytes), {}, &report);
  EXPECT_EQ(corpus.vocabulary, (Words{"one", "three", "four"}));
  EXPECT_EQ(report.invalid_utf8, 4);
}

// By the first 4,096 bytes of its content; farther down, a NUL byte separates words.
TEST(LinesOfText, RefusesWhatBeginsLikeNoText) {
  const Folder folder;
  const auto message = [&](std::string_view bytes) {
    const std::string path = folder.write("text", bytes);
    return folder.message<FormatError>([&] { read_lines_of_text(path); });
  };
  const std::string says = "papilio::read_lines_of_text: text: expected text, got a binary file (a NUL byte at offset ";
  EXPECT_EQ(message("one\0two\n"sv), says + "3)");
  EXPECT_EQ(message("\xef\xbb\xbf\0"sv), says + "3)");
  std::string long_text = "one two\n" + std::string(4087, 'x') + std::string("\0two", 4);
  EXPECT_EQ(message(long_text), says + "4095)");
  EXPECT_EQ(message(gzip(long_text)), says + "4095)");
  EXPECT_EQ(
      message("%PDF-1.7\none two\n"),
      "papilio::read_lines_of_text: text: expected text, got a PDF file (\"%PDF-\" at offset 0); extract its text "
      "first");
  long_text.insert(0, "\n");
  for (const int threads : {1, 4}) {
    const Corpus corpus =
        read_lines_of_text(folder.write("text", long_text), {.max_memory = 1 << 20, .threads = threads});
    EXPECT_EQ(corpus.vocabulary, (Words{"one", "two", std::string(4087, 'x')}));
  }
}

TEST(LinesOfText, ReadsCompressedTextTheSame) {
  const Folder folder;
  std::string text = "\xef\xbb\xbf";
  for (int i = 0; i < 2000; ++i) text += "word" + std::string(1 + i % 26, 'a') + " common\n";
  const Corpus plain = read_lines_of_text(folder.write("plain", text));
  EXPECT_EQ(plain.documents(), 2000);
  EXPECT_EQ(read_lines_of_text(folder.write("text.gz", gzip(text))), plain);
  EXPECT_EQ(read_lines_of_text(folder.write("text.zst", zstd(text))), plain);
}

// Several blocks of pieces, some words in one place only, lines of very different lengths.
TEST(LinesOfText, GivesTheSameCorpusForAnyNumberOfThreads) {
  const Folder folder;
  std::string text;
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  for (int line = 0; text.size() < 3000000; ++line) {
    for (std::uint32_t i = next(line % 100 == 0 ? 3000 : 30); i > 0; --i) {
      const std::uint32_t number = next(200) * next(200);
      for (std::uint32_t digits = number + 700; digits > 0; digits /= 26) text += static_cast<char>('a' + digits % 26);
      text += ' ';
    }
    text += line % 50 == 0 ? "bad\xff\n" : "\n";
  }
  const std::string path = folder.write("text", text);
  ReadReport expected_report;
  const TextOptions options = {.stop_words = {"bad", "ysb"}, .min_df = 2, .max_df = 0.5, .max_vocabulary = 3000};
  const auto read = [&](int threads, ReadReport& report) {
    TextOptions with_threads = options;
    with_threads.threads = threads;
    return read_lines_of_text(path, with_threads, &report);
  };
  const Corpus expected = read(1, expected_report);
  expected.verify();
  EXPECT_EQ(expected.vocabulary_size(), 3000);
  EXPECT_GT(expected_report.stop_words_dropped, 0);
  EXPECT_GT(expected_report.invalid_utf8, 0);
  for (const int threads : {0, 2, 3, 8}) {
    ReadReport report;
    EXPECT_TRUE(read(threads, report) == expected) << threads;
    EXPECT_EQ(report.tokens_read, expected_report.tokens_read);
    EXPECT_EQ(report.invalid_utf8, expected_report.invalid_utf8);
    EXPECT_EQ(report.empty_documents, expected_report.empty_documents);
  }
}

TEST(LinesOfText, RefusesLongLinesAndDamage) {
  const Folder folder;
  EXPECT_EQ(folder.message<FormatError>(
                [&] { read_lines_of_text(folder.write("text", "one\ntwo three\n"), {.max_line_bytes = 5}); }),
            "papilio::read_lines_of_text: text:2: line of 9 bytes, longer than max_line_bytes = 5");
  const std::string whole = gzip("one\ntwo\nthree");
  try {
    read_lines_of_text(folder.write("text.gz", whole.substr(0, whole.size() - 3)));
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_EQ(error.line, 3);
    EXPECT_NE(std::string(error.what()).find("text.gz:3: gzip stream ends too early"), std::string::npos);
  }
  EXPECT_EQ(folder.message<IoError>([&] { read_lines_of_text(folder.path("none")); }),
            "papilio::read_lines_of_text: cannot open none: No such file or directory");
}

// Threads take blocks as they come, but the first line that is wrong decides, whoever meets another one before.
TEST(LinesOfText, FailAtTheFirstLineThatIsWrong) {
  const Folder folder;
  std::string text;
  for (int line = 0; line < 400000; ++line) text += "aaa bbb ccc\n";
  const std::size_t half = text.size() / 2;
  std::string wrong = text;
  wrong.insert(half, std::string(90, 'd') + "\n" + text + std::string(80, 'e') + "\n");
  const std::string damaged = gzip(text) + "x";
  const std::string both = gzip(wrong) + "x";
  for (const int threads : {1, 2, 8}) {
    const auto message = [&](const std::string& bytes) {
      const TextOptions options = {.max_line_bytes = 70, .threads = threads};
      return folder.message<FormatError>([&] { read_lines_of_text(folder.write("text", bytes), options); });
    };
    const std::string long_line =
        "papilio::read_lines_of_text: text:200001: line of 90 bytes, longer than max_line_bytes = 70";
    EXPECT_EQ(message(wrong), long_line) << threads;
    EXPECT_EQ(message(both), long_line) << threads;
    EXPECT_EQ(message(damaged), "papilio::read_lines_of_text: text:400001: gzip stream is followed by other bytes");
  }
}

// Small files that would become corpora without end.
TEST(LinesOfText, StopsAtTheLimitOfMemory) {
  const Folder folder;
  const std::string tokens =
      folder.write("tokens.gz", gzip(std::string(4000000, ' ').replace(0, 8, "aaa bbb ") + "ccc"));
  EXPECT_EQ(read_lines_of_text(tokens, {.max_memory = 1000000}).tokens(), 3);
  std::string many;
  for (int i = 0; i < 200000; ++i) many += "aaa ";
  // How many tokens it has read by then depends on the threads.
  const std::string message = folder.message<FormatError>(
      [&] { read_lines_of_text(folder.write("many.gz", gzip("\n" + many)), {.max_memory = 1000000}); });
  EXPECT_TRUE(message.starts_with("papilio::read_lines_of_text: many.gz:2: the corpus up to here (")) << message;
  EXPECT_TRUE(
      message.ends_with("needs more than 1000000 bytes of memory, the limit for reading; raise it with max_memory "
                        "(--max-memory; by default half of the machine's memory or of the container's)"))
      << message;
  EXPECT_THROW(read_lines_of_text(folder.write("lines.gz", gzip(std::string(100000, '\n'))), {.max_memory = 1000000}),
               FormatError);
  std::string distinct;
  for (int i = 0; i < 20000; ++i) {
    for (int digits = i + 20000; digits > 0; digits /= 10) distinct += static_cast<char>('a' + digits % 10);
    distinct += ' ';
  }
  EXPECT_THROW(read_lines_of_text(folder.write("distinct", distinct), {.max_memory = 1000000}), FormatError);
}

TEST(LinesOfText, RefusesOptionsOutOfRange) {
  const Folder folder;
  const std::string path = folder.write("text", "one\n");
  const auto message = [&](const TextOptions& options) {
    return folder.message<InvalidArgument>([&] { read_lines_of_text(path, options); });
  };
  const std::string caller = "papilio::read_lines_of_text: ";
  EXPECT_EQ(message({.min_token_length = 0}), caller + "min_token_length is 0, expected at least 1");
  EXPECT_EQ(message({.min_df = -1}), caller + "min_df is -1, expected at least 0");
  EXPECT_EQ(message({.max_df = 0}), caller + "max_df is 0, expected 0 < max_df <= 1");
  EXPECT_EQ(message({.max_df = 1.5}), caller + "max_df is 1.5, expected 0 < max_df <= 1");
  EXPECT_EQ(message({.max_vocabulary = -2}), caller + "max_vocabulary is -2, expected at least 0");
  EXPECT_EQ(message({.max_line_bytes = 0}), caller + "max_line_bytes is 0, expected 1 to 2^40");
  EXPECT_EQ(message({.max_memory = -1}), caller + "max_memory is -1, expected at least 0");
  EXPECT_NE(message({.threads = -1}), "nothing thrown");
}

TEST(WriteLinesOfText, WritesADocumentALine) {
  const Folder folder;
  const Corpus corpus = {{0, 2, 2, 3}, {1, 0, 1}, {"cats", "dogs"}};
  write_lines_of_text(corpus, folder.path("text"));
  EXPECT_EQ(folder.read("text"), "dogs cats\n\ndogs\n");
}

TEST(WriteLinesOfText, RefusesWordsThatBreakLines) {
  const Folder folder;
  EXPECT_EQ(folder.message<InvalidArgument>([&] {
    write_lines_of_text(Corpus{{0, 1}, {0}, {"a\nb"}}, folder.path("text"));
  }),
            "papilio::write_lines_of_text: word 0 is \"a\\x0ab\", which holds the end of a line");
  EXPECT_EQ(folder.names(), Words{});
}

// A line is read in parts where it is longer than a thread's share, which a small limit makes small: 4 KiB. Cuts stand
// only where no token does, so that the corpus is the same.
TEST(LinesOfText, LongLinesAreReadInParts) {
  const Folder folder;
  const std::vector<std::string> pieces = {
      "cats", " ", "dog's", "\xc3\xa9t\xc3\xa9", "-", "1", "\t", "\xe2\x82", "a\xcc\x81", "...", "x-ray",
      "\r",   "$", "\xff"};
  std::string text;
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005U + 1442695040888963407U, state >> 33; };
  for (int line = 0; line < 6; ++line) {
    const std::size_t bytes = std::size_t{1} << (4 * line);
    for (const std::size_t begin = text.size(); text.size() < begin + bytes;) text += pieces[next() % pieces.size()];
    text += "\n";
  }
  const std::string path = folder.write("parts", text);
  ReadReport whole, parts;
  const Corpus expected = read_lines_of_text(path, {.min_token_length = 1}, &whole);
  for (const int threads : {1, 3}) {
    const TextOptions options = {.min_token_length = 1, .max_memory = 40'000'000, .threads = threads};
    const Corpus corpus = read_lines_of_text(path, options, &parts);
    EXPECT_EQ(corpus.document_offsets, expected.document_offsets);
    EXPECT_EQ(corpus.words, expected.words);
    EXPECT_EQ(corpus.vocabulary, expected.vocabulary);
    EXPECT_EQ(parts.invalid_utf8, whole.invalid_utf8);
    EXPECT_GT(parts.invalid_utf8, 1000);
  }
}

// A small limit makes small pieces, which forget their words now and then.
TEST(LinesOfText, ForgetWordsOfBlocksAndNumberThemTheSame) {
  const Folder folder;
  std::string lines;
  std::uint32_t state = 1;
  for (int i = 0; i < 150'000; ++i) {
    state = state * 1664525 + 1013904223;
    std::string word;
    for (std::uint32_t digits = 26 * 26 * 26 + state / 65536 % (i % 3 == 0 ? 20'000 : 50); digits > 0; digits /= 26) {
      word += static_cast<char>('a' + digits % 26);
    }
    lines += word + (i % 20 == 19 ? "\n" : " ");
  }
  const std::string path = folder.write("lines", lines);
  const Corpus expected = read_lines_of_text(path, {.stop_words = {"aaab", "caab"}, .threads = 1});
  EXPECT_GT(expected.vocabulary_size(), 15'000);
  for (const int threads : {1, 2, 3, 8}) {
    ReadReport report;
    const TextOptions options = {.stop_words = {"aaab", "caab"}, .max_memory = 16'000'000, .threads = threads};
    EXPECT_TRUE(read_lines_of_text(path, options, &report) == expected) << threads;
    EXPECT_EQ(report.tokens_read, 150'000);
    EXPECT_GT(report.stop_words_dropped, 1000);
  }
}

}  // namespace
}  // namespace papilio::lda
