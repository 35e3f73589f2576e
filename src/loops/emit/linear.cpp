#include "loops/emit/linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "loops/emit/terms.h"

namespace papilio::loops {

std::optional<LinearForm> LinearReader::joined(char op, const LinearForm& left, const LinearForm& right) {
  LinearForm found;
  if (op == '+' || op == '-') {
    found = left;
    found.b = sum(left.b, right.b, op == '-');
    for (const auto& [k, text] : right.a) found.a[k] = sum(found.a[k], text, op == '-');
  } else if (op == '*' && (left.a.empty() || right.a.empty())) {
    const LinearForm &f = left.a.empty() ? right : left, &by = left.a.empty() ? left : right;
    found.b = product(f.b, by.b);
    for (const auto& [k, text] : f.a) found.a[k] = product(text, by.b);
  } else if (op == '/' && right.a.empty()) {
    found.b = quotient(left.b, right.b);
    for (const auto& [k, text] : left.a) found.a[k] = quotient(text, right.b);
  } else {
    return std::nullopt;
  }
  const bool is_long =
      std::any_of(found.a.begin(), found.a.end(), [](const auto& term) { return term.second.size() > longest_term; });
  return is_long || found.b.size() > longest_term ? std::nullopt : std::optional(std::move(found));
}

std::optional<LinearForm> LinearReader::read(int first, int last) const {
  if (first >= last) return std::nullopt;
  bool names_one = false;
  for (int t = first; t < last && !names_one; ++t) names_one = known(t).has_value();
  if (!names_one) return LinearForm{{}, fmt::format("({})({})", type, source.text_of(first, last))};
  while (source.is(first, "(") && source.after_matching(first) == last) ++first, --last;
  if (const auto it = known(first); it && it->second == last) return it->first;
  if (has_other_operator(source, first, last)) return std::nullopt;
  int at = last_operator(source, first, last, "+-");
  if (at < 0 && source.is(first, "-")) {
    const auto f = read(first + 1, last);
    return f ? joined('-', {}, *f) : std::nullopt;
  }
  if (at < 0) at = last_operator(source, first, last, "*/");
  if (at < 0) return std::nullopt;
  const auto left = read(first, at), right = read(at + 1, last);
  return left && right ? joined(source.text_of(at)[0], *left, *right) : std::nullopt;
}

}  // namespace papilio::loops
