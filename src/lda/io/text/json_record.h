#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "lda/io/bytes/line_reader.h"

namespace papilio::lda {

// Reads one JSON object per line, strictly as RFC 8259 says, and keeps two of its fields. Throws
// FormatError with line and column for anything else: blank lines, other values, bytes other than
// blanks after the object, keys that occur twice, control characters in strings, nesting beyond 100
// levels.
//
// What is not Unicode in a string (ill-formed UTF-8,
// half of a surrogate pair) is kept as ill-formed UTF-8.
class JsonRecord {
 public:
  // `id` may be empty for none. The memory of the parsed record counts towards the limit.
  JsonRecord(std::string text, std::string id, MemoryLimit& memory_limit)
      : text_field_(std::move(text)), id_field_(std::move(id)), memory_(memory_limit) {}

  // Parses the line that `reader` returned last. The text must
  // be a string; the id must be a string or a number, and UTF-8.
  void parse(std::string_view line, const LineReader& reader);

  const std::string& text() const { return text_; }
  const std::string& id() const { return id_; }

 private:
  [[noreturn]] void fail(std::string_view expected) const { fail_at(at_, expected); }
  [[noreturn]] void fail_at(std::size_t place, std::string_view expected) const;
  [[noreturn]] void fail_without(const std::string& field, const char* hint) const;
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  void skip_blanks();
  void take(char c, const char* expected);
  void take_string(std::string* out);
  void take_escape(std::string* out);
  std::uint32_t take_hex();
  std::string_view take_number();
  void skip_digits();
  void skip_value(int depth);
  void skip_elements(int depth);
  void take_key(std::size_t begin);
  void count_memory();
  void take_field(const std::string& key, bool& has_text, bool& has_id);

  std::string text_field_;
  std::string id_field_;
  std::string text_;
  std::string id_;
  std::string key_;
  std::set<std::string> keys_;
  std::int64_t bytes_of_keys_ = 0;
  MemoryShare memory_;
  const LineReader* reader_ = nullptr;
  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace papilio::lda
