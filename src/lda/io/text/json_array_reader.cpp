#include "lda/io/text/json_array_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "lda/io/bytes/binary_content.h"
#include "lda/io/bytes/read_ahead.h"

namespace papilio::lda {

JsonArrayReader::JsonArrayReader(Origin origin, MemoryLimit& memory_limit, std::int64_t max_element_bytes, int threads,
                                 std::size_t block_bytes)
    : origin_(std::move(origin)),
      memory_(memory_limit),
      max_element_bytes_(static_cast<std::size_t>(max_element_bytes)),
      source_(open_byte_source(origin_, &memory_limit, blocks_ahead(memory_limit, block_bytes, threads))),
      buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)),
      capacity_(block_bytes),
      element_(*this) {
  assert(max_element_bytes > 0 && block_bytes >= 4);
  read_more();
  check_beginning();
}

bool JsonArrayReader::next_element() {
  if (!has_begun_) {
    take('[', "an array (--format jsonl, in Python format=\"jsonl\", reads an object per line)");
    has_begun_ = true;
    if (next_byte() != ']') return begin_element();
  } else if (next_byte() != ']') {
    take(',', "\",\" or \"]\"");
    next_byte();
    return begin_element();
  }
  consume(1);
  next_byte();
  if (begin_ != end_) fail("the end of the file after the array");
  return false;
}

bool JsonArrayReader::begin_element() {
  element_.begin(rest());
  return true;
}

void JsonArrayReader::end_element() {
  const std::size_t bytes = element_.at();
  if (bytes > max_element_bytes_) {
    element_.format_error(
        0, fmt::format("element of {} bytes, longer than max_line_bytes = {}", bytes, max_element_bytes_));
  }
  consume(bytes);
}

// Consumes blanks and returns the byte after them; 0 at the end of the file.
char JsonArrayReader::next_byte() {
  do {
    const std::string_view text = rest();
    const auto found = std::find_if_not(text.begin(), text.end(), is_json_blank);
    consume(static_cast<std::size_t>(found - text.begin()));
  } while (begin_ == end_ && read_more());
  return begin_ == end_ ? '\0' : buffer_[begin_];
}

void JsonArrayReader::take(char c, std::string_view expected) {
  if (next_byte() != c) fail(expected);
  consume(1);
}

void JsonArrayReader::fail(std::string_view expected) {
  element_.begin(rest());
  element_.fail(expected);
}

JsonPlace JsonArrayReader::place_of(std::size_t at) const {
  const Line line = line_after(at);
  return {line.number, offset_ + static_cast<std::int64_t>(begin_ + at) - line.begin + 1};
}

JsonArrayReader::Line JsonArrayReader::line_after(std::size_t bytes) const {
  const std::string_view text = rest().substr(0, bytes);
  Line line = line_;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
    ++line.number;
    line.begin = offset_ + static_cast<std::int64_t>(begin_ + end) + 1;
  }
  return line;
}

void JsonArrayReader::consume(std::size_t bytes) {
  line_ = line_after(bytes);
  begin_ += bytes;
}

bool JsonArrayReader::go_on(std::string_view& text) {
  if (text.size() > max_element_bytes_) {
    element_.format_error(0, fmt::format("element longer than max_line_bytes = {}", max_element_bytes_));
  }
  const bool more = read_more();
  text = rest();
  return more;
}

// Reads until the buffer is full or the file ends, after what has not been consumed. False if there is no more.
bool JsonArrayReader::read_more() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    offset_ += static_cast<std::int64_t>(begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) grow();
  const std::size_t before = end_;
  try {
    while (!at_end_ && end_ < capacity_) {
      const std::size_t got = source_->read(buffer_.get() + end_, capacity_ - end_);
      at_end_ = got == 0;
      end_ += got;
    }
  } catch (const DamagedStream& damage) {
    origin_.format_error(line_after(end_).number, 0, damage.what());
  }
  return end_ > before;
}

// Makes room for an element that fills the buffer.
void JsonArrayReader::grow() {
  const std::size_t capacity = std::max(capacity_ + 1, std::min(2 * capacity_, max_element_bytes_ + 1));
  if (!memory_.set(std::max(static_cast<std::int64_t>(3 * capacity) - uncounted_bytes, std::int64_t{0}))) {
    memory_.limit().refuse(origin_, line_.number,
                           fmt::format("an element of {} bytes so far, which must be held whole,", end_));
  }
  auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(buffer.get(), buffer_.get(), end_);
  buffer_ = std::move(buffer);
  capacity_ = capacity;
}

void JsonArrayReader::check_beginning() {
  refuse_other_encodings(origin_, rest());
  if (!rest().starts_with("\xef\xbb\xbf")) return;
  begin_ = 3;
  line_.begin = 3;
}

}  // namespace papilio::lda
