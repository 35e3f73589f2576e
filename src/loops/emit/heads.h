#pragma once

#include <optional>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The head of a counted loop that is not written as OpenMP wants it (i + 1 < n, i-- > 0), from what the analysis knows:
// a first value, and a bound that is not passed.
std::optional<Head> counted_head(const Candidate& candidate);

}  // namespace papilio::loops
