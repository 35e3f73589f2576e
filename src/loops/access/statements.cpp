#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loops/access/finder.h"
#include "loops/program/deciding.h"

// Statements: what they write, and what is known after them.

namespace papilio::loops {
namespace {

void find_named(const Expr& e, std::set<int>& named) {
  if (e.variable >= 0) named.insert(e.variable);
  named.insert(e.clobbers.begin(), e.clobbers.end());
  for (const Expr& part : e.operands) find_named(part, named);
}

// Finds the variables that statements name.
void find_named(const std::vector<Stmt>& list, std::set<int>& named) {
  for (const Stmt& s : list) {
    if (s.variable >= 0) named.insert(s.variable);
    named.insert(s.clobbers.begin(), s.clobbers.end());
    for (const Expr* e : {&s.target, &s.value, &s.condition}) find_named(*e, named);
    find_named(s.body, named);
    find_named(s.otherwise, named);
  }
}

}  // namespace

Finder::Finder(const Program& program, const Function& function)
    : program_(program), function_(function), domain_(std::make_shared<const Domain>()) {}

Accesses Finder::run() {
  find_changed(function_.body, changed_, has_unknown_);
  deciding_ = deciding_variables(program_, function_);
  out_.fault = function_.fault;
  std::set<int> named;
  find_named(function_.body, named);
  for (const int i : named) {
    const Variable& v = variable(i);
    if (v.storage != Variable::Storage::local && !v.is_array && v.type.kind == Type::Kind::integer) value_of(i);
  }
  statements(function_.body, false);
  for (Access& a : out_.list) {
    for (const int id : a.loops)
      a.controls.insert(a.controls.end(), loop_at(id).leaves.begin(), loop_at(id).leaves.end());
  }
  return std::move(out_);
}

// Notes that none of the loops around this place can be judged.
void Finder::blame(const std::string& fault, const Place& place) {
  for (const int id : loops_) {
    if (loop_at(id).fault.empty()) {
      loop_at(id).fault = fault;
      loop_at(id).fault_place = place;
    }
  }
}

void Finder::access(int index, bool is_write, std::vector<std::optional<Polynomial>> subs, const Place& place) {
  const Variable& v = variable(index);
  // While a loop runs, its variable is handled by the loop.
  for (const int id : loops_) {
    if (loop_at(id).variable == index && subs.empty() && !is_write) return;
  }
  if (!v.is_array && subs.empty() && !is_write) {
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      if (!assigned_[k].contains(index)) loop_at(loops_[k]).exposed.insert(index);
    }
  }
  Access a;
  a.variable = index;
  a.is_write = is_write;
  a.subscripts = std::move(subs);
  a.place = place;
  a.loops = loops_;
  a.items = items_;
  a.domain = domain_;
  a.order = order_++;
  if (updated_.variable == index) a.update = updated_.update, a.recurrence = updated_.recurrence;
  if (!updated_.recurrence.empty() && (updated_.variable == index || updated_.used.contains(index)))
    a.recurs = updated_.variable;
  a.statement = statement_;
  a.controls = controls_;
  a.conditions = conditions_;
  a.is_header = in_header_;
  a.is_inlined = is_inlined_;
  out_.list.push_back(std::move(a));
  if (is_write) forget_definitions(index);
  if (is_write && !v.is_array) {
    for (auto& set : assigned_) set.insert(index);
  }
}

void Finder::set_value(int index, const Value& value) {
  const Variable& v = variable(index);
  if (v.is_array || v.type.kind != Type::Kind::integer || v.is_volatile) return;
  values_[index] = value ? *value : fresh(v.name, v.type);
}

void Finder::write(const Expr& target) {
  const Variable& v = variable(target.variable);
  if (v.is_volatile) blame(fmt::format("{} is volatile", v.name), target.place);
  access(target.variable, true, subscripts(target), target.place);
}

void Finder::statements(const std::vector<Stmt>& list, bool are_items) {
  for (const Stmt& s : list) {
    if (s.kind == Stmt::Kind::block) {
      statements(s.body, are_items);
      continue;
    }
    if (are_items && !loops_.empty()) {
      Loop& loop = loop_at(loops_.back());
      items_.back() = static_cast<int>(loop.items.size());
      loop.items.push_back({s.place, {}});
    }
    const bool outer = std::exchange(is_inlined_, s.is_inlined);
    statement(s);
    is_inlined_ = outer;
  }
}

void Finder::statement(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::block:
      return statements(s.body, false);
    case Stmt::Kind::declare:
      return declare(s);
    case Stmt::Kind::assign:
      return assign(s);
    case Stmt::Kind::evaluate:
      ++statement_;
      evaluate_only(s.value);
      return;
    case Stmt::Kind::branch:
      return branch(s);
    case Stmt::Kind::loop:
      return s.fault.empty() ? loop(s) : opaque_loop(s);
    case Stmt::Kind::leave:
      if (!s.op.empty()) {
        ++statement_;
        evaluate_only(s.value);
      }
      if (!loops_.empty()) loop_at(loops_.back()).leaves.insert(controls_.begin(), controls_.end());
      if (s.leaves_function) {
        blame("it returns from the function", s.place);
      } else if (!loops_.empty() && loop_at(loops_.back()).fault.empty()) {
        loop_at(loops_.back()).fault = "it is left by break";
        loop_at(loops_.back()).fault_place = s.place;
      }
      return;
    case Stmt::Kind::next:  // body_of has handled the rest
      if (!loops_.empty()) loop_at(loops_.back()).leaves.insert(controls_.begin(), controls_.end());
      return;
    case Stmt::Kind::unknown:
      return meet_unknown(s.text, s.place, s.clobbers);
  }
}

// Notes what is read for a value that decides nothing.
void Finder::evaluate_only(const Expr& e) {
  const bool outer = std::exchange(is_unused_, true);
  evaluate(e);
  is_unused_ = outer;
}

void Finder::declare(const Stmt& s) {
  out_.declared_in[s.variable] = loops_;
  ++statement_;
  const Variable& v = variable(s.variable);
  if (s.op.empty()) {
    set_value(s.variable, std::nullopt);
    return;
  }
  const std::size_t first = out_.list.size();
  const bool outer = std::exchange(is_unused_, !v.is_array && !deciding_.contains(s.variable));
  const Value value = evaluate(s.value);
  is_unused_ = outer;
  if (v.is_array) return;  // an initialised array is new memory, which nothing else uses
  const std::size_t last = out_.list.size();
  access(s.variable, true, {}, s.place);
  set_value(s.variable, s.value.type.kind == Type::Kind::integer ? value : std::nullopt);
  Expr target;
  target.kind = Expr::Kind::variable;
  target.variable = s.variable;
  target.type = v.type;
  define(target, s.value, first, last);
}

void Finder::assign(const Stmt& s) {
  ++statement_;
  const std::string update = update_of(s);
  Used used;
  const std::string recurrence = update.empty() ? recurrence_of(s, used) : "";
  updated_ = {s.target.variable, update, recurrence};
  if (!recurrence.empty()) mark_recurrence(s.target.variable, recurrence, used);
  const std::size_t first = out_.list.size();
  // Elements and real numbers are not followed. A sum may wrap, but what counts by constants is taken for a subscript.
  const bool is_sum = !s.op.empty() ? s.value.kind != Expr::Kind::integer : !recurrence.empty();
  const bool is_data = s.target.kind == Expr::Kind::element || s.target.type.kind != Type::Kind::integer ||
                       !deciding_.contains(s.target.variable);
  const bool outer = std::exchange(is_unused_, is_data || is_sum);
  Value value;
  if (s.op.empty()) {
    value = evaluate(s.value);
    if (s.value.type.kind != Type::Kind::integer) value.reset();
  } else {
    const Value before = read(s.target);
    const Value by = evaluate(s.value);
    const bool integers = s.target.type.kind == Type::Kind::integer && s.value.type.kind == Type::Kind::integer;
    if (before && by && integers && (s.op == "+" || s.op == "-")) {
      value = Polynomial::sum(*before, *by, s.op == "+" ? 1 : -1);
      const Type &t = s.target.type, &by_type = s.value.type;  // the sum has the wider type, and is then converted
      const bool may_wrap = !t.is_signed || t.bits < 32 || by_type.bits > t.bits || !by_type.is_signed;
      if (value && may_wrap) value = checked(value, t, s.place, text_of(*value, out_.symbols));
    }
  }
  is_unused_ = outer;
  const std::size_t last = out_.list.size();
  write(s.target);
  updated_ = {};
  if (s.target.kind == Expr::Kind::variable) set_value(s.target.variable, value);
  if (s.op.empty()) define(s.target, s.value, first, last);
}

// if (e > x) x = e, as one update.
void Finder::update_by_branch(const Stmt& s, const std::string& update) {
  const Stmt* inner = &s.body[0];
  while (inner->kind == Stmt::Kind::block) inner = &inner->body[0];
  updated_ = {inner->target.variable, update, ""};
  evaluate(s.value);
  const auto before = domain_;
  const auto assigned = assigned_;
  narrow(Domain{{{}}, false});
  ++conditions_;
  write(inner->target);
  --conditions_;
  assigned_ = assigned;
  domain_ = before;
  updated_ = {};
  if (inner->target.kind == Expr::Kind::variable) set_value(inner->target.variable, std::nullopt);
}

void Finder::branch(const Stmt& s) {
  ++statement_;
  const std::string update = update_of_branch(s);
  if (!update.empty()) return update_by_branch(s, update);
  Truth t;
  if (s.value.kind == Expr::Kind::opaque && s.value.operands.empty()) {
    t = {Domain{{{}}, false}, Domain{{{}}, false}};  // a statement of a switch
  } else {
    t = truth(s.value);
  }
  controls_.push_back(statement_);
  ++conditions_;
  const auto before = domain_;
  const auto assigned = assigned_;
  const auto values = values_;
  const std::size_t first = out_.list.size();
  narrow(t.yes);
  statements(s.body, false);
  const std::size_t second = out_.list.size();
  const auto assigned_then = std::exchange(assigned_, assigned);
  const auto values_then = std::exchange(values_, values);
  domain_ = before;
  narrow(t.no);
  statements(s.otherwise, false);
  domain_ = before;
  controls_.pop_back();
  --conditions_;
  for (std::size_t k = 0; k < assigned_.size(); ++k) {
    std::erase_if(assigned_[k], [&](int v) { return !assigned_then[k].contains(v); });
  }
  // Every variable whose values differ gets a new one, also a variable that only one branch has met.
  std::set<int> differ;
  for (const auto& [index, value] : values_then) {
    const auto here = values_.find(index);
    if (here == values_.end() || !(here->second == value)) differ.insert(index);
  }
  for (const auto& [index, value] : values_) {
    if (!values_then.contains(index)) differ.insert(index);
  }
  const auto values_otherwise = values_;
  for (const int index : differ) set_value(index, std::nullopt);
  for (const int index : differ) {
    if (values.contains(index)) merge(index, first, second, values_then, values_otherwise, values.at(index));
  }
}

std::string text_of(const Polynomial& p, const std::vector<Symbol>& symbols) {
  std::string text;
  // Symbols first, the constant last.
  for (auto term = p.terms().rbegin(); term != p.terms().rend(); ++term) {
    const auto& [monomial, coefficient] = *term;
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    if (monomial.empty() || size != 1) text += fmt::format("{}{}", size, monomial.empty() ? "" : " * ");
    for (std::size_t i = 0; i < monomial.size(); ++i) {
      const std::string& name = symbols[static_cast<std::size_t>(monomial[i])].name;
      text += fmt::format("{}{}", i > 0 ? " * " : "", name.empty() ? "?" : name);
    }
  }
  return text.empty() ? "0" : text;
}

Accesses find_accesses(const Program& program, const Function& function) { return Finder(program, function).run(); }

}  // namespace papilio::loops
