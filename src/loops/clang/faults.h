#pragma once
#include <string>

#include "loops/clang/names.h"

// Explains to people why an access is not followed.

namespace papilio::loops {

// For an expression that names memory, but for which Expressions knows no object: the part that is not known.
std::string access_fault(const Names& names, int index);

}  // namespace papilio::loops
