#include "loops/verdict/summaries.h"

#include <algorithm>
#include <set>
#include <utility>

#include "loops/dependence/parameters.h"
#include "loops/verdict/privatize.h"

namespace papilio::loops {
namespace {

// The whole function, seen as one iteration.
View whole(const Accesses& accesses) {
  View view;
  for (const Access& a : accesses.list) {
    view.accesses.push_back(&a);
    view.subscripts.push_back(a.subscripts);
  }
  return view;
}

}  // namespace

std::vector<Summary> summarize(const Program& program, const Function& function, Solver& solver) {
  constexpr std::size_t most_names = 10, most_accesses = 200;
  const Accesses accesses = find_accesses(program, function);
  const std::vector<int> named = named_symbols(accesses, -1);
  std::vector<Summary> found;
  if (named.size() > most_names || accesses.list.size() > most_accesses || !accesses.fault.empty()) return found;
  const std::vector<std::string> names = names_of(accesses, named);
  const View view = whole(accesses);
  std::set<int> arrays;
  for (const Access& a : accesses.list) {
    const Variable& v = program.variables[static_cast<std::size_t>(a.variable)];
    if (v.is_array && v.storage != Variable::Storage::local) arrays.insert(a.variable);
  }
  const auto kept = static_cast<int>(names.size());
  for (const int v : arrays) {
    const Touched t = touched_by(program, accesses, view, v, named, solver);
    Summary s;
    s.function = function.name;
    s.variable = program.variables[static_cast<std::size_t>(v)].name;
    // Write-first: surely written, and not read before. Read-only: read, but not written. The rest: read and written.
    const auto write_first = solver.difference_text(t.surely_written, t.read_first, t.columns, kept, names);
    const auto read_only = solver.difference_text(t.read, t.written, t.columns, kept, names);
    const auto read_write = solver.rest_text(t.written, t.surely_written, t.read_first, t.columns, kept, names);
    if (!write_first || !read_only || !read_write) continue;
    s.write_first = *write_first;
    s.read_only = *read_only;
    s.read_write = *read_write;
    s.is_exact = t.is_exact;
    found.push_back(std::move(s));
  }
  return found;
}

}  // namespace papilio::loops
