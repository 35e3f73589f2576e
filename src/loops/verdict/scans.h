#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/access/systems.h"
#include "loops/dependence/carried.h"
#include "loops/verdict/case.h"
#include "papilio/loops.h"

namespace papilio::loops {

struct Scan {
  int variable = -1;
  std::string op;
  bool is_segmented = false;  // some iterations restart
};

// Whether the loop is a scan: all its dependences are on one accumulator, or on one array in which each
// element continues the one before, and nothing that is added depends on it. The last is not checked
// if `trusts`, which is a planted fault. The dependences of an accumulator need not be complete.
std::optional<Scan> find_scan(const Program& program, const Accesses& accesses, const Carrier& carrier,
                              const std::vector<Carried>& dependences, bool is_complete, bool trusts);

// The system of linear recurrences to which all the dependences belong, in a part of the loop.
std::optional<LinearSystem> find_system(const Program& program, const Accesses& accesses, const View& view,
                                        const std::vector<Carried>& dependences, const Part& part);

// Why the loop is a scan, as a sentence.
std::string reason_of(const Program& program, const Scan& scan);
std::string reason_of(const Program& program, const LinearSystem& system);

// The statements that compute new values of a variable of a system.
std::vector<Position> statements_of(const LinearSystem& system, int variable);

}  // namespace papilio::loops
