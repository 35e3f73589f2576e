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

}  // namespace papilio::lda
