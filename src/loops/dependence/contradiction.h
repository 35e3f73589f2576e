#pragma once

#include "loops/dependence/solver.h"

namespace papilio::loops {

// Whether the rows plainly contradict each other: when columns that are equal are
// taken for one, some sum of columns must be at least one number and at most a smaller
// one. False means nothing. This takes at most microseconds; isl takes a hundred.
bool is_plain_contradiction(const System& system);

}  // namespace papilio::loops
