#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace papilio::lda {

// Appends the text as a JSON string that may be put into a <script> of an HTML page.
// Escapes what could end the element or begin a comment (< > &), line separators, control
// characters and direction marks; an ill-formed sequence of UTF-8 becomes U+FFFD.
void append_json_string(std::string& json, std::string_view text);

// The first `most` characters of a text on one line: runs of blanks, control characters and line ends become single
// blanks. A text that is cut ends with a word, if one ends in its last third, and with "..." as one character.
std::string excerpt_of(std::string_view text, std::size_t most);

// Appends [x,x,...] for the elements of a range; append(json, element) adds one element.
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
