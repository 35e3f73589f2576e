#pragma once

#include <functional>

#include "loops/clang/tree.h"
#include "loops/program/program.h"

namespace papilio::loops {

// Translates the functions of a file. What has no counterpart in the program becomes `unknown`, with its place.
Program translate(const Tree& tree, const std::function<void()>& begin_function = {});

}  // namespace papilio::loops
