#include <algorithm>

#include "loops/access/finder.h"
#include "loops/program/changes.h"

// Variables that only rise, or only fall, while a loop runs: conditional induction variables. After
// C. E. Oancea, L. Rauchwerger, Scalable conditional induction variable (CIV) analysis, CGO 2015.

namespace papilio::loops {
namespace {

// Finds the sign of each variable's steps; 0 for variables that are also changed in another way.
void find_signs(const std::vector<Stmt>& list, std::map<int, int>& signs) {
  const auto add = [&](int v, int sign) {
    const auto [place, is_new] = signs.try_emplace(v, sign);
    if (!is_new && place->second != sign) place->second = 0;
  };
  for (const Stmt& s : list) {
    std::set<int> others(s.clobbers.begin(), s.clobbers.end());
    std::vector<const Expr*> open = {&s.target, &s.value, &s.condition};
    while (!open.empty()) {
      const Expr* e = open.back();
      open.pop_back();
      others.insert(e->clobbers.begin(), e->clobbers.end());
      for (const Expr& part : e->operands) open.push_back(&part);
    }
    if (s.kind == Stmt::Kind::declare || s.kind == Stmt::Kind::loop) others.insert(s.variable);
    for (const int v : others) add(v, 0);
    if (s.kind == Stmt::Kind::assign && s.target.kind == Expr::Kind::variable) {
      const std::int64_t step = step_of(s);
      add(s.target.variable, step > 0 ? 1 : step < 0 ? -1 : 0);
    }
    find_signs(s.body, signs);
    find_signs(s.otherwise, signs);
  }
}

}  // namespace

std::map<int, int> Finder::find_counters(const std::vector<Stmt>& body) const {
  std::map<int, int> signs, found;
  find_signs(body, signs);
  for (const auto& [v, sign] : signs) {
    if (v < 0 || sign == 0) continue;
    const Variable& counter = variable(v);
    const Type& t = counter.type;
    const bool is_own = counter.storage != Variable::Storage::global && !counter.escapes && !counter.is_volatile;
    // Narrow types wrap around. Unsigned 64-bit values that rise by constants do not in practice.
    const bool does_not_wrap = t.kind == Type::Kind::integer && (t.is_signed ? t.bits >= 32 : t.bits == 64 && sign > 0);
    if (is_own && !counter.is_array && does_not_wrap) found[v] = sign;
  }
  return found;
}

// Notes the fact that high - low is not negative (sign 1) or not positive (sign -1).
void Finder::know(const Polynomial& high, const Polynomial& low, int sign) {
  const auto difference = sign > 0 ? Polynomial::sum(high, low, -1) : Polynomial::sum(low, high, -1);
  if (difference && !difference->as_constant()) out_.facts.push_back({*difference, false});
}

// When an iteration begins, a counter is at or past its value before the loop.
void Finder::begin_counters(const std::map<int, int>& signs, const std::map<int, Polynomial>& before) {
  counters_.push_back(signs);
  for (const auto& [v, sign] : signs) {
    if (before.contains(v)) know(values_.at(v), before.at(v), sign);
  }
}

// After the loop: `values_`, so far those at the end of an iteration, become those after the loop.
void Finder::end_counters(int id, const std::map<int, int>& signs, const std::map<int, Polynomial>& before) {
  counters_.pop_back();
  for (const auto& [v, sign] : signs) {
    if (!before.contains(v)) continue;
    const Polynomial last = values_.at(v);
    set_value(v, std::nullopt);
    know(values_.at(v), before.at(v), sign);
    if (loop_at(id).may_leave) continue;
    // If an iteration runs, the counter ends at or past what that iteration leaves; but a loop may have no iterations.
    const auto since = sign > 0 ? Polynomial::sum(values_.at(v), last, -1) : Polynomial::sum(last, values_.at(v), -1);
    for (Access& a : out_.list) {
      const bool is_inside = std::find(a.loops.begin(), a.loops.end(), id) != a.loops.end();
      if (since && is_inside) a.facts.push_back({*since, false});
    }
    loop_at(id).counters[v].last = last;
    loop_at(id).counters[v].sign = sign;
  }
}

// Merges two branches: the accesses from `first` on were in one, those from `second` on in the other.
void Finder::merge(int v, std::size_t first, std::size_t second, const std::map<int, Polynomial>& then,
                   const std::map<int, Polynomial>& otherwise, const Polynomial& before) {
  int sign = 0;
  for (const auto& signs : counters_) {
    if (signs.contains(v)) sign = signs.at(v);
  }
  if (sign == 0) return;
  const Polynomial now = values_.at(v);
  know(now, before, sign);
  const auto note = [&](std::size_t begin, std::size_t end, const std::map<int, Polynomial>& values) {
    const auto found = values.find(v);
    const auto difference = Polynomial::sum(now, found == values.end() ? before : found->second, -1);
    for (std::size_t i = begin; difference && i < end; ++i) out_.list[i].facts.push_back({*difference, true});
  };
  note(first, second, then);
  note(second, out_.list.size(), otherwise);
}

}  // namespace papilio::loops
