#include <algorithm>
#include <cstdlib>
#include <utility>

#include "loops/access/finder.h"
#include "loops/program/changes.h"

// Loops: the symbols of their iterations, and the variables that change by the same amount in each.

namespace papilio::loops {
namespace {

void find_changed_in(const Expr& e, std::set<int>& changed, bool& unknown) {
  if (e.kind == Expr::Kind::unknown) unknown = true;
  changed.insert(e.clobbers.begin(), e.clobbers.end());
  for (const Expr& part : e.operands) find_changed_in(part, changed, unknown);
}

// Whether an iteration may end before its last statement, or may be the last one early.
bool may_leave(const std::vector<Stmt>& list) {
  return std::any_of(list.begin(), list.end(), [](const Stmt& s) {
    if (s.kind == Stmt::Kind::leave || s.kind == Stmt::Kind::next) return true;
    if (s.kind == Stmt::Kind::loop) {
      std::vector<const Stmt*> open = {&s};
      while (!open.empty()) {
        const Stmt* at = open.back();
        open.pop_back();
        if (at->kind == Stmt::Kind::leave && at->leaves_function) return true;
        for (const Stmt& part : at->body) open.push_back(&part);
        for (const Stmt& part : at->otherwise) open.push_back(&part);
      }
      return false;
    }
    return may_leave(s.body) || may_leave(s.otherwise);
  });
}

// The c of v += c or v = v + c among the statements, not within loops or branches; 0 if there is none.
std::int64_t constant_step(const std::vector<Stmt>& list, int variable) {
  for (const Stmt& s : list) {
    const bool assigns = s.kind == Stmt::Kind::assign && s.target.variable == variable;
    const std::int64_t step = s.kind == Stmt::Kind::block ? constant_step(s.body, variable) : assigns ? step_of(s) : 0;
    if (step != 0 || assigns) return step;
  }
  return 0;
}

}  // namespace

void find_changed(const std::vector<Stmt>& list, std::set<int>& changed, bool& unknown) {
  for (const Stmt& s : list) {
    if (s.kind == Stmt::Kind::assign) changed.insert(s.target.variable);
    if (s.variable >= 0) changed.insert(s.variable);
    if (s.kind == Stmt::Kind::unknown) unknown = true;
    changed.insert(s.clobbers.begin(), s.clobbers.end());
    for (const Expr* e : {&s.target, &s.value, &s.condition}) find_changed_in(*e, changed, unknown);
    find_changed(s.body, changed, unknown);
    find_changed(s.otherwise, changed, unknown);
  }
}

void Finder::find_inductions(const Stmt& s, int id, const Polynomial& count, const std::map<int, Polynomial>& before) {
  if (may_leave(s.body)) return;
  for (const auto& [index, first] : before) {
    const Variable& v = variable(index);
    if (v.storage == Variable::Storage::global || v.escapes || v.type.bits < 32 || !v.type.is_signed) continue;
    const std::int64_t step = constant_step(s.body, index);
    if (step == 0 || assignments(s.body, index) != 1) continue;
    const auto moved = Polynomial::product(count, Polynomial::constant(step));
    const auto value = moved ? Polynomial::sum(first, *moved) : std::nullopt;
    if (!value) continue;
    values_[index] = *value;
    loop_at(id).inductions[index] = {first, step, *value};
  }
}

// What the body does. When an iteration begins, every variable that the body may change is unknown.
void Finder::body_of(const Stmt& s, int id) {
  loop_at(id).may_leave = may_leave(s.body);
  if (may_leave(s.body)) make_inexact();
  conditions_ += loop_at(id).may_leave ? 1 : 0;
  statements(s.body, true);
  conditions_ -= loop_at(id).may_leave ? 1 : 0;
  loop_at(id).always_assigned = may_leave(s.body) ? std::set<int>() : assigned_.back();
}

// The entry of a loop that begins here.
Loop Finder::entry_of(const Stmt& s) const {
  Loop made;
  made.parent = loops_.empty() ? -1 : loops_.back();
  made.depth = static_cast<int>(loops_.size());
  made.conditions = conditions_;
  made.place = s.place;
  made.is_inlined = s.is_inlined;
  return made;
}

// The entry of a counted loop, without its first value.
Loop Finder::counted_entry_of(const Stmt& s) const {
  Loop made = entry_of(s);
  made.variable = s.variable;
  made.declares = s.declares;
  made.steps_first = s.steps_first;
  made.steps_in_test = s.steps_in_test;
  made.runs_once = s.runs_once;
  made.own = s.own;
  made.text = &s;
  made.step = s.step;
  made.name = variable(s.variable).name;
  return made;
}

// Adds a loop to the result, and begins its iterations. Returns its number.
int Finder::open_loop(Loop made) {
  const int id = static_cast<int>(out_.loops.size());
  if (!loops_.empty()) loop_at(loops_.back()).items[static_cast<std::size_t>(items_.back())].loops.push_back(id);
  out_.loops.push_back(std::move(made));
  loops_.push_back(id);
  items_.push_back(0);
  assigned_.emplace_back();
  return id;
}

// What the body does, and the end of the loop: `before` is what was known before it.
void Finder::run_body(const Stmt& s, int id, const Known& before) {
  controls_.push_back(statement_);
  body_of(s, id);
  controls_.pop_back();
  loops_.pop_back();
  items_.pop_back();
  assigned_ = before.assigned;
  domain_ = before.domain;
}

void Finder::opaque_loop(const Stmt& s) {
  Loop made = entry_of(s);
  made.fault = s.fault;
  made.fault_place = s.place;
  std::set<int> changed;
  bool unknown = false;
  find_changed(s.body, changed, unknown);
  const Known known = {domain_, assigned_};
  const int id = open_loop(std::move(made));
  loop_at(id).symbol = new_symbol(Symbol::Kind::iterator, "iteration", {Type::Kind::integer, 64, true});
  const auto signs = find_counters(s.body);
  std::map<int, Polynomial> before;
  for (const auto& [v, sign] : signs) before.emplace(v, value_of(v));
  for (const int v : changed) set_value(v, std::nullopt);
  begin_counters(signs, before);
  make_inexact();
  run_body(s, id, known);
  end_counters(id, signs, before);
  for (const int v : changed) {
    if (!signs.contains(v)) set_value(v, std::nullopt);
  }
}

// Gives a loop's variable its first value. `start` becomes what it was before the loop, if the loop leaves it as it is.
Polynomial Finder::first_value(const Stmt& s, Polynomial& start) {
  const Variable& counter = variable(s.variable);
  Polynomial lower;
  if (s.starts_as_is) {
    access(s.variable, false, {}, s.place);
    start = lower = value_of(s.variable);
    const Known known = {domain_, assigned_};
    make_inexact();  // the loop may not run at all
    access(s.variable, true, {}, s.place);
    assigned_ = known.assigned;
    domain_ = known.domain;
  } else {
    Value first = evaluate(s.value);
    if (s.value.type.kind != Type::Kind::integer) first.reset();
    lower = first ? *first : fresh(counter.name, counter.type);
    if (s.declares) {
      out_.declared_in[s.variable] = loops_;
    } else {
      Expr target;
      target.kind = Expr::Kind::variable;
      target.variable = s.variable;
      target.place = s.place;
      target.type = counter.type;
      write(target);
    }
  }
  if (!s.steps_first) return lower;
  const auto stepped = Polynomial::sum(lower, Polynomial::constant(s.step));
  return stepped ? *stepped : fresh(counter.name, counter.type);
}

// The number of iterations before the present one, of an open loop whose variable is `since` past its first value; that
// it is not negative becomes a condition in `ran`. Nothing if it cannot be followed.
std::optional<Polynomial> Finder::iterations_before(const Stmt& s, int id, const Value& since, Domain& ran) {
  if (!since) return std::nullopt;
  if (s.step == 1 || s.step == -1) {
    const auto count = Polynomial::product(*since, Polynomial::constant(s.step));
    if (count) ran.any_of[0].push_back({*count, false});
    return count;
  }
  const int counted = new_symbol(Symbol::Kind::count, "", {Type::Kind::integer, 64, true});
  loop_at(id).counted = counted;
  const Polynomial count = Polynomial::symbol(counted);
  const auto stride = Polynomial::sum(*since, count, -s.step);
  ran.any_of[0].push_back({count, false});
  if (stride) ran.any_of[0].push_back({*stride, true});
  return count;
}

// The loop runs, as far as is known, whenever `ran` holds and its condition may: notes what the condition reads.
void Finder::give_up_condition(const Stmt& s, int id, Domain& ran) {
  if (loop_at(id).fault.empty()) {
    loop_at(id).fault = "its bounds are too large to be followed";
    loop_at(id).fault_place = s.place;
  }
  ran.is_exact = false;
  const auto before = domain_;
  narrow(ran);
  truth(s.condition);  // all that it reads; some of it may be noted twice
  domain_ = before;
}

// The values, before a loop, of the integers that its body changes.
std::map<int, Polynomial> Finder::values_before(const Stmt& s, const std::set<int>& changed) {
  std::map<int, Polynomial> before;
  for (const int v : changed) {
    const Variable& other = variable(v);
    if (!other.is_array && other.type.kind == Type::Kind::integer && !other.is_volatile && v != s.variable) {
      before.emplace(v, value_of(v));
    }
  }
  return before;
}

// Makes the symbol of an open loop's variable, and forgets what the body changes.
void Finder::begin_iterations(const Stmt& s, int id, const std::set<int>& changed) {
  const Variable& counter = variable(s.variable);
  // For a pointer, an expression in C that includes its array, so that no word of it can be taken for an integer.
  const std::string name =
      counter.base < 0 ? counter.name : "(" + counter.name + " - &" + variable(counter.base).name + "[0])";
  const int iteration = new_symbol(Symbol::Kind::iterator, name, counter.type, s.variable);
  loop_at(id).symbol = iteration;
  for (const int v : changed) set_value(v, std::nullopt);
  values_[s.variable] = Polynomial::symbol(iteration);
}

// Narrows what comes now to iterations that run. Returns how many come before the present one, or nothing if that or
// the condition cannot be followed.
std::optional<Polynomial> Finder::enter_iteration(const Stmt& s, int id, const std::set<int>& changed) {
  const Polynomial iteration = Polynomial::symbol(loop_at(id).symbol);
  // lower <= i, or i = lower + step * count; likewise for loops that count down.
  Domain ran;
  const auto since = Polynomial::sum(iteration, loop_at(id).lower, -1);
  const auto count = iterations_before(s, id, since, ran);
  ++statement_;
  if (s.steps_first || s.tests_first) {  // the condition sees the value before the step
    values_[s.variable] = *Polynomial::sum(iteration, Polynomial::constant(-s.step));
  }
  const bool followed = count.has_value() && loop_condition(s.condition, changed, loop_at(id), ran);
  if (!followed) give_up_condition(s, id, ran);
  if (followed && s.runs_once) {  // the first iteration runs without a test
    Conjunction first = {{*since, true}};
    if (std::abs(s.step) != 1) first.push_back({*count, true});
    ran.any_of.push_back(std::move(first));
  }
  values_[s.variable] = iteration;
  loop_at(id).ran = ran.any_of;
  narrow(ran);
  return followed ? count : std::nullopt;
}

// If the type wraps around instead of overflowing, the variable must not reach the end of its range.
void Finder::require_no_wrap(const Stmt& s, int id) {
  const Type& t = variable(s.variable).type;
  if ((t.is_signed && t.bits >= 32) || s.steps_first || s.tests_first) return;
  const auto next = Polynomial::sum(Polynomial::symbol(loop_at(id).symbol), Polynomial::constant(s.step));
  if (next && (s.step < 0 || t.bits < 64)) checked(*next, t, s.place, text_of(*next, out_.symbols));
}

void Finder::loop(const Stmt& s) {
  ++statement_;
  Polynomial start;
  const Polynomial lower = first_value(s, start);
  Loop made = counted_entry_of(s);
  made.lower = lower;
  if (s.starts_at_once) made.start = start;
  std::set<int> changed;
  bool unknown = false;
  find_changed(s.body, changed, unknown);
  const std::map<int, Polynomial> before = values_before(s, changed);
  const Known known = {domain_, assigned_};
  const int id = open_loop(std::move(made));
  begin_iterations(s, id, changed);
  if (const auto count = enter_iteration(s, id, changed)) {
    require_no_wrap(s, id);
    find_inductions(s, id, *count, before);
  }

  const auto signs = find_counters(s.body);
  begin_counters(signs, before);
  for (const auto& [v, sign] : signs) {
    if (before.contains(v)) loop_at(id).counters[v].first = values_.at(v);
  }
  run_body(s, id, known);
  end_counters(id, signs, before);
  if (loop_at(id).may_leave) loop_at(id).counters.clear();
  for (const int v : changed) {
    if (!signs.contains(v) || !before.contains(v)) set_value(v, std::nullopt);
  }
  set_value(s.variable, std::nullopt);
}

}  // namespace papilio::loops
