#pragma once

#include <optional>
#include <vector>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Tests of index arrays before the loop, under which no dependence remains: that elements do not
// decrease, that they differ, or that they are far enough apart. Nothing if there are no such
// tests, or if the program itself might not read all the elements that a test reads. After C.
// E. Oancea, L. Rauchwerger, Logical inference techniques for loop parallelization, PLDI 2012.
std::optional<std::vector<Predicate>> find_inspections(const Program& program, const Accesses& accesses,
                                                       const Carrier& carrier, const std::vector<Carried>& dependences,
                                                       Solver& solver);

}  // namespace papilio::loops
