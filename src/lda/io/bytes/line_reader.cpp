#include "lda/io/bytes/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "lda/corpus/utf8.h"

namespace papilio::lda {

LineReader::LineReader(Origin origin, std::int64_t max_line_bytes, std::size_t block_bytes)
    : origin_(std::move(origin)),
      max_line_bytes_(static_cast<std::size_t>(max_line_bytes)),
      source_(open_byte_source(origin_)),
      buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)),
      capacity_(block_bytes) {
  assert(max_line_bytes > 0 && block_bytes >= 4);
}

const std::vector<std::string_view>& LineReader::next_block() {
  assert(next_ == lines_.size() || next_ == 0);
  read_block();
  next_ = lines_.size();
  lines_given_ += static_cast<std::int64_t>(lines_.size());
  return lines_;
}

bool LineReader::next_line(std::string_view& line) {
  if (next_ == lines_.size()) {
    read_block();
    next_ = 0;
    if (lines_.empty()) return false;
  }
  line = lines_[next_++];
  ++lines_given_;
  return true;
}

void LineReader::require_utf8(std::string_view line) const {
  const std::size_t place = find_ill_formed(line);
  if (place == std::string_view::npos) return;
  format_error(static_cast<std::int64_t>(place) + 1, "expected UTF-8, got " + quoted(line.substr(place)));
}

void LineReader::read_block() {
  lines_.clear();
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  std::size_t searched = end_;  // no line ends before it
  while (lines_.empty() && !(at_end_ && begin_ == end_)) {
    const bool at_beginning = lines_read_ == 0 && searched == 0;
    if (end_ == capacity_) grow();
    end_ += fill();
    if (at_beginning) check_beginning();
    cut_lines(std::max(searched, begin_));
    searched = end_;
  }
}

// Reads until the buffer is full or the source ends; returns the number of bytes.
std::size_t LineReader::fill() {
  std::size_t filled = 0;
  try {
    while (!at_end_ && end_ + filled < capacity_) {
      const std::size_t got = source_->read(buffer_.get() + end_ + filled, capacity_ - end_ - filled);
      at_end_ = got == 0;
      filled += got;
    }
  } catch (const DamagedStream& damage) {
    const auto ends = std::count(buffer_.get() + begin_, buffer_.get() + end_ + filled, '\n');
    origin_.format_error(lines_read_ + ends + 1, 0, damage.what());
  }
  return filled;
}

// Cuts what is read into lines; a last part without an end waits, unless it ends the file.
void LineReader::cut_lines(std::size_t searched) {
  const char* const end = buffer_.get() + end_;
  const char* from = buffer_.get() + searched;
  while (const void* found = std::memchr(from, '\n', static_cast<std::size_t>(end - from))) {
    const char* const line_end = static_cast<const char*>(found);
    add_line(buffer_.get() + begin_, line_end);
    from = line_end + 1;
    begin_ = static_cast<std::size_t>(from - buffer_.get());
  }
  if (at_end_ && begin_ < end_) {
    add_line(buffer_.get() + begin_, end);
    begin_ = end_;
  }
}

void LineReader::add_line(const char* begin, const char* end) {
  ++lines_read_;
  if (end > begin && end[-1] == '\r') --end;
  const auto length = static_cast<std::size_t>(end - begin);
  if (length > max_line_bytes_) {
    origin_.format_error(lines_read_, 0,
                         fmt::format("line of {} bytes, longer than max_line_bytes = {}", length, max_line_bytes_));
  }
  lines_.emplace_back(begin, length);
}

void LineReader::check_beginning() {
  const std::string_view bytes(buffer_.get(), end_);
  if (bytes.starts_with("\xef\xbb\xbf")) begin_ = 3;
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    origin_.format_error(1, 1, "expected UTF-8, got the byte-order mark of UTF-16");
  }
}

// Makes room for a line that fills the whole buffer, begun at its front.
void LineReader::grow() {
  // Two bytes more than the longest line: its end.
  if (end_ - begin_ >= max_line_bytes_ + 2) {
    origin_.format_error(lines_read_ + 1, 0, fmt::format("line longer than max_line_bytes = {}", max_line_bytes_));
  }
  const std::size_t capacity = std::max(capacity_ + 1, std::min(2 * capacity_, max_line_bytes_ + 2));
  auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(buffer.get(), buffer_.get(), end_);
  buffer_ = std::move(buffer);
  capacity_ = capacity;
}

}  // namespace papilio::lda
