#include "loops/emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "loops/emit/candidate.h"
#include "loops/emit/conditions.h"
#include "loops/emit/distribute.h"
#include "loops/emit/heads.h"
#include "loops/emit/nest.h"
#include "loops/emit/parallel.h"
#include "loops/emit/scan.h"
#include "loops/emit/system.h"
#include "loops/emit/texts.h"

namespace papilio::loops {
namespace {

constexpr std::int64_t few = 4;  // a loop known to have fewer iterations is not worth threads

class Emitter {
 public:
  Emitter(std::string_view text, const Program& program, const std::vector<Judged>& functions, const Report& report,
          const Options& options)
      : source_(text), texts_(source_), program_(program), functions_(functions), report_(report), options_(options) {
    while (text.find(prefix_) != std::string_view::npos) prefix_.insert(prefix_.size() - 1, "_out");
  }

  Emission run() {
    for (const Judged& f : functions_) {
      for (std::size_t l = 0; l < f.accesses.loops.size(); ++l) {
        if (f.accesses.loops[l].parent < 0) visit(f, static_cast<int>(l));
      }
    }
    if (needs_helper_) edits_.insert(0, separated_helper(prefix_));
    std::sort(result_.loops.begin(), result_.loops.end(), [](const EmittedLoop& a, const EmittedLoop& b) {
      return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
    });
    result_.text = edits_.apply(source_.text());
    return std::move(result_);
  }

 private:
  // The predicates of a loop that only has its conditions as text.
  static std::vector<Predicate> predicates_of(const LoopReport& loop, const Accesses& accesses) {
    if (!loop.predicates.empty()) return loop.predicates;
    std::vector<Predicate> made;
    for (const std::string& text : loop.condition) {
      Predicate p{"expression", text, text, {}, {}, {}, true};
      const std::size_t both = text.find(" and "), ends = text.find(" do not overlap");
      if (ends != std::string::npos && both < ends) {
        p.kind = "no_overlap";
        p.arrays = {text.substr(0, both), text.substr(both + 5, ends - both - 5)};
      }
      for (const Obligation& o : accesses.obligations) {
        if (o.text == text) p.kind = "range";
      }
      made.push_back(std::move(p));
    }
    return made;
  }

  void visit(const Judged& f, int id) {
    if (f.reports[static_cast<std::size_t>(id)] < 0) return;
    const auto index = static_cast<std::size_t>(f.reports[static_cast<std::size_t>(id)]);
    const LoopReport& loop = report_.loops[index];
    std::string why, how;
    const Candidate found{source_, report_, index, program_, f.accesses, id};
    std::optional<Edits> made = attempt(f, found, how, why);
    if (!made) {
      if (const Source* written_out = texts_.written_out(found)) {
        std::string ignored;
        made = attempt(f, {*written_out, report_, index, program_, f.accesses, id}, how, ignored);
      }
    }
    if (made) {
      edits_.add(*made);
      result_.loops.push_back({loop.function, loop.position, loop.variable, true, is_reordered_, how});
      return;
    }
    result_.loops.push_back({loop.function, loop.position, loop.variable, false, false, why});
    for (std::size_t inner = 0; inner < f.accesses.loops.size(); ++inner) {
      if (f.accesses.loops[inner].parent == id) visit(f, static_cast<int>(inner));
    }
  }

  // The edits of the file that change the loop. `found` has the source in which the loop was found.
  std::optional<Edits> attempt(const Judged& f, const Candidate& found, std::string& how, std::string& why) {
    is_reordered_ = false;
    Candidate c{texts_.without_steps_of(found), report_, found.index, program_, f.accesses, found.id};
    c.prefix = prefix_;
    c.written = found.source.text();
    if (!prepare(c, why)) return std::nullopt;
    const auto made = rewritten(f, c, how, why);
    return made ? std::optional(placed(c, *made)) : std::nullopt;
  }

  std::size_t end_in_file(const LoopReport& loop) const {
    const auto part = read_statement(source_, source_.token_at(loop.position.line, loop.position.column));
    return source_.tokens()[static_cast<std::size_t>(part->end - 1)].end;
  }

  // Finds the loop in the text.
  bool prepare(Candidate& c, std::string& why) const {
    const LoopReport& loop = c.loop();
    const int token = c.source.token_at(loop.position.line, loop.position.column);
    const bool is_do = token >= 0 && c.source.is(token, "do");
    if (token < 0 || (!c.source.is(token, "for") && !c.source.is(token, "while") && !is_do)) {
      why = "it is not written as for, while or do: a macro, perhaps";
      return false;
    }
    if (!pragmas_before(c.source, token).empty()) {
      why = "it has a pragma of its own";
      return false;
    }
    auto part = read_statement(c.source, token);
    if (!part) {
      why = "it contains a directive, or is nested too deep";
      return false;
    }
    c.part = std::move(*part);
    c.written_end = c.source.moved().empty() ? c.end() : end_in_file(loop);
    if (is_do) c.part.kind = TextPart::Kind::repeat;
    c.head = read_head(c.source, c.part, loop.variable);
    if (c.source.text().data() == c.written.data() && !c.finds_own()) {
      why = "its step or its test is in a macro, or in parentheses";
      return false;
    }
    if (c.head && takes_no_head(c)) c.head.reset();
    if (!c.head) c.head = counted_head(c);
    if (!c.head)
      why = c.counts_by_pointer() ? "its head is not understood, or its pointer's array has no name"
                                  : "its head is not understood";
    return c.head.has_value();
  }

  // OpenMP accepts != only with steps of 1, and it needs the step and a first value in the head. What is
  // computed from the number of the iteration needs another head than that of a pointer or a `while`.
  static bool takes_no_head(const Candidate& c) {
    const Loop& known = c.accesses.loops[static_cast<std::size_t>(c.id)];
    const bool is_loop = c.part.kind == TextPart::Kind::loop;
    if (known.steps_first || known.steps_in_test || known.runs_once ||
        (is_loop && (!known.own.empty() || c.head->first.empty())))
      return true;
    const bool needs_number = std::any_of(c.loop().clauses.begin(), c.loop().clauses.end(), [&](const Clause& x) {
      const bool has_last = x.kind == "lastprivate" && x.is_array;
      return x.kind == "induction" || ((x.kind == "scan" || has_last) && c.counts_by_pointer());
    });
    if (needs_number && (!is_loop || c.counts_by_pointer())) return true;
    return c.head->relation == "!=" && std::abs(known.step) != 1;
  }

  std::optional<Rewritten> rewritten(const Judged& f, const Candidate& c, std::string& how, std::string& why) {
    const LoopReport& loop = c.loop();
    if (has_few_iterations(f.accesses.loops[static_cast<std::size_t>(c.id)])) {
      why = "it has too few iterations";
      return std::nullopt;
    }
    if (c.counts_by_pointer()) return by_pointer(c, how, why);
    for (const Transformation& t : loop.transformations) {
      if (t.kind != options_.transform) continue;
      if (auto made = as_asked(f, c, t, how, why)) return made;
    }
    if (is_parallel(loop.verdict) || loop.verdict == Verdict::scan) {
      if (auto made = by_clauses(c, loop.clauses, predicates_of(loop, f.accesses), how, why)) {
        return made;
      }
    }
    for (const Transformation& t : loop.transformations) {
      if (t.kind == "privatize") {
        if (auto made = by_clauses(c, t.clauses, t.condition, how, why)) return made;
      }
      if (t.kind == "interchange" && !is_parallel(loop.verdict)) {
        if (auto made = by_interchange(f, c, how, why)) return made;
      }
      if (t.kind == "distribute" && !is_parallel(loop.verdict)) {
        std::string reason;
        if (auto made = distributed(c, t, reason)) {
          is_reordered_ = reorders(c, made->used);
          how = "distributed into " + std::to_string(t.pieces.size()) + " loops";
          return made;
        }
        why = "distribution: " + reason;
      }
    }
    if (why.empty()) why = std::string(name(loop.verdict));
    return std::nullopt;
  }

  // OpenMP accepts pointers as they are; rewritten loops count with integers.
  std::optional<Rewritten> by_pointer(const Candidate& c, std::string& how, std::string& why) {
    const LoopReport& loop = c.loop();
    if (is_parallel(loop.verdict) || (loop.verdict == Verdict::scan && c.head->is_counted))
      return by_clauses(c, loop.clauses, predicates_of(loop, c.accesses), how, why);
    why = loop.verdict == Verdict::scan ? "a pointer counts it, so it is not written as a scan" : name(loop.verdict);
    return std::nullopt;
  }

  // Whether floating-point numbers are added or multiplied in a different order.
  bool reorders(const Candidate& c, const std::vector<Clause>& clauses) const {
    return std::any_of(clauses.begin(), clauses.end(), [&](const Clause& x) {
      const int v = c.variable(x.variable);
      const bool is_real = v < 0 || program_.variables[static_cast<std::size_t>(v)].type.kind == Type::Kind::real;
      const std::string op = x.detail.substr(0, x.detail.find(','));
      return is_real && (x.kind == "reduction" || x.kind == "scan") &&
             (op == "+" || op == "*" || op == "linear" || op == "fractional");
    });
  }

  // Whether its test reads what the loop may write if its condition does not hold. OpenMP evaluates the bound once.
  bool reads_memory(const Candidate& c) const {
    return std::any_of(c.accesses.list.begin(), c.accesses.list.end(), [&](const Access& a) {
      const Variable& v = program_.variables[static_cast<std::size_t>(a.variable)];
      const bool is_shared = v.is_array || v.escapes || v.storage == Variable::Storage::global;
      return is_shared && a.is_header && a.loops.back() == c.id;
    });
  }

  std::optional<Rewritten> by_clauses(const Candidate& c, std::vector<Clause> clauses,
                                      const std::vector<Predicate>& predicates, std::string& how, std::string& why) {
    bool needs_helper = false;
    const auto condition = condition_of(c, predicates, needs_helper, why);
    if (!condition) return std::nullopt;
    is_reordered_ = reorders(c, clauses);
    // If a loop is counted anew, its variable belongs to the body.
    if (c.head->is_counted) std::erase_if(clauses, [&](const Clause& x) { return x.variable == c.head->variable; });
    const auto scan = std::find_if(clauses.begin(), clauses.end(), [](const Clause& x) { return x.kind == "scan"; });
    std::optional<Rewritten> made;
    if (scan == clauses.end()) {
      made = in_parallel(c, clauses, why);
      how = "parallel";
    } else {
      // The first pass computes only what the scan needs; the second runs the loop.
      made = is_system(*scan) ? in_two_passes_by_matrices(c, clauses, why) : in_two_passes(c, *scan, clauses, why);
      how = "scan in two passes";
    }
    if (!made) return std::nullopt;
    made->condition = *condition;
    made->needs_version = made->needs_version || !clauses.empty() || c.head->is_counted || reads_memory(c) ||
                          condition->find("__extension__") != std::string::npos;
    if (!condition->empty()) how += ", if a condition holds";
    needs_helper_ = needs_helper_ || needs_helper;
    return made;
  }

  // The transformation that the options ask for.
  std::optional<Rewritten> as_asked(const Judged& f, const Candidate& c, const Transformation& t, std::string& how,
                                    std::string& why) {
    if (t.kind == "privatize") return by_clauses(c, t.clauses, t.condition, how, why);
    if (t.kind == "distribute") {
      how = fmt::format("distributed into {} loops", t.pieces.size());
      auto made = distributed(c, t, why);
      if (made) is_reordered_ = reorders(c, made->used);
      return made;
    }
    // The others rewrite a nest, without clauses: these are its loops, as indices in the accesses.
    std::vector<int> chain;
    for (std::size_t l = 0; l < f.reports.size(); ++l) {
      const bool is_of_it = std::find(t.loops.begin(), t.loops.end(), f.reports[l]) != t.loops.end();
      if (is_of_it && f.reports[l] >= 0) chain.push_back(static_cast<int>(l));
    }
    if (chain.empty() || c.head->is_counted) return std::nullopt;
    const auto nest = Nest::read(f, c, chain, why);
    const auto condition = nest ? condition_of_order(f, c, why) : std::nullopt;
    if (!condition) return std::nullopt;
    if (t.kind == "tile" || t.kind == "strip_mine") {
      how = fmt::format("in {} of {}", t.kind == "tile" ? "tiles" : "strips", options_.tile);
      return under(*condition, nest->tiled(options_.tile), how);
    }
    std::vector<std::size_t> order;
    for (std::size_t k = 1; k < chain.size(); ++k) order.push_back(k);
    order.push_back(0);
    how = t.kind == "interchange" ? "interchanged with the loop in it" : "moved inwards";
    return under(*condition, nest->reordered(order), how);
  }

  static Rewritten under(const std::string& condition, Rewritten made, std::string& how) {
    made.condition = condition;
    made.needs_version = !condition.empty();
    if (!condition.empty()) how += ", if a condition holds";
    return made;
  }

  // A condition under which the matrix has all dependences: no two
  // pointers lead to the same memory, and no subscript wraps around.
  std::optional<std::string> condition_of_order(const Judged& f, const Candidate& c, std::string& why) {
    std::vector<Predicate> predicates;
    if (is_parallel(c.loop().verdict)) {
      predicates = predicates_of(c.loop(), c.accesses);
    } else {
      predicates = f.overlaps[static_cast<std::size_t>(c.id)];
      const bool may_wrap = std::any_of(
          c.accesses.obligations.begin(), c.accesses.obligations.end(),
          [&](const Obligation& o) { return std::find(o.loops.begin(), o.loops.end(), c.id) != o.loops.end(); });
      if (may_wrap) {
        why = "its arithmetic may wrap around";
        return std::nullopt;
      }
    }
    bool needs_helper = false;
    auto condition = condition_of(c, predicates, needs_helper, why);
    needs_helper_ = needs_helper_ || needs_helper;
    return condition;
  }

  // Makes the inner loop the outer one, if it is then parallel: if no dependence at all leads along it.
  std::optional<Rewritten> by_interchange(const Judged& f, const Candidate& c, std::string& how,
                                          std::string& why) const {
    const std::vector<Loop>& loops = f.accesses.loops;
    int inner = -1;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      if (loops[l].parent == c.id) inner = static_cast<int>(l);
    }
    if (inner < 0 || f.reports[static_cast<std::size_t>(inner)] < 0) return std::nullopt;
    const auto report_of = [&](int l) -> const LoopReport& {
      return report_.loops[static_cast<std::size_t>(f.reports[static_cast<std::size_t>(l)])];
    };
    const LoopReport& inside = report_of(inner);
    int nest = c.id;
    while (loops[static_cast<std::size_t>(nest)].parent >= 0) nest = loops[static_cast<std::size_t>(nest)].parent;
    const auto depth = static_cast<std::size_t>(inside.depth);
    for (const Dependence& d : report_of(nest).matrix) {
      // A loop's own variable that is declared outside would be shared.
      if (d.directions.size() <= depth || d.directions[depth] != '=') return std::nullopt;
    }
    const bool declares =
        loops[static_cast<std::size_t>(inner)].declares && loops[static_cast<std::size_t>(c.id)].declares;
    if (inside.verdict != Verdict::parallel || !declares) return std::nullopt;
    const int token = c.source.token_at(inside.position.line, inside.position.column);
    const auto part = token < 0 ? std::nullopt : read_statement(c.source, token);
    const auto head = part ? read_head(c.source, *part, inside.variable) : std::nullopt;
    if (!head) return std::nullopt;
    auto made = interchanged(c, *part, why);
    if (made) how = fmt::format("interchanged with the loop of {}, which is parallel", inside.variable);
    return made;
  }

  static bool has_few_iterations(const Loop& loop) {
    for (const Polynomial& room : loop.room) {
      // room at the first value, divided by the step, is the number of iterations minus one.
      const std::int64_t slope = room.coefficient({loop.symbol});
      Polynomial rest = room;
      rest.set({loop.symbol}, 0);
      const auto at_first = Polynomial::sum(rest, loop.lower, slope);
      const auto known = at_first ? at_first->as_constant() : std::nullopt;
      if (known && *known / std::max<std::int64_t>(1, std::abs(loop.step * slope)) + 1 < few) return true;
    }
    return false;
  }

  const Source source_;
  Texts texts_;
  const Program& program_;
  const std::vector<Judged>& functions_;
  const Report& report_;
  const Options& options_;
  std::string prefix_ = "loopdep_";
  Edits edits_;
  Emission result_;
  bool needs_helper_ = false;
  bool is_reordered_ = false;  // by the present loop
};

}  // namespace

Emission emit(std::string_view text, const Program& program, const std::vector<Judged>& functions, const Report& report,
              const Options& options) {
  return Emitter(text, program, functions, report, options).run();
}

}  // namespace papilio::loops
