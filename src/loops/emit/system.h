#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// A loop that is a system of linear recurrences, as two parallel loops over blocks of iterations: the
// first finds the matrix of each block, the second runs each block from the states to which the blocks
// before it lead. Nothing, and `why`, if that cannot be written. The caller takes care of the condition.
std::optional<Rewritten> in_two_passes_by_matrices(const Candidate& candidate, const std::vector<Clause>& clauses,
                                                   std::string& why);

}  // namespace papilio::loops
