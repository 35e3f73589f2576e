#pragma once

#include <vector>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Adds to the report of a nest's outermost loop that its loops can be tiled, with the elements that a tile touches,
// where no row of its matrix has a '>' for them; and to those of parallel loops that they can be moved inwards or cut
// into strips. `chain`: the loops that are perfectly nested, with bounds that do not depend on each other.
void add_tiling(const Program& program, const Accesses& accesses, const std::vector<int>& chain, Solver& solver,
                std::vector<LoopReport>& reports);

}  // namespace papilio::loops
