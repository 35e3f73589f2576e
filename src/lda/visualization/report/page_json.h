#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace papilio::lda {

// Appends the text as a JSON string that may stand in a <script> of an HTML page: what could end the element or begin a
// comment (< > &), line separators, controls and marks of direction are escaped; an ill-formed sequence of UTF-8
// becomes U+FFFD.
void append_json_string(std::string& json, std::string_view text);

// The first `most` characters of a text on one line: blanks, controls and ends of lines become single blanks. What is
// cut, is cut after a word if there is one in the last third, and ends in "...", as one character.
std::string excerpt_of(std::string_view text, std::size_t most);

// [ x, x, ... ] of the elements of a range; append(json, element) adds one.
template <class Range, class Append>
void append_json_list(std::string& json, const Range& range, Append&& append) {
  json += '[';
  bool first = true;
  for (const auto& element : range) {
    if (!first) json += ',';
    first = false;
    append(json, element);
  }
  json += ']';
}

inline void append_json_number(std::string& json, std::int64_t number) {
  fmt::format_to(std::back_inserter(json), "{}", number);
}

}  // namespace papilio::lda
