#include "loops/dependence/parameters.h"

#include <algorithm>
#include <map>

namespace papilio::loops {

std::vector<int> named_symbols(const Accesses& accesses, int root) {
  std::vector<int> around;
  if (root >= 0) {
    for (int at = accesses.loops[static_cast<std::size_t>(root)].parent; at >= 0;
         at = accesses.loops[static_cast<std::size_t>(at)].parent) {
      const Loop& loop = accesses.loops[static_cast<std::size_t>(at)];
      if (!loop.is_inlined && loop.variable >= 0) around.push_back(loop.symbol);
    }
  }
  std::vector<int> named;
  std::map<std::string, int> uses;
  for (std::size_t s = 0; s < accesses.symbols.size(); ++s) {
    const Symbol& symbol = accesses.symbols[s];
    const bool is_entry = symbol.kind == Symbol::Kind::entry && symbol.has_name;
    const bool is_around = std::find(around.begin(), around.end(), static_cast<int>(s)) != around.end();
    if (!is_entry && !is_around) continue;
    named.push_back(static_cast<int>(s));
    ++uses[symbol.name];
  }
  std::erase_if(named, [&](int s) { return uses[accesses.symbols[static_cast<std::size_t>(s)].name] > 1; });
  return named;
}

std::vector<int> used_names(const Accesses& accesses, int root, const std::vector<Query>& queries) {
  std::vector<int> symbols;
  for (const int s : named_symbols(accesses, root)) {
    const bool is_used = std::any_of(queries.begin(), queries.end(), [&](const Query& q) {
      return q.columns().contains({{s}, 2});
    });
    if (is_used) symbols.push_back(s);
  }
  return symbols;
}

std::vector<std::string> names_of(const Accesses& accesses, const std::vector<int>& symbols) {
  std::vector<std::string> names;
  for (const int s : symbols) names.push_back(accesses.symbols[static_cast<std::size_t>(s)].name);
  return names;
}

System with_first(Query& query, const std::vector<int>& symbols, const std::vector<int>& others) {
  std::vector<int> place;
  for (const int s : symbols) place.push_back(query.column(s, 0));
  place.insert(place.end(), others.begin(), others.end());
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

void add_iteration(const Loop& loop, int side, Query& query) {
  const auto since = Polynomial::sum(Polynomial::symbol(loop.symbol), loop.lower, -1);
  if (since) {
    if (auto row = query.row(*Polynomial::product(*since, Polynomial::constant(loop.step < 0 ? -1 : 1)), side, false)) {
      query.add(std::move(*row));
    }
  }
  if (loop.runs_once) return;  // whatever its condition says
  for (const Polynomial& room : loop.room) {
    if (auto row = query.row(room, side, false)) query.add(std::move(*row));
  }
}

std::pair<std::string, std::string> range_of(const Accesses& accesses, int root,
                                             const std::vector<Occurrence>& occurrences, Solver& solver) {
  std::vector<Query> queries;
  std::vector<int> values;
  for (const Occurrence& o : occurrences) {
    for (const Conjunction& conjunction : o.domain->any_of) {
      Query& query = queries.emplace_back(accesses, root);
      query.add_domain(conjunction, 0);
      auto row = query.row(o.value, 0, true);
      if (!row) return {};
      values.push_back(query.system().columns++);
      row->terms.emplace_back(values.back(), -1);
      query.add(std::move(*row));
      query.add_types();
    }
  }
  const std::vector<int> symbols = used_names(accesses, root, queries);
  if (symbols.size() > 8) return {};
  std::vector<System> systems;
  for (std::size_t i = 0; i < queries.size(); ++i) systems.push_back(with_first(queries[i], symbols, {values[i]}));
  return solver.range(systems, static_cast<int>(symbols.size()), names_of(accesses, symbols));
}

bool is_named(const Accesses& accesses, int root, const Polynomial& p) {
  const std::vector<int> named = named_symbols(accesses, root);
  return std::all_of(p.terms().begin(), p.terms().end(), [&](const auto& term) {
    return std::all_of(term.first.begin(), term.first.end(),
                       [&](int s) { return std::find(named.begin(), named.end(), s) != named.end(); });
  });
}

}  // namespace papilio::loops
