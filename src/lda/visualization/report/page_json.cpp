#include "lda/visualization/report/page_json.h"

#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view ellipsis = "\xe2\x80\xa6";

bool is_blank_or_control(std::int32_t c) {
  return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029 || c == 0x3000;
}

// Characters that are written as \uXXXX.
bool is_escaped(std::int32_t c) {
  const bool controls = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool markup = c == '<' || c == '>' || c == '&';
  const bool direction =
      c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return controls || markup || direction || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

// Calls use(character, its bytes) for each character of a text.
template <class Use>
void for_each_character(std::string_view text, Use&& use) {
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next != end;) {
    const Utf8Character here = decode_utf8(next, end);
    const auto length = static_cast<std::size_t>(here.length);
    if (here.code_point < 0) {
      use(0xfffd, replacement);
    } else {
      use(here.code_point, std::string_view(next, length));
    }
    next += length;
  }
}

}  // namespace

void append_json_string(std::string& json, std::string_view text) {
  json += '"';
  for_each_character(text, [&](std::int32_t c, std::string_view bytes) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += bytes;
    } else if (is_escaped(c)) {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", c);
    } else {
      json += bytes;
    }
  });
  json += '"';
}

std::string excerpt_of(std::string_view text, std::size_t most) {
  std::string result;
  std::size_t characters = 0;
  std::size_t last_word_end = 0;    // in bytes
  std::size_t last_word_place = 0;  // in characters
  bool blank = false;
  bool cut = false;
  for_each_character(text.substr(0, 8 * most + 64), [&](std::int32_t c, std::string_view bytes) {
    if (cut) return;
    if (is_blank_or_control(c)) {
      blank = !result.empty();
      return;
    }
    if (blank) {
      last_word_end = result.size();
      last_word_place = characters;
    }
    if (characters + (blank ? 1 : 0) >= most) {
      cut = true;
      return;
    }
    if (blank) {
      result += ' ';
      ++characters;
    }
    blank = false;
    result += bytes;
    ++characters;
  });
  if (!cut && text.size() <= 8 * most + 64) return result;
  if (last_word_place * 3 >= most * 2) result.resize(last_word_end);
  return result.append(ellipsis);
}

}  // namespace papilio::lda
