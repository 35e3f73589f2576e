#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/dependence/carried.h"

namespace papilio::loops {

// The reads of the variable in the view's loop (as indices of the view) that
// may get a value other than what the same iteration has written before.
std::vector<std::size_t> reads_of_others(const Program& program, const Accesses& accesses, const View& view,
                                         int variable, Solver& solver);

// When there are none, as a condition in C on values that are known before the loop; nothing if no condition is found.
std::optional<std::string> condition_for_own_iteration(const Program& program, const Accesses& accesses,
                                                       const View& view, int variable, Solver& solver);

// The elements of one array that a view touches, as systems: first the columns `named`, then the subscripts.
struct Touched {
  std::vector<System> read_first, read, written, surely_written;
  int columns = 0;
  bool is_exact = true;
};
Touched touched_by(const Program& program, const Accesses& accesses, const View& view, int variable,
                   const std::vector<int>& named, Solver& solver);

// Whether it is certain that every iteration of the view's loop writes the same elements of an array.
bool write_the_same(const Accesses& accesses, const View& view, int variable);

// Whether a value that the loop leaves in a local variable may be read after the loop.
bool is_read_later(const Program& program, const Accesses& accesses, int loop, int variable);

}  // namespace papilio::loops
