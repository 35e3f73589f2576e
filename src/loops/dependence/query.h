#pragma once

#include <map>
#include <optional>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/dependence/solver.h"

// Systems of constraints that describe when two accesses touch the same element.

namespace papilio::loops {

// The order of the columns' keys. It finds a single symbol without making a copy.
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

// A system with a column per symbol: one for all instances if the symbol keeps
// its value while the loop in question runs, otherwise one for each side.
class Query {
 public:
  // `root`: the loop in question; -1: the whole function. `fixed`: values given to symbols that keep their value.
  Query(const Accesses& accesses, int root, const std::map<int, std::int64_t>* fixed = nullptr)
      : accesses_(&accesses), root_(root), fixed_(fixed) {}

  // Whether a symbol keeps its value while the root runs.
  bool is_shared(int symbol) const;

  // The column of a symbol for a side (0 or 1), which is made if necessary.
  int column(int symbol, int side);

  // The value as a row; nothing if it is not linear in what changes. Clears `is_exact` if facts are lost.
  std::optional<Row> row(const Polynomial& p, int side, bool is_equality);

  void add(Row row) { system_.rows.push_back(std::move(row)); }
  void add_domain(const Conjunction& conjunction, int side);

  // Adds that both sides touch the same element. Clears is_exact if a subscript is not known.
  void add_same_element(const std::vector<std::optional<Polynomial>>& a,
                        const std::vector<std::optional<Polynomial>>& b);

  // Adds least <= direction of step * (second - first) for a loop's variable.
  void add_later(int loop, std::int64_t least);
  void add_same_iteration(int loop);

  // Adds what is known of the unknown symbols that occur: at the accesses of the
  // sides and, if the first is in an earlier iteration of the root, between them.
  void add_facts(const Access& first, const Access& second);

  // Adds what types tell: unsigned values are not negative. Call it last.
  void add_types();

  const System& system() const { return system_; }
  System& system() { return system_; }
  bool is_exact() const { return is_exact_; }
  // Whether it has a column for a value that is not known.
  bool has_unknown() const;
  // The unknown symbols that have columns by now count as given values.
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
  Columns columns_;  // side 2: shared by both
  bool is_exact_ = true;
};

}  // namespace papilio::loops
