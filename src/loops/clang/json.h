#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "papilio/error.h"

namespace papilio::loops {

// Eight characters at once, the first in the lowest byte: most of clang's text is spaces, used for indentation.
static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t eight_of(char c) { return 0x0101010101010101u * static_cast<unsigned char>(c); }

inline std::uint64_t eight_at(const char* at) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, sizeof eight);
  return eight;
}

// The first character that is not a space, or the end.
inline const char* end_of_spaces(const char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    const std::uint64_t others = eight_at(at) ^ eight_of(' ');
    if (others != 0) return at + std::countr_zero(others) / 8;
  }
  while (at != end && *at == ' ') ++at;
  return at;
}

// The first quote or backslash, or the end.
inline const char* end_of_plain_text(const char* at, const char* end) {
  // The lowest byte that is not 0 in the result is the first that is 0 in `eight`: H. S. Warren, Hacker's Delight, 6-1.
  const auto zeros = [](std::uint64_t eight) { return (eight - eight_of(1)) & ~eight & eight_of('\x80'); };
  for (; end - at >= 8; at += 8) {
    const std::uint64_t found = zeros(eight_at(at) ^ eight_of('"')) | zeros(eight_at(at) ^ eight_of('\\'));
    if (found != 0) return at + std::countr_zero(found) / 8;
  }
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

// Reads JSON and calls a handler for each thing in it:
//   start_object(), end_object(), start_array(), end_array(), key(text), string(text), integer(value), boolean(value)
// Texts live until the handler returns. Other numbers and null are skipped. Throws FormatError if it is not JSON.
// clang writes ten thousand bytes per line of C, so skipping costs little here, and the text comes in parts, of which
// none is kept: `more` returns the next part, which lives until the next call; an empty part is the end.
template <class Handler>
class JsonReader {
 public:
  JsonReader(std::function<std::string_view()> more, Handler& handler) : more_(std::move(more)), handler_(handler) {}

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
    if (has_more()) fail();
  }

 private:
  [[noreturn]] void fail() const { throw FormatError("clang's syntax tree is not JSON"); }
  // Whether there is a character at at_; gets the next part if necessary.
  bool has_more() {
    if (at_ != end_) return true;
    if (is_end_) return false;
    const std::string_view part = more_();
    is_end_ = part.empty();
    at_ = part.data();
    end_ = part.data() + part.size();
    return !is_end_;
  }
  char peek() { return has_more() ? *at_ : '\0'; }
  void skip_space() {
    if (at_ == end_ || *at_ <= ' ') skip_spaces();
  }
  void skip_spaces() {
    do {
      while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) {
        at_ = end_of_spaces(at_ + 1, end_);
      }
    } while (at_ == end_ && has_more());
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
    for (const char c : expected) {
      if (peek() != c) fail();
      ++at_;
    }
  }

  void number() {
    const bool is_negative = peek() == '-';
    if (is_negative) ++at_;
    if (peek() < '0' || peek() > '9') fail();
    std::uint64_t value = 0;
    bool is_integer = true;
    for (; has_more() && *at_ >= '0' && *at_ <= '9'; ++at_) {
      is_integer = is_integer && value < (std::uint64_t{1} << 59);
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
    for (; has_more() &&
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
    at_ = end_of_plain_text(at_, end_);
    if (at_ != end_ && *at_ == '"') return {begin, static_cast<std::size_t>(at_++ - begin)};
    decoded_.assign(begin, at_);
    while (has_more() && *at_ != '"') {
      if (*at_ != '\\') {
        decoded_ += *at_++;
        continue;
      }
      ++at_;
      if (!has_more()) fail();
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

  // Names and file names need only differ where they should: half of a surrogate pair stands for itself.
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

  const std::function<std::string_view()> more_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool is_end_ = false;
  Handler& handler_;
  bool is_first_ = true;  // in what is open
  std::string decoded_;
};

}  // namespace papilio::loops
