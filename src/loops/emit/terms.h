#pragma once

#include <string>
#include <string_view>

#include "loops/source/tokens.h"

// Coefficients of functions, as C text; empty: 0.

namespace papilio::loops {

inline constexpr std::size_t longest_term = 2000;

std::string sum(const std::string& a, const std::string& b, bool negative = false);
std::string product(const std::string& a, const std::string& b);
std::string quotient(const std::string& a, const std::string& b);

// The last operator that joins two operands outside of parentheses, of these; -1 if there is none.
int last_operator(const Source& source, int first, int last, std::string_view operators);

// Whether others than + - * / stand outside of parentheses.
bool has_other_operator(const Source& source, int first, int last);

}  // namespace papilio::loops
