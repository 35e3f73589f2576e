#pragma once

#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"
#include "loops/program/program.h"
#include "papilio/loops.h"

namespace papilio::loops {

// The elements of parameters and global arrays that one call of the function only
// reads, those that it reads and writes, and those that it writes before it reads them.
std::vector<Summary> summarize(const Program& program, const Function& function, Solver& solver);

}  // namespace papilio::loops
