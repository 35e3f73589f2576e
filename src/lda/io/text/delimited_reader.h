#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/line_reader.h"

namespace papilio::lda {

// Cuts a file into records of fields as RFC 4180 says: delimiters separate
// fields; a field that begins with '"' ends at the next '"', may contain
// delimiters and line ends, and '""' in it stands for one '"'. A '"' elsewhere
// is a character like any other. Line ends within a field are returned as "\n".
//
// Throws FormatError if a quote is not closed, if something other than a delimiter or
// the line's end follows a closing quote, and for records of more than max_record_bytes
// or that do not fit the memory limit. Memory: a block and the longest record.
class DelimitedReader {
 public:
  // `threads` as for a LineReader.
  DelimitedReader(Origin origin, MemoryLimit& memory_limit, char delimiter, bool quotes, std::int64_t max_record_bytes,
                  int threads = 1);

  // Reads the next record's fields, at least one; false at the end of the file. They are valid until the next call.
  bool next(std::vector<std::string_view>& fields);

  // Whether the record is an empty line.
  bool is_blank() const { return blank_; }

  // The lines in which the record begins and ends, from 1.
  std::int64_t line() const { return first_line_; }
  std::int64_t last_line() const { return lines_.line_number(); }

  const Origin& origin() const { return lines_.origin(); }

  // Throws FormatError at the record's first line.
  [[noreturn]] void format_error(std::string_view message) const { origin().format_error(first_line_, 0, message); }

  // Returns the field; throws FormatError if it is not UTF-8, calling it `name`.
  std::string_view utf8(std::string_view field, const char* name) const;

 private:
  std::size_t take_quoted(std::size_t at);
  void add_to_record(std::string_view text);
  void end_field();
  void make_room(std::size_t bytes, std::size_t fields);

  MemoryShare memory_;
  LineReader lines_;
  char delimiter_;
  bool quotes_;
  std::size_t max_record_bytes_;
  std::int64_t first_line_ = 0;
  bool blank_ = false;
  std::string_view line_;          // the current line of the record
  std::string record_;             // the fields one after the other, without their quotes
  std::vector<std::size_t> ends_;  // of the fields
};

}  // namespace papilio::lda
