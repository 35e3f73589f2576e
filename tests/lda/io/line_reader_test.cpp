#include "lda/io/bytes/line_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lda/corpus/tokenizer.h"
#include "lda/io/files.h"

namespace papilio::lda {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const Folder& folder, std::string_view bytes, std::int64_t max_line_bytes = 1000,
               std::size_t block_bytes = 4096, std::int64_t max_memory = 0) {
  MemoryLimit memory_limit(max_memory);
  LineReader reader({"test", folder.write("lines", bytes)}, memory_limit, max_line_bytes, block_bytes);
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

// With their numbers in the whole file.
TEST(LineReader, ReadsAPartOfAFile) {
  const Folder folder;
  const std::string path = folder.write("lines", "one\ntwo\r\nthree\nfour");
  const auto lines = [&](const FilePart& part) {
    MemoryLimit memory_limit(0);
    LineReader reader({"test", path}, memory_limit, 1000, 4096, 1, &part);
    Lines found;
    std::string_view line;
    while (reader.next_line(line)) found.push_back(std::to_string(reader.line_number()) + " " + std::string(line));
    EXPECT_EQ(reader.line_number(), part.lines_before + std::ssize(found));
    return found;
  };
  EXPECT_EQ(lines({.begin = 0, .end = 4}), Lines{"1 one"});
  EXPECT_EQ(lines({.begin = 4, .end = 15, .lines_before = 1}), (Lines{"2 two", "3 three"}));
  EXPECT_EQ(lines({.begin = 15, .end = 19, .lines_before = 3}), Lines{"4 four"});
  EXPECT_EQ(lines({.begin = 19, .end = 19, .lines_before = 4}), Lines{});
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
              "test: lines:1:1: expected UTF-8, got the byte-order mark of UTF-16 (iconv -f UTF-16 -t UTF-8 FILE "
              "converts it)");
  }
}

TEST(LineReader, RefusesUtf32) {
  const Folder folder;
  for (const std::string_view bytes :
       {std::string_view("\xff\xfe\0\0a\0\0\0", 8), std::string_view("\0\0\xfe\xff\0\0\0a", 8)}) {
    EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, bytes); }),
              "test: lines:1:1: expected UTF-8, got the byte-order mark of UTF-32 (iconv -f UTF-32 -t UTF-8 FILE "
              "converts it)");
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

// Whatever the size of the buffer: the parts of each line, one after the other, are the line.
TEST(LineReader, GivesLongLinesInParts) {
  const Folder folder;
  const std::string bytes = "ab cd ef gh\n\nabcdefghijklmnopq r\n1 2 3 4 5 6 7 8 9 \nx y z ";
  const Lines expected = {"ab cd ef gh", "", "abcdefghijklmnopq r", "1 2 3 4 5 6 7 8 9 ", "x y z "};
  for (std::size_t block = 4; block < 40; ++block) {
    MemoryLimit memory_limit(0);
    const Tokenizer tokenizer(1);
    LineReader reader({"test", folder.write("lines", bytes)}, memory_limit, 100, block);
    Lines lines;
    bool goes_on = false;
    while (true) {
      const std::vector<std::string_view>& parts = reader.next_parts(tokenizer);
      if (parts.empty()) break;
      for (const std::string_view& part : parts) {
        if (goes_on) {
          lines.back() += part;
        } else {
          lines.emplace_back(part);
        }
        goes_on = &part == &parts.back() && reader.goes_on();
        if (goes_on) {
          EXPECT_EQ(part.back(), ' ');
        }
      }
      EXPECT_EQ(reader.line_number(), std::ssize(lines));
    }
    EXPECT_FALSE(goes_on);
    EXPECT_EQ(lines, expected) << block;
  }
}

// The parts of each line, one after the other, are the line; each block is in a buffer of its own, which stays as it is
// while others are taken.
TEST(LineReader, LetsPartsBeTaken) {
  const Folder folder;
  const std::string path = folder.write("lines", "ab cd ef gh\n\nabcdefghijklmnopq r\n1 2 3 4 5 6 7 8 9 \nx y\n\n z ");
  const Lines expected = {"ab cd ef gh", "", "abcdefghijklmnopq r", "1 2 3 4 5 6 7 8 9 ", "x y", "", " z "};
  const Tokenizer tokenizer(1);
  for (std::size_t block = 4; block < 40; ++block) {
    MemoryLimit memory_limit(0);
    LineReader reader({"test", path}, memory_limit, 100, block);
    std::array<OwnParts, 3> taken;
    std::vector<Lines> copies;
    Lines lines;
    bool goes_on = false;
    for (std::size_t i = 0; reader.take_parts(tokenizer, taken[i % taken.size()]); ++i) {
      const OwnParts& parts = taken[i % taken.size()];
      copies.emplace_back(parts.lines.begin(), parts.lines.end());
      for (std::size_t j = i < 2 ? 0 : i - 2; j <= i; ++j) {
        const std::vector<std::string_view>& still = taken[j % taken.size()].lines;
        EXPECT_EQ(Lines(still.begin(), still.end()), copies[j]) << block;
      }
      for (const std::string& part : copies.back()) {
        if (!std::exchange(goes_on, false)) lines.emplace_back();
        lines.back() += part;
      }
      goes_on = parts.goes_on;
      EXPECT_EQ(parts.line_number, std::ssize(lines));
    }
    EXPECT_FALSE(goes_on);
    EXPECT_EQ(lines, expected) << block;
  }
}

TEST(LineReader, CountsLongLinesTowardsTheMemoryLimit) {
  const Folder folder;
  const std::string bytes = "short\n" + std::string(3000000, 'x') + "\n";
  EXPECT_EQ(lines_of(folder, bytes, 4000000, 4096, 5000000).size(), 2U);
  EXPECT_EQ(folder.message<FormatError>([&] { lines_of(folder, bytes, 4000000, 4096, 1000000); }),
            "test: lines:2: a line of 1048576 bytes so far, which must be held whole, needs more than 1000000 bytes of "
            "memory, the limit for reading; raise it with max_memory (--max-memory; by default half of the machine's "
            "memory or of the container's)");
}

TEST(LineReader, GivesWholeLinesInBlocks) {
  const Folder folder;
  MemoryLimit memory_limit(0);
  LineReader reader({"test", folder.write("lines", "aaaa\nbbbb\ncccc\ndd")}, memory_limit, 100, 11);
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

// Whatever is taken first, counted or given back: lines and their numbers are the same.
TEST(LineReader, LetsWholeLinesBeTakenAndGivenBack) {
  const Folder folder;
  const std::string bytes =
      "\xef\xbb\xbf"
      "a\r\nbb\nccc\n\ndddddddddddddddddddddd\neeee\nf\nggg\nhh";
  const Lines expected = {"a", "bb", "ccc", "", "dddddddddddddddddddddd", "eeee", "f", "ggg", "hh"};
  for (std::size_t block = 4; block < 40; ++block) {
    for (const std::size_t counted : {0, 1, 2}) {  // of three that are taken
      MemoryLimit memory_limit(0);
      LineReader reader({"test", folder.write("lines", bytes)}, memory_limit, 100, block);
      Lines lines;
      std::string_view line;
      do {
        std::array<OwnLines, 3> taken;
        std::size_t count = 0;
        while (count < taken.size() && reader.take_lines(10, taken[count])) ++count;
        const std::size_t kept = std::min(counted, count);
        std::ptrdiff_t ends = 0;
        for (const OwnLines& some : std::span(taken).first(kept)) {
          std::string_view text = some.text();
          for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1), ++ends) {
            lines.emplace_back(text.substr(0, end - (end > 0 && text[end - 1] == '\r' ? 1 : 0)));
          }
          EXPECT_EQ(text, "");
        }
        reader.count_lines(ends);
        reader.give_back(std::span(taken).first(count).subspan(kept));
        EXPECT_EQ(reader.line_number(), std::ssize(lines));
        const bool is_there = reader.next_line(line);
        if (!is_there) break;
        lines.emplace_back(line);
        EXPECT_EQ(reader.line_number(), std::ssize(lines));
      } while (true);
      EXPECT_EQ(lines, expected) << block << " " << counted;
    }
  }
}

// One by one, in buffers of a block, so that several threads have something to read again; no more is read before.
TEST(LineReader, GivesBlocksOutAsTheyWereGivenBack) {
  const Folder folder;
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += std::to_string(1000 + i) + "\n";
  MemoryLimit memory_limit(0);
  constexpr std::size_t block = 22;
  LineReader reader({"test", folder.write("lines", bytes)}, memory_limit, 100, block);
  std::array<OwnLines, 8> taken;
  std::size_t at = 0;  // of `bytes`, what was taken and not given back
  for (int i = 0; i < 4; ++i) {
    const std::size_t begin = at;
    for (OwnLines& some : taken) {
      ASSERT_TRUE(reader.take_lines(10, some));
      EXPECT_EQ(some.text(), bytes.substr(at, at == begin && i > 0 ? 15 : 20)) << i;
      EXPECT_EQ(some.buffer.capacity, block);
      at += some.text().size();
    }
    at = begin + taken[0].text().size();
    reader.count_lines(std::ssize(taken[0].text()) / 5);
    reader.give_back(std::span(taken).subspan(1));
    EXPECT_TRUE(
        std::ranges::all_of(std::span(taken).subspan(1), [](const OwnLines& some) { return !some.buffer.bytes; }));
    EXPECT_FALSE(reader.at_end());
    std::string_view line;
    ASSERT_TRUE(reader.next_line(line));
    EXPECT_EQ(line, bytes.substr(at, 4));
    at += 5;
    EXPECT_EQ(reader.line_number(), static_cast<std::int64_t>(at / 5));
  }
}

// What is left of a buffer that grew with a long line is neither copied again with every block nor kept so large.
TEST(LineReader, GoesOnInBlocksAfterALongLine) {
  const Folder folder;
  constexpr std::size_t block = 1024;
  const std::string long_line(70'000, 'x');
  std::string bytes = long_line + "\n";
  for (int i = 0; i < 40'000; ++i) bytes += "a b\n";
  const std::string path = folder.write("lines", bytes);
  MemoryLimit memory_limit(0);
  const Tokenizer tokenizer({.token_pattern = "[a-z]+"});
  LineReader parts({"test", path}, memory_limit, 100'000, block);
  LineReader lines({"test", path}, memory_limit, 100'000, block);
  OwnParts some;
  ASSERT_TRUE(parts.take_parts(tokenizer, some));
  EXPECT_EQ(some.lines, std::vector<std::string_view>{long_line});
  std::int64_t count = 1;
  while (parts.take_parts(tokenizer, some)) {
    EXPECT_LE(some.buffer.capacity, block);
    EXPECT_TRUE(std::ranges::all_of(some.lines, [](std::string_view line) { return line == "a b"; }));
    count += std::ssize(some.lines);
    EXPECT_EQ(some.line_number, count);
  }
  EXPECT_EQ(count, 40'001);

  std::string_view line;
  ASSERT_TRUE(lines.next_line(line));
  EXPECT_EQ(line, long_line);
  std::size_t taken = 0;
  for (OwnLines own; lines.take_lines(10, own); taken += own.text().size()) {
    EXPECT_EQ(own.buffer.capacity, block);
    EXPECT_EQ(own.text().substr(0, 4), "a b\n");
  }
  EXPECT_EQ(taken, 160'000U);
}

// Lines longer than `longest` may be taken only where they are allowed.
TEST(LineReader, LetsNoLinesBeTakenWhereTheyMustBeShort) {
  const Folder folder;
  MemoryLimit memory_limit(0);
  LineReader reader({"test", folder.write("lines", "aaaa\nbbbb\n")}, memory_limit, 9, 64);
  OwnLines taken;
  EXPECT_FALSE(reader.take_lines(10, taken));
  EXPECT_TRUE(reader.take_lines(9, taken));
  EXPECT_EQ(taken.text(), "aaaa\nbbbb\n");
  EXPECT_FALSE(reader.take_lines(9, taken));
}

// What is wrong with the stream is told behind the lines before it, with their number.
TEST(LineReader, TellsDamageBehindTheLinesTaken) {
  const Folder folder;
  MemoryLimit memory_limit(0);
  LineReader reader({"test", folder.write("lines", gzip("a\nb\nc") + "x")}, memory_limit, 100, 4);
  OwnLines first;
  OwnLines second;
  ASSERT_TRUE(reader.take_lines(10, first));
  EXPECT_EQ(first.text(), "a\nb\n");
  EXPECT_FALSE(reader.take_lines(10, second));
  reader.count_lines(2);
  std::string_view line;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(folder.message<FormatError>([&] { reader.next_line(line); }),
              "test: lines:3: gzip stream is followed by other bytes");
  }
}

}  // namespace
}  // namespace papilio::lda
