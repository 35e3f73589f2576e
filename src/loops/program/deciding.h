#pragma once

#include <set>

#include "loops/program/program.h"

namespace papilio::loops {

// The variables of a function whose values may decide what it touches, and when: those in subscripts,
// conditions, bounds and lengths, and all from which these are computed. Other values may wrap around.
std::set<int> deciding_variables(const Program& program, const Function& function);

}  // namespace papilio::loops
