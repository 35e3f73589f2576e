#include "lda/io/bytes/binary_content.h"

#include <fmt/format.h>

namespace papilio::lda {

void refuse_binary(const Origin& origin, std::string_view beginning) {
  constexpr std::size_t looked_at = 4096;
  if (beginning.starts_with("%PDF-")) {
    origin.format_error(0, 0, "expected text, got a PDF file (\"%PDF-\" at offset 0); extract its text first");
  }
  const std::size_t place = beginning.substr(0, looked_at).find('\0');
  if (place != beginning.npos) {
    origin.format_error(0, 0, fmt::format("expected text, got a binary file (a NUL byte at offset {})", place));
  }
}

void refuse_other_encodings(const Origin& origin, std::string_view beginning) {
  using namespace std::string_view_literals;
  const bool is_utf32 = beginning.starts_with("\xff\xfe\0\0"sv) || beginning.starts_with("\0\0\xfe\xff"sv);
  if (!is_utf32 && !beginning.starts_with("\xff\xfe") && !beginning.starts_with("\xfe\xff")) return;
  const char* const encoding = is_utf32 ? "UTF-32" : "UTF-16";
  origin.format_error(
      1, 1,
      fmt::format("expected UTF-8, got the byte-order mark of {0} (iconv -f {0} -t UTF-8 FILE converts it)", encoding));
}

}  // namespace papilio::lda
