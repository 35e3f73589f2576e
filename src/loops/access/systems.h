#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "loops/access/accesses.h"

namespace papilio::loops {

// A system of linear recurrences: each iteration computes new states as linear functions of all states.
// Such functions are composed by the product of matrices, which is associative. After H. S. Stone, An
// efficient parallel algorithm for the solution of a tridiagonal linear system of equations, JACM 20,
// 1973, and G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990, section 1.4.2.
struct LinearSystem {
  struct State {
    int variable = -1;
    int distance = 0;  // 0: a scalar, when an iteration begins; d: the element written d iterations before

    friend bool operator==(const State&, const State&) = default;
  };
  // A statement of the body that uses the states: it sets part of a function, or (is_of_state) one of their variables.
  struct Step {
    const Stmt* statement = nullptr;
    bool is_of_state = false;
  };

  std::vector<State> states;                           // those of one variable stand together, by distance
  std::vector<Step> steps;                             // in their order in the body
  std::vector<std::pair<const Access*, int>> reads;    // of elements: written how many iterations before
  std::vector<std::pair<const Access*, int>> certain;  // those of `reads` that every iteration makes, in `steps`
};

// The system that these variables form, if the loop carries no others. Nothing if they do not form one: if one of them
// is also written in another way, or if no state depends on another. `items`: the parts of the body to look at; null:
// all.
std::optional<LinearSystem> linear_system_of(const Program& program, const Accesses& accesses, int loop,
                                             const std::set<int>& variables, const std::set<int>* items = nullptr);

// What a subscript was `iterations` iterations of the loop before; nothing if it contains values that may have changed
// otherwise.
std::optional<Polynomial> before_of(const Accesses& accesses, int loop, const Polynomial& subscript, int iterations);

}  // namespace papilio::loops
