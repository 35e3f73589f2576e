#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// Of a loop that is a scan: what of its body the scanned variable needs, and where that stands.
struct Slice {
  std::string op, accumulator;
  std::string type;  // of a function's coefficients; empty: the scan is by an operator of C
  bool is_segmented = false, is_array = false;
  std::map<int, int> reads;      // of elements of iterations before: first token, the one after the last
  int statement = -1;            // of an array's element: the first token; the token that assigns
  int assigns = -1;              //
  std::set<std::string> needed;  // names in the slice
  std::string text;

  bool is_function() const { return !type.empty(); }
};

// Nothing, and `why`, where it cannot be separated from the rest.
std::optional<Slice> slice_of(const Candidate& candidate, const Clause& scan, const std::vector<Clause>& clauses,
                              std::string& why);

}  // namespace papilio::loops
