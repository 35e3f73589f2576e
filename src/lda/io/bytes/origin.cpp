#include "lda/io/bytes/origin.h"

#include <fmt/format.h>

#include <system_error>

#include "papilio/error.h"

namespace papilio::lda {

std::string Origin::name() const { return path == "-" ? "(standard input)" : path; }

void Origin::format_error(std::int64_t line, std::int64_t column, std::string_view message) const {
  std::string place = name();
  if (line > 0) place += fmt::format(":{}", line);
  if (line > 0 && column > 0) place += fmt::format(":{}", column);
  throw FormatError(fmt::format("{}: {}: {}", caller, place, message), line, column);
}

void Origin::io_error(std::string_view cannot, int code) const {
  throw IoError(fmt::format("{}: cannot {} {}: {}", caller, cannot, name(), std::generic_category().message(code)),
                code);
}

void refuse_document(const Origin& at, std::int64_t line, std::int64_t document, std::int64_t tokens) {
  at.format_error(line, 0,
                  fmt::format("document {} has {} tokens, expected at most 2^31 - 1; split it", document, tokens));
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, longest)) {
    if (c >= ' ' && c <= '~') {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return shown + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace papilio::lda
