#include "loops/emit/terms.h"

#include <fmt/format.h>

namespace papilio::loops {

std::string sum(const std::string& a, const std::string& b, bool negative) {
  if (b.empty()) return a;
  if (a.empty()) return negative ? fmt::format("-({})", b) : b;
  return fmt::format("{} {} ({})", a, negative ? "-" : "+", b);
}

std::string product(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return "";
  if (a == "1") return b;
  if (b == "1") return a;
  return fmt::format("({}) * ({})", a, b);
}

std::string quotient(const std::string& a, const std::string& b) {
  return a.empty() ? "" : fmt::format("({}) / ({})", a, b);
}

int last_operator(const Source& s, int first, int last, std::string_view operators) {
  int found = -1;
  for (int t = first; t < last; ++t) {
    if (s.is(t, "(") || s.is(t, "[")) {
      t = s.after_matching(t) - 1;
      if (t < first) return -1;
      continue;
    }
    if (t == first || s.kind(t) != Token::Kind::mark || s.text_of(t).size() != 1) continue;
    const bool after_operand = s.kind(t - 1) == Token::Kind::word || s.kind(t - 1) == Token::Kind::number ||
                               s.is(t - 1, ")") || s.is(t - 1, "]");
    if (after_operand && operators.find(s.text_of(t)[0]) != std::string_view::npos) found = t;
  }
  return found;
}

bool has_other_operator(const Source& s, int first, int last) {
  for (int t = first; t < last; ++t) {
    if (s.is(t, "(") || s.is(t, "[")) {
      t = s.after_matching(t) - 1;
      if (t < first) return true;
      continue;
    }
    if (s.kind(t) != Token::Kind::mark) continue;
    const std::string_view mark = s.text_of(t);
    if (mark != "+" && mark != "-" && mark != "*" && mark != "/" && mark != "." && mark != "->") return true;
  }
  return false;
}

}  // namespace papilio::loops
