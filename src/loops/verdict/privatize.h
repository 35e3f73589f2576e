#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/dependence/carried.h"

namespace papilio::loops {

// The reads of the variable in the view's loop (indices of the view) that may get something else than what the same
// iteration has written before.
std::vector<std::size_t> reads_of_others(const Program& program, const Accesses& accesses, const View& view,
                                         int variable, Solver& solver);

// The condition on values that are known before the loop under which there are none, in C; nothing if none is found.
std::optional<std::string> condition_for_own_iteration(const Program& program, const Accesses& accesses,
                                                       const View& view, int variable, Solver& solver);

// The elements of one array that a view touches, as systems whose first columns are `named`, then the subscripts.
struct Touched {
  std::vector<System> read_first, read, written, surely_written;
  int columns = 0;
  bool is_exact = true;
};
Touched touched_by(const Program& program, const Accesses& accesses, const View& view, int variable,
                   const std::vector<int>& named, Solver& solver);

// Whether every iteration of the view's loop surely writes the same elements of an array.
bool write_the_same(const Accesses& accesses, const View& view, int variable);

// Whether a value that the loop leaves in a local variable may be read when it is over.
bool is_read_later(const Program& program, const Accesses& accesses, int loop, int variable);

}  // namespace papilio::loops
