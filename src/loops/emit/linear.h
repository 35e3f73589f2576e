#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "loops/source/tokens.h"

namespace papilio::loops {

// The sum of a[k] x_k, plus b, each in C; a missing or empty one is 0.
struct LinearForm {
  std::map<std::size_t, std::string> a;
  std::string b;
};

// Reads an expression in the text as a linear function of several
// variables. By the analysis of its syntax tree, it must be one.
struct LinearReader {
  const Source& source;
  std::string type;  // the type in which coefficients are computed
  // The form that begins at a token, if that is one of the variables or was computed from them; and the next token.
  std::function<std::optional<std::pair<LinearForm, int>>(int)> known;

  // Reads tokens [first, last); nothing if they use anything but + - * / and parentheses.
  std::optional<LinearForm> read(int first, int last) const;
  // left op right.
  static std::optional<LinearForm> joined(char op, const LinearForm& left, const LinearForm& right);
};

}  // namespace papilio::loops
