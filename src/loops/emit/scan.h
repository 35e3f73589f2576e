#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// A loop that carries a variable from iteration to iteration by an associative operator, as blocks of iterations
// in two passes: the first finds the effect of each block on the variable, the second runs the blocks, each from
// the value that the blocks before it lead to. The blocks do not depend on the number of threads, so neither
// do floating-point results. After G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990.
std::optional<Rewritten> in_two_passes(const Candidate& candidate, const Clause& scan,
                                       const std::vector<Clause>& clauses, std::string& why);

}  // namespace papilio::loops
