#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The file's text without those of the loop's own steps that are in statements which do more: a[i++] = 1 becomes
// a[i  ] = 1, and i++, j++ becomes j++. Everything else stays in its place. Nothing if a step is not found.
std::optional<std::string> without_steps(const Candidate& candidate);

}  // namespace papilio::loops
