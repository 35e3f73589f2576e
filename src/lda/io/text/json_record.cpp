#include "lda/io/text/json_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

constexpr int deepest = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::uint32_t code_point, std::string* out) {
  const auto push = [&](std::uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xc0 | code_point >> 6);
    push(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    push(0xe0 | code_point >> 12);
    push(0x80 | (code_point >> 6 & 0x3f));
    push(0x80 | (code_point & 0x3f));
  } else {
    push(0xf0 | code_point >> 18);
    push(0x80 | (code_point >> 12 & 0x3f));
    push(0x80 | (code_point >> 6 & 0x3f));
    push(0x80 | (code_point & 0x3f));
  }
}

}  // namespace

void JsonRecord::parse(std::string_view line, const LineReader& reader) {
  line_ = line;
  reader_ = &reader;
  at_ = 0;
  keys_.clear();
  bytes_of_keys_ = 0;
  count_memory();
  bool has_text = false;
  bool has_id = id_field_.empty();
  skip_blanks();
  if (peek() == '[') fail("a JSON object (jq -c '.[]' FILE makes JSON lines of an array)");
  take('{', "a JSON object");
  skip_blanks();
  if (at_ == line_.size()) fail("the whole object on this line (jq -c . FILE puts each on a line)");
  bool more = peek() != '}';
  if (!more) ++at_;
  while (more) {
    const std::size_t begin = at_;
    if (peek() != '"') fail("a key in quotation marks");
    take_key(begin);
    skip_blanks();
    take(':', "\":\"");
    skip_blanks();
    take_field(key_, has_text, has_id);
    skip_blanks();
    more = peek() == ',';
    if (more) {
      ++at_;
      skip_blanks();
    } else {
      take('}', "\",\" or \"}\"");
    }
  }
  skip_blanks();
  if (at_ != line_.size()) fail("the end of the line after the object");
  if (!has_text) fail_without(text_field_, " (--text-field NAME, in Python text_column=, names the field of the text)");
  if (!has_id) fail_without(id_field_, "");
}

void JsonRecord::take_key(std::size_t begin) {
  constexpr std::int64_t bytes_per_key =
      sizeof(std::string) + 6 * sizeof(void*);  // in a tree, each allocated separately
  key_.clear();
  take_string(&key_);
  if (!keys_.insert(key_).second) fail_at(begin, "a key that has not occurred yet");
  bytes_of_keys_ += bytes_per_key + (key_.size() >= sizeof(std::string) / 2 ? std::ssize(key_) : 0);
  if (keys_.size() % 256 == 0) count_memory();
}

// The text and the id take at most twice the line.
void JsonRecord::count_memory() {
  const std::int64_t bytes = 2 * std::ssize(line_) + bytes_of_keys_;
  if (!memory_.set(std::max(bytes - uncounted_bytes, std::int64_t{0}))) {
    memory_.limit().refuse(reader_->origin(), reader_->line_number(),
                           fmt::format("an object of {} bytes and {} keys so far", line_.size(), keys_.size()));
  }
}

void JsonRecord::take_field(const std::string& key, bool& has_text, bool& has_id) {
  const bool is_text = key == text_field_;
  const bool is_id = !id_field_.empty() && key == id_field_;
  const std::size_t begin = at_;
  if (is_text) {
    if (peek() != '"') fail(fmt::format("a string as {}", lda::quoted(key)));
    text_.clear();
    take_string(&text_);
    has_text = true;
  }
  if (is_id) {
    at_ = begin;
    id_.clear();
    if (peek() == '"') {
      take_string(&id_);
    } else if (peek() == '-' || is_digit(peek())) {
      id_ = take_number();
    } else {
      fail(fmt::format("a string or a number as {}", lda::quoted(key)));
    }
    if (find_ill_formed(id_) != std::string::npos) fail_at(begin, "UTF-8 as the id");
    has_id = true;
  }
  if (!is_text && !is_id) skip_value(1);
}

void JsonRecord::fail_at(std::size_t place, std::string_view expected) const {
  reader_->format_error(static_cast<std::int64_t>(place) + 1,
                        fmt::format("expected {}, got {}", expected,
                                    place < line_.size() ? lda::quoted(line_.substr(place)) : "the end of the line"));
}

void JsonRecord::fail_without(const std::string& field, const char* hint) const {
  constexpr std::size_t most = 20;
  std::string names;
  std::size_t shown = 0;
  for (const std::string& key : keys_) {
    if (shown++ == most) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + lda::quoted(key);
  }
  if (names.empty()) names = "an object without fields";
  reader_->format_error(1, fmt::format("expected a field {}, got {}{}", lda::quoted(field), names, hint));
}

void JsonRecord::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
}

void JsonRecord::take(char c, const char* expected) {
  if (at_ == line_.size() || line_[at_] != c) fail(expected);
  ++at_;
}

// Takes a string with its quotation marks; out may be null.
void JsonRecord::take_string(std::string* out) {
  const std::size_t opening = at_++;
  while (true) {
    const auto ends = [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; };
    const auto end = static_cast<std::size_t>(
        std::find_if(line_.begin() + static_cast<std::ptrdiff_t>(at_), line_.end(), ends) - line_.begin());
    if (out != nullptr) out->append(line_, at_, end - at_);
    at_ = end;
    if (at_ == line_.size()) fail_at(opening, "a string that ends with a quotation mark");
    if (line_[at_] == '"') break;
    if (line_[at_] != '\\') fail("no control character in a string (\\n, \\t and \\u0000 are escapes)");
    take_escape(out);
  }
  ++at_;
}

void JsonRecord::take_escape(std::string* out) {
  constexpr std::string_view names = "\"\\/bfnrtu";
  constexpr std::string_view values = "\"\\/\b\f\n\r\t";
  const std::size_t begin = at_++;
  const std::size_t which = at_ < line_.size() ? names.find(line_[at_]) : std::string_view::npos;
  if (which == std::string_view::npos) fail_at(begin, "an escape of JSON");
  ++at_;
  if (which < values.size()) {
    if (out != nullptr) out->push_back(values[which]);
    return;
  }
  std::uint32_t code_point = take_hex();
  if (code_point >= 0xd800 && code_point < 0xdc00 && line_.substr(at_, 2) == "\\u") {
    const std::size_t second = at_;
    at_ += 2;
    const std::uint32_t low = take_hex();
    if (low >= 0xdc00 && low < 0xe000) {
      code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
    } else {
      at_ = second;  // an escape of its own
    }
  }
  if (out == nullptr) return;
  if (code_point >= 0xd800 && code_point < 0xe000) {
    out->push_back('\xff');  // half of a pair: ill-formed
  } else {
    append_utf8(code_point, out);
  }
}

std::uint32_t JsonRecord::take_hex() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = peek();
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit(c) && (lower < 'a' || lower > 'f')) fail("four hexadecimal digits");
    value = value * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    ++at_;
  }
  return value;
}

std::string_view JsonRecord::take_number() {
  const std::size_t begin = at_;
  if (peek() == '-') ++at_;
  if (peek() == '0') {
    ++at_;
  } else {
    skip_digits();
  }
  if (peek() == '.') {
    ++at_;
    skip_digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    skip_digits();
  }
  return line_.substr(begin, at_ - begin);
}

void JsonRecord::skip_digits() {
  if (!is_digit(peek())) fail("a digit");
  while (is_digit(peek())) ++at_;
}

void JsonRecord::skip_value(int depth) {
  for (const std::string_view literal : {"true", "false", "null"}) {
    if (line_.substr(at_, literal.size()) == literal) {
      at_ += literal.size();
      return;
    }
  }
  if (peek() == '"') {
    take_string(nullptr);
  } else if (peek() == '-' || is_digit(peek())) {
    take_number();
  } else if (peek() == '[' || peek() == '{') {
    if (depth >= deepest) fail(fmt::format("at most {} levels of nesting", deepest));
    skip_elements(depth);
  } else {
    fail("a JSON value");
  }
}

// Skips an array, or an object below the first level.
void JsonRecord::skip_elements(int depth) {
  const bool is_object = line_[at_++] == '{';
  const char end = is_object ? '}' : ']';
  skip_blanks();
  if (peek() == end) {
    ++at_;
    return;
  }
  while (true) {
    if (is_object) {
      if (peek() != '"') fail("a key in quotation marks");
      take_string(nullptr);
      skip_blanks();
      take(':', "\":\"");
      skip_blanks();
    }
    skip_value(depth + 1);
    skip_blanks();
    if (peek() != ',') break;
    ++at_;
    skip_blanks();
  }
  take(end, is_object ? "\",\" or \"}\"" : "\",\" or \"]\"");
}

}  // namespace papilio::lda
