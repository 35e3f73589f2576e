#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/text/json_text.h"

namespace papilio::lda {

// Goes through the elements of a file that is one JSON array, wherever its lines end. Throws FormatError for what is no
// array, for other bytes than blanks after it, for elements longer than `max_element_bytes` or the memory limit, and
// for damaged compressed streams. A byte-order mark is treated as by a LineReader.
//
// Memory: a block, or three times the longest element: itself, and up to twice as much that the caller takes from it.
class JsonArrayReader : private JsonSource {
 public:
  // `threads` as for a LineReader. The limit must outlive the object.
  JsonArrayReader(Origin origin, MemoryLimit& memory_limit, std::int64_t max_element_bytes, int threads = 1,
                  std::size_t block_bytes = LineReader::default_block_bytes);
  JsonArrayReader(const JsonArrayReader&) = delete;
  JsonArrayReader& operator=(const JsonArrayReader&) = delete;

  // Goes to the next element; false where the array, and the file, ends. The caller takes the element from the text
  // that begins with it, up to its end, and then calls end_element().
  bool next_element();
  JsonText& element() { return element_; }
  void end_element();

  // The line, from 1, in which the element begins or, after end_element(), ends.
  std::int64_t line() const { return line_.number; }

  const Origin& origin() const override { return origin_; }

 private:
  // A line of the file, and the offset at which it begins.
  struct Line {
    std::int64_t number = 1;
    std::int64_t begin = 0;
  };

  bool go_on(std::string_view& text) override;
  const char* name_of_end() const override { return "the end of the file"; }
  JsonPlace place_of(std::size_t at) const override;

  std::string_view rest() const { return {buffer_.get() + begin_, end_ - begin_}; }
  bool begin_element();
  char next_byte();
  void take(char c, std::string_view expected);
  [[noreturn]] void fail(std::string_view expected);
  Line line_after(std::size_t bytes) const;
  void consume(std::size_t bytes);
  bool read_more();
  void grow();
  void check_beginning();

  Origin origin_;
  MemoryShare memory_;
  std::size_t max_element_bytes_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // bytes [begin_, end_) of the buffer are read but not yet consumed
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;  // of the buffer's first byte in the file
  bool at_end_ = false;      // of the file
  bool has_begun_ = false;   // with the first element
  Line line_;                // of begin_
  JsonText element_;
};

}  // namespace papilio::lda
