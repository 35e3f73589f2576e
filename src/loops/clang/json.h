#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/error.h"

namespace papilio::loops {

// Reads JSON and tells a handler what comes, as it comes:
//   start_object(), end_object(), start_array(), end_array(), key(text), string(text), integer(value), boolean(value)
// Texts live until the handler returns. Other numbers and null are passed over. Throws FormatError where it is none.
// clang writes ten thousand bytes for a line of C, so what is not asked for costs little here.
template <class Handler>
class JsonReader {
 public:
  JsonReader(std::string_view text, Handler& handler)
      : at_(text.data()), end_(text.data() + text.size()), handler_(handler) {}

  void run() {
    std::vector<char> open;  // '{' and '['
    value(open);
    while (!open.empty()) {
      skip_space();
      const char close = open.back() == '{' ? '}' : ']';
      if (peek() == close) {
        ++at_;
        open.pop_back();
        is_first_ = false;
        close == '}' ? handler_.end_object() : handler_.end_array();
        continue;
      }
      if (!is_first_) expect(',');
      is_first_ = false;
      if (open.back() == '{') {
        skip_space();
        handler_.key(text());
        expect(':');
      }
      value(open);
    }
    skip_space();
    if (at_ != end_) fail();
  }

 private:
  [[noreturn]] void fail() const { throw FormatError("clang's syntax tree is no JSON"); }
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  void expect(char c) {
    skip_space();
    if (peek() != c) fail();
    ++at_;
  }

  void value(std::vector<char>& open) {
    skip_space();
    switch (peek()) {
      case '{':
      case '[':
        open.push_back(*at_);
        is_first_ = true;
        *at_++ == '{' ? handler_.start_object() : handler_.start_array();
        return;
      case '"':
        return handler_.string(text());
      case 't':
        word("true");
        return handler_.boolean(true);
      case 'f':
        word("false");
        return handler_.boolean(false);
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  void word(std::string_view expected) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, expected.size()) != expected) fail();
    at_ += expected.size();
  }

  void number() {
    const bool is_negative = peek() == '-';
    if (is_negative) ++at_;
    if (peek() < '0' || peek() > '9') fail();
    std::uint64_t value = 0;
    bool is_integer = true;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      is_integer = is_integer && value < (std::uint64_t{1} << 59);
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
    for (; at_ != end_ &&
           (*at_ == '.' || *at_ == 'e' || *at_ == 'E' || *at_ == '+' || *at_ == '-' || (*at_ >= '0' && *at_ <= '9'));
         ++at_) {
      is_integer = false;
    }
    if (is_integer)
      handler_.integer(is_negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value));
  }

  std::string_view text() {
    if (peek() != '"') fail();
    const char* const begin = ++at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
    if (peek() == '"') return {begin, static_cast<std::size_t>(at_++ - begin)};
    decoded_.assign(begin, at_);
    while (at_ != end_ && *at_ != '"') {
      if (*at_ != '\\') {
        decoded_ += *at_++;
        continue;
      }
      if (++at_ == end_) fail();
      const char c = *at_++;
      if (c == 'u') {
        escape();
      } else {
        const std::string_view names = "bfnrt", values = "\b\f\n\r\t";
        const std::size_t which = names.find(c);
        decoded_ += which == std::string_view::npos ? c : values[which];
      }
    }
    expect('"');
    return decoded_;
  }

  // Of names and file names, only that they differ counts: half of a pair stands for itself.
  void escape() {
    unsigned code = 0;
    for (int k = 0; k < 4; ++k, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) fail();
      code = code * 16 + static_cast<unsigned>(digit);
    }
    if (code < 0x80) {
      decoded_ += static_cast<char>(code);
    } else if (code < 0x800) {
      decoded_ += {static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      decoded_ += {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
                   static_cast<char>(0x80 | (code & 0x3f))};
    }
  }

  const char* at_;
  const char* const end_;
  Handler& handler_;
  bool is_first_ = true;  // of what is open
  std::string decoded_;
};

}  // namespace papilio::loops
