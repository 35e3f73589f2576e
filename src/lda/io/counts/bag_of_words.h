#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "papilio/corpus.h"

namespace papilio::lda {

inline constexpr std::int64_t most_words = std::int64_t{(1U << 31) - 1};
inline constexpr std::int64_t most_count = std::int64_t{(1U << 31) - 1};

// Entries (document, word, count) of a matrix, in any order, on their way to a
// corpus. Memory: 16 bytes per entry, in proportion to what was added, whatever
// the numbers are.
class BagOfWords {
 public:
  BagOfWords(const TextOptions& options, MemoryLimit& memory_limit) : options_(options), memory_(memory_limit) {}

  // Counts of a pair that comes again add up. 0 <= word < most_words, 1 <= count <= most_count.
  void add(std::int64_t document, std::int64_t word, std::int64_t count);

  // An entry, as `add` takes it.
  struct Place {
    std::int64_t document;
    std::int32_t word;
    std::int32_t count;
  };

  // Adds all of these, one list after the other; false, and adds none, where they do not fit the limit.
  bool add_if_room(std::span<const std::vector<Place>> lists);

  std::int64_t entries() const { return static_cast<std::int64_t>(entries_.size()); }
  std::int64_t tokens() const { return tokens_; }

  // Whether a corpus of that many documents made of these entries stays within
  // the limit, towards which it counts from now on; `more` are bytes that its words will need.
  bool fits(std::int64_t documents, std::int64_t more = 0);

  // Throws FormatError at the reader's line unless it fits.
  void require_room(const LineReader& at, std::int64_t documents, std::int64_t more = 0);
  [[noreturn]] void refuse(const Origin& at, std::int64_t line, std::int64_t documents) const;

  // The corpus: documents by number, the words of each sorted, then without the
  // words that the options leave out. Word numbers begin at `first_word`. Throws FormatError at the origin for a
  // document of more than most_document_tokens.
  Corpus make_corpus(const Origin& origin, std::int64_t documents, std::vector<std::string> vocabulary,
                     std::int64_t first_word, const char* format, ReadReport& report) &&;

 private:
  struct Entry {
    std::int32_t word;
    std::int32_t count;
  };
  // Consecutive entries of one document. A document whose entries are scattered has several runs.
  struct Run {
    std::int64_t document;
    std::int64_t begin;  // in entries; the end is the next run's beginning
  };

  void sort_by_document();
  void expand(const Origin& origin, const std::vector<std::int32_t>& numbers, Corpus& corpus);

  TextOptions options_;
  MemoryShare memory_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
  std::int64_t tokens_ = 0;
};

// Documents without entries, and words without names and entries, are claims of a header or a large number:
// `free_claims` of them, and `claims_per_entry` more per entry, are accepted.
inline constexpr std::int64_t free_claims = std::int64_t{1} << 20;
inline constexpr std::int64_t claims_per_entry = 16;

// Throws FormatError "WHO claims 1099511627776 documents, but the file holds 1 entries" beyond that.
void require_believable(const Origin& origin, std::int64_t line, const std::string& who, std::int64_t claimed,
                        const char* what, std::int64_t entries);

// The sizes of a matrix as the header of its file claims them, and where: lines, 0 for a file without.
struct ClaimedShape {
  std::int64_t documents = 0;
  std::int64_t documents_line = 0;
  std::int64_t words = 0;
  std::int64_t words_line = 0;
};

// Throws FormatError unless the claims are in proportion to the bag and fit the
// memory. Words that have names are not claims.
void require_believable(const Origin& origin, const ClaimedShape& shape, bool named, BagOfWords& bag);

}  // namespace papilio::lda
