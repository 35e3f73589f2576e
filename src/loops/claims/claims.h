#pragma once

#include <string_view>
#include <vector>

#include "papilio/loops.h"

namespace papilio::loops {

// What the `#pragma omp` lines of a text claim about its loops, and whether that is true, by the verdicts on the
// loops without pragmas. Only `for` and its combined forms create threads; other constructs are not followed.
std::vector<Claim> judge_claims(std::string_view text, const Report& report);

}  // namespace papilio::loops
