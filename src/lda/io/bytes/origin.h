#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace papilio::lda {

// Which function reads or writes which file: the beginning of every message about a file.
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

// Throws FormatError for a document, numbered from 1, that has more than most_document_tokens tokens.
[[noreturn]] void refuse_document(const Origin& at, std::int64_t line, std::int64_t document, std::int64_t tokens);

// The text in quotation marks, cut to 60 bytes, with bytes that are not
// printable ASCII as \xNN: safe to show whatever the file contains.
std::string quoted(std::string_view text);

}  // namespace papilio::lda
