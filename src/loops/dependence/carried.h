#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/query.h"
#include "loops/dependence/solver.h"
#include "loops/program/program.h"

namespace papilio::loops {

// The accesses of a loop, with flat arrays seen as the matrices that they are: a[i * n + k] as a[i][k] where
// 0 <= k < n is proven.
struct View {
  int root = -1;
  std::vector<const Access*> accesses;
  std::vector<std::vector<std::optional<Polynomial>>> subscripts;  // of each
  std::set<Monomial> assumed;                                      // lengths of rows that must be positive for this
};

// `may_assume`: rows may need to have a length that is positive; else such arrays stay flat.
View view_of(const Accesses& accesses, int root, Solver& solver, bool may_assume = false);

enum class Existence { none, maybe, exact };

// Between two accesses of a view (indices), the first in an earlier iteration of the root than the second.
struct Carried {
  std::size_t first = 0, second = 0;
  Existence existence = Existence::none;
};

class Carrier {
 public:
  Carrier(const Accesses& accesses, const View& view, Solver& solver)
      : accesses_(accesses), view_(view), solver_(solver) {}

  // `least`: by at least that much of the root's variable.
  Existence exists(std::size_t first, std::size_t second, std::int64_t least = 1) const;

  // Whether both may touch one element in one iteration of the root.
  bool meet_within(std::size_t first, std::size_t second) const;

  // Whether there is one between different iterations of another loop around both, too.
  bool moves_along(std::size_t first, std::size_t second, int inner) const;

  // Systems whose points are the dependences.
  std::vector<Query> queries(std::size_t first, std::size_t second, std::int64_t least,
                             const std::map<int, std::int64_t>* fixed = nullptr) const;

  const View& view() const { return view_; }

 private:
  const Accesses& accesses_;
  const View& view_;
  Solver& solver_;
};

}  // namespace papilio::loops
