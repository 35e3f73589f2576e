#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace papilio::lda {

// What stands at the beginning of some bytes: a character, or an
// ill-formed sequence (code_point -1). The length of the latter is that of
// its maximal subpart, the part that could still have become a character.
struct Utf8Character {
  std::int32_t code_point;
  std::int32_t length;
};

// Decodes the character at `begin` < `end`, by table 3-7 of the Unicode Standard.
inline Utf8Character decode_utf8(const char* begin, const char* end) {
  const auto byte = [&](std::int32_t i) { return static_cast<std::uint8_t>(begin[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4) return {-1, 1};
  const std::int32_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  std::uint8_t lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  std::uint8_t highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  std::int32_t code_point = lead & (0x7f >> length);
  for (std::int32_t i = 1; i < length; ++i) {
    if (i == end - begin || byte(i) < lowest || byte(i) > highest) return {-1, i};
    code_point = code_point << 6 | (byte(i) & 0x3f);
    lowest = 0x80;
    highest = 0xbf;
  }
  return {code_point, length};
}

// Where the first ill-formed sequence begins; npos if there is none.
inline std::size_t find_ill_formed(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next != end;) {
    const Utf8Character here = decode_utf8(next, end);
    if (here.code_point < 0) return static_cast<std::size_t>(next - text.data());
    next += here.length;
  }
  return std::string_view::npos;
}

}  // namespace papilio::lda
