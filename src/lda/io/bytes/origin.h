#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace papilio::lda {

// Who reads or writes what: the beginning of every message about a file.
struct Origin {
  std::string caller;  // the public function, "papilio::read_lines_of_text"
  std::string path;    // as the user gave it; "-" is standard input

  // The path, or "(standard input)".
  std::string name() const;

  // Throws FormatError "caller: path:line:column: message"; line and column
  // count from 1 (columns in bytes), 0 leaves them out.
  [[noreturn]] void format_error(std::int64_t line, std::int64_t column, std::string_view message) const;

  // Throws IoError "caller: cannot read corpus.txt: No such file or directory".
  [[noreturn]] void io_error(std::string_view cannot, int code) const;
};

// Throws FormatError for a document, by its number from 1, of more tokens than there can be (most_document_tokens).
[[noreturn]] void refuse_document(const Origin& at, std::int64_t line, std::int64_t document, std::int64_t tokens);

// The text in quotation marks, shortened to 60 bytes, bytes that are not
// printable ASCII as \xNN: safe to show whatever the file holds.
std::string quoted(std::string_view text);

}  // namespace papilio::lda
