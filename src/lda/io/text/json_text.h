#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// A byte of a file: its line and its column, both from 1.
struct JsonPlace {
  std::int64_t line;
  std::int64_t column;
};

// Where a JSON text comes from.
class JsonSource {
 public:
  virtual ~JsonSource() = default;

  // Appends what follows to `text`, whose bytes may move; false if nothing does.
  virtual bool go_on(std::string_view& text) = 0;

  // What follows the text in messages: "the end of the line".
  virtual const char* name_of_end() const = 0;

  virtual const Origin& origin() const = 0;
  virtual JsonPlace place_of(std::size_t at) const = 0;  // of byte `at` of the text
};

constexpr bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Takes values from the front of a text, strictly as RFC 8259 says. Throws FormatError with line and column for
// anything else, such as control characters in strings, and for nesting beyond 100 levels. The text may be only a
// beginning: more of it is asked of its source when it is needed.
//
// What is not Unicode in a string (ill-formed UTF-8, half of a surrogate pair) is kept as ill-formed UTF-8.
class JsonText {
 public:
  // The source must outlive the object.
  explicit JsonText(JsonSource& source) : source_(source) {}

  // Starts with another text.
  void begin(std::string_view text);

  // The number of bytes taken.
  std::size_t at() const { return at_; }

  // The next byte; 0 at the end.
  char peek() { return at_end() ? '\0' : text_[at_]; }
  bool at_end() { return at_ == text_.size() && !source_.go_on(text_); }

  void skip_blanks();
  void take(char c, const char* expected);
  bool take_if(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void take_string(std::string* out);  // appends it to `out`, which may be null
  void take_key(std::string* out);     // the same; what comes next need not be a string
  void take_colon();                   // and the blanks around it
  std::string_view take_number();      // valid until the next call
  void skip_value(int depth);          // inside that many arrays and objects

  [[noreturn]] void fail(std::string_view expected) const { fail_at(at_, expected); }
  [[noreturn]] void fail_at(std::size_t place, std::string_view expected) const;
  [[noreturn]] void format_error(std::size_t place, std::string_view message) const;

  const JsonSource& source() const { return source_; }

 private:
  void take_escape(std::string* out);
  std::uint32_t take_hex();
  void skip_digits();
  void skip_elements(int depth);
  bool take_literal(std::string_view literal);

  JsonSource& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace papilio::lda
