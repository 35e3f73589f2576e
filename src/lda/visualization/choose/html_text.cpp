#include "lda/visualization/choose/html_text.h"

#include <cstdint>

#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

std::string_view escaped(std::int32_t c, std::string_view bytes) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff ? "\xef\xbf\xbd" : bytes;
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next != end;) {
    const Utf8Character here = decode_utf8(next, end);
    html += escaped(here.code_point, {next, static_cast<std::size_t>(here.length)});
    next += here.length;
  }
  return html;
}

}  // namespace papilio::lda
