#pragma once

#include <string>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"
#include "loops/program/program.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Planted faults, for the test that they are found.
enum class Fault {
  none,
  no_output,         // output dependences are left out
  no_anti,           // anti-dependences
  off_by_one,        // distance 1 is overlooked
  ignore_opaque,     // unknown subscripts are taken for distinct
  always_private,    // what an iteration writes is private, whatever it reads
  never_read_later,  // what is private may be needed later
  any_update,        // every assignment is a reduction's
  copy_all,          // reads may go to a copy though their iteration has written them
  no_calls,          // functions that are called write nothing
  no_inspection,     // index arrays need no test
  bad_counter,       // a variable that grows has grown by 1 in every iteration
  any_recurrence     // what a scan adds may know of the variable
};
inline constexpr int faults = 13;

struct JudgeOptions {
  bool matrix = true;
  Fault fault = Fault::none;
};

// The report of every loop of a function, in the order of Accesses::loops.
std::vector<LoopReport> judge(const Program& program, const Function& function, const Accesses& accesses,
                              Solver& solver, const JudgeOptions& options);

}  // namespace papilio::loops
