#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The loop's conditions as one in C, whose inspectors are statement expressions of GNU C;
// empty if there are none. Nothing if one cannot be tested before the loop, and `why` says
// which. Sets `needs_helper` if the file then needs the function of separated_helper().
std::optional<std::string> condition_of(const Candidate& candidate, const std::vector<Predicate>& predicates,
                                        bool& needs_helper, std::string& why);

// A function, named with this prefix, that says whether numbers keep a distance from each other when sorted.
std::string separated_helper(const std::string& prefix);

}  // namespace papilio::loops
