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

// The accesses of a loop. Flat arrays appear as the matrices that
// they are: a[i * n + k] as a[i][k] if 0 <= k < n is proven.
struct View {
  int root = -1;
  std::vector<const Access*> accesses;
  std::vector<std::vector<std::optional<Polynomial>>> subscripts;  // for each access
  std::set<Monomial> assumed;                                      // row lengths that must be positive for this
};

// `may_assume`: assume, if necessary, that rows have a positive length; otherwise such arrays stay flat.
View view_of(const Accesses& accesses, int root, Solver& solver, bool may_assume = false);

enum class Existence { none, maybe, exact };

// Between two accesses of a view (indices): the first happens in an earlier iteration of the root than the second.
struct Carried {
  std::size_t first = 0, second = 0;
  Existence existence = Existence::none;
};

class Carrier {
 public:
  Carrier(const Accesses& accesses, const View& view, Solver& solver)
      : accesses_(accesses), view_(view), solver_(solver) {}

  // `least`: the least difference of the root's variable.
  Existence exists(std::size_t first, std::size_t second, std::int64_t least = 1) const;

  // Whether both may touch the same element in the same iteration of the root.
  bool meet_within(std::size_t first, std::size_t second) const;

  // Whether one also exists between different iterations of another loop that is around both.
  bool moves_along(std::size_t first, std::size_t second, int inner) const;

  // The systems whose points are the dependences.
  std::vector<Query> queries(std::size_t first, std::size_t second, std::int64_t least,
                             const std::map<int, std::int64_t>* fixed = nullptr) const;

  const View& view() const { return view_; }

 private:
  const Accesses& accesses_;
  const View& view_;
  Solver& solver_;
};

}  // namespace papilio::loops
