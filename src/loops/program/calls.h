#pragma once

#include <cstddef>
#include <vector>

#include "loops/program/program.h"

namespace papilio::loops {

// Puts what functions of the file do in the place of their calls, innermost first, with variables of their own and
// pointers translated to what the call gives them. So the access sets of a call are exact, under the conditions that
// hold there. What cannot be translated becomes `unknown`: recursion, a return out of a loop, a pointer that is not
// followed, and calls beyond a bound on the size of the whole.
void expand_calls(Program& program);

// How many statements there are, with those within others.
std::size_t size_of(const std::vector<Stmt>& list);

}  // namespace papilio::loops
