// A source that is read ahead by a thread gives the same bytes, and fails at the same place.

#include "lda/io/bytes/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/files.h"

namespace papilio::lda {
namespace {

std::string made_text(std::size_t size) {
  std::string text;
  std::uint32_t state = 7;
  while (text.size() < size) {
    state = state * 1664525U + 1013904223U;
    text += std::to_string(state) + (state >> 29 == 0 ? "\n" : " ");
  }
  text.resize(size);
  return text;
}

// Gives a text in parts of changing length, then ends or is damaged.
class Parts : public ByteSource {
 public:
  Parts(std::string text, bool is_damaged) : text_(std::move(text)), is_damaged_(is_damaged) {}

  std::size_t read(char* data, std::size_t capacity) override {
    if (at_ == text_.size() && is_damaged_) throw DamagedStream("torn");
    part_ = (part_ * 31 + 11) % 300'007;
    const std::size_t got = std::min({capacity, part_ + 1, text_.size() - at_});
    std::copy_n(text_.data() + at_, got, data);
    at_ += got;
    return got;
  }

 private:
  std::string text_;
  bool is_damaged_;
  std::size_t at_ = 0;
  std::size_t part_ = 5;
};

TEST(ReadAhead, GivesTheSameBytes) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, read_ahead_block - 1, read_ahead_block,
                                 read_ahead_block + 1, 2 * read_ahead_block, 9 * read_ahead_block + 12'345}) {
    const std::string text = made_text(size);
    for (const std::size_t blocks : {1, 2, 5}) {
      const auto source = read_ahead(std::make_unique<Parts>(text, false), blocks);
      std::string found;
      std::string part(70'001, '\0');
      while (const std::size_t got = source->read(part.data(), part.size())) found.append(part, 0, got);
      EXPECT_TRUE(found == text) << size << " bytes, " << blocks << " blocks";
      EXPECT_EQ(source->read(part.data(), part.size()), 0u);  // and again
    }
  }
}

TEST(ReadAhead, FailsAfterTheBytesBefore) {
  for (const std::size_t size : {std::size_t{1000}, 3 * read_ahead_block, 3 * read_ahead_block + 77}) {
    const auto source = read_ahead(std::make_unique<Parts>(made_text(size), true), 2);
    std::string part(1 << 16, '\0');
    std::size_t found = 0;
    try {
      while (const std::size_t got = source->read(part.data(), part.size())) found += got;
      ADD_FAILURE() << "nothing thrown";
    } catch (const DamagedStream& damage) {
      EXPECT_STREQ(damage.what(), "torn");
    }
    EXPECT_EQ(found, size);
    EXPECT_THROW(source->read(part.data(), part.size()), DamagedStream);  // and again
  }
}

TEST(ReadAhead, EndsWhileThereIsMoreToRead) {
  for (int i = 0; i < 50; ++i) {
    const auto source = read_ahead(std::make_unique<Parts>(made_text(6 * read_ahead_block), false), 2);
    std::string part(read_ahead_block, '\0');
    for (int reads = 0; reads < i % 5; ++reads) source->read(part.data(), part.size());
  }
}

// Damage in a long file is said of the same line, whether or not a thread reads ahead.
TEST(ReadAhead, LinesAndTheirNumbersAreTheSame) {
  const Folder folder;
  const std::string text = made_text(5 * read_ahead_block);
  for (const std::string& bytes : {gzip(text), zstd(text), text}) {
    const std::string whole = folder.write("whole", bytes);
    const std::string torn = folder.write("torn", bytes.substr(0, bytes.size() / 2));
    std::string complaints[2];
    std::string found[2];
    for (const int threads : {1, 3}) {
      MemoryLimit limit(std::int64_t{1} << 30);
      const auto at = static_cast<std::size_t>(threads / 2);
      LineReader lines({"test", whole}, limit, std::int64_t{1} << 30, LineReader::default_block_bytes, threads);
      std::string_view line;
      while (lines.next_line(line)) found[at].append(line).append("\n");
      complaints[at] = folder.message<FormatError>([&] {
        LineReader half({"test", torn}, limit, std::int64_t{1} << 30, LineReader::default_block_bytes, threads);
        while (half.next_line(line)) continue;
      });
    }
    EXPECT_TRUE(found[0] == text + "\n");
    EXPECT_TRUE(found[1] == found[0]);
    EXPECT_EQ(complaints[1], complaints[0]);
  }
}

}  // namespace
}  // namespace papilio::lda
