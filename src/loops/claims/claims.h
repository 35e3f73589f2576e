#pragma once

#include <string_view>
#include <vector>

#include "papilio/loops.h"

namespace papilio::loops {

// What the `#pragma omp` lines of a text claim of its loops, and whether that is so, after the verdicts on the loops as
// they are without pragmas. Threads are made only by `for` and its combined forms; other constructs are not followed.
std::vector<Claim> judge_claims(std::string_view text, const Report& report);

}  // namespace papilio::loops
