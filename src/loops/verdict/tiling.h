#pragma once

#include <vector>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// If no row of the matrix of a nest has a '>' for its loops, adds to the report of the outermost loop that they can be
// tiled, with the elements that a tile touches. Adds to the reports of parallel loops that they can be moved inwards
// or cut into strips. `chain`: the loops that are perfectly nested, with bounds that do not depend on each other.
void add_tiling(const Program& program, const Accesses& accesses, const std::vector<int>& chain, Solver& solver,
                std::vector<LoopReport>& reports);

}  // namespace papilio::loops
