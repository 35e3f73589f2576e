#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/counts/bag_of_words.h"

namespace papilio::lda {

// What each line of a matrix of counts holds: two places, and a count unless there is none to read.
struct EntryShape {
  std::int64_t largest_first;
  std::int64_t largest_second;
  std::int64_t least_count = 1;
  bool has_count = true;    // else each entry counts 1
  bool transposed = false;  // the first place is the word's, not the document's
};

// The bytes that a reader of such lines should hold at once: enough for all threads where the memory limit is generous.
std::size_t entry_block_bytes(const MemoryLimit& limit, int threads);

// Reads the plain lines of a matrix by all threads: numbers in digits, within their bounds, blanks between them, and
// nothing else. Whatever is not plain, and whatever may not be accepted, is left to the caller, who takes it line by
// line and knows what to say of it; so errors are the same as without this class.
class EntryLines {
 public:
  // `threads` as for parallel_for.
  EntryLines(LineReader& reader, const EntryShape& shape, int threads);

  // Adds the entries of the lines that the reader has at hand, where they are at most `most`, all of them are plain and
  // the bag has room for them. Returns the number of these lines; 0 where the next line is the caller's.
  std::int64_t add_to(BagOfWords& bag, std::int64_t most);

 private:
  LineReader& reader_;
  EntryShape shape_;
  int threads_;
  std::vector<BagOfWords::Piece> parts_;   // where each part's entries are gathered
  std::vector<BagOfWords::Piece> pieces_;  // and what they take when that is known
  std::vector<std::int64_t> lines_;        // of each part, -1 where one is not plain
};

}  // namespace papilio::lda
