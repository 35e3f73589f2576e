#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The text of a C file as tokens, each with its place: edits of the text and OpenMP's lines are found by these.

namespace papilio::loops {

struct Token {
  enum class Kind {
    word,       // an identifier or keyword
    number,     // a preprocessing number
    text,       // a string or character
    mark,       // an operator or punctuation, the longest that C has
    directive,  // a line that begins with #, including lines that \ joins to it
    end         // of the file
  };
  Kind kind = Kind::end;
  std::size_t begin = 0, end = 0;  // bytes of the text
};

// For a text that was changed: bytes [begin, end) of the text that it was made of,
// and where they are now. If it is not a copy, only the first byte has a place.
struct Moved {
  std::size_t begin, end, to;
  bool is_copy;
};

class Source {
 public:
  explicit Source(std::string_view text);

  // A text made of `written`, of which it keeps the lines and columns.
  Source(std::string_view text, std::string_view written, std::vector<Moved> moved);

  std::string_view text() const { return text_; }
  const std::vector<Moved>& moved() const { return moved_; }
  const std::vector<Token>& tokens() const { return tokens_; }  // the last one is `end`
  std::string_view text_of(int token) const;
  std::string_view text_of(int first, int last) const;  // of tokens [first, last), with everything between them
  bool is(int token, std::string_view text) const { return text_of(token) == text; }
  Token::Kind kind(int token) const { return tokens_[static_cast<std::size_t>(token)].kind; }

  // The token that begins at a line and column, both from 1; -1 if none
  // does. For a text that was made of another one, the place in that one.
  int token_at(int line, int column) const;
  int line_of(std::size_t offset) const;

  // The token after the parenthesis, bracket or brace that matches the one at `open`; -1 if there is none.
  int after_matching(int open) const;

  // The white space at the beginning of the line of an offset; and whether nothing else stands before the offset.
  std::string indentation(std::size_t offset) const;
  bool begins_line(std::size_t offset) const;

 private:
  std::size_t line_start(std::size_t offset) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> lines_;  // where each begins
  std::vector<std::size_t> written_lines_;
  std::vector<Moved> moved_;
};

}  // namespace papilio::loops
