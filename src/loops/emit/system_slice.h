#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loops/access/systems.h"
#include "loops/emit/candidate.h"

namespace papilio::loops {

// For a loop that is a system of linear recurrences: the parts of its body that the states need, and where they are.
struct SystemSlice {
  LinearSystem system;
  std::string type;                        // of the coefficients
  std::vector<std::string> names;          // of the states, in the written program
  std::map<int, int> reads;                // reads of elements of earlier iterations: first token, the state
  std::map<int, std::string> first_reads;  // for each state that is an element: the text of a read
  std::map<int, const TextPart*> writes;   // for each array: the statement that writes it, and the element's text
  std::map<int, std::string> written;      //
  std::set<std::string> needed;            // names in the slice
  std::string text;                        // computes the matrices' new rows, and composes
};

// Nothing, and `why`, if it cannot be separated from the rest.
std::optional<SystemSlice> system_slice_of(const Candidate& candidate, const std::vector<Clause>& clauses,
                                           std::string& why);

}  // namespace papilio::loops
