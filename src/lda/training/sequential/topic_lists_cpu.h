#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/sequential/word_draws.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The topics of all documents, one list per document: a head, whose count is the number of entries, and the entries. A
// list that fits into a cache line lies within one.
template <class Number>
class TopicLists {
 public:
  using Entry = TopicCount<Number>;

  static constexpr std::int64_t entries_per_line = 64 / sizeof(Entry);

  // Whether the numbers are wide enough for all counts, and for K itself.
  static bool can_hold(const CorpusView& corpus, std::int32_t topics) {
    constexpr std::int64_t most = std::numeric_limits<Number>::max();
    bool result = topics <= most;
    for (std::size_t d = 1; d < corpus.document_offsets.size() && result; ++d) {
      result = corpus.document_offsets[d] - corpus.document_offsets[d - 1] <= most;
    }
    return result;
  }

  // D + 1: where each document's list begins.
  static std::vector<std::int64_t> offsets(const CorpusView& corpus, std::int32_t topics) {
    std::vector<std::int64_t> result(corpus.document_offsets.size());
    std::int64_t end = 0;
    for (std::size_t d = 0; d + 1 < result.size(); ++d) {
      const std::int64_t tokens = corpus.document_offsets[d + 1] - corpus.document_offsets[d];
      const std::int64_t size = 1 + (tokens < topics ? tokens : topics);
      const std::int64_t left = entries_per_line - end % entries_per_line;
      result[d] = size > left && size <= entries_per_line ? end + left : end;
      end = result[d] + size;
    }
    result.back() = end;
    return result;
  }

  explicit TopicLists(std::int64_t entries) : entries_(static_cast<std::size_t>(entries + entries_read_ahead)) {}

  Entry* at(std::int64_t place) { return entries_.data() + place; }

 private:
  BigArray<Entry> entries_;
};

}  // namespace papilio::lda
