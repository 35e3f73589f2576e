#include "loops/verdict/tiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "loops/dependence/parameters.h"

namespace papilio::loops {
namespace {

// What one tile touches. The columns of a query are those of the names,
// then those of the tile's first iterations, and that of its size.
class Tile {
 public:
  Tile(const Accesses& accesses, const View& view, const std::vector<int>& chain, Solver& solver)
      : accesses_(accesses), view_(view), chain_(chain), solver_(solver), named_(named_symbols(accesses, view.root)) {
    names_ = names_of(accesses, named_);
    for (const int l : chain) names_.push_back(loop_at(l).name + loop_at(l).name);
    names_.emplace_back("T");
    auto sorted = names_;
    std::sort(sorted.begin(), sorted.end());
    can_ = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() && named_.size() <= 8;
    for (const int l : chain) can_ = can_ && loop_at(l).step == 1;
  }

  std::vector<Section> sections(const Program& program) {
    std::map<std::pair<int, bool>, std::vector<std::size_t>> members;
    for (std::size_t i = 0; can_ && i < view_.accesses.size(); ++i) {
      const Access& a = *view_.accesses[i];
      if (!view_.subscripts[i].empty()) members[{a.variable, a.is_write}].push_back(i);
    }
    std::vector<Section> found;
    for (const auto& [key, list] : members) {
      Section section;
      section.variable = program.variables[static_cast<std::size_t>(key.first)].name;
      section.is_write = key.second;
      const std::size_t rank = view_.subscripts[list[0]].size();
      for (std::size_t d = 0; d < rank; ++d) {
        const auto [low, high] = range(list, d);
        section.low.push_back(low);
        section.high.push_back(high);
      }
      found.push_back(std::move(section));
    }
    return found;
  }

 private:
  const Loop& loop_at(int l) const { return accesses_.loops[static_cast<std::size_t>(l)]; }

  std::pair<std::string, std::string> range(const std::vector<std::size_t>& list, std::size_t d) {
    std::vector<System> systems;
    for (const std::size_t i : list) {
      const auto& subscripts = view_.subscripts[i];
      if (d >= subscripts.size() || !subscripts[d]) return {};
      for (const Conjunction& conjunction : view_.accesses[i]->domain->any_of) {
        Query query(accesses_, -1);
        query.add_domain(conjunction, 0);
        auto row = query.row(*subscripts[d], 0, true);
        if (!row) return {};
        std::vector<int> others;
        for (std::size_t k = 0; k <= chain_.size(); ++k) others.push_back(query.system().columns++);
        const int size = others.back();
        for (std::size_t k = 0; k < chain_.size(); ++k) {
          const int iteration = query.column(loop_at(chain_[k]).symbol, 0);
          query.add({{{iteration, 1}, {others[k], -1}}, 0, false});
          query.add({{{size, 1}, {others[k], 1}, {iteration, -1}}, -1, false});
          // The first iteration of a tile is an iteration of the loop.
          if (auto lower = query.row(loop_at(chain_[k]).lower, 0, false)) {
            for (auto& [c, coefficient] : lower->terms) coefficient = -coefficient;
            lower->constant = -lower->constant;
            lower->terms.emplace_back(others[k], 1);
            query.add(std::move(*lower));
          }
        }
        others.push_back(query.system().columns++);
        row->terms.emplace_back(others.back(), -1);
        query.add(std::move(*row));
        query.add_types();
        systems.push_back(with_first(query, named_, others));
      }
    }
    return solver_.range(systems, static_cast<int>(names_.size()), names_);
  }

  const Accesses& accesses_;
  const View& view_;
  const std::vector<int>& chain_;
  Solver& solver_;
  const std::vector<int> named_;
  std::vector<std::string> names_;
  bool can_ = false;
};

std::string text_of(const Section& s) {
  std::string text;
  for (std::size_t d = 0; d < s.low.size(); ++d) {
    const bool is_known = !s.low[d].empty() && !s.high[d].empty();
    text += is_known ? fmt::format("[{} : {}]", s.low[d], s.high[d]) : "[?]";
  }
  return fmt::format("{} {}{}", s.is_write ? "writes" : "reads", s.variable, text);
}

}  // namespace

void add_tiling(const Program& program, const Accesses& accesses, const std::vector<int>& chain, Solver& solver,
                std::vector<LoopReport>& reports) {
  LoopReport& top = reports[static_cast<std::size_t>(chain[0])];
  std::vector<std::string> names;
  for (const int l : chain) names.push_back(accesses.loops[static_cast<std::size_t>(l)].name);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    LoopReport& report = reports[static_cast<std::size_t>(chain[k])];
    if (!is_parallel(report.verdict)) continue;
    if (k + 1 < chain.size() && report.verdict == Verdict::parallel) {
      const std::vector<std::string> inner(names.begin() + static_cast<std::ptrdiff_t>(k) + 1, names.end());
      report.transformations.push_back({"move_inward", fmt::format("into the loops of {}", fmt::join(inner, ", "))});
      report.transformations.back().loops.assign(chain.begin() + static_cast<std::ptrdiff_t>(k), chain.end());
    }
    report.transformations.push_back({"strip_mine", "into strips of any length"});
    report.transformations.back().loops = {chain[k]};
  }
  const bool can = chain.size() > 1 && std::none_of(top.matrix.begin(), top.matrix.end(), [&](const Dependence& d) {
                     return d.directions.size() < chain.size() ||
                            d.directions.substr(0, chain.size()).find('>') != std::string::npos;
                   });
  if (!can) return;
  Transformation t;
  t.kind = "tile";
  t.loops = chain;
  const View view = view_of(accesses, chain[0], solver);
  t.sections = Tile(accesses, view, chain, solver).sections(program);
  t.detail = fmt::format("{} into tiles of T iterations of each", fmt::join(names, ", "));
  for (const Section& s : t.sections) t.detail += "; " + text_of(s);
  top.transformations.push_back(std::move(t));
}

}  // namespace papilio::loops
