#include "lda/io/counts/entry_gatherer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

namespace papilio::lda {
namespace {

using Triple = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<Triple> made(std::int64_t first, std::int64_t last) {
  std::vector<Triple> entries;
  entries.reserve(static_cast<std::size_t>(last - first));
  for (std::int64_t e = first; e < last; ++e) entries.emplace_back(e / 7, e * 31 % 1009, e % 5 + 1);
  return entries;
}

void add(EntryGatherer& gatherer, const std::vector<Triple>& entries) {
  for (const auto& [document, word, count] : entries) gatherer.add(document, word, count);
}

std::vector<Triple> in(const std::vector<EntryGatherer::Piece>& pieces) {
  std::vector<Triple> entries;
  for (const EntryGatherer::Piece& piece : pieces) {
    std::int64_t tokens = 0;
    std::size_t run = 0;
    EXPECT_FALSE(piece.runs.empty());
    entries.reserve(entries.size() + piece.entries.size());
    for (std::int64_t e = 0; e < std::ssize(piece.entries); ++e) {
      if (run + 1 < piece.runs.size() && piece.runs[run + 1].begin == e) ++run;
      const EntryGatherer::Entry& entry = piece.entries[static_cast<std::size_t>(e)];
      entries.emplace_back(piece.runs[run].document, entry.word, entry.count);
      tokens += entry.count;
    }
    EXPECT_EQ(run + 1, piece.runs.size());
    EXPECT_EQ(tokens, piece.tokens);
  }
  return entries;
}

// More than one slab of each size.
constexpr std::int64_t many = std::int64_t{5} << 19;

TEST(EntryGatherer, GivesWhatWasAdded) {
  EntryGatherer gatherer;
  EXPECT_TRUE(gatherer.finish().empty());
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{4095}, std::int64_t{2}, many}) {
    const std::vector<Triple> entries = made(3, 3 + size);
    add(gatherer, entries);
    EXPECT_EQ(in(gatherer.finish()), entries) << size;
    EXPECT_TRUE(gatherer.finish().empty());
  }
}

TEST(EntryGatherer, ForgetsWhatCameAfterAMark) {
  for (const std::int64_t before : {std::int64_t{0}, std::int64_t{1}, std::int64_t{4096}, many}) {
    for (const std::int64_t after : {std::int64_t{0}, std::int64_t{1}, std::int64_t{4096}, many}) {
      EntryGatherer gatherer;
      add(gatherer, made(0, before));
      const std::vector<EntryGatherer::Piece> first = gatherer.finish();
      const EntryGatherer::Mark mark = gatherer.mark();
      add(gatherer, made(before, before + after));
      if (after != 1) gatherer.finish();  // else they are forgotten before they are a piece
      gatherer.rewind(mark);
      EXPECT_TRUE(gatherer.finish().empty());
      add(gatherer, made(7, 5000));
      EXPECT_EQ(in(gatherer.finish()), made(7, 5000));
      EXPECT_EQ(in(first), made(0, before));
    }
  }
}

}  // namespace
}  // namespace papilio::lda
