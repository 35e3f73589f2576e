#include "loops/emit/recurrence.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "loops/emit/terms.h"

namespace papilio::loops {
namespace {

// The same function with a denominator.
Coefficients whole(const Coefficients& f) { return f.is_fractional() ? f : Coefficients{f.a, f.b, "", "1"}; }

bool is_constant(const Coefficients& f) { return f.a.empty() && !f.is_fractional(); }

}  // namespace

std::optional<Coefficients> FunctionReader::joined(char op, const Coefficients& left, const Coefficients& right) {
  const bool minus = op == '-';
  std::optional<Coefficients> found;
  if (op == '+' || minus) {
    if (!left.is_fractional() && !right.is_fractional()) {
      found = {sum(left.a, right.a, minus), sum(left.b, right.b, minus), "", ""};
    } else if (is_constant(right)) {
      found = {sum(left.a, product(right.b, left.c), minus), sum(left.b, product(right.b, left.d), minus), left.c,
               left.d};
    } else if (is_constant(left)) {
      found = {sum(product(left.b, right.c), right.a, minus), sum(product(left.b, right.d), right.b, minus), right.c,
               right.d};
    }
  } else if (op == '*' && (is_constant(left) || is_constant(right))) {
    const Coefficients &f = is_constant(left) ? right : left, &k = is_constant(left) ? left : right;
    found = {product(f.a, k.b), product(f.b, k.b), f.c, f.d};
  } else if (op == '/' && is_constant(right)) {
    found = {quotient(left.a, right.b), quotient(left.b, right.b), left.c, left.d};
  } else if (op == '/' && !left.is_fractional() && !right.is_fractional()) {
    found = {left.a, left.b, right.a, right.b};
  } else if (op == '/' && is_constant(left)) {
    found = {product(left.b, right.c), product(left.b, right.d), right.a, right.b};
  }
  if (found && std::max({found->a.size(), found->b.size(), found->c.size(), found->d.size()}) > longest_term)
    found.reset();
  return found;
}

std::optional<Coefficients> FunctionReader::read(int first, int last) const {
  return read_function<Coefficients>(*this, first, last);
}

bool names_macro(const Source& s, int first, int last) {
  for (std::size_t d = 0; d < s.tokens().size(); ++d) {
    if (s.kind(static_cast<int>(d)) != Token::Kind::directive) continue;
    const Source line(s.text_of(static_cast<int>(d)).substr(1));
    if (!line.is(0, "define")) continue;
    const bool is_number = line.tokens().size() == 4 && line.kind(2) == Token::Kind::number;
    for (int t = first; t < last; ++t) {
      if (s.is(t, line.text_of(1)) && !is_number) return true;
    }
  }
  return false;
}

std::string composed(const Coefficients& f, const std::string& type, const std::string& x, bool is_fractional) {
  const auto value = [](const std::string& text) { return text.empty() ? std::string("0") : text; };
  if (!is_fractional) {
    return fmt::format("{{ const {1} {0}a = {2}, {0}b = {3}; {0}0 = {0}a * {0}0; {0}1 = {0}a * {0}1 + {0}b; }} ", x,
                       type, value(f.a), value(f.b));
  }
  const Coefficients g = whole(f);
  // Only the ratios matter; without a scale the products would overflow.
  return fmt::format(
      "{{ const {1} {0}a = {2}, {0}b = {3}, {0}c = {4}, {0}d = {5}; const {1} {0}p = {0}a * {0}0 + {0}b * {0}2, {0}q = "
      "{0}a * {0}1 + {0}b * {0}3, {0}r = {0}c * {0}0 + {0}d * {0}2, {0}s = {0}c * {0}1 + {0}d * {0}3; {1} {0}most = "
      "{0}p "
      "< 0 ? -{0}p : {0}p; if ({0}q > {0}most || -{0}q > {0}most) {0}most = {0}q < 0 ? -{0}q : {0}q; if ({0}r > "
      "{0}most "
      "|| -{0}r > {0}most) {0}most = {0}r < 0 ? -{0}r : {0}r; if ({0}s > {0}most || -{0}s > {0}most) {0}most = {0}s < "
      "0 "
      "? -{0}s : {0}s; if (!({0}most > 0)) {0}most = 1; {0}0 = {0}p / {0}most; {0}1 = {0}q / {0}most; {0}2 = {0}r / "
      "{0}most; {0}3 = {0}s / {0}most; }} ",
      x, type, value(g.a), value(g.b), value(g.c), value(g.d));
}

}  // namespace papilio::loops
