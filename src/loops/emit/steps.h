#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The file's text without those of the loop's own steps that stand in statements which do more: a[i++] = 1 is
// a[i  ] = 1, and i++, j++ is j++. All else stands where it stood. Nothing where a step is not found.
std::optional<std::string> without_steps(const Candidate& candidate);

}  // namespace papilio::loops
