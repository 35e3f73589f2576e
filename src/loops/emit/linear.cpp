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
  return read_function<LinearForm>(*this, first, last);
}

}  // namespace papilio::loops
