#pragma once
#include <string>

#include "loops/clang/names.h"

// Why an access is not followed, for people.

namespace papilio::loops {

// Of an expression that names memory, and of which Expressions knows no object: the part that is not known.
std::string access_fault(const Names& names, int index);

}  // namespace papilio::loops
