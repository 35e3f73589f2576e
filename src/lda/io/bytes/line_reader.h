#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"

namespace papilio::lda {

class Tokenizer;

struct OwnBuffer {
  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
};

// Whole lines, each with its end "\n" (a "\r" before it is kept), in a buffer of their own.
struct OwnLines {
  OwnBuffer buffer;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view text() const { return {buffer.bytes.get() + begin, end - begin}; }
};

// What next_parts returns, in a buffer of its own.
struct OwnParts {
  OwnBuffer buffer;
  std::vector<std::string_view> lines;
  bool goes_on = false;
  std::int64_t line_number = 0;  // of the last line
};

// Cuts a file into lines, which end in "\n" or "\r\n"; the last one may have no end.
//
// Skips a byte-order mark of UTF-8 at the beginning; one of UTF-16 or UTF-32 is a FormatError, as are
// lines longer than `max_line_bytes`, lines that do not fit the memory limit, and damaged
// compressed streams. Memory: a block (two if lines are short) and the longest line, or with
// next_parts the longest token. In addition, and uncounted: what was taken out, in blocks or
// longer lines, and what was given back, in the same buffers. The limit must outlive the object.
//
// With more than one thread (0: all), a file is read and decompressed
// ahead while its lines are worked on, if the limit leaves plenty of room.
class LineReader {
 public:
  static constexpr std::size_t default_block_bytes = std::size_t{1} << 18;

  // A part (null: all) is of an uncompressed file; its lines keep their numbers in the whole file.
  LineReader(Origin origin, MemoryLimit& memory_limit, std::int64_t max_line_bytes,
             std::size_t block_bytes = default_block_bytes, int threads = 1, const FilePart* part = nullptr);

  // Returns the next lines, without their ends; none at the
  // end of the file. They are valid until the next call.
  const std::vector<std::string_view>& next_block();

  // The same, but a line longer than a block may come in parts, cut where the tokenizer allows it. The tokenizer must
  // outlive the reader. The last line of a block is such a part if goes_on(), and the first line of the next block
  // continues it. A part may end with the "\r" of the line's end. A file that begins like no text is a FormatError
  // (refuse_binary); for this a block must have at least 4,096 bytes.
  const std::vector<std::string_view>& next_parts(const Tokenizer& tokenizer);
  bool goes_on() const { return open_; }

  // The same, taken out of the reader so that another thread may read on; false at the end of the file.
  bool take_parts(const Tokenizer& tokenizer, OwnParts& parts);

  // Reads the next line; false at the end of the file. It is valid until the next call.
  bool next_line(std::string_view& line);

  // Takes about a block of the next lines out of the reader, for callers that parse simple lines on several threads:
  // one thread calls this while others parse what they took. The old content of `lines` is lost. False if next_line
  // must be used instead: if the last line has no end or is longer than the block, if the source fails, or if the
  // reader's limit for a line is below `longest` bytes. The caller must give back blocks with longer lines; these are
  // returned unchanged.
  bool take_lines(std::size_t longest, OwnLines& lines);

  // What became of the lines taken, once all have been read: the first `lines` of them count as returned, and next_line
  // will return the others, in their order.
  void count_lines(std::int64_t lines);
  void give_back(std::span<OwnLines> lines);

  // Whether the source has nothing beyond what has been read of it, which is at most a block.
  bool at_end() const { return at_end_ && waiting_.empty(); }

  // The number of the last line returned, from 1; 0 before the first.
  std::int64_t line_number() const { return lines_given_; }

  const Origin& origin() const { return origin_; }

  // Throws FormatError at the last line returned; column 0 leaves the column out.
  [[noreturn]] void format_error(std::int64_t column, std::string_view message) const {
    origin_.format_error(lines_given_, column, message);
  }

  // Throws FormatError at the first ill-formed sequence of the last line returned.
  void require_utf8(std::string_view line) const;

 private:
  void read_block();
  void read_more();
  void read_at_once();
  std::size_t fill();
  std::size_t end_of_lines() const;
  const char* hand_over(std::size_t begin, std::size_t end, OwnBuffer& buffer);
  void go_on_in(OwnBuffer& buffer);
  void next_buffer();
  void move_to_front();
  void cut_lines();
  bool cut_part();
  void add_line(const char* begin, const char* end);
  void check_beginning();
  void grow();
  [[noreturn]] void refuse_length() const;

  Origin origin_;
  MemoryShare memory_;
  std::size_t max_line_bytes_;
  std::size_t block_bytes_;
  std::size_t most_lines_;  // per block
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;     // bytes [begin_, end_) are read but not yet cut into lines
  std::size_t searched_ = 0;  // no line ends between begin_ and here
  std::size_t end_ = 0;
  std::deque<OwnLines> waiting_;  // after the buffer: blocks given back, and the one that is read into
  std::string beginning_;         // of the whole file, if this is a part
  bool at_once_ = false;          // because others work on what they took
  bool has_begun_ = false;
  bool at_end_ = false;
  std::exception_ptr failure_;            // of the source; thrown to the next reader
  const Tokenizer* tokenizer_ = nullptr;  // cuts long lines into parts
  bool open_ = false;                     // parts of a line have been given out, but not its end
  std::size_t open_bytes_ = 0;            // of those parts
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;         // index in lines_, for next_line
  std::int64_t lines_read_ = 0;  // cut so far
  std::int64_t lines_given_ = 0;
};

}  // namespace papilio::lda
