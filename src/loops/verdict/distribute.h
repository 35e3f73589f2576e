#pragma once

#include <vector>

#include "loops/verdict/case.h"

namespace papilio::loops {

// Adds to the report of a loop that is not parallel the loops into which its body can be divided, by the
// strongly connected components of its dependences. The body may be that of a nest of loops that contain
// nothing else. After K. Kennedy, J. R. Allen, Optimizing Compilers for Modern Architectures, chapter 5.
void distribute(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options,
                std::vector<LoopReport>& reports);

// The loop that is all there is in the body of a loop; nothing if there is none, or
// something else is there. With `any_bounds`, its bounds may depend on the outer loop.
std::optional<int> perfectly_inside(const Accesses& accesses, int loop, bool any_bounds = false);

}  // namespace papilio::loops
