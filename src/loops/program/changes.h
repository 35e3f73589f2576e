#pragma once

#include <cstdint>
#include <vector>

#include "loops/program/program.h"

// How statements change variables.

namespace papilio::loops {

// How often statements assign the variable, or may assign it.
int assignments(const std::vector<Stmt>& list, int variable);

// The c of v += c, v = v + c and the like, if the statement assigns a variable and c is a constant; otherwise 0.
std::int64_t step_of(const Stmt& s);

// Whether the expression names the variable.
bool names(const Expr& e, int variable);

}  // namespace papilio::loops
