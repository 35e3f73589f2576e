#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "loops/source/tokens.h"

// Coefficients of functions, as C text; empty: 0.

namespace papilio::loops {

inline constexpr std::size_t longest_term = 2000;

std::string sum(const std::string& a, const std::string& b, bool negative = false);
std::string product(const std::string& a, const std::string& b);
std::string quotient(const std::string& a, const std::string& b);

// The last of these operators that joins two operands outside of parentheses; -1 if there is none.
int last_operator(const Source& source, int first, int last, std::string_view operators);

// Whether operators other than + - * / occur outside of parentheses.
bool has_other_operator(const Source& source, int first, int last);

// Reads tokens [first, last) as a function of what a reader knows. By the analysis of its
// syntax tree, it must be one. Nothing if it uses anything but + - * / and parentheses. The
// reader has: `source`; `type`, in which coefficients are computed; `known(token)`, the
// function that begins at a token and the token after it; and `joined(op, left, right)`.
template <class Form, class Reader>
std::optional<Form> read_function(const Reader& reader, int first, int last) {
  const Source& source = reader.source;
  if (first >= last) return std::nullopt;
  bool names_one = false;
  for (int t = first; t < last && !names_one; ++t) names_one = reader.known(t).has_value();
  if (!names_one) {
    Form constant;
    constant.b = fmt::format("({})({})", reader.type, source.text_of(first, last));
    return constant;
  }
  while (source.is(first, "(") && source.after_matching(first) == last) ++first, --last;
  if (const auto it = reader.known(first); it && it->second == last) return it->first;
  if (has_other_operator(source, first, last)) return std::nullopt;
  int at = last_operator(source, first, last, "+-");
  if (at < 0 && source.is(first, "-")) {
    const auto f = read_function<Form>(reader, first + 1, last);
    return f ? reader.joined('-', {}, *f) : std::nullopt;
  }
  if (at < 0) at = last_operator(source, first, last, "*/");
  if (at < 0) return std::nullopt;
  const auto left = read_function<Form>(reader, first, at), right = read_function<Form>(reader, at + 1, last);
  return left && right ? reader.joined(source.text_of(at)[0], *left, *right) : std::nullopt;
}

}  // namespace papilio::loops
