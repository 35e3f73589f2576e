#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loops/access/polynomial.h"
#include "loops/program/program.h"

// What a function reads and writes: each access with the loops around it, when it happens, and at which element.

namespace papilio::loops {

// A value that does not change while one iteration of `defined_in` runs.
struct Symbol {
  enum class Kind {
    entry,     // the value of a variable when the function starts
    iterator,  // the variable of a loop
    count,     // the number of iterations before this one, for a loop with a step other than 1 and -1
    unknown    // anything
  };

  Kind kind = Kind::unknown;
  std::string name;
  int variable = -1;
  int defined_in = -1;      // the innermost loop around its definition; -1: none
  bool has_name = false;    // it is the value of this name throughout the function
  bool is_natural = false;  // never negative
  int bits = 64;
  int array = -1;        // the value is an element of an array that the function never writes
  Polynomial subscript;  // which element
};

struct Constraint {
  Polynomial value;
  bool is_equality = false;  // value == 0; else value >= 0
};
using Conjunction = std::vector<Constraint>;

// When something happens: whenever a conjunction holds or, if that is not exact, in some of these cases and no others.
struct Domain {
  std::vector<Conjunction> any_of = {{}};
  bool is_exact = true;
};

struct Access {
  int variable = -1;
  bool is_write = false;
  std::vector<std::optional<Polynomial>> subscripts;  // an empty one: any element
  Place place;
  std::vector<int> loops;  // outermost first
  std::vector<int> items;  // for each of these loops, which part of its body
  std::shared_ptr<const Domain> domain;
  int order = 0;           // its place in the order within one iteration of all loops around it
  std::string update;      // the operator, if this is the read or the write of x op= e, where e does not depend on x
  std::string recurrence;  // likewise of a[i] = a[i - 1] op e; linear, fractional: see recurrences.cpp
  int recurs = -1;         // the variable to whose recurrence it belongs; -1: none
  int statement = 0;
  std::vector<int> controls;      // statements whose conditions decide whether it happens
  int conditions = 0;             // how many branches, && || ?: and continue decide it, from the function's start on
  bool is_header = false;         // read by the condition of loops.back()
  bool is_inlined = false;        // from a function that is called
  std::vector<Constraint> facts;  // about unknown symbols; they hold whenever it happens
};

// A value that must lie in [low, high] and be a multiple of `divisor`,
// so that the program's arithmetic is that of the integers.
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

// A variable that never falls (sign 1) or never rises (sign -1)
// from one iteration to the next: a conditional induction variable.
struct Counter {
  Polynomial first, last;  // its values when an iteration begins and when it ends
  int sign = 1;
};

struct Item {
  Place place;
  std::vector<int> loops;  // directly in it
};

struct Loop {
  int parent = -1;
  int depth = 0;
  int variable = -1;
  bool declares = false;
  int conditions = 0;  // as in Access
  bool steps_first = false;
  bool steps_in_test = false;
  bool runs_once = false;
  std::vector<Place> own;  // as in Stmt
  int symbol = -1;
  int counted = -1;              // the symbol of the number of iterations before, unless `symbol` gives that
  std::vector<Conjunction> ran;  // in every iteration one of these holds
  std::int64_t step = 1;
  const Stmt* text = nullptr;  // the loop in the program; null: not a counted loop
  Place place;
  std::string name;
  std::string fault;  // why nothing can be said about the loop
  Place fault_place;
  std::set<int> exposed;                // scalars that an iteration may read before it has written them
  std::set<int> always_assigned;        // scalars that every iteration writes
  std::map<int, Induction> inductions;  // variables with a closed form
  std::map<int, Counter> counters;
  std::vector<Item> items;
  bool is_inlined = false;  // from a function that is called: not a loop of this function's text
  bool may_leave = false;   // an iteration may end before its last statement
  std::set<int> leaves;     // statements whose conditions decide whether an iteration does
  Polynomial lower;
  std::optional<Polynomial> start = {};  // its variable's first value, if the loop's text does not set one
  std::vector<Polynomial> room;          // values that the condition keeps from being negative
};

struct Accesses {
  std::vector<Symbol> symbols;
  std::vector<Loop> loops;
  std::vector<Access> list;
  std::vector<Obligation> obligations;
  std::vector<Constraint> facts;  // about unknown symbols, in every iteration of the loops that define them
  std::map<int, std::vector<int>> declared_in;  // for variables that a block declares: the loops around the block
  std::string fault;
};

// The accesses of a function. Different variables count as different memory; add_overlaps (verdict) adds conditions.
Accesses find_accesses(const Program& program, const Function& function);

// The polynomial in C, as a person would write it.
std::string text_of(const Polynomial& p, const std::vector<Symbol>& symbols);

}  // namespace papilio::loops
