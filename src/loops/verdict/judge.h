#pragma once

#include <string>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"
#include "loops/program/program.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Planted faults, for the test that they are found.
enum class Fault { none, no_output, no_anti, no_conditions, off_by_one, ignore_opaque };

struct JudgeOptions {
  bool matrix = true;
  Fault fault = Fault::none;
};

// The report of every loop of a function, in the order of Accesses::loops.
std::vector<LoopReport> judge(const Program& program, const Function& function, Solver& solver,
                              const JudgeOptions& options);

}  // namespace papilio::loops
