#pragma once

#include <optional>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The head of a counted loop whose own head OpenMP does not accept (i + 1 < n, i-- > 0),
// made from what the analysis knows: a first value, and a bound that is not passed.
std::optional<Head> counted_head(const Candidate& candidate);

}  // namespace papilio::loops
