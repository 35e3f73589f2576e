#include "lda/io/bytes/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/io/files.h"

namespace papilio::lda {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const Folder& folder, std::string_view bytes, std::int64_t max_line_bytes = 1000,
               std::size_t block_bytes = 4096) {
  LineReader reader({"test", folder.write("lines", bytes)}, max_line_bytes, block_bytes);
  Lines lines;
  std::string_view line;
  while (reader.next_line(line)) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), std::ssize(lines));
  }
  EXPECT_FALSE(reader.next_line(line));
  return lines;
}

TEST(LineReader, KnowsTheEndsOfLines) {
  const Folder folder;
  EXPECT_EQ(lines_of(folder, ""), Lines{});
  EXPECT_EQ(lines_of(folder, "a"), Lines{"a"});
  EXPECT_EQ(lines_of(folder, "a\n"), Lines{"a"});
  EXPECT_EQ(lines_of(folder, "\n"), Lines{""});
  EXPECT_EQ(lines_of(folder, "a\n\n"), (Lines{"a", ""}));
  EXPECT_EQ(lines_of(folder, "a\r\nb\rc\r\n\r\nd\r"), (Lines{"a", "b\rc", "", "d"}));
}

TEST(LineReader, LeavesOutTheByteOrderMarkAtTheBeginningOnly) {
  const Folder folder;
  EXPECT_EQ(lines_of(folder, "\xef\xbb\xbf"), Lines{});
  EXPECT_EQ(lines_of(folder, "\xef\xbb\xbf\n"), Lines{""});
  EXPECT_EQ(lines_of(folder,
                     "\xef\xbb\xbf"
                     "a\n\xef\xbb\xbf"
                     "b"),
            (Lines{"a",
                   "\xef\xbb\xbf"
                   "b"}));
  EXPECT_EQ(lines_of(folder, gzip("\xef\xbb\xbf"
                                  "a\n")),
            Lines{"a"});
}

TEST(LineReader, RefusesUtf16) {
  const Folder folder;
  for (const std::string_view bytes : {std::string_view("\xff\xfe"
                                                        "a\0",
                                                        4),
                                       std::string_view("\xfe\xff\0a", 4)}) {
    EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, bytes); }),
              "test: lines:1:1: expected UTF-8, got the byte-order mark of UTF-16");
  }
}

// Whatever the size of the buffer, so wherever the blocks end.
TEST(LineReader, GivesTheSameLinesForAnyBlockSize) {
  const Folder folder;
  std::string bytes = "\xef\xbb\xbf";
  Lines expected;
  for (std::size_t i = 0; i < 60; ++i) {
    expected.push_back(std::string(i * i % 37, static_cast<char>('a' + i % 26)));
    bytes += expected.back() + (i % 3 == 0 ? "\r\n" : "\n");
  }
  for (std::size_t block = 4; block < 120; ++block) EXPECT_EQ(lines_of(folder, bytes, 36, block), expected) << block;
}

TEST(LineReader, RefusesLinesThatAreTooLong) {
  const Folder folder;
  EXPECT_EQ(lines_of(folder, "12345678\r\n12345678", 8), (Lines{"12345678", "12345678"}));
  EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, "1\n123456789\n", 8); }),
            "test: lines:2: line of 9 bytes, longer than max_line_bytes = 8");
  // Without its end in the buffer: refused before more is read.
  for (const std::size_t block : {4, 5, 7, 16}) {
    EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, "1\n\n" + std::string(5000, 'x'), 8, block); }),
              "test: lines:3: line longer than max_line_bytes = 8");
  }
}

// The line is that of the damage even where one call of the decompressor meets both.
TEST(LineReader, NamesTheLineOfDamage) {
  const Folder folder;
  std::string bytes = gzip("a\nb\nc");
  EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, bytes + "x"); }),
            "test: lines:3: gzip stream is followed by other bytes");
  EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, bytes.substr(0, bytes.size() - 1)); }),
            "test: lines:3: gzip stream ends too early");
  bytes[bytes.size() - 8] ^= 1;  // of the check sum
  EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, bytes); }),
            "test: lines:3: damaged gzip stream: incorrect data check");
}

TEST(LineReader, GivesWholeLinesInBlocks) {
  const Folder folder;
  LineReader reader({"test", folder.write("lines", "aaaa\nbbbb\ncccc\ndd")}, 100, 11);
  const auto next = [&] {
    const auto& block = reader.next_block();
    return Lines(block.begin(), block.end());
  };
  EXPECT_EQ(next(), (Lines{"aaaa", "bbbb"}));
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_EQ(next(), (Lines{"cccc", "dd"}));
  EXPECT_EQ(reader.line_number(), 4);
  EXPECT_EQ(next(), Lines{});
}

}  // namespace
}  // namespace papilio::lda
