#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lda/io/bytes/line_reader.h"

namespace papilio::lda {

// Takes the next field, the text between blanks and tabs,
// off the front of `rest`; empty if only blanks are left.
inline std::string_view next_field(std::string_view& rest) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view field = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return field;
}

// The first fields of a line, for formats with few fields;
// more than `most` fields are counted as most + 1.
template <std::size_t most>
struct Fields {
  explicit Fields(std::string_view line) {
    for (std::string_view field = next_field(line); !field.empty() && count <= most; field = next_field(line)) {
      text[count++] = field;
    }
  }

  std::array<std::string_view, most + 1> text;
  std::size_t count = 0;
};

// A line that is read field by field. Errors say "expected SHAPE, got LINE (REASON)" at the field's column. `text` and
// the fields are parts of the reader's line.
struct FieldLine {
  const LineReader& reader;
  std::string_view text;
  const char* shape;

  // The field's whole number; throws FormatError for everything else.
  std::int64_t number(std::string_view field, const char* name, std::int64_t least, std::int64_t most) const;

  // Throws FormatError unless there are exactly `most` fields.
  template <std::size_t most>
  void require_all(const Fields<most>& fields) const {
    if (fields.count < most) refuse_count(fields.count, most);
    if (fields.count > most) refuse(fields.text[most], "more than " + std::to_string(most) + " fields");
  }

  [[noreturn]] void refuse(std::string_view field, std::string_view reason) const;

 private:
  [[noreturn]] void refuse_count(std::size_t count, std::size_t expected) const;
};

}  // namespace papilio::lda
