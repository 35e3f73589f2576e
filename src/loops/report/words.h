#pragma once

#include <string>

#include "papilio/loops.h"

namespace papilio::loops {

// "parallel with clauses"
std::string words_of(Verdict verdict);

// "reduction(+: x)"
std::string words_of(const Clause& clause);

}  // namespace papilio::loops
