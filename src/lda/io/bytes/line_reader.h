#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// Cuts a file into lines, which end in "\n" or "\r\n"; the last one may lack it.
//
// A byte-order mark of UTF-8 at the beginning is left out; one of UTF-16 is a
// FormatError, as are lines longer than `max_line_bytes` and damaged compressed
// streams. Memory: a block and the longest line.
class LineReader {
 public:
  LineReader(Origin origin, std::int64_t max_line_bytes, std::size_t block_bytes = std::size_t{1} << 18);

  // The next lines, without their ends; none at the end of the file. They live
  // until the next call.
  const std::vector<std::string_view>& next_block();

  // The next line; false at the end of the file. It lives until the next call.
  bool next_line(std::string_view& line);

  // The number of the last line given out, from 1; 0 before the first.
  std::int64_t line_number() const { return lines_given_; }

  const Origin& origin() const { return origin_; }

  // Throws FormatError at the last line given out; column 0 leaves it out.
  [[noreturn]] void format_error(std::int64_t column, std::string_view message) const {
    origin_.format_error(lines_given_, column, message);
  }

  // Throws FormatError at the first ill-formed sequence of the last line given out.
  void require_utf8(std::string_view line) const;

 private:
  void read_block();
  std::size_t fill();
  void cut_lines(std::size_t searched);
  void add_line(const char* begin, const char* end);
  void check_beginning();
  void grow();

  Origin origin_;
  std::size_t max_line_bytes_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // bytes [begin_, end_) are read but not yet cut into lines
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;         // of lines_, for next_line
  std::int64_t lines_read_ = 0;  // cut so far
  std::int64_t lines_given_ = 0;
};

}  // namespace papilio::lda
