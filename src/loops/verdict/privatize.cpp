#include "loops/verdict/privatize.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "loops/dependence/parameters.h"

namespace papilio::loops {
namespace {

void add_symbols(const Polynomial& p, std::vector<int>& to) {
  for (const auto& [monomial, c] : p.terms()) to.insert(to.end(), monomial.begin(), monomial.end());
}

// The elements of an access, as systems: first the columns `kept`, then one per subscript, then the rest.
class Elements {
 public:
  Elements(const Program& program, const Accesses& accesses, const View& view, std::vector<int> kept, std::size_t rank,
           bool has_extents)
      : program_(program),
        accesses_(accesses),
        view_(view),
        kept_(std::move(kept)),
        rank_(rank),
        has_extents_(has_extents) {}

  int columns() const { return static_cast<int>(kept_.size() + rank_); }

  // Appends these systems; false if the elements are not known exactly.
  bool append(std::size_t access, bool is_read, std::vector<System>& to) const {
    const Access& a = *view_.accesses[access];
    bool is_exact = a.domain->is_exact;
    for (const Conjunction& conjunction : a.domain->any_of) {
      Query query(accesses_, view_.root);
      for (const int s : kept_) query.column(s, 0);
      const int first = query.system().columns;
      query.system().columns += static_cast<int>(rank_);
      query.give_values();  // anything else that is unknown makes the elements inexact
      query.add_domain(conjunction, 0);
      for (std::size_t d = 0; d < rank_; ++d) {
        const auto& subscript = view_.subscripts[access][d];
        auto row = subscript ? query.row(*subscript, 0, true) : std::nullopt;
        const int column = first + static_cast<int>(d);
        if (row) {
          row->terms.emplace_back(column, -1);
          query.add(std::move(*row));
        } else {
          is_exact = false;
        }
        if (is_read && has_extents_) add_extent(a.variable, d, column, query);
      }
      query.add_types();
      is_exact = is_exact && query.is_exact();
      to.push_back(query.system());
    }
    return is_exact;
  }

 private:
  // If an array is declared with its length, a subscript must be that of one of its elements.
  void add_extent(int variable, std::size_t d, int column, Query& query) const {
    const Variable& v = program_.variables[static_cast<std::size_t>(variable)];
    if (d >= v.extents.size() || rank_ != v.extents.size()) return;
    query.add({{{column, 1}}, 0, false});
    if (v.extents[d] >= 0) query.add({{{column, -1}}, v.extents[d] - 1, false});
    const int named = v.extent_variables[d];
    for (std::size_t s = 0; s < accesses_.symbols.size() && named >= 0; ++s) {
      const Symbol& symbol = accesses_.symbols[s];
      if (symbol.kind != Symbol::Kind::entry || symbol.variable != named || !symbol.has_name) continue;
      query.add({{{query.column(static_cast<int>(s), 0), 1}, {column, -1}}, -1, false});
    }
  }

  const Program& program_;
  const Accesses& accesses_;
  const View& view_;
  const std::vector<int> kept_;
  const std::size_t rank_;
  const bool has_extents_;
};

}  // namespace

namespace {

// The elements that one read wants, and those that earlier writes of the same iteration give.
struct Coverage {
  std::vector<System> wanted, given;
  int columns = 0;
};

Coverage coverage_of(const Program& program, const Accesses& accesses, const View& view, std::size_t r,
                     const std::vector<std::size_t>& writes, const std::vector<int>& named) {
  const Access& read = *view.accesses[r];
  const std::size_t rank = view.subscripts[r].size();
  std::vector<int> kept;
  if (view.root >= 0) kept.push_back(accesses.loops[static_cast<std::size_t>(view.root)].symbol);
  for (const auto& subscript : view.subscripts[r]) {
    if (subscript) add_symbols(*subscript, kept);
  }
  for (const Conjunction& conjunction : read.domain->any_of) {
    for (const Constraint& constraint : conjunction) add_symbols(constraint.value, kept);
  }
  for (std::size_t s = 0; s < accesses.symbols.size(); ++s) {
    if (accesses.symbols[s].kind == Symbol::Kind::entry) kept.push_back(static_cast<int>(s));
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::erase_if(kept, [&](int s) { return std::find(named.begin(), named.end(), s) != named.end(); });
  kept.insert(kept.begin(), named.begin(), named.end());
  const Elements elements(program, accesses, view, kept, rank, named.empty());  // conditions should be short
  Coverage found;
  found.columns = elements.columns();
  elements.append(r, true, found.wanted);
  for (const std::size_t w : writes) {
    const Access& write = *view.accesses[w];
    if (write.order >= read.order || view.subscripts[w].size() != rank) continue;
    std::vector<System> some;
    // For loops around both accesses: the write is in the same iteration of each, and comes before the read.
    if (elements.append(w, false, some)) found.given.insert(found.given.end(), some.begin(), some.end());
  }
  return found;
}

bool is_covered(const Coverage& coverage, Solver& solver) {
  return !solver.is_spent() && std::all_of(coverage.wanted.begin(), coverage.wanted.end(), [&](const System& part) {
    return solver.is_covered(part, coverage.given, coverage.columns) == Answer::yes;
  });
}

}  // namespace

std::vector<std::size_t> reads_of_others(const Program& program, const Accesses& accesses, const View& view,
                                         int variable, Solver& solver) {
  const Loop& loop = accesses.loops[static_cast<std::size_t>(view.root)];
  const bool is_array = program.variables[static_cast<std::size_t>(variable)].is_array;
  std::vector<std::size_t> reads, writes;
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    if (view.accesses[i]->variable == variable) (view.accesses[i]->is_write ? writes : reads).push_back(i);
  }
  if (!is_array) return loop.exposed.contains(variable) ? reads : std::vector<std::size_t>();
  std::erase_if(reads, [&](std::size_t r) {
    return !solver.is_spent() && is_covered(coverage_of(program, accesses, view, r, writes, {}), solver);
  });
  return reads;
}

std::optional<std::string> condition_for_own_iteration(const Program& program, const Accesses& accesses,
                                                       const View& view, int variable, Solver& solver) {
  constexpr std::size_t most_reads = 12, most_names = 8;
  constexpr std::int64_t many = 64;  // a condition that only short loops fulfil is useless
  const std::vector<int> named = named_symbols(accesses, view.root);
  std::vector<std::size_t> reads, writes;
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    if (view.accesses[i]->variable == variable) (view.accesses[i]->is_write ? writes : reads).push_back(i);
  }
  if (reads.empty() || reads.size() > most_reads || named.size() > most_names || named.empty()) return std::nullopt;
  std::vector<std::string> conditions;
  for (const std::size_t r : reads) {
    const Coverage coverage = coverage_of(program, accesses, view, r, writes, named);
    if (is_covered(coverage, solver)) continue;
    const Access& read = *view.accesses[r];
    const auto condition = [&](Query& context) {
      context.add_types();
      return solver.condition_for_covered(coverage.wanted, coverage.given, coverage.columns, with_first(context, named),
                                          static_cast<int>(named.size()), names_of(accesses, named));
    };
    Query works(accesses, view.root), runs(accesses, view.root);
    works.add_later(view.root, many);
    for (const int side : {0, 1}) works.add_domain(read.domain->any_of[0], side);
    if (!condition(works)) return std::nullopt;
    const auto found = condition(runs);
    if (!found) return std::nullopt;
    if (std::find(conditions.begin(), conditions.end(), *found) == conditions.end()) conditions.push_back(*found);
  }
  std::string joined;
  for (const std::string& c : conditions) {
    if (conditions.size() == 1) return c;
    joined += fmt::format("{}({})", joined.empty() ? "" : " && ", c);
  }
  return joined.empty() ? std::nullopt : std::optional(joined);
}

Touched touched_by(const Program& program, const Accesses& accesses, const View& view, int variable,
                   const std::vector<int>& named, Solver& solver) {
  Touched found;
  std::vector<std::size_t> reads, writes;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    if (view.accesses[i]->variable != variable) continue;
    (view.accesses[i]->is_write ? writes : reads).push_back(i);
    rank = view.subscripts[i].size();
  }
  const Elements elements(program, accesses, view, named, rank, false);
  found.columns = elements.columns();
  for (const std::size_t w : writes) {
    std::vector<System> some;
    const bool is_exact = elements.append(w, false, some);
    found.written.insert(found.written.end(), some.begin(), some.end());
    if (is_exact) found.surely_written.insert(found.surely_written.end(), some.begin(), some.end());
    found.is_exact = found.is_exact && is_exact;
  }
  for (const std::size_t r : reads) {
    const Coverage coverage = coverage_of(program, accesses, view, r, writes, named);
    std::vector<System> some;
    found.is_exact = elements.append(r, false, some) && found.is_exact;
    found.read.insert(found.read.end(), some.begin(), some.end());
    if (!is_covered(coverage, solver)) {
      found.read_first.insert(found.read_first.end(), some.begin(), some.end());
      found.is_exact = found.is_exact && coverage.given.empty();
    }
  }
  return found;
}

bool write_the_same(const Accesses& accesses, const View& view, int variable) {
  const Loop& root = accesses.loops[static_cast<std::size_t>(view.root)];
  if (root.may_leave || root.ran.empty()) return false;
  // Whether a symbol differs between iterations of the loop, other than as the counter of an inner loop.
  const auto differs = [&](int s) {
    const Symbol& symbol = accesses.symbols[static_cast<std::size_t>(s)];
    if (s == root.symbol || s == root.counted) return true;
    if (symbol.kind != Symbol::Kind::unknown) return false;
    for (int at = symbol.defined_in; at >= 0; at = accesses.loops[static_cast<std::size_t>(at)].parent) {
      if (at == view.root) return true;
    }
    return false;
  };
  const auto is_same = [&](const Polynomial& p) {
    return std::none_of(p.terms().begin(), p.terms().end(),
                        [&](const auto& term) { return std::any_of(term.first.begin(), term.first.end(), differs); });
  };
  // What makes it an iteration of the loop, and what else decides whether an element is written, as constraints.
  using Constraints = std::set<std::pair<Polynomial, bool>>;
  const auto part_of = [](const Conjunction& all, const auto& belongs) {
    Constraints part;
    for (const Constraint& c : all) {
      if (belongs(c)) part.emplace(c.value, c.is_equality);
    }
    return part;
  };
  std::vector<Constraints> ways;  // there are two for `do`, whose first iteration runs without a test
  for (const Conjunction& way : root.ran) ways.push_back(part_of(way, [](const Constraint&) { return true; }));
  bool writes = false;
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    const Access& a = *view.accesses[i];
    if (a.variable != variable || !a.is_write) continue;
    writes = true;
    if (!a.domain->is_exact) return false;
    for (const auto& subscript : a.subscripts) {
      if (!subscript || !is_same(*subscript)) return false;
    }
    std::vector<std::set<Constraints>> others(ways.size());  // for each of the ways
    for (const Conjunction& conjunction : a.domain->any_of) {
      const Constraints own = part_of(conjunction, [&](const Constraint& c) { return !is_same(c.value); });
      // A single way holds in every iteration, so parts of it may be missing. Of two, each iteration has at least one.
      const auto way = ways.size() > 1 ? std::find(ways.begin(), ways.end(), own) : ways.begin();
      if (way == ways.end() || !std::includes(way->begin(), way->end(), own.begin(), own.end())) return false;
      others[static_cast<std::size_t>(way - ways.begin())].insert(
          part_of(conjunction, [&](const Constraint& c) { return is_same(c.value); }));
    }
    if (std::adjacent_find(others.begin(), others.end(), std::not_equal_to<>()) != others.end()) return false;
  }
  return writes;
}

bool is_read_later(const Program& program, const Accesses& accesses, int loop, int variable) {
  const Variable& v = program.variables[static_cast<std::size_t>(variable)];
  if (v.storage == Variable::Storage::global || v.is_pointer || v.escapes) return true;
  const auto inside = [&](const Access& a) { return std::find(a.loops.begin(), a.loops.end(), loop) != a.loops.end(); };
  int last = -1;
  for (const Access& a : accesses.list) {
    if (inside(a)) last = std::max(last, a.order);
  }
  for (const Access& a : accesses.list) {
    if ((a.variable != variable && a.variable != v.object) || a.is_write || inside(a)) continue;
    if (a.order > last) return true;
    for (int at = accesses.loops[static_cast<std::size_t>(loop)].parent; at >= 0;
         at = accesses.loops[static_cast<std::size_t>(at)].parent) {
      if (std::find(a.loops.begin(), a.loops.end(), at) == a.loops.end()) continue;
      if (v.is_array || accesses.loops[static_cast<std::size_t>(at)].exposed.contains(a.variable)) return true;
    }
  }
  return false;
}

}  // namespace papilio::loops
