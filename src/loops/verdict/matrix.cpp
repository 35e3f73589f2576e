#include "loops/verdict/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "loops/verdict/distribute.h"
#include "loops/verdict/tiling.h"
#include "loops/verdict/witness.h"

namespace papilio::loops {
namespace {

constexpr std::size_t most_accesses = 60, most_loops = 4, most_rows = 200;

class Matrix {
 public:
  Matrix(const Program& program, const Accesses& accesses, int nest, Solver& solver)
      : program_(program), accesses_(accesses), solver_(solver), view_(view_of(accesses, nest, solver)) {}

  // The rows of the matrix; nothing if there are too many.
  std::optional<std::vector<Dependence>> rows() {
    if (view_.accesses.size() > most_accesses) return std::nullopt;
    for (std::size_t a = 0; a < view_.accesses.size(); ++a) {
      for (std::size_t b = 0; b < view_.accesses.size(); ++b) {
        const int v = view_.accesses[a]->variable;
        const bool is_made = program_.variables[static_cast<std::size_t>(v)].is_made;
        const bool same = v == view_.accesses[b]->variable && !is_made;
        if (same && (view_.accesses[a]->is_write || view_.accesses[b]->is_write)) pair(a, b);
        if (rows_.size() > most_rows || solver_.is_spent()) return std::nullopt;
      }
    }
    return rows_;
  }

 private:
  std::vector<int> common(const Access& a, const Access& b) const {
    std::vector<int> loops;
    for (std::size_t k = 0; k < a.loops.size() && k < b.loops.size() && a.loops[k] == b.loops[k] && k < most_loops;
         ++k) {
      loops.push_back(a.loops[k]);
    }
    return loops;
  }

  bool is_fresh(const Access& a, int loop) const {
    const auto declared = accesses_.declared_in.find(program_.variables[static_cast<std::size_t>(a.variable)].object);
    return declared != accesses_.declared_in.end() &&
           std::find(declared->second.begin(), declared->second.end(), loop) != declared->second.end();
  }

  void direct(Query& query, int loop, char direction, std::int64_t least = 1) const {
    const Loop& l = accesses_.loops[static_cast<std::size_t>(loop)];
    if (direction == '=') return query.add_same_iteration(loop);
    const std::int64_t sign = (l.step < 0 ? -1 : 1) * (direction == '<' ? 1 : -1);
    query.add({{{query.column(l.symbol, 1), sign}, {query.column(l.symbol, 0), -sign}}, -least, false});
  }

  Existence exists(std::size_t a, std::size_t b, const std::vector<int>& loops, const std::string& directions,
                   std::optional<std::pair<std::size_t, std::int64_t>> farther = {}) const {
    const Access &x = *view_.accesses[a], &y = *view_.accesses[b];
    if (solver_.is_spent()) return Existence::maybe;
    Existence found = Existence::none;
    for (const Conjunction& one : x.domain->any_of) {
      for (const Conjunction& other : y.domain->any_of) {
        Query query(accesses_, view_.root);
        for (std::size_t k = 0; k < directions.size(); ++k) {
          const bool far = farther && farther->first == k;
          direct(query, loops[k], directions[k], far ? farther->second : 1);
        }
        query.add_domain(one, 0);
        query.add_domain(other, 1);
        query.add_same_element(view_.subscripts[a], view_.subscripts[b]);
        query.add_types();
        const Answer answer = solver_.has_points(query.system());
        if (answer == Answer::no) continue;
        if (answer == Answer::yes && query.is_exact() && x.domain->is_exact && y.domain->is_exact)
          return Existence::exact;
        found = Existence::maybe;
      }
    }
    return found;
  }

  void pair(std::size_t a, std::size_t b) {
    const Access &x = *view_.accesses[a], &y = *view_.accesses[b];
    const std::vector<int> loops = common(x, y);
    std::string directions;
    const std::function<void(bool)> refine = [&](bool led) {
      const std::size_t k = directions.size();
      if (!directions.empty() && exists(a, b, loops, directions) == Existence::none) return;
      if (k == loops.size()) {
        if (!led && (a == b || x.order >= y.order)) return;
        return add(a, b, loops, directions);
      }
      for (const char d : {'=', '<', '>'}) {
        if ((d == '>' && !led) || (d != '=' && is_fresh(x, loops[k]))) continue;
        directions.push_back(d);
        refine(led || d == '<');
        directions.pop_back();
      }
    };
    refine(false);
  }

  // The distance along one loop, if it is always the same.
  std::optional<std::int64_t> distance(std::size_t a, std::size_t b, const std::vector<int>& loops,
                                       const std::string& directions, std::size_t k) const {
    if (directions[k] == '=') return 0;
    const std::int64_t step = std::abs(accesses_.loops[static_cast<std::size_t>(loops[k])].step);
    constexpr std::int64_t most = 4;
    if (exists(a, b, loops, directions, std::pair{k, most * step + 1}) != Existence::none) return std::nullopt;
    for (std::int64_t d = 1; d <= most; ++d) {
      if (exists(a, b, loops, directions, std::pair{k, d * step + 1}) == Existence::none) {
        if (d > 1 && exists(a, b, loops, directions, std::pair{k, d * step}) == Existence::none) return std::nullopt;
        // No dependence is farther than d. None is nearer if d is the first with a bound, so that is checked, too.
        if (d > 1 && !only(a, b, loops, directions, k, d * step)) return std::nullopt;
        return directions[k] == '<' ? d * step : -d * step;
      }
    }
    return std::nullopt;
  }

  // Whether no dependence is nearer than `distance`.
  bool only(std::size_t a, std::size_t b, const std::vector<int>& loops, const std::string& directions, std::size_t k,
            std::int64_t distance) const {
    const Access &x = *view_.accesses[a], &y = *view_.accesses[b];
    for (const Conjunction& one : x.domain->any_of) {
      for (const Conjunction& other : y.domain->any_of) {
        Query query(accesses_, view_.root);
        for (std::size_t i = 0; i < directions.size(); ++i) direct(query, loops[i], directions[i]);
        const Loop& l = accesses_.loops[static_cast<std::size_t>(loops[k])];
        const std::int64_t sign = (l.step < 0 ? -1 : 1) * (directions[k] == '<' ? 1 : -1);
        query.add({{{query.column(l.symbol, 1), -sign}, {query.column(l.symbol, 0), sign}}, distance - 1, false});
        query.add_domain(one, 0);
        query.add_domain(other, 1);
        query.add_same_element(view_.subscripts[a], view_.subscripts[b]);
        query.add_types();
        if (solver_.has_points(query.system()) != Answer::no) return false;
      }
    }
    return true;
  }

  void add(std::size_t a, std::size_t b, const std::vector<int>& loops, const std::string& directions) {
    const Access &x = *view_.accesses[a], &y = *view_.accesses[b];
    Dependence d;
    d.variable = program_.variables[static_cast<std::size_t>(x.variable)].name;
    d.kind = kind_of(x, y);
    d.source = {x.place.line, x.place.column};
    d.sink = {y.place.line, y.place.column};
    d.directions = directions;
    d.is_exact = exists(a, b, loops, directions) == Existence::exact;
    for (std::size_t k = 0; k < loops.size(); ++k) d.distances.push_back(distance(a, b, loops, directions, k));
    rows_.push_back(std::move(d));
  }

  const Program& program_;
  const Accesses& accesses_;
  Solver& solver_;
  const View view_;
  std::vector<Dependence> rows_;
};

}  // namespace

// The inner loop, if a loop's body is one loop and nothing else, with bounds that do not depend on the outer loop.
std::optional<int> perfectly_inside(const Accesses& accesses, int loop, bool any_bounds) {
  const Loop& outer = accesses.loops[static_cast<std::size_t>(loop)];
  if (outer.items.size() != 1 || outer.items[0].loops.size() != 1) return std::nullopt;
  const int inside = outer.items[0].loops[0];
  const Loop& inner = accesses.loops[static_cast<std::size_t>(inside)];
  if (!outer.fault.empty() || !inner.fault.empty()) return std::nullopt;
  if (!any_bounds && inner.lower.contains(outer.symbol)) return std::nullopt;
  for (const Polynomial& room : inner.room) {
    if (!any_bounds && room.contains(outer.symbol)) return std::nullopt;
  }
  // A condition around the inner loop belongs to neither loop.
  for (const Access& a : accesses.list) {
    const bool in_outer = std::find(a.loops.begin(), a.loops.end(), loop) != a.loops.end();
    const bool in_inner = std::find(a.loops.begin(), a.loops.end(), inside) != a.loops.end();
    if (in_outer && !in_inner && !a.is_header && !(a.is_write && a.variable == inner.variable)) return std::nullopt;
  }
  return inside;
}

void add_matrix(const Program& program, const Accesses& accesses, int nest, Solver& solver,
                std::vector<LoopReport>& reports) {
  if (solver.is_spent()) return;
  LoopReport& top = reports[static_cast<std::size_t>(nest)];
  auto rows = Matrix(program, accesses, nest, solver).rows();
  if (!rows) return;
  top.matrix = std::move(*rows);
  std::vector<int> chain = {nest};
  if (accesses.loops[static_cast<std::size_t>(nest)].fault.empty()) {
    while (const auto next = perfectly_inside(accesses, chain.back())) chain.push_back(*next);
  }
  const bool is_followed = std::none_of(chain.begin(), chain.end(), [&](int l) {
    const Loop& loop = accesses.loops[static_cast<std::size_t>(l)];
    return !loop.fault.empty() || loop.is_inlined || loop.may_leave;
  });
  for (int at = nest; at >= 0;) {
    LoopReport& report = reports[static_cast<std::size_t>(at)];
    const auto inside = perfectly_inside(accesses, at);
    if (!inside) break;
    const auto k = static_cast<std::size_t>(accesses.loops[static_cast<std::size_t>(at)].depth);
    if (k + 1 >= most_loops) break;
    const bool legal = std::none_of(top.matrix.begin(), top.matrix.end(), [&](const Dependence& d) {
      if (d.directions.size() < k + 2) return d.variable != accesses.loops[static_cast<std::size_t>(*inside)].name;
      std::string swapped = d.directions;
      std::swap(swapped[k], swapped[k + 1]);
      const std::size_t first = swapped.find_first_not_of('=');
      return first != std::string::npos && swapped[first] == '>';
    });
    if (legal) {
      const LoopReport& inner = reports[static_cast<std::size_t>(*inside)];
      report.transformations.push_back(
          {"interchange", fmt::format("with the loop of {}, line {}", inner.variable, inner.position.line)});
      report.transformations.back().loops = {at, *inside};
    }
    at = *inside;
  }
  if (is_followed && chain.size() <= most_loops) add_tiling(program, accesses, chain, solver, reports);
}

}  // namespace papilio::loops
