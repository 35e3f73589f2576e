#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loops/access/polynomial.h"
#include "loops/program/program.h"

// What a function reads and writes: each access with the loops around it, when it happens, and where.

namespace papilio::loops {

// A value that does not change while one iteration of `defined_in` runs.
struct Symbol {
  enum class Kind {
    entry,     // of a variable when the function starts
    iterator,  // of a loop
    count,     // number of iterations before this one, of a loop with a step other than 1 and -1
    unknown    // anything
  };

  Kind kind = Kind::unknown;
  std::string name;
  int variable = -1;
  int defined_in = -1;      // the innermost loop around its definition; -1: none
  bool has_name = false;    // it is the value that the name has throughout the function
  bool is_natural = false;  // never negative
  int bits = 64;
  int array = -1;        // it is an element of an array that the function never writes
  Polynomial subscript;  // which one
};

struct Constraint {
  Polynomial value;
  bool is_equality = false;  // value == 0; else value >= 0
};
using Conjunction = std::vector<Constraint>;

// When something happens: one of the conjunctions holds. Where that is not known exactly, it happens less often.
struct Domain {
  std::vector<Conjunction> any_of = {{}};
  bool is_exact = true;
};

struct Access {
  int variable = -1;
  bool is_write = false;
  std::vector<std::optional<Polynomial>> subscripts;  // nothing: any element
  Place place;
  std::vector<int> loops;  // outermost first
  std::vector<int> items;  // which part of the body of each
  std::shared_ptr<const Domain> domain;
  int order = 0;           // within one iteration of all loops around it
  std::string update;      // the operator, if this is the read or the write of x op= e, where e knows nothing of x
  std::string recurrence;  // likewise of a[i] = a[i - 1] op e; linear, fractional: see recurrences.cpp
  int recurs = -1;         // the variable of whose recurrence this is part, if it is of any
  int statement = 0;
  std::vector<int> controls;      // statements whose conditions decide whether it happens
  int conditions = 0;             // how many branches, && || ?: and continue decide, from the function's start on
  bool is_header = false;         // read by the condition of loops.back()
  bool is_inlined = false;        // of a function that is called
  std::vector<Constraint> facts;  // that hold whenever it happens, about unknown symbols
};

// A value that must lie in [low, high], and be a multiple of `divisor`, for the arithmetic of the program to be that of
// the integers.
struct Obligation {
  Polynomial value;
  std::int64_t divisor = 1;
  std::optional<std::int64_t> low, high;
  std::string text;
  std::vector<int> loops;
  std::shared_ptr<const Domain> domain;
};

struct Induction {
  Polynomial first;  // before the loop
  std::int64_t step = 0;
  Polynomial at_start;  // of an iteration
};

// A variable that never falls (sign 1) or never rises (-1) from iteration to iteration: a conditional induction
// variable.
struct Counter {
  Polynomial first, last;  // when an iteration begins and ends
  int sign = 1;
};

struct Item {
  Place place;
  std::vector<int> loops;  // that are directly in it
};

struct Loop {
  int parent = -1;
  int depth = 0;
  int variable = -1;
  bool declares = false;
  int conditions = 0;  // as of an access
  bool steps_first = false;
  bool steps_in_test = false;
  bool runs_once = false;
  std::vector<Place> own;  // as of Stmt
  int symbol = -1;
  int counted = -1;              // the symbol of the number of iterations before, where that is not made of `symbol`
  std::vector<Conjunction> ran;  // one of these holds where there is an iteration
  std::int64_t step = 1;
  const Stmt* text = nullptr;  // of the program; null: not counted
  Place place;
  std::string name;
  std::string fault;  // why nothing can be said
  Place fault_place;
  std::set<int> exposed;                // scalars that an iteration may read before it has written them
  std::set<int> always_assigned;        // scalars that every iteration writes
  std::map<int, Induction> inductions;  // variables with a closed form
  std::map<int, Counter> counters;
  std::vector<Item> items;
  bool is_inlined = false;  // of a function that is called: no loop of this function's text
  bool may_leave = false;   // an iteration may end before its last statement
  std::set<int> leaves;     // statements whose conditions decide whether it does
  Polynomial lower;
  std::optional<Polynomial> start = {};  // of its variable, where the loop's text begins and sets nothing
  std::vector<Polynomial> room;          // what the condition says is not negative
};

struct Accesses {
  std::vector<Symbol> symbols;
  std::vector<Loop> loops;
  std::vector<Access> list;
  std::vector<Obligation> obligations;
  std::vector<Constraint> facts;  // about unknown symbols, in every iteration of the loops that define them
  std::map<int, std::vector<int>> declared_in;  // of variables that a block declares: the loops around it
  std::string fault;
};

// Of one function. Assumes that different variables are different memory; see overlap.h for what that rests on.
Accesses find_accesses(const Program& program, const Function& function);

// The polynomial in C, as people write it.
std::string text_of(const Polynomial& p, const std::vector<Symbol>& symbols);

}  // namespace papilio::loops
