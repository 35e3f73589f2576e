#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/dependence/solver.h"

namespace papilio::loops {

// Whether every row of the system holds at the point.
bool contains(const System& system, const std::vector<std::int64_t>& point);

// A point of the system, near `start` if that is not null; to find none means nothing. Takes
// microseconds, where isl takes a hundred: equalities determine columns. If an inequality is
// violated, one column moves until it holds: the one that leaves the least violation elsewhere.
std::optional<std::vector<std::int64_t>> search_point(const System& system, const std::vector<std::int64_t>* start);

}  // namespace papilio::loops
