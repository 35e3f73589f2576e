#include "loops/verdict/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "loops/dependence/carried.h"
#include "loops/dependence/parameters.h"
#include "loops/verdict/conditions.h"
#include "loops/verdict/inspect.h"
#include "loops/verdict/privatize.h"
#include "loops/verdict/scans.h"
#include "loops/verdict/witness.h"

namespace papilio::loops {
namespace {

View restricted(View all, const Part& part) {
  if (part.loop < 0) return all;
  View view;
  view.root = all.root;
  view.assumed = all.assumed;
  for (std::size_t i = 0; i < all.accesses.size(); ++i) {
    const Access& a = *all.accesses[i];
    const auto level = std::find(a.loops.begin(), a.loops.end(), part.loop);
    if (level != a.loops.end() && !part.items.contains(a.items[static_cast<std::size_t>(level - a.loops.begin())]))
      continue;
    view.accesses.push_back(all.accesses[i]);
    view.subscripts.push_back(std::move(all.subscripts[i]));
  }
  return view;
}

// The loop in question, or a part of it.
class Case {
 public:
  Case(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options,
       const Part& part)
      : program_(program),
        accesses_(accesses),
        id_(loop),
        solver_(solver),
        options_(options),
        part_(part),
        view_(restricted(view_of(accesses, loop, solver, true), part)),
        carrier_(accesses, view_, solver) {}

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
    add_overlaps(program_, accesses_, view_, report.predicates);
    if (!add_obligations(accesses_, id_, solver_, report.predicates)) {
      return not_proven("its arithmetic may wrap around.");
    }
    own_variable();
    add_assumed();
    conclude();
    const auto is_quick = [](const Predicate& p) { return p.is_constant_time; };
    std::stable_partition(report.predicates.begin(), report.predicates.end(), is_quick);
    for (const Predicate& p : report.predicates) report.condition.push_back(p.text);
  }

 private:
  const Loop& loop() const { return accesses_.loops[static_cast<std::size_t>(id_)]; }
  const Variable& variable(int v) const { return program_.variables[static_cast<std::size_t>(v)]; }

  void not_proven(const std::string& why) {
    report_->verdict = Verdict::not_proven;
    report_->reason = "Not proven: " + why;
    report_->clauses.clear();
    report_->predicates.clear();
  }

  bool is_declared_inside(int v) const {
    const auto found = accesses_.declared_in.find(variable(v).object);
    return found != accesses_.declared_in.end() &&
           std::find(found->second.begin(), found->second.end(), id_) != found->second.end();
  }

  // The dependences that the loop carries on one variable. When the time is up, one represents all the others.
  std::vector<Carried> carried(int v) {
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
        const bool is_call = view_.accesses[a]->is_inlined || view_.accesses[b]->is_inlined;
        if (options_.fault == Fault::no_calls && is_call) continue;
        if (options_.fault == Fault::ignore_opaque && has_opaque(a) + has_opaque(b) > 0) continue;
        const std::int64_t least = options_.fault == Fault::off_by_one ? 2 : 1;
        if (solver_.is_spent()) {
          unfinished_.insert(v);
          found.push_back({a, b, Existence::maybe});
          return found;
        }
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
    if (is_declared_inside(v) || part_.expanded.contains(v)) return;
    if (loop().variable == v) return;
    if (loop().inductions.contains(v)) return induction(v);
    const auto dependences = carried(v);
    if (dependences.empty()) return;
    if (const std::string op = reduction(v); !op.empty()) return clause("reduction", v, op);
    const bool is_local_view = !variable(v).is_array || variable(v).storage == Variable::Storage::local;
    const bool is_dead = options_.fault == Fault::never_read_later || !is_read_later(program_, accesses_, id_, v);
    auto others = reads_of_others(program_, accesses_, view_, v, solver_);
    if (options_.fault == Fault::always_private) others.clear();
    const bool is_own = others.empty();
    if (is_own || !has_flow(v, dependences, others)) {
      if (is_local_view && is_dead && (is_own || runs_once(v))) return clause(is_own ? "private" : "firstprivate", v);
      if (!variable(v).is_array && loop().always_assigned.contains(v)) {
        if (!is_own) clause("firstprivate", v);
        return clause("lastprivate", v);
      }
      if (is_own && keeps_last_values(v)) return last_values(v);
    }
    if (!is_own && variable(v).is_array && add_private_under_condition(v, is_local_view && is_dead && runs_once(v)))
      return;
    if (copy_instead(v, dependences)) return;
    blocking_.insert(blocking_.end(), dependences.begin(), dependences.end());
  }

  // If all iterations write the same elements, what the last one leaves is what there is after the loop.
  bool keeps_last_values(int v) const {
    return variable(v).is_array && variable(v).object == v && part_.loop < 0 && write_the_same(accesses_, view_, v);
  }

  void last_values(int v) {
    clause("firstprivate", v);  // for elements that no iteration writes
    clause("lastprivate", v);
  }

  void induction(int v) {
    const Induction& i = loop().inductions.at(v);
    std::string form = text_of(i.at_start, accesses_.symbols);
    const bool has_own = std::any_of(i.at_start.terms().begin(), i.at_start.terms().end(), [&](const auto& term) {
      return std::any_of(term.first.begin(), term.first.end(), [&](int s) {
        return accesses_.symbols[static_cast<std::size_t>(s)].name == variable(v).name;
      });
    });
    if (variable(v).is_offset && !has_own) {
      const std::string sign = form[0] == '-' ? " - " : " + ";
      form = variable(variable(v).base).name + sign + form.substr(form[0] == '-' ? 1 : 0);
    }
    clause("induction", v, fmt::format("{} = {} at the start of an iteration", variable(v).name, form));
    report_->clauses.back().value = form;
    report_->clauses.back().step = i.step;
  }

  // Whether no later run of the loop reads what this one leaves in the variable.
  bool runs_once(int v) const {
    if (loop().parent < 0) return true;
    const auto declared = accesses_.declared_in.find(variable(v).object);
    return declared != accesses_.declared_in.end() &&
           std::find(declared->second.begin(), declared->second.end(), loop().parent) != declared->second.end();
  }

  // Whether one of the reads may get a value that an earlier iteration has written.
  bool has_flow(int v, const std::vector<Carried>& dependences, const std::vector<std::size_t>& reads) const {
    return unfinished_.contains(v) || std::any_of(dependences.begin(), dependences.end(), [&](const Carried& pair) {
             return view_.accesses[pair.first]->is_write &&
                    std::find(reads.begin(), reads.end(), pair.second) != reads.end();
           });
  }

  // Handles an array that every iteration fills before it reads it, if a condition
  // holds: by a clause if it can be private, otherwise as an alternative.
  bool add_private_under_condition(int v, bool can_be_private) {
    auto condition = condition_for_own_iteration(program_, accesses_, view_, v, solver_);
    if (!condition) return false;
    Predicate p;
    p.kind = "expression";
    p.text = p.expression = *condition;
    if (can_be_private || keeps_last_values(v)) {
      report_->predicates.push_back(std::move(p));
      can_be_private ? clause("private", v) : last_values(v);
      return true;
    }
    Transformation t;
    t.kind = "privatize";
    t.detail = fmt::format("{} where {}", variable(v).name, *condition);
    t.condition.push_back(std::move(p));
    t.clauses.push_back({"lastprivate", variable(v).name, "", "", 0, true, {}});
    alternatives_.push_back(std::move(t));
    return false;
  }

  // If all dependences are reads of elements that later iterations write, the reads may use a copy.
  bool copy_instead(int v, const std::vector<Carried>& dependences) {
    if (!variable(v).is_array || variable(v).object != v || unfinished_.contains(v)) return false;
    std::set<std::size_t> reads;
    for (const Carried& pair : dependences) {
      if (view_.accesses[pair.first]->is_write || view_.accesses[pair.first]->is_inlined) return false;
      reads.insert(pair.first);
    }
    for (const std::size_t r : reads) {
      for (std::size_t w = 0; w < view_.accesses.size(); ++w) {
        const Access& write = *view_.accesses[w];
        // Within the same iteration, the write must not come first.
        if (!write.is_write || write.variable != v || options_.fault == Fault::copy_all) continue;
        if (carrier_.meet_within(r, w) && !is_read_first(*view_.accesses[r], write)) return false;
      }
    }
    clause("copy", v);
    std::set<std::pair<int, int>> places;
    for (const std::size_t r : reads) places.insert({view_.accesses[r]->place.line, view_.accesses[r]->place.column});
    for (const auto& [line, column] : places) report_->clauses.back().places.push_back({line, column});
    copied_.insert(copied_.end(), dependences.begin(), dependences.end());
    return true;
  }

  // Whether no loop within the iteration leads from the write back to the read.
  bool is_read_first(const Access& read, const Access& write) const {
    const bool share = std::any_of(read.loops.begin(), read.loops.end(), [&](int l) {
      return accesses_.loops[static_cast<std::size_t>(l)].depth > loop().depth &&
             std::find(write.loops.begin(), write.loops.end(), l) != write.loops.end();
    });
    return !share && read.order < write.order;
  }

  // The operator of the updates, if the loop uses the variable for nothing else.
  std::string reduction(int v) const {
    std::string op;
    for (const Access* a : view_.accesses) {
      if (variable(a->variable).object != variable(v).object) continue;
      if (options_.fault == Fault::any_update && a->update.empty() && a->is_write) continue;
      if (a->variable != v || a->update.empty() || (!op.empty() && op != a->update)) return "";
      op = a->update;
    }
    return op;
  }

  void clause(const std::string& kind, int v, const std::string& detail = "") {
    report_->clauses.push_back({kind, variable(v).name, detail, "", 0, variable(v).is_array, {}});
  }

  // Adds the lengths of rows that must be positive.
  void add_assumed() {
    for (const Monomial& length : view_.assumed) {
      Polynomial value;
      value.set(length, 1);
      Predicate p;
      p.kind = "expression";
      p.text = p.expression = text_of(value, accesses_.symbols) + " >= 1";
      if (!is_named(accesses_, id_, value))
        p.kind = "range", p.low = "1", p.expression = text_of(value, accesses_.symbols);
      report_->predicates.push_back(std::move(p));
    }
  }

  void own_variable() {
    if (loop().declares) return;
    if (is_read_later(program_, accesses_, id_, loop().variable)) clause("lastprivate", loop().variable);
  }

  void conclude() {
    if (blocking_.empty()) return call_parallel();
    const bool is_complete = std::none_of(blocking_.begin(), blocking_.end(), [&](const Carried& pair) {
      return unfinished_.contains(view_.accesses[pair.first]->variable);
    });
    const bool trusts = options_.fault == Fault::any_recurrence;
    if (const auto found = find_scan(program_, accesses_, carrier_, blocking_, is_complete, trusts))
      return call_scan(*found);
    if (!is_complete) return not_excluded();
    if (const auto system = find_system(program_, accesses_, view_, blocking_, part_)) return call_system(*system);
    if (auto condition = condition_without(accesses_, carrier_, blocking_, solver_)) {
      Predicate p;
      p.kind = "expression";
      p.text = p.expression = *condition;
      report_->predicates.insert(report_->predicates.begin(), std::move(p));
      return call_parallel_if();
    }
    if (auto found = find_inspections(program_, accesses_, carrier_, blocking_, solver_)) {
      if (options_.fault != Fault::no_inspection)
        report_->predicates.insert(report_->predicates.end(), found->begin(), found->end());
      report_->transformations.insert(report_->transformations.end(), alternatives_.begin(), alternatives_.end());
      return call_parallel_if();
    }
    for (const Carried& pair : blocking_) {
      report_->witness = find_witness(program_, accesses_, carrier_, pair, solver_);
      if (!report_->witness) continue;
      report_->verdict = Verdict::sequential;
      report_->reason = fmt::format("An iteration depends on an earlier one: {}.", pair_text(program_, view_, pair));
      report_->clauses.clear();
      report_->predicates.clear();
      return;
    }
    not_excluded();
  }

  void not_excluded() {
    not_proven(fmt::format("it could not be ruled out that {}.", pair_text(program_, view_, blocking_[0])));
    report_->transformations.insert(report_->transformations.end(), alternatives_.begin(), alternatives_.end());
  }

  void call_parallel() {
    if (!report_->predicates.empty()) {
      report_->verdict = Verdict::parallel_if;
      report_->reason = "No iteration depends on another if the condition holds.";
    } else if (!report_->clauses.empty()) {
      report_->verdict = Verdict::parallel_with_clauses;
      report_->reason = copied_.empty() ? "Iterations depend on each other only through the variables in the clauses."
                                        : fmt::format("No iteration reads what an earlier one wrote, but {}.",
                                                      pair_text(program_, view_, copied_[0]));
    } else {
      report_->verdict = Verdict::parallel;
      report_->reason = "No two iterations touch the same element, unless both only read it.";
    }
  }

  void call_parallel_if() {
    report_->verdict = Verdict::parallel_if;
    report_->reason = fmt::format("No iteration depends on another if the condition holds; otherwise {}.",
                                  pair_text(program_, view_, blocking_[0]));
  }

  void call_scan(const Scan& found) {
    report_->verdict = Verdict::scan;
    clause("scan", found.variable, found.op + (found.is_segmented ? ", segmented" : ""));
    std::set<std::pair<int, int>> places;
    for (const Access* a : view_.accesses) {
      if (a->variable == found.variable && a->is_write) places.insert({a->place.line, a->place.column});
    }
    for (const auto& [line, column] : places) report_->clauses.back().places.push_back({line, column});
    report_->reason = reason_of(program_, found);
  }

  void call_system(const LinearSystem& found) {
    report_->verdict = Verdict::scan;
    report_->reason = reason_of(program_, found);
    const std::string detail = fmt::format("linear, {0} x {0}", found.states.size());
    std::set<int> named;
    for (const LinearSystem::State& state : found.states) {
      if (!named.insert(state.variable).second) continue;
      clause("scan", state.variable, detail);
      report_->clauses.back().places = statements_of(found, state.variable);
    }
  }

  const Program& program_;
  const Accesses& accesses_;
  int id_;
  Solver& solver_;
  const JudgeOptions& options_;
  const Part& part_;
  const View view_;
  const Carrier carrier_;
  LoopReport* report_ = nullptr;
  std::vector<Carried> blocking_, copied_;
  std::set<int> unfinished_;  // variables of which not all pairs were examined
  std::vector<Transformation> alternatives_;
};

}  // namespace

void decide(const Program& program, const Accesses& accesses, int loop, Solver& solver, const JudgeOptions& options,
            const Part& part, LoopReport& report) {
  Case(program, accesses, loop, solver, options, part).decide(report);
}

}  // namespace papilio::loops
