#pragma once

#include <cstddef>
#include <vector>

#include "loops/program/program.h"

namespace papilio::loops {

// Replaces calls of functions of the file by what the functions do, innermost first, with variables of
// their own and with pointers translated to what the call gives them. So the access sets of a call are
// exact, under the conditions that hold there. What cannot be translated becomes `unknown`: recursion,
// a return out of a loop, a pointer that is not followed, and calls beyond a bound on the total size.
void expand_calls(Program& program);

// How many statements there are, including those within others.
std::size_t size_of(const std::vector<Stmt>& list);

}  // namespace papilio::loops
