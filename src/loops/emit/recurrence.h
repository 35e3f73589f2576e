#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "loops/source/tokens.h"

namespace papilio::loops {

// (a x + b) / (c x + d), each in C; empty: 0. Without c and d: a x + b. Without a too: b.
struct Coefficients {
  std::string a, b, c, d;

  bool is_fractional() const { return !c.empty() || !d.empty(); }
};

// Reads an expression in the text as a function of x, which it must be after the analysis of its syntax tree.
struct FunctionReader {
  const Source& source;
  std::string type;  // in which coefficients are computed
  // What stands at a token, if that is x, or a name of what was made of x; and the token after it.
  std::function<std::optional<std::pair<Coefficients, int>>(int)> known;

  // Of tokens [first, last); nothing where it is written in another way than by + - * / and parentheses.
  std::optional<Coefficients> read(int first, int last) const;
  // left op right.
  static std::optional<Coefficients> joined(char op, const Coefficients& left, const Coefficients& right);
};

// Whether tokens [first, last) name a macro of the file that is no number: it may be anything, so it is no operand.
bool names_macro(const Source& source, int first, int last);

// C statements that make the composition of functions, whose coefficients are variables `x`0 and `x`1 (or a matrix
// `x`0 to `x`3), one longer: f after it.
std::string composed(const Coefficients& f, const std::string& type, const std::string& x, bool is_fractional);

}  // namespace papilio::loops
