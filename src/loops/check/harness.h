#pragma once

#include <string>
#include <vector>

#include "loops/check/signatures.h"

namespace papilio::loops {

constexpr int harness_cases = 10;

// A C program that includes `program` and calls its functions with generated arguments:
//   harness FUNCTION FIRST_CASE LAST_CASE THREADS
// prints what each call has changed and returned, with a line "case K" before each. What it does depends on nothing but
// its arguments.
std::string harness(const Signatures& signatures, const std::string& program);

}  // namespace papilio::loops
