#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/counts/entry_gatherer.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

inline constexpr std::int64_t most_words = std::int64_t{(1U << 31) - 1};
inline constexpr std::int64_t most_count = std::int64_t{(1U << 31) - 1};

// Entries (document, word, count) of a matrix, in any order,
// on their way to a corpus. Memory: 16 bytes per entry, in
// proportion to what was added, whatever the numbers are.
class BagOfWords {
  using Entry = EntryGatherer::Entry;
  using Run = EntryGatherer::Run;

 public:
  BagOfWords(const TextOptions& options, MemoryLimit& memory_limit) : options_(options), memory_(memory_limit) {}

  // Counts of repeated pairs add up. 0 <= word < most_words, 1 <= count <= most_count.
  void add(std::int64_t document, std::int64_t word, std::int64_t count);

  // The gatherer of a thread. The first `threads` gatherers stay until the bag becomes a corpus.
  EntryGatherer& gatherer_of(std::size_t thread) { return gatherers_[thread + 1]; }
  void make_gatherers(std::size_t threads) { gatherers_.resize(std::max(gatherers_.size(), threads + 1)); }

  // Adds pieces of its gatherers, in order; if they do not fit the limit, adds none and returns false.
  bool add_if_room(std::vector<EntryGatherer::Piece> pieces);

  std::int64_t entries() const { return entries_; }
  std::int64_t tokens() const { return tokens_; }

  // Whether a corpus of that many documents made from these entries fits the limit; from now on it counts towards the
  // limit. `more`: bytes that its words will need.
  bool fits(std::int64_t documents, std::int64_t more = 0);

  // Throws FormatError at the reader's line unless it fits.
  void require_room(const LineReader& at, std::int64_t documents, std::int64_t more = 0);
  [[noreturn]] void refuse(const Origin& at, std::int64_t line, std::int64_t documents) const;

  // For ranks that have read a file together: this rank's documents 0, 1, ... are `first_document` and the next ones.
  struct OverRanks {
    Communicator* ranks = nullptr;  // null: this process alone
    std::int64_t first_document = 0;
  };

  // Makes the corpus: documents by number, the words of each sorted, without the words that the options leave out. Word
  // numbers begin at `first_word`. Throws FormatError at the origin for a document of more than most_document_tokens.
  // Collective over ranks: words are counted in the documents of all.
  Corpus make_corpus(const Origin& origin, std::int64_t documents, std::vector<std::string> vocabulary,
                     std::int64_t first_word, const char* format, ReadReport& report,
                     const OverRanks& over = {nullptr, 0}) &&;

  // Divides the documents among the ranks by their tokens. Each rank holds entries of any documents
  // before; afterwards its bag has the entries of its own documents, numbered from 0. Returns its
  // first document's old number, and how many it has. Throws FormatError at the origin, on the
  // first rank where what is kept, sent and received does not fit the limit. Collective.
  struct Documents {
    std::int64_t first;
    std::int64_t count;
  };
  Documents deal_out(const Origin& origin, std::int64_t documents, Communicator& ranks);

 private:
  // A run, in whatever piece it is.
  struct Row {
    std::int64_t document;
    Entry* begin;
    Entry* end;
  };

  void close_piece();
  std::vector<Row> rows_of_pieces();
  std::vector<Row> rows_by_document();
  void join(std::vector<Row>& rows);
  void expand(const Origin& origin, std::span<const Row> rows, const std::vector<std::int32_t>& numbers,
              const OverRanks& over, Corpus& corpus);
  // How many entries and runs this rank has for each rank.
  struct Dealt {
    std::vector<std::int64_t> entries;
    std::vector<std::int64_t> runs;
  };
  void require_room_to_deal(const Origin& origin, std::int64_t documents, const Dealt& dealt, Communicator& ranks);
  template <class Use>
  void for_each_entry(const Use& use) const;

  TextOptions options_;
  MemoryShare memory_;
  std::deque<EntryGatherer> gatherers_ = std::deque<EntryGatherer>(1);  // the first is for `add`
  std::vector<EntryGatherer::Piece> pieces_;
  std::vector<Entry> of_several_;  // entries of documents with several runs, joined
  std::int64_t entries_ = 0;
  std::int64_t runs_ = 0;  // a run divided by the end of a piece counts once
  std::int64_t tokens_ = 0;
  std::int64_t last_document_ = -1;
};

// Documents without entries, and words without names and entries, are only claimed, by a header or a large number.
// `free_claims` of them, plus `claims_per_entry` per entry, are accepted.
inline constexpr std::int64_t free_claims = std::int64_t{1} << 20;
inline constexpr std::int64_t claims_per_entry = 16;

// Throws FormatError "WHO claims 1099511627776 documents, but the file holds 1 entries" for more than that.
void require_believable(const Origin& origin, std::int64_t line, const std::string& who, std::int64_t claimed,
                        const char* what, std::int64_t entries);

// The sizes of a matrix that the header of its file claims, and the lines that claim them; 0 for a file without lines.
struct ClaimedShape {
  std::int64_t documents = 0;
  std::int64_t documents_line = 0;
  std::int64_t words = 0;
  std::int64_t words_line = 0;
};

// Throws FormatError unless the claims are in proportion to the entries (those of the bag, or of all ranks' bags) and
// fit into memory together with the bag. Words that have names are not claims.
void require_believable(const Origin& origin, const ClaimedShape& shape, bool named, BagOfWords& bag,
                        std::int64_t entries);
inline void require_believable(const Origin& origin, const ClaimedShape& shape, bool named, BagOfWords& bag) {
  require_believable(origin, shape, named, bag, bag.entries());
}

}  // namespace papilio::lda
