#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/program/program.h"

namespace papilio::loops {

// The bounds of values while a loop runs, in C, in terms of what the loop does not change.
class Bounds {
 public:
  Bounds(const Program& program, const Accesses& accesses, int loop)
      : program_(program), accesses_(accesses), loop_(loop) {}

  // Bounds of p: it is at most the largest of these values (`high`), or at least the smallest of them; nothing if none
  // are known.
  std::optional<std::vector<Polynomial>> ends(const Polynomial& p, bool high) const;

  // The value in C, in 64 bits; nothing if a name would not mean the same there.
  std::optional<std::string> text(const Polynomial& p) const;

  // A condition in C: the elements of the two variables that the loop touches share no memory.
  std::optional<std::string> no_overlap(const std::string& a, const std::string& b) const;

  // A condition in C: the value is in its range in all iterations.
  std::optional<std::string> in_range(const Obligation& obligation) const;

  bool is_inside(const Access& access) const;

  // Whether the name of the struct that contains the variable, or leads to it, means the same throughout the function.
  bool has_root(int variable) const;

 private:
  bool is_within(int loop) const;  // the loop or one in it
  std::optional<std::pair<Polynomial, Polynomial>> range_of(int loop) const;
  bool has_name(int symbol) const;
  bool is_start(int symbol) const;
  const Variable& variable(int v) const { return program_.variables[static_cast<std::size_t>(v)]; }
  std::optional<std::vector<std::string>> elements(const Access& access, bool is_whole, bool high) const;
  std::optional<std::vector<std::string>> addresses(const std::string& name, bool high) const;

  const Program& program_;
  const Accesses& accesses_;
  int loop_;
};

// A condition that isl has written, as C in which arithmetic does not wrap.
std::optional<std::string> widened(const std::string& condition);

}  // namespace papilio::loops
