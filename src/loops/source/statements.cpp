#include "loops/source/statements.h"

#include <tuple>
#include <utility>

namespace papilio::loops {
namespace {

constexpr int deepest = 200;

class Reader {
 public:
  explicit Reader(const Source& source) : s_(source) {}

  std::optional<TextPart> statement(int token, int depth) const {
    if (depth > deepest || s_.kind(token) == Token::Kind::end || s_.kind(token) == Token::Kind::directive)
      return std::nullopt;
    if (s_.is(token, "{")) return block(token, depth);
    if (s_.is(token, "if")) return with_head(TextPart::Kind::branch, token, depth);
    if (s_.is(token, "for")) return with_head(TextPart::Kind::loop, token, depth);
    if (s_.is(token, "while")) return with_head(TextPart::Kind::repeat, token, depth);
    if (s_.is(token, "switch")) return with_head(TextPart::Kind::other, token, depth);
    if (s_.is(token, "do")) return do_loop(token, depth);
    const bool is_label = s_.kind(token) == Token::Kind::word && s_.is(token + 1, ":");
    if (is_label || s_.is(token, "case") || s_.is(token, "default")) {
      int t = token;
      while (s_.kind(t) != Token::Kind::end && !s_.is(t, ":")) ++t;
      if (s_.kind(t) == Token::Kind::end) return std::nullopt;
      if (s_.is(t + 1, "}")) return TextPart{TextPart::Kind::other, token, t + 1, 0, 0, {}};
      auto labelled = statement(t + 1, depth + 1);
      if (!labelled) return std::nullopt;
      TextPart p{TextPart::Kind::other, token, labelled->end, 0, 0, {}};
      p.parts.push_back(std::move(*labelled));
      return p;
    }
    return plain(token);
  }

 private:
  // The statement up to its semicolon; braces and parentheses within it are skipped.
  std::optional<TextPart> plain(int token) const {
    for (int t = token; s_.kind(t) != Token::Kind::end;) {
      if (s_.kind(t) == Token::Kind::directive || s_.is(t, "}")) return std::nullopt;
      if (s_.is(t, ";")) return TextPart{TextPart::Kind::plain, token, t + 1, 0, 0, {}};
      if (s_.is(t, "(") || s_.is(t, "[") || s_.is(t, "{")) {
        const int after = s_.after_matching(t);
        if (after < 0) return std::nullopt;
        for (int inside = t; inside < after; ++inside) {
          if (s_.kind(inside) == Token::Kind::directive) return std::nullopt;
        }
        t = after;
      } else {
        ++t;
      }
    }
    return std::nullopt;
  }

  std::optional<TextPart> block(int token, int depth) const {
    TextPart p{TextPart::Kind::block, token, 0, 0, 0, {}};
    for (int t = token + 1;;) {
      if (s_.is(t, "}") && s_.kind(t) == Token::Kind::mark) {
        p.end = t + 1;
        return p;
      }
      auto part = statement(t, depth + 1);
      if (!part) return std::nullopt;
      t = part->end;
      p.parts.push_back(std::move(*part));
    }
  }

  std::optional<TextPart> with_head(TextPart::Kind kind, int token, int depth) const {
    if (!s_.is(token + 1, "(")) return std::nullopt;
    const int after = s_.after_matching(token + 1);
    if (after < 0) return std::nullopt;
    TextPart p{kind, token, 0, token + 2, after - 1, {}};
    auto body = statement(after, depth + 1);
    if (!body) return std::nullopt;
    p.end = body->end;
    p.parts.push_back(std::move(*body));
    if (kind == TextPart::Kind::branch && s_.is(p.end, "else")) {
      auto otherwise = statement(p.end + 1, depth + 1);
      if (!otherwise) return std::nullopt;
      p.end = otherwise->end;
      p.parts.push_back(std::move(*otherwise));
    }
    return p;
  }

  std::optional<TextPart> do_loop(int token, int depth) const {
    auto body = statement(token + 1, depth + 1);
    if (!body || !s_.is(body->end, "while") || !s_.is(body->end + 1, "(")) return std::nullopt;
    const int after = s_.after_matching(body->end + 1);
    if (after < 0 || !s_.is(after, ";")) return std::nullopt;
    TextPart p{TextPart::Kind::other, token, after + 1, 0, 0, {}};
    p.parts.push_back(std::move(*body));
    return p;
  }

  const Source& s_;
};

// Tokens [first, last), cut at each `mark` outside of parentheses.
std::vector<std::pair<int, int>> cut(const Source& s, int first, int last, std::string_view mark) {
  std::vector<std::pair<int, int>> pieces;
  int depth = 0, begin = first;
  for (int t = first; t < last; ++t) {
    if (s.kind(t) != Token::Kind::mark) continue;
    const char c = s.text_of(t)[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && s.is(t, mark)) {
      pieces.emplace_back(begin, t);
      begin = t + 1;
    }
  }
  pieces.emplace_back(begin, last);
  return pieces;
}

bool read_condition(const Source& s, int first, int last, Head& head) {
  int relation = -1, depth = 0;
  for (int t = first; t < last; ++t) {
    if (s.kind(t) != Token::Kind::mark) continue;
    const std::string_view mark = s.text_of(t);
    if (mark == "(" || mark == "[") ++depth;
    if (mark == ")" || mark == "]") --depth;
    if (depth > 0) continue;
    if (mark == "&&" || mark == "||" || mark == "," || mark == "?" || mark == "=") return false;
    if (mark == "<" || mark == "<=" || mark == ">" || mark == ">=" || mark == "!=") {
      if (relation >= 0) return false;
      relation = t;
    }
  }
  if (relation < 0) return false;
  head.relation = s.text_of(relation);
  if (relation == first + 1 && s.is(first, head.variable)) {
    head.bound = s.text_of(relation + 1, last);
  } else if (relation == last - 2 && s.is(last - 1, head.variable)) {
    head.bound = s.text_of(first, relation);
    if (head.relation != "!=") head.relation[0] = head.relation[0] == '<' ? '>' : '<';
  } else {
    return false;
  }
  return !head.bound.empty();
}

}  // namespace

std::optional<TextPart> read_statement(const Source& source, int token) { return Reader(source).statement(token, 0); }

std::optional<Head> read_start(const Source& source, const TextPart& loop, const std::string& variable) {
  Head head;
  head.variable = variable;
  if (loop.kind == TextPart::Kind::repeat) return head;
  const auto pieces = cut(source, loop.head_begin, loop.head_end, ";");
  if (pieces.size() != 3 || cut(source, pieces[2].first, pieces[2].second, ",").size() > 1) return std::nullopt;
  const auto [first, last] = pieces[0];
  if (first == last) return head;
  int name = first;
  while (name < last && !source.is(name, variable)) ++name;
  if (name + 1 >= last || !source.is(name + 1, "=")) return std::nullopt;
  if (cut(source, first, last, ",").size() > 1) return std::nullopt;
  head.type = source.text_of(first, name);
  head.first = source.text_of(name + 2, last);
  return head;
}

std::optional<Head> read_head(const Source& source, const TextPart& loop, const std::string& variable) {
  auto head = read_start(source, loop, variable);
  if (!head) return std::nullopt;
  int first = loop.head_begin, last = loop.head_end;
  if (loop.kind != TextPart::Kind::repeat) {
    const auto pieces = cut(source, first, last, ";");
    if (pieces[2].first == pieces[2].second) return std::nullopt;
    std::tie(first, last) = pieces[1];
  }
  if (!read_condition(source, first, last, *head)) return std::nullopt;
  return head;
}

std::vector<int> pragmas_before(const Source& source, int token) {
  std::vector<int> found;
  for (int t = token - 1; t >= 0 && source.kind(t) == Token::Kind::directive; --t) {
    std::string words;  // "#pragma omp", however it is spaced
    for (const char c : source.text_of(t)) {
      if (c != ' ' && c != '\t') words += c;
    }
    if (words.starts_with("#pragmaomp")) found.insert(found.begin(), t);
  }
  return found;
}

}  // namespace papilio::loops
