#include "lda/io/text/json_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <cstring>

namespace papilio::lda {
namespace {

constexpr int deepest = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::uint32_t code_point, std::string* out) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  out->append(bytes, bytes + count);
}

// Where the first byte from `at` on is that a string does not hold as it is: a quotation mark, a backslash or a control
// character; the text's end if there is none. Looks at 8 bytes at a time while it can.
std::size_t end_of_plain(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const auto below = [](std::uint64_t bytes, std::uint64_t bound) { return (bytes - bound * ones) & ~bytes; };
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (((below(bytes, 0x20) | below(bytes ^ '"' * ones, 1) | below(bytes ^ '\\' * ones, 1)) & 0x80 * ones) != 0) break;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' && static_cast<unsigned char>(text[at]) >= 0x20) ++at;
  return at;
}

}  // namespace

void JsonText::begin(std::string_view text) {
  text_ = text;
  at_ = 0;
}

void JsonText::fail_at(std::size_t place, std::string_view expected) const {
  format_error(place, fmt::format("expected {}, got {}", expected,
                                  place < text_.size() ? lda::quoted(text_.substr(place)) : source_.name_of_end()));
}

void JsonText::format_error(std::size_t place, std::string_view message) const {
  const JsonPlace in_file = source_.place_of(place);
  source_.origin().format_error(in_file.line, in_file.column, message);
}

void JsonText::skip_blanks() {
  while (!at_end() && is_json_blank(text_[at_])) ++at_;
}

void JsonText::take(char c, const char* expected) {
  if (!take_if(c)) fail(expected);
}

void JsonText::take_key(std::string* out) {
  if (peek() != '"') fail("a key in quotation marks");
  take_string(out);
}

void JsonText::take_colon() {
  skip_blanks();
  take(':', "\":\"");
  skip_blanks();
}

void JsonText::take_string(std::string* out) {
  const std::size_t opening = at_++;
  while (true) {
    const std::size_t end = end_of_plain(text_, at_);
    if (out != nullptr) out->append(text_, at_, end - at_);
    at_ = end;
    if (at_ == text_.size()) {
      if (at_end()) fail_at(opening, "a string that ends with a quotation mark");
      continue;
    }
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') fail("no control character in a string (\\n, \\t and \\u0000 are escapes)");
    take_escape(out);
  }
  ++at_;
}

void JsonText::take_escape(std::string* out) {
  constexpr std::string_view names = "\"\\/bfnrtu";
  constexpr std::string_view values = "\"\\/\b\f\n\r\t";
  const std::size_t begin = at_++;
  const std::size_t which = at_end() ? std::string_view::npos : names.find(text_[at_]);
  if (which == std::string_view::npos) fail_at(begin, "an escape of JSON");
  ++at_;
  if (which < values.size()) {
    if (out != nullptr) out->push_back(values[which]);
    return;
  }
  std::uint32_t code_point = take_hex();
  const std::size_t second = at_;
  if (code_point >= 0xd800 && code_point < 0xdc00 && take_literal("\\u")) {
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

std::uint32_t JsonText::take_hex() {
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

std::string_view JsonText::take_number() {
  const std::size_t begin = at_;
  take_if('-');
  if (!take_if('0')) skip_digits();
  if (take_if('.')) skip_digits();
  if (take_if('e') || take_if('E')) {
    if (!take_if('+')) take_if('-');
    skip_digits();
  }
  return text_.substr(begin, at_ - begin);
}

void JsonText::skip_digits() {
  if (!is_digit(peek())) fail("a digit");
  while (is_digit(peek())) ++at_;
}

void JsonText::skip_value(int depth) {
  const char first = peek();
  if (first == '"') {
    take_string(nullptr);
  } else if (first == '-' || is_digit(first)) {
    take_number();
  } else if (first == '[' || first == '{') {
    if (depth >= deepest) fail(fmt::format("at most {} levels of nesting", deepest));
    skip_elements(depth);
  } else if (!take_literal("true") && !take_literal("false") && !take_literal("null")) {
    fail("a JSON value");
  }
}

bool JsonText::take_literal(std::string_view literal) {
  const std::size_t begin = at_;
  for (const char c : literal) {
    if (peek() != c) {
      at_ = begin;
      return false;
    }
    ++at_;
  }
  return true;
}

// Skips an array, or an object below the first level.
void JsonText::skip_elements(int depth) {
  const bool is_object = text_[at_++] == '{';
  const char end = is_object ? '}' : ']';
  skip_blanks();
  if (take_if(end)) return;
  do {
    skip_blanks();
    if (is_object) {
      take_key(nullptr);
      take_colon();
    }
    skip_value(depth + 1);
    skip_blanks();
  } while (take_if(','));
  take(end, is_object ? "\",\" or \"}\"" : "\",\" or \"]\"");
}

}  // namespace papilio::lda
