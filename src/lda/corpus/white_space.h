#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lda/corpus/utf8.h"

namespace papilio::lda {

// The property White_Space of the Unicode Character Database (PropList.txt).
constexpr bool is_white_space(std::int32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

// Calls use(word) for each run of characters that are not white space.
template <class Use>
void for_each_word(std::string_view text, Use&& use) {
  const char* const end = text.data() + text.size();
  const char* word = text.data();
  for (const char* next = text.data(); next != end;) {
    const Utf8Character here = decode_utf8(next, end);
    if (is_white_space(here.code_point)) {
      if (next != word) use(std::string_view(word, static_cast<std::size_t>(next - word)));
      word = next + here.length;
    }
    next += here.length;
  }
  if (word != end) use(std::string_view(word, static_cast<std::size_t>(end - word)));
}

inline bool has_white_space(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next != end;) {
    const Utf8Character here = decode_utf8(next, end);
    if (is_white_space(here.code_point)) return true;
    next += here.length;
  }
  return false;
}

// What stands between two words of a document. The words are neighbours unless it separates them: anything that is not
// white space does, and so does an empty line.
struct TextBetween {
  int line_ends = 0;
  bool parts = false;

  // Adds the next bytes.
  void add(std::string_view bytes) {
    const char* const end = bytes.data() + bytes.size();
    for (const char* next = bytes.data(); next != end && !parts;) {
      const Utf8Character here = decode_utf8(next, end);
      line_ends += here.code_point == '\n' ? 1 : 0;
      parts = !is_white_space(here.code_point) || line_ends > 1;
      next += here.length;
    }
  }

  // Adds what comes after it.
  void add(const TextBetween& rest) {
    line_ends += rest.line_ends;
    parts = parts || rest.parts || line_ends > 1;
  }
};

}  // namespace papilio::lda
