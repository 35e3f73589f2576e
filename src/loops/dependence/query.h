#pragma once

#include <map>
#include <optional>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"

// Systems of constraints that say when two accesses touch the same element.

namespace papilio::loops {

// The order of columns' keys, in which a symbol alone is found without a copy.
struct ColumnOrder {
  using is_transparent = void;
  using Key = std::pair<Monomial, int>;
  using Single = std::pair<int, int>;
  bool operator()(const Key& a, const Key& b) const { return a < b; }
  bool operator()(const Key& a, const Single& b) const { return compare(a, b) < 0; }
  bool operator()(const Single& a, const Key& b) const { return compare(b, a) > 0; }

 private:
  static int compare(const Key& a, const Single& b) {
    if (a.first.empty()) return -1;
    if (a.first[0] != b.first) return a.first[0] < b.first ? -1 : 1;
    if (a.first.size() > 1) return 1;
    return a.second < b.second ? -1 : a.second > b.second ? 1 : 0;
  }
};
using Columns = std::map<std::pair<Monomial, int>, int, ColumnOrder>;

// Column per symbol: one for all instances if the symbol keeps its value while the loop in question runs, else one for
// each side.
class Query {
 public:
  // `root`: the loop in question; -1: the whole function. `fixed`: values given to symbols that keep theirs.
  Query(const Accesses& accesses, int root, const std::map<int, std::int64_t>* fixed = nullptr)
      : accesses_(&accesses), root_(root), fixed_(fixed) {}

  // Whether a symbol keeps its value while the root runs.
  bool is_shared(int symbol) const;

  // The column of a symbol for a side (0 or 1), made if need be.
  int column(int symbol, int side);

  // The value as a row; nothing if it is not linear in what changes. `is_exact` is cleared where facts are lost.
  std::optional<Row> row(const Polynomial& p, int side, bool is_equality);

  void add(Row row) { system_.rows.push_back(std::move(row)); }
  void add_domain(const Conjunction& conjunction, int side);

  // Adds that both sides touch the same element; clears is_exact where a subscript is not known.
  void add_same_element(const std::vector<std::optional<Polynomial>>& a,
                        const std::vector<std::optional<Polynomial>>& b);

  // Adds least <= step direction of (second - first) of a loop's variable.
  void add_later(int loop, std::int64_t least);
  void add_same_iteration(int loop);

  // Adds what is known of the unknown symbols that occur, at the accesses of the sides, and between them if the first
  // is in an earlier iteration of the root.
  void add_facts(const Access& first, const Access& second);

  // Adds what types say: unsigned values are not negative. Call last.
  void add_types();

  const System& system() const { return system_; }
  System& system() { return system_; }
  bool is_exact() const { return is_exact_; }
  // Whether it has a column of a value that is not known.
  bool has_unknown() const;
  // The unknown symbols that have columns by now are given values.
  void give_values() { is_exact_ = true; }
  const Columns& columns() const { return columns_; }

 private:
  bool touches(const Polynomial& p, int side) const;
  bool add_fact(const Constraint& fact, int side);
  bool reduce(Monomial& m, std::int64_t& coefficient) const;

  const Accesses* accesses_;
  int root_;
  const std::map<int, std::int64_t>* fixed_;
  System system_;
  Columns columns_;  // side 2: shared
  bool is_exact_ = true;
};

}  // namespace papilio::loops
