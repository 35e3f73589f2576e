#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The loop's conditions as one in C, in which inspectors are GNU C's statement expressions; empty if it has none.
// Nothing where one cannot be tested before the loop: `why` says which. `needs_helper` is set where the file then needs
// the function of separated_helper().
std::optional<std::string> condition_of(const Candidate& candidate, const std::vector<Predicate>& predicates,
                                        bool& needs_helper, std::string& why);

// Of the prefix of names: a function that says whether sorted numbers keep a distance.
std::string separated_helper(const std::string& prefix);

}  // namespace papilio::loops
