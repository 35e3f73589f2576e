#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/dependence/carried.h"

namespace papilio::loops {

struct Scan {
  int variable = -1;
  std::string op;
  bool is_segmented = false;  // some iterations start anew
};

// Whether the loop is a scan: all its dependences are of one accumulator, or of one array of which each element
// continues the one before, and nothing that is added knows of it; that is not looked at if `trusts`, a planted fault.
// The dependences of an accumulator need not be complete.
std::optional<Scan> find_scan(const Program& program, const Accesses& accesses, const Carrier& carrier,
                              const std::vector<Carried>& dependences, bool is_complete, bool trusts);

}  // namespace papilio::loops
