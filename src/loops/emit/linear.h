#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "loops/source/tokens.h"

namespace papilio::loops {

// sum of a[k] x_k, and b, each in C; none, or empty: 0.
struct LinearForm {
  std::map<std::size_t, std::string> a;
  std::string b;
};

// Reads an expression in the text as a linear function of several variables, which it must be after the analysis of its
// syntax tree.
struct LinearReader {
  const Source& source;
  std::string type;  // in which coefficients are computed
  // What stands at a token, if that is a variable, or a name of what was made of them; and the token after it.
  std::function<std::optional<std::pair<LinearForm, int>>(int)> known;

  // Of tokens [first, last); nothing where it is written in another way than by + - * / and parentheses.
  std::optional<LinearForm> read(int first, int last) const;
  // left op right.
  static std::optional<LinearForm> joined(char op, const LinearForm& left, const LinearForm& right);
};

}  // namespace papilio::loops
