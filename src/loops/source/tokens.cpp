#include "loops/source/tokens.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace papilio::loops {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) > 127;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    bool at_line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') at_line_start = true;
      if (is_space(c) || joins_lines(at_)) {
        ++at_;
      } else if (text_.substr(at_, 2) == "/*" || text_.substr(at_, 2) == "//") {
        comment();
      } else if (c == '#' && at_line_start) {
        add(Token::Kind::directive, directive_end());
      } else {
        at_line_start = false;
        token(c);
      }
    }
    tokens_.push_back({Token::Kind::end, text_.size(), text_.size()});
    return std::move(tokens_);
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool joins_lines(std::size_t i) const {
    return at(i) == '\\' && (at(i + 1) == '\n' || (at(i + 1) == '\r' && at(i + 2) == '\n'));
  }

  void add(Token::Kind kind, std::size_t end) {
    tokens_.push_back({kind, at_, end});
    at_ = end;
  }

  void comment() {
    if (at(at_ + 1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      return;
    }
    while (at_ < text_.size() && text_[at_] != '\n') at_ += joins_lines(at_) ? (at(at_ + 1) == '\r' ? 3 : 2) : 1;
  }

  // A comment that begins in a directive's line belongs to the directive, and may end in another line.
  std::size_t directive_end() const {
    std::size_t i = at_;
    while (i < text_.size() && text_[i] != '\n') {
      if (joins_lines(i)) {
        i += at(i + 1) == '\r' ? 3 : 2;
      } else if (text_.substr(i, 2) == "/*") {
        const std::size_t end = text_.find("*/", i + 2);
        i = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        ++i;
      }
    }
    return i;
  }

  void token(char c) {
    if (is_letter(c)) {
      std::size_t i = at_;
      while (i < text_.size() && (is_letter(text_[i]) || is_digit(text_[i]))) ++i;
      add(Token::Kind::word, i);
    } else if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) {
      std::size_t i = at_ + 1;
      for (; i < text_.size(); ++i) {
        const char before = text_[i - 1];
        const bool is_sign =
            (text_[i] == '+' || text_[i] == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
        if (!is_letter(text_[i]) && !is_digit(text_[i]) && text_[i] != '.' && !is_sign) break;
      }
      add(Token::Kind::number, i);
    } else if (c == '"' || c == '\'') {
      std::size_t i = at_ + 1;
      while (i < text_.size() && text_[i] != c && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
      add(Token::Kind::text, std::min(i + 1, text_.size()));
    } else {
      static constexpr auto long_marks =
          std::to_array<std::string_view>({"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                           "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"});
      const auto found = std::find_if(long_marks.begin(), long_marks.end(),
                                      [&](std::string_view m) { return text_.substr(at_, m.size()) == m; });
      add(Token::Kind::mark, at_ + (found == long_marks.end() ? 1 : found->size()));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

std::vector<std::size_t> lines_of(std::string_view text) {
  std::vector<std::size_t> begins = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') begins.push_back(i + 1);
  }
  return begins;
}

}  // namespace

Source::Source(std::string_view text) : text_(text), tokens_(Lexer(text).run()), lines_(lines_of(text)) {}

Source::Source(std::string_view text, std::string_view written, std::vector<Moved> moved)
    : text_(text),
      tokens_(Lexer(text).run()),
      lines_(lines_of(text)),
      written_lines_(lines_of(written)),
      moved_(std::move(moved)) {}

std::string_view Source::text_of(int token) const {
  const Token& t = tokens_[static_cast<std::size_t>(token)];
  return text_.substr(t.begin, t.end - t.begin);
}

std::string_view Source::text_of(int first, int last) const {
  if (first >= last) return {};
  const std::size_t begin = tokens_[static_cast<std::size_t>(first)].begin;
  return text_.substr(begin, tokens_[static_cast<std::size_t>(last - 1)].end - begin);
}

int Source::token_at(int line, int column) const {
  const std::vector<std::size_t>& lines = moved_.empty() ? lines_ : written_lines_;
  if (line < 1 || column < 1 || static_cast<std::size_t>(line) > lines.size()) return -1;
  std::size_t offset = lines[static_cast<std::size_t>(line - 1)] + static_cast<std::size_t>(column - 1);
  if (!moved_.empty()) {
    const auto after = std::upper_bound(moved_.begin(), moved_.end(), offset,
                                        [](std::size_t o, const Moved& m) { return o < m.begin; });
    if (after == moved_.begin()) return -1;
    const Moved& m = *std::prev(after);
    if (offset >= m.end || (!m.is_copy && offset != m.begin)) return -1;
    offset = m.to + (offset - m.begin);
  }
  const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                                      [](const Token& t, std::size_t o) { return t.begin < o; });
  if (found == tokens_.end() || found->begin != offset || found->kind == Token::Kind::end) return -1;
  return static_cast<int>(found - tokens_.begin());
}

int Source::line_of(std::size_t offset) const {
  return static_cast<int>(std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin());
}

int Source::after_matching(int open) const {
  int depth = 0;
  for (int t = open; kind(t) != Token::Kind::end; ++t) {
    if (kind(t) != Token::Kind::mark) continue;
    const char c = text_of(t)[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return t + 1;
  }
  return -1;
}

std::size_t Source::line_start(std::size_t offset) const {
  return lines_[static_cast<std::size_t>(line_of(offset) - 1)];
}

std::string Source::indentation(std::size_t offset) const {
  const std::size_t begin = line_start(offset);
  std::size_t end = begin;
  while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  return std::string(text_.substr(begin, end - begin));
}

bool Source::begins_line(std::size_t offset) const {
  const std::string_view before = text_.substr(line_start(offset), offset - line_start(offset));
  return std::all_of(before.begin(), before.end(), is_space);
}

}  // namespace papilio::loops
