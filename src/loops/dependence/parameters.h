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

// The values of parameters and global variables that never change, and the variables of the loops around `root`.
std::vector<int> named_symbols(const Accesses& accesses, int root);

// Those of them that have a column in one of the queries.
std::vector<int> used_names(const Accesses& accesses, int root, const std::vector<Query>& queries);

std::vector<std::string> names_of(const Accesses& accesses, const std::vector<int>& symbols);

// The system with its columns in this order: those of these symbols, those of `others`, the rest.
System with_first(Query& query, const std::vector<int>& symbols, const std::vector<int>& others = {});

// Adds the constraints of a loop's iteration for one side.
void add_iteration(const Loop& loop, int side, Query& query);

// A value, and when it occurs.
struct Occurrence {
  Polynomial value;
  const Domain* domain = nullptr;
};

// The least and the largest of the values that occur while the root runs, in C; empty: no bound is known.
std::pair<std::string, std::string> range_of(const Accesses& accesses, int root,
                                             const std::vector<Occurrence>& occurrences, Solver& solver);

// Whether the polynomial can be written with such names only.
bool is_named(const Accesses& accesses, int root, const Polynomial& p);

}  // namespace papilio::loops
