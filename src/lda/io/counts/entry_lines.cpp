#include "lda/io/counts/entry_lines.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "execution/cpu/parallel_for.h"

namespace papilio::lda {
namespace {

constexpr std::size_t least_part = std::size_t{1} << 15;  // bytes: about ten times what handing one over costs
constexpr std::size_t longest_line = 80;                  // bytes, with its end: three numbers of 18 digits and blanks

// A cursor over lines that all end in "\n".
class PlainLines {
 public:
  explicit PlainLines(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool at_end() const { return at_ == end_; }

  // A number of up to 18 digits after blanks.
  bool number(std::int64_t least, std::int64_t most, std::int64_t& value) {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
    const char* const begin = at_;
    std::int64_t number = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*at_) - unsigned{'0'}) < 10; ++at_) {
      if (at_ - begin == 18) return false;
      number = 10 * number + digit;
    }
    value = number;
    return at_ != begin && number >= least && number <= most;
  }

  bool end_of_line() {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
    if (*at_ == '\r') ++at_;
    return *at_ == '\n' && ++at_ != nullptr;
  }

  const char* place() const { return at_; }

 private:
  const char* at_;
  const char* end_;
};

// The number of lines of `text`, whose entries are put into `piece`; -1 where one of them is not plain.
std::int64_t read_plain(std::string_view text, const EntryShape& shape, BagOfWords::Piece& piece) {
  piece.clear();
  std::int64_t count_of_lines = 0;
  for (PlainLines lines(text); !lines.at_end(); ++count_of_lines) {
    const char* const begin = lines.place();
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t count = 1;
    if (!lines.number(1, shape.largest_first, first) || !lines.number(1, shape.largest_second, second)) return -1;
    if (shape.has_count && !lines.number(shape.least_count, most_count, count)) return -1;
    if (!lines.end_of_line() || static_cast<std::size_t>(lines.place() - begin) > longest_line) return -1;
    if (shape.transposed) std::swap(first, second);
    if (count > 0) piece.add(first - 1, second - 1, count);
  }
  return count_of_lines;
}

}  // namespace

std::size_t entry_block_bytes(const MemoryLimit& limit, int threads) {
  if (!limit.holds(plenty)) return LineReader::default_block_bytes;
  constexpr std::size_t bytes_per_thread = std::size_t{1} << 19;
  return std::clamp(static_cast<std::size_t>(execution::thread_count(threads)) * bytes_per_thread, std::size_t{1} << 20,
                    std::size_t{1} << 23);
}

EntryLines::EntryLines(LineReader& reader, const EntryShape& shape, int threads)
    : reader_(reader), shape_(shape), threads_(execution::thread_count(threads)) {}

std::int64_t EntryLines::add_to(BagOfWords& bag, std::int64_t most) {
  const std::string_view text = reader_.whole_lines(longest_line);
  if (text.empty()) return 0;
  const auto most_parts = static_cast<std::size_t>(threads_);
  const std::size_t count = std::clamp<std::size_t>(text.size() / least_part, 1, most_parts);
  parts_.resize(std::max(parts_.size(), count));
  pieces_.resize(count);
  lines_.assign(count, 0);
  const auto cut = [&](std::size_t part) {  // where the line ends that the part's first byte is in
    return part == 0 ? std::size_t{0} : text.find('\n', text.size() / count * part) + 1;
  };
  execution::parallel_for(static_cast<std::int64_t>(count), 1, threads_, [&](std::int64_t first, std::int64_t last) {
    for (auto part = static_cast<std::size_t>(first); part < static_cast<std::size_t>(last); ++part) {
      const std::size_t begin = cut(part);
      const std::size_t end = part + 1 == count ? text.size() : cut(part + 1);
      lines_[part] = read_plain(text.substr(begin, end - begin), shape_, parts_[part]);
      if (lines_[part] >= 0) pieces_[part] = parts_[part];  // no longer than they must be
    }
  });
  std::int64_t lines = 0;
  for (const std::int64_t part : lines_) {
    if (part < 0) return 0;
    lines += part;
  }
  if (lines > most || !bag.add_if_room(pieces_)) return 0;
  reader_.skip_lines(text.size(), lines);
  return lines;
}

}  // namespace papilio::lda
