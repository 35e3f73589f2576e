#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/query.h"
#include "loops/dependence/solver.h"

// What a test before a loop can name.

namespace papilio::loops {

// Values of parameters and global variables that never change, and of the variables of the loops around `root`.
std::vector<int> named_symbols(const Accesses& accesses, int root);

// Those of them that have a column in one of the queries.
std::vector<int> used_names(const Accesses& accesses, int root, const std::vector<Query>& queries);

std::vector<std::string> names_of(const Accesses& accesses, const std::vector<int>& symbols);

// The system with the columns of these symbols first, then those of `others`.
System with_first(Query& query, const std::vector<int>& symbols, const std::vector<int>& others = {});

// Constraints of a loop's iteration, for a side.
void add_iteration(const Loop& loop, int side, Query& query);

// A value, and when it occurs.
struct Occurrence {
  Polynomial value;
  const Domain* domain = nullptr;
};

// The least and largest of values that occur while the root runs, in C; empty: no bound that is known.
std::pair<std::string, std::string> range_of(const Accesses& accesses, int root,
                                             const std::vector<Occurrence>& occurrences, Solver& solver);

// Whether the polynomial can be written with such names alone.
bool is_named(const Accesses& accesses, int root, const Polynomial& p);

}  // namespace papilio::loops
