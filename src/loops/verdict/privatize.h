#pragma once

#include <optional>
#include <string>

#include "loops/dependence/carried.h"

namespace papilio::loops {

// Whether every read of the variable in the view's loop gets what the same iteration has written before.
bool reads_own_iteration(const Program& program, const Accesses& accesses, const View& view, int variable,
                         Solver& solver);

// The condition on values that are known before the loop under which that is so, in C; nothing if none is found.
std::optional<std::string> condition_for_own_iteration(const Program& program, const Accesses& accesses,
                                                       const View& view, int variable, Solver& solver);

// Whether a value that the loop leaves in a local variable may be read when it is over.
bool is_read_later(const Program& program, const Accesses& accesses, int loop, int variable);

}  // namespace papilio::loops
