#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Adds "a and b do not overlap" for what the loop writes and whatever else may be in the same memory.
void add_overlaps(const Program& program, const Accesses& accesses, const View& view, std::vector<Predicate>& to);

// Adds what must hold for the loop's arithmetic to be that of the integers,
// if it is not proven; false if that cannot be expressed as a condition.
bool add_obligations(const Accesses& accesses, int loop, Solver& solver, std::vector<Predicate>& to);

// When none of the dependences exists although the loop has at least two
// iterations: in C, in terms of variables that the function never changes.
std::optional<std::string> condition_without(const Accesses& accesses, const Carrier& carrier,
                                             const std::vector<Carried>& dependences, Solver& solver);

}  // namespace papilio::loops
