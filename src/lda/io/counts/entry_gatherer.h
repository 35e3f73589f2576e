#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execution/cpu/huge_pages.h"

namespace papilio::lda {

// Gathers entries (document, word, count) of a matrix on a thread of its own, in memory that never moves: slabs, each
// larger than the one before, up to some megabytes in huge pages.
class EntryGatherer {
 public:
  struct Entry {
    std::int32_t word;
    std::int32_t count;
  };
  // Consecutive entries of one document in a piece. A document whose entries are scattered has several runs.
  struct Run {
    std::int64_t document;
    std::int64_t begin;  // in entries; the end is the next run's beginning
  };
  // Consecutive entries, which belong to the gatherer.
  struct Piece {
    std::span<Entry> entries;
    std::vector<Run> runs;
    std::int64_t tokens = 0;
  };

  // document >= 0.
  void add(std::int64_t document, std::int64_t word, std::int64_t count) {
    if (next_ == end_) [[unlikely]] {
      open_slab();
    }
    if (document != document_) {
      runs_.push_back({document, next_ - begin_});
      document_ = document;
    }
    *next_++ = {static_cast<std::int32_t>(word), static_cast<std::int32_t>(count)};
    tokens_ += count;
  }

  // Takes out the pieces that were added since the last call.
  std::vector<Piece> finish();

  // A place between pieces, to which the gatherer can return; what came after it is lost.
  struct Mark {
    std::size_t slabs = 0;
    std::size_t entries = 0;  // in the last slab
  };
  Mark mark() const;
  void rewind(const Mark& mark);

 private:
  void open_slab();
  void close_piece();

  std::vector<execution::FreshArray<Entry>> slabs_;
  std::vector<Piece> pieces_;  // finished, but not taken out
  Entry* begin_ = nullptr;     // of the current piece
  Entry* next_ = nullptr;
  Entry* end_ = nullptr;  // of the current slab
  std::vector<Run> runs_;
  std::int64_t document_ = -1;
  std::int64_t tokens_ = 0;
};

}  // namespace papilio::lda
