#include "lda/io/bytes/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "lda/corpus/tokenizer.h"
#include "lda/corpus/utf8.h"
#include "lda/io/bytes/binary_content.h"
#include "lda/io/bytes/read_ahead.h"

namespace papilio::lda {

namespace {

void make_room(std::size_t bytes, OwnBuffer& buffer) {
  if (buffer.capacity == bytes) return;
  buffer = {std::make_unique_for_overwrite<char[]>(bytes), bytes};
}

}  // namespace

LineReader::LineReader(Origin origin, MemoryLimit& memory_limit, std::int64_t max_line_bytes, std::size_t block_bytes,
                       int threads, const FilePart* part)
    : origin_(std::move(origin)),
      memory_(memory_limit),
      max_line_bytes_(static_cast<std::size_t>(max_line_bytes)),
      block_bytes_(block_bytes),
      most_lines_(std::max(block_bytes / sizeof(std::string_view), std::size_t{64})),
      source_(open_byte_source(origin_, &memory_limit, blocks_ahead(memory_limit, block_bytes, threads), part)),
      buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)),
      capacity_(block_bytes),
      beginning_(part != nullptr ? part->beginning : std::string()),
      has_begun_(part != nullptr && part->lines_before > 0),
      lines_read_(part != nullptr ? part->lines_before : 0),
      lines_given_(lines_read_) {
  assert(max_line_bytes > 0 && block_bytes >= 4);
}

const std::vector<std::string_view>& LineReader::next_block() {
  assert(next_ == lines_.size() || next_ == 0);
  read_block();
  next_ = lines_.size();
  lines_given_ = lines_read_;
  return lines_;
}

const std::vector<std::string_view>& LineReader::next_parts(const Tokenizer& tokenizer) {
  tokenizer_ = &tokenizer;
  return next_block();
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
  format_error(static_cast<std::int64_t>(place) + 1, "expected UTF-8, got " + lda::quoted(line.substr(place)));
}

void LineReader::read_block() {
  lines_.clear();
  cut_lines();
  while (lines_.empty() && !waiting_.empty()) {
    next_buffer();
    cut_lines();
  }
  while (lines_.empty() && !(at_end_ && begin_ == end_)) {
    move_to_front();
    if (end_ == capacity_) {
      if (tokenizer_ != nullptr && cut_part()) return;
      grow();
    }
    read_more();
    cut_lines();
  }
  if (open_ && lines_.empty()) add_line(buffer_.get(), buffer_.get());  // the file ends where a part did
}

// Fills the buffer, whose free space is at its end.
void LineReader::read_more() {
  end_ += fill();
  if (!has_begun_) check_beginning();
}

// The same, but what the source throws waits until the bytes before it have been read.
void LineReader::read_at_once() {
  try {
    while (!at_end_ && end_ < capacity_) {
      const std::size_t got = source_->read_at_once(buffer_.get() + end_, capacity_ - end_);
      at_end_ = got == 0;
      end_ += got;
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (!has_begun_) check_beginning();
}

// Where the last whole line of the buffer ends, looking at one block at most.
std::size_t LineReader::end_of_lines() const {
  const std::string_view text(buffer_.get() + begin_, std::min(end_ - begin_, block_bytes_));
  return begin_ + text.rfind('\n') + 1;
}

bool LineReader::take_lines(std::size_t longest, OwnLines& lines) {
  assert(tokenizer_ == nullptr);
  if (max_line_bytes_ < longest) return false;
  if (next_ != lines_.size()) {  // cut into lines, but not returned yet
    begin_ = static_cast<std::size_t>(lines_[next_].data() - buffer_.get());
    searched_ = begin_;
    lines_read_ = lines_given_;
  }
  lines_.clear();
  next_ = 0;
  while (begin_ == end_ && !waiting_.empty()) next_buffer();
  if (end_of_lines() == begin_) {
    move_to_front();
    if (!failure_) read_at_once();
  }
  const std::size_t end = end_of_lines();
  if (end == begin_) return false;
  const std::size_t bytes = end - begin_;
  lines.begin = begin_;
  if (waiting_.empty()) {
    const char* const own = hand_over(begin_, end, lines.buffer);
    lines.begin = static_cast<std::size_t>(own - lines.buffer.bytes.get());
  } else {
    lines.buffer = {std::move(buffer_), capacity_};
    next_buffer();
  }
  lines.end = lines.begin + bytes;
  return true;
}

bool LineReader::take_parts(const Tokenizer& tokenizer, OwnParts& parts) {
  at_once_ = true;
  next_parts(tokenizer);
  parts.lines.swap(lines_);
  lines_.clear();
  next_ = 0;
  parts.goes_on = open_;
  parts.line_number = lines_given_;
  if (parts.lines.empty()) return false;
  const char* const old = parts.lines.front().data();
  const char* const own = hand_over(static_cast<std::size_t>(old - buffer_.get()), begin_, parts.buffer);
  if (own == old) return true;
  for (std::string_view& line : parts.lines) line = {own + (line.data() - old), line.size()};
  return true;
}

// Gives bytes [begin, end) away in a buffer of their own and goes on with the bytes after them; returns where the
// former are. If a buffer has grown, the smaller of the two parts is copied. As soon as the rest fits into a block the
// reader goes on in one, so that all lines together are copied in linear time.
const char* LineReader::hand_over(std::size_t begin, std::size_t end, OwnBuffer& buffer) {
  const std::size_t bytes = end - begin;
  const std::size_t rest = end_ - end;
  begin_ = end;
  if (capacity_ == block_bytes_ || (bytes > block_bytes_ && bytes >= rest)) {
    go_on_in(buffer);
    return buffer.bytes.get() + begin;
  }
  make_room(std::max(block_bytes_, bytes), buffer);
  std::memcpy(buffer.bytes.get(), buffer_.get() + begin, bytes);
  searched_ = begin_;
  if (OwnBuffer smaller; rest <= block_bytes_) go_on_in(smaller);
  return buffer.bytes.get();
}

// Exchanges the buffer for another one, no larger than the remaining bytes and a block need.
void LineReader::go_on_in(OwnBuffer& buffer) {
  const std::size_t rest = end_ - begin_;
  make_room(std::max(block_bytes_, rest), buffer);
  std::memcpy(buffer.bytes.get(), buffer_.get() + begin_, rest);
  begin_ = 0;
  searched_ = 0;
  end_ = rest;
  std::swap(buffer.bytes, buffer_);
  std::swap(buffer.capacity, capacity_);
}

void LineReader::count_lines(std::int64_t lines) {
  if (lines == 0) return;
  assert(lines_.empty());
  lines_read_ += lines;
  lines_given_ = lines_read_;
}

void LineReader::give_back(std::span<OwnLines> lines) {
  if (lines.empty()) return;
  assert(lines_.empty());
  waiting_.push_front({{std::move(buffer_), capacity_}, begin_, end_});
  for (; !lines.empty(); lines = lines.first(lines.size() - 1)) {
    waiting_.push_front(std::exchange(lines.back(), {}));
  }
  next_buffer();
}

// Goes on with the next waiting block. All but the last one end at the end of a line.
void LineReader::next_buffer() {
  OwnLines next = std::move(waiting_.front());
  waiting_.pop_front();
  buffer_ = std::move(next.buffer.bytes);
  capacity_ = next.buffer.capacity;
  begin_ = next.begin;
  searched_ = next.begin;
  end_ = next.end;
}

void LineReader::move_to_front() {
  if (begin_ == 0) return;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  searched_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

// Reads until the buffer is full or the source ends; returns the number of bytes.
std::size_t LineReader::fill() {
  std::size_t filled = 0;
  try {
    if (failure_) std::rethrow_exception(failure_);
    while (!at_end_ && end_ + filled < capacity_) {
      char* const to = buffer_.get() + end_ + filled;
      const std::size_t room = capacity_ - end_ - filled;
      const std::size_t got = at_once_ ? source_->read_at_once(to, room) : source_->read(to, room);
      at_end_ = got == 0;
      filled += got;
    }
  } catch (const DamagedStream& damage) {
    const auto ends = std::count(buffer_.get() + begin_, buffer_.get() + end_ + filled, '\n');
    origin_.format_error(lines_read_ + ends + (open_ ? 0 : 1), 0, damage.what());
  }
  return filled;
}

// Cuts what has been read into lines. A last part without a line end waits, unless it ends the file.
void LineReader::cut_lines() {
  const char* const end = buffer_.get() + end_;
  const char* from = buffer_.get() + std::max(searched_, begin_);
  const std::size_t most = begin_ + block_bytes_;
  while (lines_.size() < most_lines_ && begin_ < most) {
    const void* const found = std::memchr(from, '\n', static_cast<std::size_t>(end - from));
    if (found == nullptr) {
      from = end;
      break;
    }
    const char* const line_end = static_cast<const char*>(found);
    add_line(buffer_.get() + begin_, line_end);
    from = line_end + 1;
    begin_ = static_cast<std::size_t>(from - buffer_.get());
  }
  searched_ = static_cast<std::size_t>(from - buffer_.get());
  if (at_end_ && begin_ < end_ && searched_ == end_) {
    add_line(buffer_.get() + begin_, end);
    begin_ = end_;
  }
}

// Returns a full buffer's part of a line, up to a place where no token is cut; false if there is no such place.
bool LineReader::cut_part() {
  const std::size_t bytes = tokenizer_->after_last_cut({buffer_.get() + begin_, end_ - begin_});
  if (bytes == 0) return false;
  if (!open_) ++lines_read_;
  open_ = true;
  open_bytes_ += bytes;
  if (open_bytes_ > max_line_bytes_) refuse_length();
  lines_.emplace_back(buffer_.get() + begin_, bytes);
  begin_ += bytes;
  return true;
}

void LineReader::add_line(const char* begin, const char* end) {
  if (!open_) ++lines_read_;
  if (end > begin && end[-1] == '\r') --end;
  const auto length = static_cast<std::size_t>(end - begin);
  if (open_bytes_ + length > max_line_bytes_) {
    origin_.format_error(
        lines_read_, 0,
        fmt::format("line of {} bytes, longer than max_line_bytes = {}", open_bytes_ + length, max_line_bytes_));
  }
  open_ = false;
  open_bytes_ = 0;
  lines_.emplace_back(begin, length);
}

void LineReader::check_beginning() {
  has_begun_ = true;
  const std::string_view bytes(buffer_.get(), end_);
  if (bytes.starts_with("\xef\xbb\xbf")) begin_ = 3;
  const std::string_view file = beginning_.empty() ? bytes : beginning_;
  refuse_other_encodings(origin_, file);
  if (tokenizer_ != nullptr) refuse_binary(origin_, file);
}

// Makes room for a line that begins at the buffer's front and fills it.
void LineReader::grow() {
  // Two bytes more than the longest line, for its end.
  if (open_bytes_ + (end_ - begin_) >= max_line_bytes_ + 2) refuse_length();
  const std::size_t capacity = std::max(capacity_ + 1, std::min(2 * capacity_, max_line_bytes_ + 2));
  const bool holds_word = tokenizer_ != nullptr && !tokenizer_->needs_lines();
  if (!memory_.set(std::max(static_cast<std::int64_t>(capacity) - uncounted_bytes, std::int64_t{0}))) {
    memory_.limit().refuse(
        origin_, lines_read_ + (open_ ? 0 : 1),
        fmt::format("a {} of {} bytes so far, which must be held whole,", holds_word ? "word" : "line", end_ - begin_));
  }
  auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(buffer.get(), buffer_.get(), end_);
  buffer_ = std::move(buffer);
  capacity_ = capacity;
}

void LineReader::refuse_length() const {
  origin_.format_error(lines_read_ + (open_ ? 0 : 1), 0,
                       fmt::format("line longer than max_line_bytes = {}", max_line_bytes_));
}

}  // namespace papilio::lda
