#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// A loop that is a system of linear recurrences, as two parallel loops over blocks of iterations: the first finds the
// matrix of each block, the second runs each block from the states that those before it lead to. Nothing, and `why`,
// where that cannot be written. The condition is the caller's business.
std::optional<Rewritten> in_two_passes_by_matrices(const Candidate& candidate, const std::vector<Clause>& clauses,
                                                   std::string& why);

}  // namespace papilio::loops
