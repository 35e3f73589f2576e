#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus_formats.h"

// Matrices that are long enough to be read by several threads, against the same ones written so that every line is read
// by itself.
namespace papilio::lda {
namespace {

constexpr std::int64_t documents = 30000;
constexpr std::int64_t words = 1000;
constexpr std::int64_t entries = 4 * documents;

struct Entry {
  std::int64_t document;
  std::int64_t word;
  std::int64_t count;
};

std::vector<Entry> made_entries() {
  std::vector<Entry> made;
  std::uint32_t state = 1;
  for (std::int64_t e = 0; e < entries; ++e) {
    state = state * 1664525U + 1013904223U;
    made.push_back({e / 4 + 1, static_cast<std::int64_t>((state >> 8) % words) + 1, (state >> 28) + 1});
  }
  return made;
}

std::string body(const char* line) {
  std::string text;
  for (const Entry& entry : made_entries()) {
    text += fmt::format(fmt::runtime(line), entry.document, entry.word, entry.count);
  }
  return text;
}

std::string uci(const std::string& lines) { return fmt::format("{}\n{}\n{}\n{}", documents, words, entries, lines); }

std::string matrix_market(const std::string& lines, const char* form = "integer") {
  return fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n{}", form, documents, words, entries,
                     lines);
}

class EntryLines : public testing::TestWithParam<int> {
 protected:
  Corpus read(const std::string& name, const std::string& text, std::int64_t max_memory = 0,
              std::int64_t max_line_bytes = 1000) {
    CorpusOptions options;
    options.text.threads = GetParam();
    options.text.max_memory = max_memory;
    options.text.max_line_bytes = max_line_bytes;
    return read_corpus(folder.write(name, text), options);
  }

  std::string complaint(const std::string& name, const std::string& text, std::int64_t max_memory = 0) {
    return folder.message<FormatError>([&] { read(name, text, max_memory); });
  }

  Folder folder;
};

INSTANTIATE_TEST_SUITE_P(Threads, EntryLines, testing::Values(1, 2, 7));

TEST_P(EntryLines, AreReadAsLinesOneByOneAre) {
  const Corpus expected = read("slow.uci", uci(body("{} {} {}.0\n")));
  ASSERT_EQ(expected.documents(), documents);
  for (const char* line : {"{} {} {}\n", "{}\t{} {}\r\n", "  {}  {}\t{} \n"}) {
    EXPECT_EQ(read("plain.uci", uci(body(line))), expected) << line;
    EXPECT_EQ(read("plain.mtx", matrix_market(body(line))), expected) << line;
  }
  std::string lines = body("{} {} {}\n");
  lines.pop_back();  // the last line has no end
  EXPECT_EQ(read("plain.uci", uci(lines)), expected);
  lines.insert(lines.find('\n', lines.size() / 2), ".0");  // one line that is not plain
  EXPECT_EQ(read("mixed.uci", uci(lines)), expected);
  EXPECT_EQ(read("mixed.mtx", matrix_market(lines)), expected);
  EXPECT_EQ(read("packed.uci", zstd(uci(lines))), expected);
}

// Lines that are not plain everywhere, so that blocks are given back again and again.
TEST_P(EntryLines, AreReadAmongOthers) {
  const Corpus expected = read("plain.uci", uci(body("{} {} {}\n")));
  for (const std::int64_t every : {3, 1000, 50000}) {
    std::string lines;
    std::int64_t number = 0;
    for (const Entry& entry : made_entries()) {
      const char* const end = ++number % every == 0 ? ".0" : "";
      lines += fmt::format("{} {} {}{}\n", entry.document, entry.word, entry.count, end);
    }
    lines += "\n \n";
    EXPECT_EQ(read("mixed.uci", uci(lines)), expected) << every;
    EXPECT_EQ(read("mixed.mtx", matrix_market(lines)), expected) << every;
    EXPECT_EQ(read("packed.uci", gzip(uci(lines))), expected) << every;
  }
}

// Documents whose entries are scattered over all blocks.
TEST_P(EntryLines, MayStandInAnyOrder) {
  std::vector<Entry> made = made_entries();
  const Corpus expected = read("sorted.uci", uci(body("{} {} {}\n")));
  std::string lines;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Entry& entry = made[i * 7919 % made.size()];
    lines += fmt::format("{} {} {}\n", entry.document, entry.word, entry.count);
  }
  EXPECT_EQ(read("scattered.uci", uci(lines)), expected);
}

TEST_P(EntryLines, OfAPatternCountOnce) {
  const Corpus expected = read("ones.uci", uci(body("{} {} 1.0\n")));
  EXPECT_EQ(read("pattern.mtx", matrix_market(body("{} {}\n"), "pattern")), expected);
}

TEST_P(EntryLines, MayCountNothingInMatrixMarket) {
  const Corpus expected = read("none.mtx", matrix_market(body("{} {} 0.0\n")));
  EXPECT_EQ(expected.tokens(), 0);
  EXPECT_EQ(read("none.mtx", matrix_market(body("{} {} 0\n"))), expected);
  EXPECT_NE(complaint("none.uci", uci(body("{} {} 0\n"))).find(":4:"), std::string::npos);
}

// What is wrong is found at its line and column, as it is without threads.
TEST_P(EntryLines, NameTheLineThatIsWrong) {
  const std::string good = body("{} {} {}\n");
  const auto line_of = [](const std::string& text, std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  };
  for (const std::size_t place : {std::size_t{0}, good.size() / 3, good.size() - 9}) {
    const std::size_t begin = good.find('\n', place) + 1;
    for (const char* wrong : {"1 1001 1\n", "1 1 0\n", "30001 1 1\n", "1 -1 1\n", "0 1 1\n", "1 1\n", "1 1 1 1\n",
                              "x 1 1\n", "1 1 9999999999999999999\n"}) {
      std::string text = uci(good);
      const std::size_t at = text.size() - good.size() + begin;
      text.replace(at, text.find('\n', at) + 1 - at, wrong);
      const std::string said = complaint("wrong.uci", text);
      EXPECT_NE(said.find(fmt::format("wrong.uci:{}:", line_of(text, at))), std::string::npos) << said;
    }
  }
}

TEST_P(EntryLines, AreCounted) {
  const std::string good = body("{} {} {}\n");
  const std::string more = complaint("more.uci", uci(good + "1 1 1\n"));
  EXPECT_NE(more.find(fmt::format("more.uci:{}:1: expected the end of the file", entries + 4)), std::string::npos)
      << more;
  const std::string fewer = complaint("fewer.uci", uci(good.substr(good.find('\n') + 1)));
  EXPECT_NE(fewer.find(fmt::format("got {} before the end", entries - 1)), std::string::npos) << fewer;
}

// What a header claims takes no memory: far less than what so many entries would need is enough.
TEST_P(EntryLines, AreNotBelieved) {
  const std::string claim = fmt::format("{}\n{}\n{}\n", documents, words, std::int64_t{1} << 53);
  const std::string said = complaint("claim.uci", claim + body("{} {} {}\n"), std::int64_t{64} << 20);
  EXPECT_NE(said.find(fmt::format("expected {} entries (line 3: NNZ), got {} before", std::int64_t{1} << 53, entries)),
            std::string::npos)
      << said;
}

// Also where lines that may not be long enough for several threads are read one by one.
TEST_P(EntryLines, MayBeShort) {
  std::string text = uci(body("{} {} {}\n"));
  EXPECT_EQ(read("short.uci", text, 0, 60), read("plain.uci", text));
  text.replace(text.find('\n', 30) + 1, 1, "x");
  const std::string said = folder.message<FormatError>([&] { read("wrong.uci", text, 0, 60); });
  const std::int64_t line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find('x')), '\n');
  EXPECT_NE(said.find(fmt::format("wrong.uci:{}:1:", line)), std::string::npos) << said;
}

// The line that is wrong comes before damage behind it, and damage is told with its own line.
TEST_P(EntryLines, OfADamagedStreamAreRead) {
  const std::string good = uci(body("{} {} {}\n"));
  const std::int64_t lines = std::count(good.begin(), good.end(), '\n');
  const std::string damaged = complaint("damaged.uci", gzip(good) + "x");
  EXPECT_NE(damaged.find(fmt::format("damaged.uci:{}: gzip stream is followed", lines + 1)), std::string::npos)
      << damaged;
  std::string wrong = good;
  wrong.replace(wrong.find('\n', wrong.size() / 4) + 1, 1, "x");
  EXPECT_NE(complaint("wrong.uci", gzip(wrong) + "x").find("is not a number"), std::string::npos);
}

// The limit is met at the same line, whoever reads.
TEST_P(EntryLines, StayWithinTheMemoryLimit) {
  const std::int64_t limit = std::int64_t{5} << 20;
  const auto line = [](const std::string& said) { return said.substr(said.find(".uci:"), 12); };
  const std::string one_by_one = complaint("slow.uci", uci(body("{} {} {}.0\n")), limit);
  EXPECT_EQ(line(complaint("plain.uci", uci(body("{} {} {}\n")), limit)), line(one_by_one)) << one_by_one;
}

}  // namespace
}  // namespace papilio::lda
