#pragma once

#include <optional>
#include <set>
#include <string>

#include "loops/source/tokens.h"
#include "papilio/loops.h"

namespace papilio::loops {

// What every thread of a parallel region runs, outside of the directives in the region.
struct RegionFacts {
  std::optional<Position> race;  // a write of a shared variable that every thread does
  std::string variable;
  std::string unknown;         // why a race cannot be excluded, with its line; empty: nothing shared is written
  bool has_directive = false;  // some statements have directives of their own
};

// `begin`: the first token after the region's directive. `privates`: variables of which every thread has its own.
RegionFacts read_region(const Source& source, int begin, const std::set<std::string, std::less<>>& privates);

}  // namespace papilio::loops
