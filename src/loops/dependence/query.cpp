#include "loops/dependence/query.h"

#include <algorithm>
#include <set>

namespace papilio::loops {

bool Query::is_shared(int symbol) const {
  if (root_ < 0) return accesses_->symbols[static_cast<std::size_t>(symbol)].defined_in < 0;
  for (int at = accesses_->symbols[static_cast<std::size_t>(symbol)].defined_in; at >= 0;
       at = accesses_->loops[static_cast<std::size_t>(at)].parent) {
    if (at == root_) return false;
  }
  return true;
}

int Query::column(int symbol, int side) {
  const std::pair key(symbol, is_shared(symbol) ? 2 : side);
  const auto place = columns_.lower_bound(key);
  if (place != columns_.end() && !ColumnOrder()(key, place->first)) return place->second;
  columns_.emplace_hint(place, std::pair(Monomial{symbol}, key.second), system_.columns);
  if (accesses_->symbols[static_cast<std::size_t>(symbol)].kind == Symbol::Kind::unknown) is_exact_ = false;
  return system_.columns++;
}

// Replaces the symbols in a product that have given values by these; false if that overflows.
bool Query::reduce(Monomial& m, std::int64_t& coefficient) const {
  bool fits = true;
  std::erase_if(m, [&](int s) {
    const auto found = fixed_->find(s);
    if (found == fixed_->end() || !is_shared(s)) return false;
    fits = fits && !__builtin_mul_overflow(coefficient, found->second, &coefficient);
    return true;
  });
  return fits;
}

std::optional<Row> Query::row(const Polynomial& p, int side, bool is_equality) {
  Row row;
  row.is_equality = is_equality;
  row.terms.reserve(p.terms().size() * 2);  // the terms of another row are often added
  Monomial reduced;
  for (const auto& [monomial, c] : p.terms()) {
    std::int64_t coefficient = c;
    if (fixed_ != nullptr) {
      reduced = monomial;
      if (!reduce(reduced, coefficient)) return std::nullopt;
    }
    const Monomial& m = fixed_ == nullptr ? monomial : reduced;
    if (m.empty()) {
      row.constant += coefficient;
    } else if (m.size() == 1) {
      row.terms.emplace_back(column(m[0], side), coefficient);
    } else {
      // A product of values that do not change is treated as one such value.
      if (!std::all_of(m.begin(), m.end(), [&](int s) { return is_shared(s); })) return std::nullopt;
      is_exact_ = false;
      const auto [place, is_new] = columns_.try_emplace({m, 2}, system_.columns);
      if (is_new) ++system_.columns;
      row.terms.emplace_back(place->second, coefficient);
    }
  }
  return row;
}

void Query::add_domain(const Conjunction& conjunction, int side) {
  for (const Constraint& constraint : conjunction) {
    if (auto made = row(constraint.value, side, constraint.is_equality)) {
      add(std::move(*made));
    } else {
      is_exact_ = false;
    }
  }
}

void Query::add_same_element(const std::vector<std::optional<Polynomial>>& a,
                             const std::vector<std::optional<Polynomial>>& b) {
  if (a.size() != b.size()) {
    is_exact_ = false;
    return;
  }
  for (std::size_t d = 0; d < a.size(); ++d) {
    auto left = a[d] && b[d] ? row(*a[d], 0, true) : std::nullopt;
    const auto right = left ? row(*b[d], 1, true) : std::nullopt;
    if (!right) {
      is_exact_ = false;
      continue;
    }
    for (const auto& [c, coefficient] : right->terms) left->terms.emplace_back(c, -coefficient);
    left->constant -= right->constant;
    add(std::move(*left));
  }
}

void Query::add_later(int loop, std::int64_t least) {
  const Loop& l = accesses_->loops[static_cast<std::size_t>(loop)];
  const std::int64_t sign = l.step < 0 ? -1 : 1;
  add({{{column(l.symbol, 1), sign}, {column(l.symbol, 0), -sign}}, -least, false});
}

void Query::add_same_iteration(int loop) {
  const Loop& l = accesses_->loops[static_cast<std::size_t>(loop)];
  add({{{column(l.symbol, 1), 1}, {column(l.symbol, 0), -1}}, 0, true});
}

// Whether an unknown symbol in the polynomial has a column.
bool Query::touches(const Polynomial& p, int side) const {
  for (const auto& [monomial, c] : p.terms()) {
    for (const int s : monomial) {
      if (accesses_->symbols[static_cast<std::size_t>(s)].kind == Symbol::Kind::unknown &&
          columns_.contains(std::pair(s, is_shared(s) ? 2 : side)))
        return true;
    }
  }
  return false;
}

bool Query::has_unknown() const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const auto& place) {
    const Monomial& m = place.first.first;
    return std::any_of(m.begin(), m.end(), [&](int s) {
      return accesses_->symbols[static_cast<std::size_t>(s)].kind == Symbol::Kind::unknown;
    });
  });
}

bool Query::add_fact(const Constraint& fact, int side) {
  if (!touches(fact.value, side)) return false;
  const bool was_exact = is_exact_;
  if (auto made = row(fact.value, side, fact.is_equality)) add(std::move(*made));
  is_exact_ = was_exact && is_exact_;
  return true;
}

void Query::add_facts(const Access& first, const Access& second) {
  if (accesses_->facts.empty()) return;
  std::set<std::pair<const Constraint*, int>> done;
  for (bool grows = true; grows;) {
    grows = false;
    for (const int side : {0, 1}) {
      const auto look = [&](const Constraint& fact) {
        if (!done.contains({&fact, side}) && add_fact(fact, side)) done.insert({&fact, side}), grows = true;
      };
      for (const Constraint& fact : accesses_->facts) look(fact);
      for (const Constraint& fact : (side == 0 ? first : second).facts) look(fact);
    }
    if (root_ < 0) continue;
    for (const auto& [v, counter] : accesses_->loops[static_cast<std::size_t>(root_)].counters) {
      if (done.contains({nullptr, v}) || !(touches(counter.last, 0) || touches(counter.first, 1))) continue;
      done.insert({nullptr, v});
      grows = true;
      auto later = row(counter.first, 1, false);
      const auto earlier = row(counter.last, 0, false);
      if (!later || !earlier) continue;
      for (const auto& [c, coefficient] : earlier->terms) later->terms.emplace_back(c, -coefficient);
      later->constant -= earlier->constant;
      if (counter.sign < 0) {
        for (auto& [c, coefficient] : later->terms) coefficient = -coefficient;
        later->constant = -later->constant;
      }
      add(std::move(*later));
    }
  }
}

void Query::add_types() {
  for (const auto& [key, c] : columns_) {
    const bool natural = std::all_of(key.first.begin(), key.first.end(),
                                     [&](int s) { return accesses_->symbols[static_cast<std::size_t>(s)].is_natural; });
    if (natural) add({{{c, 1}}, 0, false});
  }
}

}  // namespace papilio::loops
