#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/program/program.h"
#include "papilio/loops.h"

namespace papilio::loops {

// The accesses of a function, and where its loops are in the report.
struct Judged {
  const Function* function;
  Accesses accesses;
  std::vector<int> reports;  // for each loop of the accesses; -1: not a loop of the function's text
  std::vector<std::vector<Predicate>> overlaps = {};  // for each loop: pointers that must not overlap
};

// `transform` and `tile` are as in Options.
Emission emit(std::string_view text, const Program& program, const std::vector<Judged>& functions, const Report& report,
              const Options& options);

}  // namespace papilio::loops
