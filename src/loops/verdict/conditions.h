#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// "a and b do not overlap", for what the loop writes and what else may be the same memory.
void add_overlaps(const Program& program, const Accesses& accesses, const View& view, std::vector<Predicate>& to);

// What must hold for the loop's arithmetic to be that of the integers, where that is not proven; false where it cannot
// be said in a condition.
bool add_obligations(const Accesses& accesses, int loop, Solver& solver, std::vector<Predicate>& to);

// Where none of the dependences exists, though the loop has two iterations: in C, of variables that the function never
// changes.
std::optional<std::string> condition_without(const Accesses& accesses, const Carrier& carrier,
                                             const std::vector<Carried>& dependences, Solver& solver);

}  // namespace papilio::loops
