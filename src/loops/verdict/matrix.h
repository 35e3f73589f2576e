#pragma once

#include <vector>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Adds the direction matrix of the nest of an outermost loop, and what may be done with its loops.
void add_matrix(const Program& program, const Accesses& accesses, int nest, Solver& solver,
                std::vector<LoopReport>& reports);

}  // namespace papilio::loops
