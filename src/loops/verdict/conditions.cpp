#include "loops/verdict/conditions.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "loops/dependence/parameters.h"

namespace papilio::loops {
namespace {

// Whether two objects may be the same memory by the rules of C.
bool may_overlap(const Variable& a, const Variable& b) {
  using Storage = Variable::Storage;
  if (a.object == b.object || a.is_restrict || b.is_restrict) return false;
  if (a.is_pointer && b.is_pointer) return true;
  if ((a.holder >= 0 && b.escapes) || (b.holder >= 0 && a.escapes)) return true;
  if (a.is_pointer) return b.storage == Storage::global;
  return b.is_pointer && a.storage == Storage::global;
}

int outermost(const Accesses& accesses, int loop) {
  while (accesses.loops[static_cast<std::size_t>(loop)].parent >= 0)
    loop = accesses.loops[static_cast<std::size_t>(loop)].parent;
  return loop;
}

// Whether it is a sum of products of values that are never negative, with coefficients that are not negative either.
bool is_plainly_natural(const Polynomial& p, const std::vector<Symbol>& symbols) {
  return std::all_of(p.terms().begin(), p.terms().end(), [&](const auto& term) {
    return term.second >= 0 && std::all_of(term.first.begin(), term.first.end(),
                                           [&](int s) { return symbols[static_cast<std::size_t>(s)].is_natural; });
  });
}

// The predicate that the least and the largest value are in range, in C if both are known before the loop.
Predicate range_predicate(const Accesses& accesses, int loop, const Obligation& o, Solver& solver) {
  Predicate p;
  p.kind = "range";
  p.text = o.text;
  p.low = o.low ? std::to_string(*o.low) : "";
  p.high = o.high ? std::to_string(*o.high) : "";
  if (o.divisor > 1) {  // it is already in C
    if (is_named(accesses, loop, o.value)) p.kind = "expression", p.expression = o.text;
    return p;
  }
  // The value before the loop of its variable, a parameter, has no name while the loop runs.
  const auto& start = accesses.loops[static_cast<std::size_t>(loop)].start;
  const bool has_start = start && std::any_of(o.value.terms().begin(), o.value.terms().end(), [&](const auto& term) {
                           return std::any_of(term.first.begin(), term.first.end(), [&](int s) {
                             const Symbol& symbol = accesses.symbols[static_cast<std::size_t>(s)];
                             return *start == Polynomial::symbol(s) && !symbol.has_name &&
                                    symbol.variable == accesses.loops[static_cast<std::size_t>(loop)].variable;
                           });
                         });
  if (has_start) return p;
  const auto [least, largest] = range_of(accesses, loop, {{o.value, o.domain.get()}}, solver);
  if ((o.low && least.empty()) || (o.high && largest.empty())) return p;
  p.kind = "expression";
  if (o.low) p.expression = least + " >= " + p.low;
  if (o.high) p.expression += (o.low ? " && " : "") + largest + " <= " + p.high;
  return p;
}

// Whether the obligation's value is a multiple of its divisor whenever the loop's nest runs.
bool divides(const Accesses& accesses, int nest, const Obligation& o, Solver& solver) {
  return std::all_of(o.domain->any_of.begin(), o.domain->any_of.end(), [&](const Conjunction& conjunction) {
    Query query(accesses, nest);
    query.add_domain(conjunction, 0);
    auto row = query.row(o.value, 0, true);
    if (!row) return false;
    const int quotient = query.system().columns++, rest = query.system().columns++;
    row->terms.emplace_back(quotient, -o.divisor);
    row->terms.emplace_back(rest, -1);
    query.add(std::move(*row));
    query.add({{{rest, 1}}, -1, false});
    query.add({{{rest, -1}}, o.divisor - 1, false});
    query.add_types();
    return solver.has_points(query.system()) == Answer::no;
  });
}

// Where a function reads a variable.
struct Reads {
  int count = 0, first = 0, last = 0;  // in the order of the text
  std::set<int> nests;                 // outermost loops

  void add(const Access& a) {
    if (count++ == 0) first = a.order;
    last = a.order;
    if (!a.loops.empty()) nests.insert(a.loops[0]);
  }
  // Whether it may be read before and after the write.
  bool are_around(const Access& write) const {
    const bool is_in_a_nest = !write.loops.empty() && nests.contains(write.loops[0]);
    return count > 1 && (is_in_a_nest || (first < write.order && write.order < last));
  }
};

// The variables that are taken to have one value wherever the function reads them: fields
// behind pointers, and arrays whose elements are values outside of loops or in the nest.
std::map<int, Reads> reads_of_values(const Program& program, const Accesses& accesses, int nest) {
  std::set<int> arrays;
  for (const Symbol& s : accesses.symbols) {
    if (s.array >= 0 && (s.defined_in < 0 || outermost(accesses, s.defined_in) == nest)) arrays.insert(s.array);
  }
  std::map<int, Reads> found;
  for (const Access& a : accesses.list) {
    const Variable& v = program.variables[static_cast<std::size_t>(a.variable)];
    const bool is_field = v.is_pointer && v.object != a.variable && v.type.kind == Type::Kind::integer;
    if (!a.is_write && (is_field || arrays.contains(a.variable))) found[a.variable].add(a);
  }
  return found;
}

}  // namespace

void add_overlaps(const Program& program, const Accesses& accesses, const View& view, std::vector<Predicate>& to) {
  const auto variable = [&](int v) -> const Variable& { return program.variables[static_cast<std::size_t>(v)]; };
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<int> objects, written, written_anywhere, scalars;
  for (const Access* a : view.accesses) {
    objects.insert(variable(a->variable).object);
    // A pointer in memory must keep its value.
    if (const int holder = variable(a->variable).holder; holder >= 0) objects.insert(variable(holder).object);
    if (a->is_write) written.insert(variable(a->variable).object);
  }
  for (const Access& a : accesses.list) {
    const Variable& v = variable(a.variable);
    if (a.is_write && v.is_pointer) written_anywhere.insert(v.object);
    // What is known of a global integer must not change through a pointer.
    if (!v.is_array && v.storage == Variable::Storage::global && v.type.kind == Type::Kind::integer)
      scalars.insert(v.object);
    // The same goes for a field behind a pointer: m->n has one value wherever the function reads it.
    const bool is_field = v.is_pointer && v.object != a.variable && v.type.kind == Type::Kind::integer;
    if (is_field && objects.contains(v.object)) scalars.insert(v.object);
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
  // What was read before a write, and is not read in this loop, must be the same after it.
  const auto values = reads_of_values(program, accesses, outermost(accesses, view.root));
  for (const Access& a : accesses.list) {
    if (!a.is_write) continue;
    for (const auto& [read, reads] : values) {
      if (reads.are_around(a)) add(variable(a.variable).object, variable(read).object);
    }
  }
  for (const auto& [a, b] : pairs) {
    Predicate p;
    p.kind = "no_overlap";
    p.text = a + " and " + b + " do not overlap";
    p.arrays = {a, b};
    to.push_back(std::move(p));
  }
}

bool add_obligations(const Accesses& accesses, int loop, Solver& solver, std::vector<Predicate>& to) {
  const int nest = outermost(accesses, loop);
  for (const Obligation& o : accesses.obligations) {
    if (!o.loops.empty() && o.loops[0] != nest) continue;
    if (o.divisor > 1 && divides(accesses, nest, o, solver)) continue;
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
        // A value has the range of its type.
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
    if (is_linear && violations.empty() && o.divisor == 1) continue;
    if (o.text.find('?') != std::string::npos) return false;
    const bool is_new = std::none_of(to.begin(), to.end(), [&](const Predicate& p) { return p.text == o.text; });
    if (is_new) to.push_back(range_predicate(accesses, loop, o, solver));
  }
  return true;
}

std::optional<std::string> condition_without(const Accesses& accesses, const Carrier& carrier,
                                             const std::vector<Carried>& dependences, Solver& solver) {
  constexpr std::size_t most_queries = 24, most_symbols = 6;
  constexpr std::int64_t many = 64;  // a condition that only short loops fulfil is useless
  const int root = carrier.view().root;
  const Loop& loop = accesses.loops[static_cast<std::size_t>(root)];
  std::vector<Query> queries;
  for (const Carried& pair : dependences) {
    for (Query& query : carrier.queries(pair.first, pair.second, 1)) {
      if (solver.has_points(query.system()) != Answer::no) queries.push_back(std::move(query));
    }
    if (queries.size() > most_queries) return std::nullopt;
  }
  const std::vector<int> symbols = used_names(accesses, root, queries);
  if (symbols.empty() || symbols.size() > most_symbols) return std::nullopt;
  std::vector<System> systems;
  for (Query& query : queries) systems.push_back(with_first(query, symbols));
  const auto condition = [&](Query& runs) {
    runs.add_types();
    const System context = with_first(runs, symbols);
    return solver.condition_for_none(systems, context, static_cast<int>(symbols.size()), names_of(accesses, symbols));
  };
  // The condition must leave iterations that do something, not only loops that are empty or short.
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
  for (int at = loop.parent; at >= 0; at = accesses.loops[static_cast<std::size_t>(at)].parent)
    add_iteration(accesses.loops[static_cast<std::size_t>(at)], 0, runs);
  return condition(runs);
}

}  // namespace papilio::loops
