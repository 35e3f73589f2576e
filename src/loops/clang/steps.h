#pragma once

#include <cstdint>
#include <utility>

#include "loops/clang/tree.h"

// What the head of a loop does to its variable. A variable is the id of its declaration.

namespace papilio::loops {

// i++, i += 2, i = i - 1: the variable and the step; 0 for anything else.
std::pair<std::uint64_t, std::int64_t> step_of(const Tree& tree, int index);

// Whether a part of the tree assigns anything.
bool assigns_any(const Tree& tree, int index);

// Whether it has a `continue` that does not belong to a loop within it. A part that is nested too deep may have one.
bool has_continue(const Tree& tree, int index);

}  // namespace papilio::loops
