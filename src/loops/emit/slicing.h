#pragma once

#include <optional>
#include <set>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// What the slices of all kinds of scans have in common.
class Slicing {
 protected:
  Slicing(const Candidate& candidate, std::string& why) : c_(candidate), why_(why) {}

  // The first reason why there is no slice is the one that is told.
  std::nullopt_t fail(const std::string& why) const {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  bool refuse(const std::string& why) const {
    fail(why);
    return false;
  }

  const Variable& variable(int v) const { return c_.program.variables[static_cast<std::size_t>(v)]; }

  // The token by which a statement assigns; -1 if there is none, or more than one.
  int assignment(const TextPart& part) const;

  // Adds the names in tokens [first, last), of members with and without them; "s.*": all of s.
  void need(int first, int last, std::set<std::string>& names) const;

  // Whether what the slice needs, all together, is or may be the variable.
  bool is_needed(int variable, const std::set<std::string>& needed) const;

  // Whether the loop declares a variable of that name, but for its own; whether it declares or writes one.
  bool is_declared(const std::string& name) const;
  bool is_changed(const std::string& name) const;

  // Whether it is not an array, and each iteration or thread has one for itself.
  bool is_own(int variable) const;

  // Puts what the slice takes of other pieces of the loop before it.
  bool take_shared(const std::set<std::string>& needed, std::string& text) const;

  const Candidate& c_;
  std::string& why_;
  std::set<std::string> privates_;  // variables of which each thread has its own
};

}  // namespace papilio::loops
