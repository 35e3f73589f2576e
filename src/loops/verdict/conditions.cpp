#include "loops/verdict/conditions.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace papilio::loops {
namespace {

// Whether two objects may be the same memory, as C's rules go.
bool may_overlap(const Variable& a, const Variable& b) {
  using Storage = Variable::Storage;
  if (a.object == b.object || a.is_restrict || b.is_restrict) return false;
  if (a.is_pointer && b.is_pointer) return true;
  if (a.is_pointer) return b.storage == Storage::global;
  return b.is_pointer && a.storage == Storage::global;
}

// The system with the columns of these symbols first.
System with_first(Query& query, const std::vector<int>& symbols) {
  std::vector<int> place(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) place[i] = query.column(symbols[i], 0);
  System system = query.system();
  std::vector<int> moved(static_cast<std::size_t>(system.columns), -1);
  int next = 0;
  for (const int p : place) moved[static_cast<std::size_t>(p)] = next++;
  for (int& m : moved) {
    if (m < 0) m = next++;
  }
  for (Row& row : system.rows) {
    for (auto& [column, c] : row.terms) column = moved[static_cast<std::size_t>(column)];
  }
  return system;
}

std::vector<int> named_symbols(const Accesses& accesses) {
  std::vector<int> named;
  for (std::size_t s = 0; s < accesses.symbols.size(); ++s) {
    if (accesses.symbols[s].kind == Symbol::Kind::entry && accesses.symbols[s].has_name)
      named.push_back(static_cast<int>(s));
  }
  return named;
}

std::vector<std::string> names_of(const Accesses& accesses, const std::vector<int>& symbols) {
  std::vector<std::string> names;
  for (const int s : symbols) names.push_back(accesses.symbols[static_cast<std::size_t>(s)].name);
  return names;
}

std::vector<int> used(const Accesses& accesses, const std::vector<Query>& queries) {
  std::vector<int> symbols;
  for (const int s : named_symbols(accesses)) {
    const bool is_used = std::any_of(queries.begin(), queries.end(), [&](const Query& q) {
      return q.columns().contains({{s}, 2});
    });
    if (is_used) symbols.push_back(s);
  }
  return symbols;
}

// Constraints of a loop's iteration, for a side.
void add_iteration(const Loop& loop, int side, Query& query) {
  const auto since = Polynomial::sum(Polynomial::symbol(loop.symbol), loop.lower, -1);
  if (since) {
    if (auto row = query.row(*Polynomial::product(*since, Polynomial::constant(loop.step < 0 ? -1 : 1)), side, false)) {
      query.add(std::move(*row));
    }
  }
  for (const Polynomial& room : loop.room) {
    if (auto row = query.row(room, side, false)) query.add(std::move(*row));
  }
}

int outermost(const Accesses& accesses, int loop) {
  while (accesses.loops[static_cast<std::size_t>(loop)].parent >= 0)
    loop = accesses.loops[static_cast<std::size_t>(loop)].parent;
  return loop;
}

// Whether a sum of products of values that are never negative, with coefficients that are not either.
bool is_plainly_natural(const Polynomial& p, const std::vector<Symbol>& symbols) {
  return std::all_of(p.terms().begin(), p.terms().end(), [&](const auto& term) {
    return term.second >= 0 && std::all_of(term.first.begin(), term.first.end(),
                                           [&](int s) { return symbols[static_cast<std::size_t>(s)].is_natural; });
  });
}

}  // namespace

void add_overlaps(const Program& program, const Accesses& accesses, const View& view, std::vector<std::string>& to) {
  const auto variable = [&](int v) -> const Variable& { return program.variables[static_cast<std::size_t>(v)]; };
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<int> objects, written, written_anywhere, scalars;
  for (const Access* a : view.accesses) {
    objects.insert(variable(a->variable).object);
    if (a->is_write) written.insert(variable(a->variable).object);
  }
  for (const Access& a : accesses.list) {
    const Variable& v = variable(a.variable);
    if (a.is_write && v.is_pointer) written_anywhere.insert(v.object);
    // What is known of a global integer must not change behind our back.
    if (!v.is_array && v.storage == Variable::Storage::global && v.type.kind == Type::Kind::integer)
      scalars.insert(v.object);
  }
  const auto add = [&](int a, int b) {
    if (may_overlap(variable(a), variable(b))) pairs.insert(std::minmax(variable(a).name, variable(b).name));
  };
  for (const int w : written) {
    for (const int other : objects) add(w, other);
  }
  for (const int w : written_anywhere) {
    for (const int other : scalars) add(w, other);
  }
  for (const auto& [a, b] : pairs) to.push_back(a + " and " + b + " do not overlap");
}

bool add_obligations(const Accesses& accesses, int loop, Solver& solver, std::vector<std::string>& to) {
  const int nest = outermost(accesses, loop);
  for (const Obligation& o : accesses.obligations) {
    if (!o.loops.empty() && o.loops[0] != nest) continue;
    std::vector<Query> violations;
    bool is_linear = true;
    for (const bool above : {false, true}) {
      if (above ? !o.high : !o.low || (*o.low == 0 && is_plainly_natural(o.value, accesses.symbols))) continue;
      for (const Conjunction& conjunction : o.domain->any_of) {
        Query query(accesses, nest);
        query.add_domain(conjunction, 0);
        auto row = query.row(o.value, 0, false);
        if (!row) {
          is_linear = false;
          break;
        }
        if (above) {  // value - high - 1 >= 0
          row->constant -= *o.high + 1;
        } else {  // low - 1 - value >= 0
          for (auto& [c, coefficient] : row->terms) coefficient = -coefficient;
          row->constant = *o.low - 1 - row->constant;
        }
        query.add(std::move(*row));
        query.add_types();
        // A value of a type has the type's size.
        const auto columns = query.columns();
        for (const auto& [key, column] : columns) {
          if (key.first.size() != 1) continue;
          const Symbol& s = accesses.symbols[static_cast<std::size_t>(key.first[0])];
          if (s.kind == Symbol::Kind::count || s.bits >= 64 || s.bits < 8) continue;
          const std::int64_t half = std::int64_t{1} << (s.bits - 1);
          query.add({{{column, -1}}, s.is_natural ? 2 * half - 1 : half - 1, false});
          if (!s.is_natural) query.add({{{column, 1}}, half, false});
        }
        if (solver.has_points(query.system()) != Answer::no) violations.push_back(std::move(query));
      }
    }
    if (is_linear && violations.empty()) continue;
    if (o.text.find('?') != std::string::npos) return false;
    if (std::find(to.begin(), to.end(), o.text) == to.end()) to.push_back(o.text);
  }
  return true;
}

std::optional<std::string> condition_without(const Accesses& accesses, const Carrier& carrier,
                                             const std::vector<Carried>& dependences, Solver& solver) {
  constexpr std::size_t most_queries = 24, most_symbols = 6;
  constexpr std::int64_t many = 64;  // a condition that only short loops fulfil is none
  const int root = carrier.view().root;
  const Loop& loop = accesses.loops[static_cast<std::size_t>(root)];
  std::vector<Query> queries;
  for (const Carried& pair : dependences) {
    for (Query& query : carrier.queries(pair.first, pair.second, 1)) {
      if (solver.has_points(query.system()) != Answer::no) queries.push_back(std::move(query));
    }
    if (queries.size() > most_queries) return std::nullopt;
  }
  const std::vector<int> symbols = used(accesses, queries);
  if (symbols.empty() || symbols.size() > most_symbols) return std::nullopt;
  std::vector<System> systems;
  for (Query& query : queries) systems.push_back(with_first(query, symbols));
  const auto condition = [&](Query& runs) {
    runs.add_types();
    const System context = with_first(runs, symbols);
    return solver.condition_for_none(systems, context, static_cast<int>(symbols.size()), names_of(accesses, symbols));
  };
  // It must leave iterations that do something, not only loops that are empty or short.
  const Access &a = *carrier.view().accesses[dependences[0].first],
               &b = *carrier.view().accesses[dependences[0].second];
  Query works(accesses, root);
  works.add_later(root, many * std::abs(loop.step));
  works.add_domain(a.domain->any_of[0], 0);
  works.add_domain(b.domain->any_of[0], 1);
  if (!condition(works)) return std::nullopt;
  Query runs(accesses, root);
  runs.add_later(root, 1);
  add_iteration(loop, 0, runs);
  add_iteration(loop, 1, runs);
  return condition(runs);
}

}  // namespace papilio::loops
