#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "loops/access/accesses.h"

namespace papilio::loops {

// A system of linear recurrences: states of which each iteration makes new ones, as linear functions of all of them.
// Such functions are composed by the product of matrices, which is associative. After H. S. Stone, An efficient
// parallel algorithm for the solution of a tridiagonal linear system of equations, JACM 20, 1973, and G. E. Blelloch,
// Prefix sums and their applications, CMU-CS-90-190, 1990, section 1.4.2.
struct LinearSystem {
  struct State {
    int variable = -1;
    int distance = 0;  // 0: a scalar, as an iteration begins; d: the element that the iteration d before has written

    friend bool operator==(const State&, const State&) = default;
  };
  // A statement of the body that makes something of the states: a part of a function, or what a variable of theirs is.
  struct Step {
    const Stmt* statement = nullptr;
    bool is_of_state = false;
  };

  std::vector<State> states;                           // a variable's stand together, by their distance
  std::vector<Step> steps;                             // in their order
  std::vector<std::pair<const Access*, int>> reads;    // of elements that iterations before have written: how many
  std::vector<std::pair<const Access*, int>> certain;  // those of them that every iteration reads, in `steps`
};

// The system of these variables, which are all that the loop carries; nothing if they are none: where one is written
// in another way, or no state needs another. `items`: of the body; null: all.
std::optional<LinearSystem> linear_system_of(const Program& program, const Accesses& accesses, int loop,
                                             const std::set<int>& variables, const std::set<int>* items = nullptr);

// A subscript so many iterations of the loop before; nothing where it holds something that may be another value there.
std::optional<Polynomial> before_of(const Accesses& accesses, int loop, const Polynomial& subscript, int iterations);

}  // namespace papilio::loops
