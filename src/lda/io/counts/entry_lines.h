#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/counts/bag_of_words.h"

namespace papilio::lda {

// What each line of a matrix of counts contains: two places and, if has_count, a count.
struct EntryShape {
  std::int64_t largest_first;
  std::int64_t largest_second;
  std::int64_t least_count = 1;
  bool has_count = true;    // otherwise each entry counts 1
  bool transposed = false;  // the first place is a word, not a document
};

// The number of bytes that a reader of such lines should hold at once.
std::size_t entry_block_bytes(const MemoryLimit& limit);

// Reads the plain lines of a matrix on all threads: numbers in digits, within their bounds, with blanks between them,
// and nothing else. All else, and all that may not be accepted, is left to the caller, who reads it line by line and
// reports what is wrong. So errors are the same as without this class.
//
// Each thread takes a block of lines out of the reader, reads it, and takes the next one. Blocks are accepted in order.
// Memory: two blocks of text per thread and their entries, even if blocks are refused and read again.
class EntryLines {
 public:
  // `threads` as for parallel_for.
  EntryLines(LineReader& reader, const EntryShape& shape, const MemoryLimit& limit, int threads);
  ~EntryLines();
  EntryLines(const EntryLines&) = delete;
  EntryLines& operator=(const EntryLines&) = delete;

  // Adds the entries of the next blocks, as long as there are at most `most`, all of their lines are plain and the bag
  // has room for them. Returns the number of these lines; 0 if the caller has to read the next line.
  std::int64_t add_to(BagOfWords& bag, std::int64_t most);

 private:
  struct Block;
  class Work;

  LineReader& reader_;
  EntryShape shape_;
  std::size_t threads_;
  std::vector<Block> blocks_;
  std::int64_t next_try_ = 0;  // lines before this one are the caller's
  std::int64_t wait_;          // in lines, after a block that is left to the caller
};

}  // namespace papilio::lda
