#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/program/program.h"
#include "papilio/loops.h"

namespace papilio::loops {

// The accesses of a function, and where its loops stand in the report.
struct Judged {
  const Function* function;
  Accesses accesses;
  std::vector<int> reports;  // of each of the accesses' loops; -1: it is not a loop of the function's text
  std::vector<std::vector<Predicate>> overlaps = {};  // of each: pointers in it that must not lead to the same memory
};

// `transform` and `tile` as in Options.
Emission emit(std::string_view text, const Program& program, const std::vector<Judged>& functions, const Report& report,
              const Options& options);

}  // namespace papilio::loops
