#pragma once

#include <isl/ctx.h>
#include <isl/point.h>
#include <isl/set.h>

#include <memory>
#include <string>
#include <vector>

#include "loops/dependence/solver.h"

// Systems of constraints in isl's form.

namespace papilio::loops {

struct Free {
  void operator()(isl_set* s) const { isl_set_free(s); }
  void operator()(isl_point* p) const { isl_point_free(p); }
};
using Set = std::unique_ptr<isl_set, Free>;

// The system, or a list of them, as bytes; no key is the beginning of another.
std::string key_of(const System& system);
std::string key_of(const std::vector<System>& systems);

// Null if a row alone is impossible.
isl_basic_set* basic_set_of(isl_ctx* context, const System& system);

// The union of the systems, projected on their first `kept` columns; null on an error.
isl_set* union_of(isl_ctx* context, const std::vector<System>& systems, int kept);

}  // namespace papilio::loops
