#include "loops/dependence/carried.h"

#include <algorithm>
#include <set>

namespace papilio::loops {
namespace {

using Subscript = std::optional<Polynomial>;

// For each product that changes, its factor that does not change: {n} for i * n + k.
std::set<Monomial> strides(const Query& query, const Polynomial& p) {
  std::set<Monomial> found;
  for (const auto& [monomial, c] : p.terms()) {
    if (monomial.size() < 2) continue;
    Monomial factor;
    for (const int s : monomial) {
      if (query.is_shared(s)) factor.push_back(s);
    }
    if (factor.size() < monomial.size()) found.insert(factor);
  }
  return found;
}

bool divides(const Monomial& a, const Monomial& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

Monomial quotient(const Monomial& b, const Monomial& a) {
  Monomial rest;
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(rest));
  return rest;
}

// p = high * by + low.
void split(const Polynomial& p, const Monomial& by, Polynomial& high, Polynomial& low) {
  for (const auto& [monomial, c] : p.terms()) {
    if (divides(by, monomial)) {
      high.set(quotient(monomial, by), c);
    } else {
      low.set(monomial, c);
    }
  }
}

// Whether 0 <= p < length whenever the access happens.
bool is_within(const Accesses& accesses, int root, const Access& access, const Polynomial& p, const Monomial& length,
               bool assumes, Solver& solver) {
  for (const Conjunction& conjunction : access.domain->any_of) {
    for (const bool above : {false, true}) {
      Query query(accesses, root);
      query.add_domain(conjunction, 0);
      auto row = query.row(p, 0, false);
      Polynomial end;
      end.set(length, 1);
      const auto last = query.row(end, 0, false);
      if (!row || !last) return false;
      if (above) {  // p - length >= 0
        for (const auto& [c, coefficient] : last->terms) row->terms.emplace_back(c, -coefficient);
        row->constant -= last->constant;
      } else {  // -p - 1 >= 0
        for (auto& [c, coefficient] : row->terms) coefficient = -coefficient;
        row->constant = -row->constant - 1;
      }
      query.add(std::move(*row));
      if (assumes) {
        Row positive = *query.row(end, 0, false);
        positive.constant -= 1;
        query.add(std::move(positive));
      }
      query.add_types();
      if (solver.has_points(query.system()) != Answer::no) return false;
    }
  }
  return true;
}

// Splits the one subscript of an access into several; nothing if a bound is not proven.
std::optional<std::vector<Subscript>> reshaped(const Accesses& accesses, int root, const Access& access,
                                               const std::vector<Monomial>& lengths, bool assumes, Solver& solver) {
  std::vector<Subscript> found;
  Polynomial rest = *access.subscripts[0];
  for (const Monomial& length : lengths) {  // innermost first
    Polynomial high, low;
    split(rest, length, high, low);
    if (!is_within(accesses, root, access, low, length, assumes, solver)) {
      // i * n + n - 1 - k is in row i, not in row i + 1.
      Polynomial whole;
      whole.set(length, 1);
      const auto moved = Polynomial::sum(low, whole);
      const auto less = Polynomial::sum(high, Polynomial::constant(-1));
      if (!moved || !less || !is_within(accesses, root, access, *moved, length, assumes, solver)) return std::nullopt;
      low = *moved;
      high = *less;
    }
    found.push_back(low);
    rest = high;
  }
  found.push_back(rest);
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace

View view_of(const Accesses& accesses, int root, Solver& solver, bool may_assume) {
  View view;
  view.root = root;
  std::map<int, std::vector<std::size_t>> of_variable;
  for (const Access& access : accesses.list) {
    const bool inside = std::find(access.loops.begin(), access.loops.end(), root) != access.loops.end();
    if (!inside) continue;
    of_variable[access.variable].push_back(view.accesses.size());
    view.accesses.push_back(&access);
    view.subscripts.push_back(access.subscripts);
  }
  const Query query(accesses, root);
  for (const auto& [variable, members] : of_variable) {
    const auto& these = members;  // a lambda may not capture the binding itself
    std::set<Monomial> all;
    bool can = true;
    for (const std::size_t m : members) {
      can = can && view.subscripts[m].size() == 1;
      if (!can) break;
      if (view.subscripts[m][0]) all.merge(strides(query, *view.subscripts[m][0]));
    }
    if (!can || all.empty()) continue;
    std::vector<Monomial> chain(all.begin(), all.end());
    std::sort(chain.begin(), chain.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::vector<Monomial> lengths = {chain[0]};
    for (std::size_t i = 1; i < chain.size(); ++i) {
      can = can && divides(chain[i - 1], chain[i]);
      if (can) lengths.push_back(quotient(chain[i], chain[i - 1]));
    }
    std::map<std::size_t, std::vector<Subscript>> made;
    const auto reshape = [&](bool assumes) {
      return std::all_of(these.begin(), these.end(), [&](std::size_t m) {
        if (!view.subscripts[m][0]) return true;
        const auto shape = reshaped(accesses, root, *view.accesses[m], lengths, assumes, solver);
        if (shape) made[m] = *shape;
        return shape.has_value();
      });
    };
    if (!can) continue;
    if (!reshape(false)) {
      if (!may_assume || !reshape(true)) continue;
      view.assumed.insert(lengths.begin(), lengths.end());
    }
    for (const std::size_t m : members) {
      view.subscripts[m] = made.contains(m) ? made[m] : std::vector<Subscript>(lengths.size() + 1);
    }
  }
  return view;
}

std::vector<Query> Carrier::queries(std::size_t first, std::size_t second, std::int64_t least,
                                    const std::map<int, std::int64_t>* fixed) const {
  const Access &a = *view_.accesses[first], &b = *view_.accesses[second];
  std::vector<Query> made;
  for (const Conjunction& one : a.domain->any_of) {
    for (const Conjunction& other : b.domain->any_of) {
      Query query(accesses_, view_.root, fixed);
      query.add_later(view_.root, least);
      query.add_domain(one, 0);
      query.add_domain(other, 1);
      if (fixed == nullptr) {
        query.add_same_element(view_.subscripts[first], view_.subscripts[second]);
      } else {
        query.add_same_element(a.subscripts, b.subscripts);
      }
      query.add_facts(a, b);
      query.add_types();
      made.push_back(std::move(query));
    }
  }
  return made;
}

Existence Carrier::exists(std::size_t first, std::size_t second, std::int64_t least) const {
  if (solver_.is_spent()) return Existence::maybe;
  const Access &a = *view_.accesses[first], &b = *view_.accesses[second];
  Existence found = Existence::none;
  for (const Query& query : queries(first, second, least)) {
    const Answer answer = solver_.has_points(query.system());
    if (answer == Answer::no) continue;
    const bool exact = answer == Answer::yes && query.is_exact() && a.domain->is_exact && b.domain->is_exact;
    if (exact) return Existence::exact;
    found = Existence::maybe;
  }
  return found;
}

bool Carrier::meet_within(std::size_t first, std::size_t second) const {
  if (solver_.is_spent()) return true;
  const Access &a = *view_.accesses[first], &b = *view_.accesses[second];
  for (const Conjunction& one : a.domain->any_of) {
    for (const Conjunction& other : b.domain->any_of) {
      Query query(accesses_, view_.root);
      query.add_same_iteration(view_.root);
      query.add_domain(one, 0);
      query.add_domain(other, 1);
      query.add_same_element(view_.subscripts[first], view_.subscripts[second]);
      query.add_types();
      if (solver_.has_points(query.system()) != Answer::no) return true;
    }
  }
  return false;
}

bool Carrier::moves_along(std::size_t first, std::size_t second, int inner) const {
  if (solver_.is_spent()) return true;
  const int symbol = accesses_.loops[static_cast<std::size_t>(inner)].symbol;
  for (const Query& query : queries(first, second, 1)) {
    for (const std::int64_t sign : {1, -1}) {
      Query apart = query;
      apart.add({{{apart.column(symbol, 1), sign}, {apart.column(symbol, 0), -sign}}, -1, false});
      if (solver_.has_points(apart.system()) != Answer::no) return true;
    }
  }
  return false;
}

}  // namespace papilio::loops
