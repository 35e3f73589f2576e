#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// For a loop that is a scan: the parts of its body that the scanned variable needs, and where they are.
struct Slice {
  std::string op, accumulator;
  std::string type;  // of a function's coefficients; empty: the scan uses an operator of C
  bool is_segmented = false, is_array = false;
  std::map<int, int> reads;      // reads of elements of earlier iterations: first token, and the one after the last
  int statement = -1;            // where an array's element is written: the first token; the assigning token
  int assigns = -1;              //
  std::set<std::string> needed;  // names in the slice
  std::string text;

  bool is_function() const { return !type.empty(); }
};

// Nothing, and `why`, if it cannot be separated from the rest.
std::optional<Slice> slice_of(const Candidate& candidate, const Clause& scan, const std::vector<Clause>& clauses,
                              std::string& why);

}  // namespace papilio::loops
