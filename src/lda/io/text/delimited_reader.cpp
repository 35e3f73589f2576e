#include "lda/io/text/delimited_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lda/corpus/utf8.h"

namespace papilio::lda {

DelimitedReader::DelimitedReader(Origin origin, MemoryLimit& memory_limit, char delimiter, bool quotes,
                                 std::int64_t max_record_bytes, int threads)
    : memory_(memory_limit),
      lines_(std::move(origin), memory_limit, max_record_bytes, LineReader::default_block_bytes, threads),
      delimiter_(delimiter),
      quotes_(quotes),
      max_record_bytes_(static_cast<std::size_t>(max_record_bytes)) {}

bool DelimitedReader::next(std::vector<std::string_view>& fields) {
  first_line_ = lines_.line_number() + 1;
  if (!lines_.next_line(line_)) return false;
  record_.clear();
  ends_.clear();
  blank_ = line_.empty();
  for (std::size_t at = 0;; ++at) {
    if (quotes_ && at < line_.size() && line_[at] == '"') {
      at = take_quoted(at);
    } else {
      const std::size_t end = std::min(line_.find(delimiter_, at), line_.size());
      add_to_record(line_.substr(at, end - at));
      at = end;
    }
    end_field();
    if (at == line_.size()) break;
  }
  fields.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    fields.push_back(std::string_view(record_).substr(begin, end - begin));
    begin = end;
  }
  return true;
}

void DelimitedReader::add_to_record(std::string_view text) {
  if (record_.size() + text.size() > record_.capacity()) {
    make_room(std::max(record_.size() + text.size(), 2 * record_.capacity()), ends_.capacity());
  }
  record_ += text;
}

void DelimitedReader::end_field() {
  if (ends_.size() == ends_.capacity()) make_room(record_.capacity(), 2 * ends_.capacity());
  ends_.push_back(record_.size());
}

// Counts the memory of a record with that many bytes and fields; each field is here and in the caller's list.
void DelimitedReader::make_room(std::size_t bytes, std::size_t fields) {
  const std::size_t all = bytes + fields * (sizeof(std::size_t) + sizeof(std::string_view));
  if (!memory_.set(std::max(static_cast<std::int64_t>(all) - uncounted_bytes, std::int64_t{0}))) {
    memory_.limit().refuse(origin(), first_line_,
                           fmt::format("a record of {} bytes and {} fields so far", record_.size(), ends_.size()));
  }
}

// Takes the field whose opening quote is at `at`, over as many lines as it
// spans; returns where it ends: at a delimiter or at the end of the line.
std::size_t DelimitedReader::take_quoted(std::size_t at) {
  const std::int64_t opening_line = lines_.line_number();
  const auto opening_column = static_cast<std::int64_t>(at) + 1;
  ++at;
  while (true) {
    const std::size_t quote = line_.find('"', at);
    add_to_record(line_.substr(at, quote - at));
    if (quote == std::string_view::npos) {
      record_ += '\n';
      if (record_.size() > max_record_bytes_) {
        format_error(fmt::format("record longer than max_line_bytes = {}, with a quote that opens on line {}",
                                 max_record_bytes_, opening_line));
      }
      if (!lines_.next_line(line_)) {
        origin().format_error(opening_line, opening_column,
                              "expected a quote that closes the one here, got the end of the file");
      }
      at = 0;
    } else if (quote + 1 < line_.size() && line_[quote + 1] == '"') {
      record_ += '"';
      at = quote + 2;
    } else {
      at = quote + 1;
      break;
    }
  }
  if (at < line_.size() && line_[at] != delimiter_) {
    lines_.format_error(
        static_cast<std::int64_t>(at) + 1,
        fmt::format("expected {} or the end of the line after the closing quote, got {} (a quote within a quoted "
                    "field is written twice; read with quotes = false, --no-quotes, if quotes mean nothing here)",
                    delimiter_ == '\t' ? "a tab" : lda::quoted(std::string_view(&delimiter_, 1)),
                    lda::quoted(line_.substr(at))));
  }
  return at;
}

std::string_view DelimitedReader::utf8(std::string_view field, const char* name) const {
  const std::size_t place = find_ill_formed(field);
  if (place != std::string_view::npos) {
    format_error(fmt::format("expected UTF-8 as the {}, got {}", name, lda::quoted(field.substr(place))));
  }
  return field;
}

}  // namespace papilio::lda
