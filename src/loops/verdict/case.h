#pragma once

#include <set>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"
#include "loops/program/program.h"
#include "loops/verdict/judge.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Some statements of a loop's body: they are judged like a loop that has only these.
struct Part {
  int loop = -1;  // the loop with that body; -1: everything
  std::set<int> items;
  std::set<int> expanded;  // variables that become arrays with one element for each iteration
};

// The verdict on a loop, with its reason, clauses, conditions and witness.
void decide(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options,
            const Part& part, LoopReport& report);

}  // namespace papilio::loops
