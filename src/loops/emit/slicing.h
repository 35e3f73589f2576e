#pragma once

#include <optional>
#include <set>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// What slices for all kinds of scans have in common.
class Slicing {
 protected:
  Slicing(const Candidate& candidate, std::string& why) : c_(candidate), why_(why) {}

  // Only the first reason why there is no slice is reported.
  std::nullopt_t fail(const std::string& why) const {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  bool refuse(const std::string& why) const {
    fail(why);
    return false;
  }

  const Variable& variable(int v) const { return c_.program.variables[static_cast<std::size_t>(v)]; }

  // The token with which a statement assigns; -1 if there is none or more than one.
  int assignment(const TextPart& part) const;

  // Adds the names in tokens [first, last); those of members with and without the member; "s.*" is all of s.
  void need(int first, int last, std::set<std::string>& names) const;

  // Whether the variable is, or may be, among what the slice needs in all.
  bool is_needed(int variable, const std::set<std::string>& needed) const;

  // Whether the loop declares a variable of that name, other than its own; whether it declares or writes one.
  bool is_declared(const std::string& name) const;
  bool is_changed(const std::string& name) const;

  // Whether it is not an array, and each iteration or thread has its own.
  bool is_own(int variable) const;

  // Puts what the slice takes from other pieces of the loop in front of it.
  bool take_shared(const std::set<std::string>& needed, std::string& text) const;

  const Candidate& c_;
  std::string& why_;
  std::set<std::string> privates_;  // variables of which each thread has its own
};

}  // namespace papilio::loops
