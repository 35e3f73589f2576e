#include "loops/verdict/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace papilio::loops {
namespace {

// The values of symbols at a point of a query.
class Values {
 public:
  Values(const Query& query, const std::vector<std::int64_t>& point, const std::map<int, std::int64_t>& fixed)
      : query_(query), point_(point), fixed_(fixed) {}

  std::optional<std::int64_t> of(int symbol, int side) const {
    if (const auto given = fixed_.find(symbol); given != fixed_.end()) return given->second;
    const auto found = query_.columns().find({{symbol}, query_.is_shared(symbol) ? 2 : side});
    if (found == query_.columns().end()) return std::nullopt;
    return point_[static_cast<std::size_t>(found->second)];
  }

  std::string of(const std::optional<Polynomial>& p, int side) const {
    if (!p) return "?";
    std::int64_t sum = 0;
    for (const auto& [monomial, c] : p->terms()) {
      std::int64_t product = c;
      for (const int s : monomial) {
        const auto value = of(s, side);
        if (!value || __builtin_mul_overflow(product, *value, &product)) return "?";
      }
      if (__builtin_add_overflow(sum, product, &sum)) return "?";
    }
    return std::to_string(sum);
  }

 private:
  const Query& query_;
  const std::vector<std::int64_t>& point_;
  const std::map<int, std::int64_t>& fixed_;
};

Witness made(const Program& program, const Accesses& accesses, const Access& a, const Access& b, const Values& values,
             const std::map<int, std::int64_t>& fixed, const Query& query) {
  Witness w;
  w.kind = kind_of(a, b);
  w.source = {a.place.line, a.place.column};
  w.sink = {b.place.line, b.place.column};
  w.variable = program.variables[static_cast<std::size_t>(a.variable)].name;
  for (const auto& subscript : a.subscripts) w.variable += fmt::format("[{}]", values.of(subscript, 0));
  for (std::size_t k = 0; k < a.loops.size() && k < b.loops.size() && a.loops[k] == b.loops[k]; ++k) {
    const Loop& loop = accesses.loops[static_cast<std::size_t>(a.loops[k])];
    for (const int side : {0, 1}) {
      const auto value = values.of(loop.symbol, side);
      if (!value) continue;  // a loop around both that does not matter
      std::string text = fmt::format("{} = {}", loop.name, *value);
      const int base = loop.variable < 0 ? -1 : program.variables[static_cast<std::size_t>(loop.variable)].base;
      if (base >= 0)
        text = fmt::format("{} = {} + {}", loop.name, program.variables[static_cast<std::size_t>(base)].name, *value);
      (side == 0 ? w.source_iteration : w.sink_iteration).push_back(std::move(text));
    }
  }
  std::map<int, std::int64_t> entries = fixed;
  for (const auto& [key, column] : query.columns()) {
    const int symbol = key.first[0];
    if (key.first.size() != 1 || accesses.symbols[static_cast<std::size_t>(symbol)].kind != Symbol::Kind::entry)
      continue;
    if (const auto value = values.of(symbol, 0)) entries[symbol] = *value;
  }
  for (const auto& [symbol, value] : entries) {
    w.values.push_back(fmt::format("{} = {}", accesses.symbols[static_cast<std::size_t>(symbol)].name, value));
  }
  return w;
}

void add_entries(const Accesses& accesses, const Access& a, std::map<int, std::int64_t>& to, std::int64_t value) {
  const auto add = [&](const Polynomial& p) {
    for (const auto& [monomial, c] : p.terms()) {
      for (const int s : monomial) {
        if (accesses.symbols[static_cast<std::size_t>(s)].kind == Symbol::Kind::entry) to[s] = value;
      }
    }
  };
  for (const auto& subscript : a.subscripts) {
    if (subscript) add(*subscript);
  }
  for (const Conjunction& conjunction : a.domain->any_of) {
    for (const Constraint& constraint : conjunction) add(constraint.value);
  }
}

}  // namespace

std::optional<Witness> find_witness(const Program& program, const Accesses& accesses, const Carrier& carrier,
                                    const Carried& pair, Solver& solver) {
  const Access &a = *carrier.view().accesses[pair.first], &b = *carrier.view().accesses[pair.second];
  if (solver.is_spent() || !a.domain->is_exact || !b.domain->is_exact) return std::nullopt;
  // First tries small values of the parameters, then any values.
  for (const std::int64_t value : {4, 3, 5, 8, 2, 1, 100, -1}) {
    std::map<int, std::int64_t> fixed;
    if (value >= 0) {
      add_entries(accesses, a, fixed, value);
      add_entries(accesses, b, fixed, value);
    }
    bool can_be_exact = false;
    for (const Query& query : carrier.queries(pair.first, pair.second, 1, &fixed)) {
      solver.count_system();
      can_be_exact = can_be_exact || !query.has_unknown();
      if (!query.is_exact()) continue;
      const auto point = solver.point(query.system());
      if (point) return made(program, accesses, a, b, Values(query, *point, fixed), fixed, query);
    }
    if ((fixed.empty() && value >= 0) || !can_be_exact || solver.is_spent()) break;  // other values would not help
  }
  return std::nullopt;
}

std::string pair_text(const Program& program, const View& view, const Carried& pair) {
  const Access &a = *view.accesses[pair.first], &b = *view.accesses[pair.second];
  const auto verb = [](const Access& access) { return access.is_write ? "writes" : "reads"; };
  const std::string& name = program.variables[static_cast<std::size_t>(a.variable)].name;
  return fmt::format("line {} {} {} that line {} {} in a later iteration", a.place.line, verb(a),
                     a.subscripts.empty() ? name : "an element of " + name, b.place.line, verb(b));
}

}  // namespace papilio::loops
