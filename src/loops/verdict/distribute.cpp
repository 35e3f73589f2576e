#include "loops/verdict/distribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "loops/dependence/carried.h"
#include "loops/verdict/privatize.h"

namespace papilio::loops {
namespace {

constexpr std::size_t most_items = 40, most_accesses = 120;

class Distribution {
 public:
  Distribution(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options)
      : program_(program), accesses_(accesses), solver_(solver), options_(options), chain_{loop} {
    while (const auto inside = perfectly_inside(accesses, chain_.back(), true)) chain_.push_back(*inside);
    views_.reserve(chain_.size());
    for (const int l : chain_) {
      views_.push_back(view_of(accesses, l, solver));
      carriers_.emplace_back(accesses, views_.back(), solver);
    }
  }

  // The pieces, each a set of items, in their order; nothing if the body cannot be divided.
  std::vector<std::set<int>> pieces() {
    if (!is_divisible()) return {};
    find_expandable();
    if (!find_edges()) return {};
    return ordered(components());
  }

  Piece judged(const std::set<int>& items, const std::vector<std::set<int>>& all) {
    Part part;
    part.loop = leaf();
    part.items = items;
    for (const int v : expanded(all)) part.expanded.insert(v);
    Piece piece;
    for (const int l : chain_) {
      LoopReport report;
      decide(program_, accesses_, l, solver_, options_, part, report);
      piece.verdicts.push_back(report.verdict);
      if (l != chain_[0]) continue;
      piece.reason = report.reason;
      piece.clauses = report.clauses;
    }
    for (const int i : items) {
      const Place& place = loop_at(leaf()).items[static_cast<std::size_t>(i)].place;
      piece.statements.push_back({place.line, place.column});
    }
    return piece;
  }

  // The variables that one piece writes and another one uses.
  std::vector<int> expanded(const std::vector<std::set<int>>& pieces) const {
    std::vector<int> found;
    for (const int v : expandable_) {
      std::set<std::size_t> users;
      for (const Access* a : views_.back().accesses) {
        for (std::size_t p = 0; p < pieces.size() && a->variable == v; ++p) {
          if (pieces[p].contains(item(*a))) users.insert(p);
        }
      }
      if (users.size() > 1) found.push_back(v);
    }
    return found;
  }

  const std::vector<int>& chain() const { return chain_; }

 private:
  const Loop& loop_at(int l) const { return accesses_.loops[static_cast<std::size_t>(l)]; }
  const Variable& variable(int v) const { return program_.variables[static_cast<std::size_t>(v)]; }
  int leaf() const { return chain_.back(); }

  // The statement of the innermost body that an access belongs to.
  int item(const Access& a) const {
    const auto level = std::find(a.loops.begin(), a.loops.end(), leaf());
    return a.items[static_cast<std::size_t>(level - a.loops.begin())];
  }

  bool is_divisible() const {
    const std::size_t count = loop_at(leaf()).items.size();
    if (count < 2 || count > most_items || views_[0].accesses.size() > most_accesses || !accesses_.fault.empty())
      return false;
    for (const int l : chain_) {
      if (!loop_at(l).fault.empty() || loop_at(l).may_leave || loop_at(l).is_inlined) return false;
    }
    // What the heads of the loops themselves read must not change.
    std::set<int> written;
    for (const Access* a : views_[0].accesses) {
      if (a->is_write) written.insert(variable(a->variable).object);
    }
    return std::none_of(views_[0].accesses.begin(), views_[0].accesses.end(), [&](const Access* a) {
      const bool is_inside = std::find(a->loops.begin(), a->loops.end(), leaf()) != a->loops.end();
      const bool is_header = !is_inside || (a->is_header && a->loops.back() == leaf());
      return is_header && (a->is_write || written.contains(variable(a->variable).object));
    });
  }

  // Finds the variables that each iteration has for itself.
  void find_expandable() {
    std::set<int> written;
    for (const Access* a : views_.back().accesses) {
      if (a->is_write) written.insert(a->variable);
    }
    for (const int v : written) {
      const auto declared = accesses_.declared_in.find(variable(v).object);
      const bool is_fresh =
          declared != accesses_.declared_in.end() &&
          std::find(declared->second.begin(), declared->second.end(), leaf()) != declared->second.end();
      const bool is_own = variable(v).storage != Variable::Storage::global && !variable(v).is_pointer &&
                          !variable(v).escapes && !loop_at(leaf()).inductions.contains(v) &&
                          reads_of_others(program_, accesses_, views_.back(), v, solver_).empty();
      if (is_fresh || is_own) expandable_.insert(v);
    }
  }

  bool find_edges() {
    const View& view = views_.back();
    const std::size_t count = loop_at(leaf()).items.size();
    edges_.assign(count, std::vector<bool>(count));
    for (std::size_t a = 0; a < view.accesses.size(); ++a) {
      for (std::size_t b = 0; b < view.accesses.size(); ++b) {
        const Access &x = *view.accesses[a], &y = *view.accesses[b];
        if (x.variable != y.variable || (!x.is_write && !y.is_write)) continue;
        const auto from = static_cast<std::size_t>(item(x)), to = static_cast<std::size_t>(item(y));
        if (from == to || edges_[from][to]) continue;
        const bool is_within = x.order < y.order && carriers_.back().meet_within(a, b);
        edges_[from][to] = is_within || (!expandable_.contains(x.variable) && is_carried(&x, &y));
      }
    }
    return true;
  }

  bool is_carried(const Access* x, const Access* y) const {
    for (std::size_t k = 0; k < chain_.size(); ++k) {
      const auto& all = views_[k].accesses;
      const auto a = static_cast<std::size_t>(std::find(all.begin(), all.end(), x) - all.begin());
      const auto b = static_cast<std::size_t>(std::find(all.begin(), all.end(), y) - all.begin());
      if (carriers_[k].exists(a, b) != Existence::none) return true;
    }
    return false;
  }

  // The strongly connected components, ordered by their least item.
  std::vector<std::set<int>> components() {
    const std::size_t count = edges_.size();
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
          if (edges_[i][k] && edges_[k][j]) edges_[i][j] = true;
        }
      }
    }
    std::vector<std::set<int>> found;
    for (std::size_t i = 0; i < count; ++i) {
      const auto home = std::find_if(found.begin(), found.end(), [&](const std::set<int>& c) {
        const auto first = static_cast<std::size_t>(*c.begin());
        return edges_[first][i] && edges_[i][first];
      });
      if (home == found.end()) {
        found.push_back({static_cast<int>(i)});
      } else {
        home->insert(static_cast<int>(i));
      }
    }
    return found;
  }

  // The components in an order that the edges allow, as near as possible to that of the text.
  std::vector<std::set<int>> ordered(std::vector<std::set<int>> open) const {
    std::vector<std::set<int>> done;
    while (!open.empty()) {
      const auto next = std::find_if(open.begin(), open.end(), [&](const std::set<int>& c) {
        return std::none_of(open.begin(), open.end(), [&](const std::set<int>& other) {
          return &other != &c && edges_[static_cast<std::size_t>(*other.begin())][static_cast<std::size_t>(*c.begin())];
        });
      });
      done.push_back(*next);
      open.erase(next);
    }
    return done;
  }

  const Program& program_;
  const Accesses& accesses_;
  Solver& solver_;
  const JudgeOptions& options_;
  std::vector<int> chain_;
  std::vector<View> views_;  // for each loop of the chain
  std::vector<Carrier> carriers_;
  std::set<int> expandable_;
  std::vector<std::vector<bool>> edges_;
};

std::string text_of(const Piece& piece) {
  std::string lines;
  for (const Position& p : piece.statements) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", p.line);
  std::string verdicts;
  for (const Verdict v : piece.verdicts) verdicts += fmt::format("{}{}", verdicts.empty() ? "" : "/", name(v));
  std::replace(verdicts.begin(), verdicts.end(), '_', ' ');
  return fmt::format("{} {} ({})", piece.statements.size() == 1 ? "line" : "lines", lines, verdicts);
}

}  // namespace

void distribute(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options,
                std::vector<LoopReport>& reports) {
  const auto report_of = [&](int l) -> LoopReport& { return reports[static_cast<std::size_t>(l)]; };
  if (is_parallel(report_of(loop).verdict) || solver.is_spent()) return;
  Distribution distribution(program, accesses, loop, solver, options);
  std::vector<std::set<int>> sets = distribution.pieces();
  if (sets.size() < 2) return;
  // Neighbouring pieces that are parallel are joined if the joined piece is parallel, too.
  for (std::size_t i = 0; i + 1 < sets.size();) {
    std::set<int> both = sets[i];
    both.insert(sets[i + 1].begin(), sets[i + 1].end());
    std::vector<std::set<int>> joined = sets;
    joined[i] = both;
    joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const auto holds = [&](const std::set<int>& items, const std::vector<std::set<int>>& all) {
      return is_parallel(distribution.judged(items, all).verdicts[0]);
    };
    if (holds(sets[i], sets) && holds(sets[i + 1], sets) && holds(both, joined)) {
      sets = std::move(joined);
    } else {
      ++i;
    }
  }
  if (sets.size() < 2) return;
  Transformation t;
  t.kind = "distribute";
  t.loops = distribution.chain();
  for (const std::set<int>& items : sets) {
    t.pieces.push_back(distribution.judged(items, sets));
    t.detail += fmt::format("{}{}", t.detail.empty() ? "" : "; then ", text_of(t.pieces.back()));
  }
  std::string arrays;
  for (const int v : distribution.expanded(sets)) {
    t.variables.push_back(program.variables[static_cast<std::size_t>(v)].name);
    arrays += fmt::format("{}{}", arrays.empty() ? "" : ", ", t.variables.back());
  }
  if (!arrays.empty()) t.detail += fmt::format("; {} as {}", arrays, t.variables.size() == 1 ? "an array" : "arrays");
  report_of(loop).transformations.push_back(std::move(t));
}

}  // namespace papilio::loops
