#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "loops/source/tokens.h"

namespace papilio::loops {

// (a x + b) / (c x + d), each in C; an empty one is 0. Without c and d: a x + b. Without a as well: b.
struct Coefficients {
  std::string a, b, c, d;

  bool is_fractional() const { return !c.empty() || !d.empty(); }
};

// Reads an expression in the text as a function of x. By the analysis of its syntax tree, it must be one.
struct FunctionReader {
  const Source& source;
  std::string type;  // the type in which coefficients are computed
  // The function that begins at a token, if that is x or a name of what was computed from x; and the token after it.
  std::function<std::optional<std::pair<Coefficients, int>>(int)> known;

  // Reads tokens [first, last); nothing if they use anything but + - * / and parentheses.
  std::optional<Coefficients> read(int first, int last) const;
  // left op right.
  static std::optional<Coefficients> joined(char op, const Coefficients& left, const Coefficients& right);
};

// Whether tokens [first, last) name a macro of the file that is not a number: it may be anything, so it is no operand.
bool names_macro(const Source& source, int first, int last);

// C statements that extend a composition of functions, whose coefficients are the variables
// `x`0 and `x`1 (or a matrix `x`0 to `x`3), by one function: f, applied after it.
std::string composed(const Coefficients& f, const std::string& type, const std::string& x, bool is_fractional);

}  // namespace papilio::loops
