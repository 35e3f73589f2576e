#pragma once

#include <string>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"
#include "loops/program/program.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Faults to plant in the analysis, for the test that they are found.
enum class Fault {
  none,
  no_output,         // output dependences are ignored
  no_anti,           // anti-dependences are ignored
  off_by_one,        // dependences of distance 1 are overlooked
  ignore_opaque,     // unknown subscripts are taken for different ones
  always_private,    // what an iteration writes is private, whatever it reads
  never_read_later,  // what is private is taken for dead after the loop
  any_update,        // every assignment is taken for a reduction's
  copy_all,          // reads may use a copy although their own iteration has written the elements
  no_calls,          // functions that are called are taken to write nothing
  no_inspection,     // index arrays are not tested
  bad_counter,       // a variable that grows is taken to grow by 1 in every iteration
  any_recurrence     // what a scan adds may depend on the variable
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
