#include "loops/verdict/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "loops/dependence/carried.h"
#include "loops/verdict/conditions.h"
#include "loops/verdict/matrix.h"
#include "loops/verdict/privatize.h"
#include "loops/verdict/scans.h"
#include "loops/verdict/witness.h"

namespace papilio::loops {
namespace {

// A loop in question.
class Case {
 public:
  Case(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options)
      : program_(program),
        accesses_(accesses),
        id_(loop),
        solver_(solver),
        options_(options),
        view_(view_of(accesses, loop, solver)),
        carrier_(accesses, view_, solver, options.fault == Fault::no_conditions) {}

  void decide(LoopReport& report) {
    report_ = &report;
    if (!accesses_.fault.empty()) return not_proven(accesses_.fault + ".");
    if (!loop().fault.empty()) {
      const Place& at = loop().fault_place;
      return not_proven(fmt::format("{} (line {}, column {}).", loop().fault, at.line, at.column));
    }
    std::set<int> written;
    for (const Access* a : view_.accesses) {
      if (a->is_write) written.insert(a->variable);
    }
    for (const int v : written) consider(v);
    add_overlaps(program_, accesses_, view_, report.condition);
    if (!add_obligations(accesses_, id_, solver_, report.condition)) {
      return not_proven("its arithmetic may wrap around.");
    }
    own_variable();
    conclude();
  }

 private:
  const Loop& loop() const { return accesses_.loops[static_cast<std::size_t>(id_)]; }
  const Variable& variable(int v) const { return program_.variables[static_cast<std::size_t>(v)]; }

  void not_proven(const std::string& why) {
    report_->verdict = Verdict::not_proven;
    report_->reason = "Not proven: " + why;
    report_->clauses.clear();
    report_->condition.clear();
  }

  bool is_declared_inside(int v) const {
    const auto found = accesses_.declared_in.find(variable(v).object);
    return found != accesses_.declared_in.end() &&
           std::find(found->second.begin(), found->second.end(), id_) != found->second.end();
  }

  // The dependences that the loop carries on one variable.
  std::vector<Carried> carried(int v) const {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < view_.accesses.size(); ++i) {
      if (view_.accesses[i]->variable == v) members.push_back(i);
    }
    std::vector<Carried> found;
    for (const std::size_t a : members) {
      for (const std::size_t b : members) {
        const bool aw = view_.accesses[a]->is_write, bw = view_.accesses[b]->is_write;
        if (!aw && !bw) continue;
        if (options_.fault == Fault::no_output && aw && bw) continue;
        if (options_.fault == Fault::no_anti && !aw && bw) continue;
        if (options_.fault == Fault::ignore_opaque && has_opaque(a) + has_opaque(b) > 0) continue;
        const std::int64_t least = options_.fault == Fault::off_by_one ? 2 : 1;
        const Existence e = carrier_.exists(a, b, least);
        if (e != Existence::none) found.push_back({a, b, e});
      }
    }
    return found;
  }

  bool has_opaque(std::size_t a) const {
    return std::any_of(view_.subscripts[a].begin(), view_.subscripts[a].end(), [&](const auto& s) {
      if (!s) return true;
      return std::any_of(s->terms().begin(), s->terms().end(), [&](const auto& term) {
        return std::any_of(term.first.begin(), term.first.end(), [&](int x) {
          return accesses_.symbols[static_cast<std::size_t>(x)].kind == Symbol::Kind::unknown;
        });
      });
    });
  }

  void consider(int v) {
    if (is_declared_inside(v)) return;
    if (loop().variable == v) return;
    if (loop().inductions.contains(v)) {
      const Induction& i = loop().inductions.at(v);
      clause("induction", v,
             fmt::format("{} = {} when an iteration begins", variable(v).name, text_of(i.at_start, accesses_.symbols)));
      return;
    }
    const auto dependences = carried(v);
    if (dependences.empty()) return;
    if (const std::string op = reduction(v); !op.empty()) return clause("reduction", v, op);
    if (reads_own_iteration(program_, accesses_, view_, v, solver_)) {
      const bool is_local_view = !variable(v).is_array || variable(v).storage == Variable::Storage::local;
      if (is_local_view && !is_read_later(program_, accesses_, id_, v)) return clause("private", v);
      if (!variable(v).is_array && loop().always_assigned.contains(v)) return clause("lastprivate", v);
    }
    blocking_.insert(blocking_.end(), dependences.begin(), dependences.end());
  }

  // The operator of the updates, if the loop does nothing else with the variable.
  std::string reduction(int v) const {
    std::string op;
    for (const Access* a : view_.accesses) {
      if (variable(a->variable).object != variable(v).object) continue;
      if (a->variable != v || a->update.empty() || (!op.empty() && op != a->update)) return "";
      op = a->update;
    }
    return op;
  }

  void clause(const std::string& kind, int v, const std::string& detail = "") {
    report_->clauses.push_back({kind, variable(v).name, detail});
  }

  void own_variable() {
    if (loop().declares) return;
    if (is_read_later(program_, accesses_, id_, loop().variable)) clause("lastprivate", loop().variable);
  }

  void conclude() {
    if (blocking_.empty()) {
      if (!report_->condition.empty()) {
        report_->verdict = Verdict::parallel_if;
        report_->reason = "No iteration depends on another where the condition holds.";
      } else if (!report_->clauses.empty()) {
        report_->verdict = Verdict::parallel_with_clauses;
        report_->reason = "Iterations depend on each other only through what the clauses name.";
      } else {
        report_->verdict = Verdict::parallel;
        report_->reason = "No two iterations touch the same element of which one writes it.";
      }
      return;
    }
    if (const auto found = find_scan(program_, accesses_, carrier_, blocking_)) {
      report_->verdict = Verdict::scan;
      clause("scan", found->variable, found->op + (found->is_segmented ? ", segmented" : ""));
      report_->reason = fmt::format("Each iteration continues {} of the one before by {}, an associative operator.",
                                    variable(found->variable).name, found->op);
      return;
    }
    if (auto condition = condition_without(accesses_, carrier_, blocking_, solver_)) {
      report_->condition.insert(report_->condition.begin(), *condition);
      report_->verdict = Verdict::parallel_if;
      report_->reason = fmt::format("No iteration depends on another where the condition holds; else {}.",
                                    pair_text(program_, view_, blocking_[0]));
      return;
    }
    for (const Carried& pair : blocking_) {
      report_->witness = find_witness(program_, accesses_, carrier_, pair, solver_);
      if (!report_->witness) continue;
      report_->verdict = Verdict::sequential;
      report_->reason = fmt::format("An iteration needs an earlier one: {}.", pair_text(program_, view_, pair));
      report_->clauses.clear();
      report_->condition.clear();
      return;
    }
    not_proven(fmt::format("it could not be excluded that {}.", pair_text(program_, view_, blocking_[0])));
  }

  const Program& program_;
  const Accesses& accesses_;
  int id_;
  Solver& solver_;
  const JudgeOptions& options_;
  const View view_;
  const Carrier carrier_;
  LoopReport* report_ = nullptr;
  std::vector<Carried> blocking_;
};

}  // namespace

std::vector<LoopReport> judge(const Program& program, const Function& function, Solver& solver,
                              const JudgeOptions& options) {
  const Accesses accesses = find_accesses(program, function);
  std::vector<LoopReport> reports;
  for (std::size_t i = 0; i < accesses.loops.size(); ++i) {
    const Loop& loop = accesses.loops[i];
    LoopReport& report = reports.emplace_back();
    report.function = function.name;
    report.position = {loop.place.line, loop.place.column};
    report.variable = loop.name;
    report.depth = loop.depth;
    report.parent = loop.parent;
    Case(program, accesses, static_cast<int>(i), solver, options).decide(report);
  }
  if (options.matrix) {
    for (std::size_t i = 0; i < accesses.loops.size(); ++i) {
      if (accesses.loops[i].parent < 0) add_matrix(program, accesses, static_cast<int>(i), solver, reports);
    }
  }
  return reports;
}

}  // namespace papilio::loops
