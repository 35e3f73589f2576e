#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loops/clang/parts.h"
#include "loops/clang/steps.h"
#include "loops/clang/translator.h"
#include "loops/program/changes.h"

// The forms of loops: `for`, `while` and `do` that count, and those of which only the parts are known.

namespace papilio::loops {
namespace {

// A value as a condition: `i` alone as i != 0.
Expr as_comparison(Expr e) {
  if (e.kind != Expr::Kind::variable) return e;
  Expr zero;
  zero.kind = Expr::Kind::integer;
  zero.place = e.place;
  zero.type = e.type;
  return binary("!=", std::move(e), std::move(zero), {});
}

// What holds when the condition does not, for conditions that end loops.
Expr negated(Expr e) {
  static constexpr const char* opposites[][2] = {{"<", ">="}, {">", "<="}, {"==", "!="}};
  if (e.kind == Expr::Kind::unary && e.op == "!") return as_comparison(std::move(e.operands[0]));
  if (e.kind == Expr::Kind::binary && (e.op == "||" || e.op == "&&")) {
    e.op = e.op == "||" ? "&&" : "||";
    for (Expr& part : e.operands) part = negated(std::move(part));
    return e;
  }
  e = as_comparison(std::move(e));
  for (const auto& [one, other] : opposites) {
    if (e.kind == Expr::Kind::binary && (e.op == one || e.op == other)) {
      e.op = e.op == one ? other : one;
      return e;
    }
  }
  Expr inverse;
  inverse.kind = Expr::Kind::unary;
  inverse.place = e.place;
  inverse.op = "!";
  inverse.operands.push_back(std::move(e));
  return inverse;
}

// if (...) break;
bool is_exit(const Stmt& s) {
  if (s.kind != Stmt::Kind::branch || !s.otherwise.empty()) return false;
  const std::vector<Stmt>* body = &s.body;
  while (body->size() == 1 && body->front().kind == Stmt::Kind::block) body = &body->front().body;
  return body->size() == 1 && body->front().kind == Stmt::Kind::leave && !body->front().leaves_function;
}

// Whether it contains no other statements and no array length, and continues with the next statement.
bool is_simple(const Program& program, const Stmt& s) {
  if (s.kind == Stmt::Kind::declare) return !program.variables[static_cast<std::size_t>(s.variable)].is_array;
  return s.kind == Stmt::Kind::assign || s.kind == Stmt::Kind::evaluate;
}

// Whether the comparison ends a loop with this step before the variable leaves its type's range.
bool ends_in_time(const Expr& e, std::int64_t step) {
  return e.kind == Expr::Kind::binary && (e.op == "!=" || e.op == (step < 0 ? ">" : "<"));
}

}  // namespace

// Why a variable cannot count a loop; empty if it can.
std::string Translator::counter_fault(std::uint64_t id) {
  const Node* d = names_.declaration(id);
  if (d == nullptr) return "its variable is not known";
  const CType type = type_of(*d);
  if (names_.offset(id) != nullptr) return "";
  if (type.pointers > 0) return fmt::format("the target of its pointer {} is not followed", d->name);
  if (!type.is_scalar() || type.type.kind != Type::Kind::integer || type.type.bits == 1)
    return "its variable is not an integer";
  return variable_fault(names_.variable(id, "", type));
}

std::string Translator::variable_fault(int variable) const {
  const Variable& v = program_.variables[static_cast<std::size_t>(variable)];
  if (v.is_array || v.type.kind != Type::Kind::integer || v.type.bits == 1) return "its variable is not an integer";
  if (v.storage == Variable::Storage::global) return fmt::format("its variable {} is global", v.name);
  if (v.escapes) return fmt::format("the address of its variable {} is taken", v.name);
  return v.is_volatile ? "its variable is volatile" : "";
}

// The variable that counts the loop: an integer, or the offset of a pointer.
int Translator::counter_variable(std::uint64_t id) {
  const Names::Offset* pointer = names_.offset(id);
  return pointer != nullptr ? pointer->offset : names_.variable(id, "", type_of(*names_.declaration(id)));
}

void Translator::for_loop(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.children.size() != 5) return unknown(index, "a for loop", to);
  const int init = n.children[0], condition = n.children[2], advance = n.children[3], body = n.children[4];
  std::vector<Stmt> before;
  if (!node(init).kind.empty()) statement(init, before);
  if (node(advance).kind.empty() && stepping_loop(made(Kind::loop, n), before, condition, body, to)) return;
  std::vector<int> steps;
  if (!node(advance).kind.empty()) flatten(advance, steps);
  loop(made(Kind::loop, n), std::move(before), {condition, body, std::move(steps)}, to);
}

void Translator::while_loop(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.children.size() != 2) return unknown(index, "a while loop", to);
  std::vector<Stmt> none;
  if (stepping_loop(made(Kind::loop, n), none, n.children[0], n.children[1], to)) return;
  loop(made(Kind::loop, n), {}, {n.children[0], n.children[1], {}}, to);
}

void Translator::do_loop(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.children.size() != 2) return unknown(index, "a loop", to);
  Stmt s = made(Kind::loop, n);
  s.runs_once = true;
  std::vector<Stmt> none;
  if (stepping_loop(s, none, n.children[1], n.children[0], to)) return;
  loop(std::move(s), {}, {n.children[1], n.children[0], {}}, to);
}

// Whether a condition is missing, or is a number other than 0.
bool Translator::is_endless(int condition) const {
  const Node* n = &node(condition);
  while ((n->kind == "ParenExpr" || n->kind == "ImplicitCastExpr") && !n->children.empty()) n = &node(n->children[0]);
  return n->kind.empty() || (n->kind == "IntegerLiteral" && n->value != "0");
}

// `s` is what is known of the loop so far; `before` is what it starts with.
void Translator::loop(Stmt s, std::vector<Stmt> before, const Parts& parts, std::vector<Stmt>& to) {
  Body b;
  b.is_endless = is_endless(parts.condition);
  b.continues = has_continue(names_.tree(), parts.body);
  Expr condition;
  if (!b.is_endless) condition = expressions_.translate(parts.condition);
  const bool outer = std::exchange(in_switch_, false);
  statement(parts.body, b.statements);
  if (b.statements.size() == 1 && b.statements[0].kind == Kind::block) {
    auto inner = std::move(b.statements[0].body);
    b.statements = std::move(inner);
  }
  for (const int step : parts.steps) expression(step, b.steps);
  in_switch_ = outer;
  b.end = b.statements.size();
  if (!b.is_endless) s.condition = as_comparison(condition);
  std::string fault = count(s, parts, b);
  if (s.variable < 0) {  // this may give a better reason
    for (const int step : parts.steps) {
      const std::uint64_t id = step_of(names_.tree(), step).first;
      if (const std::string why = id == 0 ? "" : counter_fault(id); !why.empty()) fault = why;
    }
  }
  if (!fault.empty()) {
    Stmt opaque;
    opaque.kind = Kind::loop;
    opaque.place = s.place;
    opaque.fault = fault;
    for (Stmt& part : before) to.push_back(std::move(part));
    if (!b.is_endless) {
      Stmt asks;
      asks.kind = Kind::evaluate;
      asks.place = condition.place;
      asks.value = std::move(condition);
      opaque.body.push_back(std::move(asks));
    }
    for (auto* list : {&b.statements, &b.steps}) {
      for (Stmt& part : *list) opaque.body.push_back(std::move(part));
    }
    return to.push_back(std::move(opaque));
  }
  start(std::move(before), s, to);
  for (std::size_t i = b.begin; i < b.end; ++i) s.body.push_back(std::move(b.statements[i]));
  for (std::size_t i = 0; i < b.steps.size(); ++i) {
    if (i != b.step) s.body.push_back(std::move(b.steps[i]));
  }
  to.push_back(std::move(s));
}

// Takes the test and the step of a loop out of its body. Returns why that cannot be done; empty if it was done.
std::string Translator::count(Stmt& s, const Parts& parts, Body& b) {
  if (b.is_endless) {
    const auto take = [&](std::size_t at) {
      s.condition = negated(b.statements[at].value);
      s.own.push_back(b.statements[at].place);
    };
    if (b.begin < b.end && is_exit(b.statements[b.begin])) {
      s.runs_once = false;
      take(b.begin++);
    } else if (b.begin < b.end && is_exit(b.statements[b.end - 1]) && b.steps.empty()) {
      if (b.continues) return "a continue skips its test";
      s.runs_once = true;
      take(--b.end);
    } else {
      return "it has no condition";
    }
  }
  if (std::string fault = take_step(s, b); !fault.empty()) return fault;
  if (std::string fault = variable_fault(s.variable); !fault.empty()) return fault;
  const bool is_in_body = b.steps.empty();
  int in_head = 0;
  for (const int step : parts.steps) in_head += assignments_in(step, s.variable);
  if (in_head > (is_in_body ? 0 : 1)) return "its variable is stepped twice";
  if (assignments_in(parts.body, s.variable) > (is_in_body ? 1 : 0)) return "its variable is assigned in its body";
  if (assignments_in(parts.condition, s.variable) > 0) return "its variable is assigned in its condition";
  const Type& type = program_.variables[static_cast<std::size_t>(s.variable)].type;
  const bool may_come_round = !type.is_signed && (s.runs_once || !ends_in_time(s.condition, s.step) || s.step > 1);
  if (s.steps_first && (type.bits < 32 || may_come_round)) return "its variable may wrap around before its test";
  return "";
}

// How often a part of the tree assigns the variable itself, or the whole object of
// which it is a field. A part that is nested too deep may do so any number of times.
int Translator::assignments_in(int part, int variable) {
  if (node(part).too_deep) return 2;
  const auto all = names_.assignments_in(part, variable);
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](int a) {
    const auto target = expressions_.target(node(a).children[0]);
    return !target || target->variable == variable;
  }));
}

// Finds the step: in the head, as the first statement of the body, or as the last statement that names its variable.
std::string Translator::take_step(Stmt& s, Body& b) {
  const auto steps = [&](const Stmt& part) {
    const std::int64_t by = step_of(part);
    if (by == 0 || !names(s.condition, part.target.variable)) return false;
    s.step = by;
    s.variable = part.target.variable;
    return true;
  };
  const auto at = [&](std::size_t k) { return b.statements.begin() + static_cast<std::ptrdiff_t>(k); };
  if (!b.steps.empty()) {
    const auto step = std::find_if(b.steps.begin(), b.steps.end(), steps);
    if (step == b.steps.end()) return "its step is not a constant added to the variable of its condition";
    b.step = static_cast<std::size_t>(step - b.steps.begin());
    const bool is_seen = std::any_of(step + 1, b.steps.end(), [&](const Stmt& later) {
      return names(later.value, s.variable) || names(later.target, s.variable);
    });
    if (is_seen) return "a later step uses its variable";
    return b.steps.size() > 1 && b.continues ? "a continue skips a second step" : "";
  }
  for (std::size_t k = b.end; k-- > b.begin;) {
    if (k + 1 < b.end && (b.continues || !is_simple(program_, b.statements[k + 1]))) break;
    if (!steps(b.statements[k])) continue;
    const bool is_last = std::none_of(at(k + 1), at(b.end), [&](const Stmt& later) {
      return names(later.value, s.variable) || names(later.target, s.variable);
    });
    if (!is_last) break;
    s.own.push_back(b.statements[k].place);
    b.statements.erase(at(k));
    --b.end;
    return b.continues ? "a continue skips its step" : "";
  }
  if (b.begin < b.end && steps(b.statements[b.begin])) {
    s.own.push_back(b.statements[b.begin++].place);
    s.steps_first = true;
    return "";
  }
  return "neither its first nor its last statement steps the variable of its condition";
}

// The ++ or -- in a test, in a part of it that is always evaluated; null if there is none.
const Node* Translator::step_in_test(int condition) const {
  const Node& n = node(condition);
  const bool steps = n.kind == "UnaryOperator" && (n.opcode == "--" || n.opcode == "++");
  if (steps) return n.children.size() == 1 ? &n : nullptr;
  if (n.kind != "ImplicitCastExpr" && n.kind != "ParenExpr" && n.kind != "BinaryOperator") return nullptr;
  for (const int c : n.children) {
    if (const Node* found = step_in_test(c)) return found;
  }
  return nullptr;
}

// Reads loops whose condition steps their variable: while (i-- > 0), which compares the value before the step, and
// while (++i < n), which compares the value after it; for (init; i-- > 0;) and do likewise. `s` is what is known of the
// loop. Returns false for all other loops.
bool Translator::stepping_loop(Stmt s, std::vector<Stmt>& before, int condition, int body, std::vector<Stmt>& to) {
  const Node* step = step_in_test(condition);
  const std::uint64_t counter = step == nullptr ? 0 : plain_name(names_.tree(), step->children[0]);
  if (counter == 0 || !counter_fault(counter).empty()) return false;
  s.step = step->opcode == "--" ? -1 : 1;
  (step->is_postfix && !s.runs_once ? s.steps_first : s.steps_in_test) = true;
  s.tests_first = s.runs_once && step->is_postfix;
  s.variable = counter_variable(counter);
  if (assignments_in(body, s.variable) > 0) return false;
  expressions_.begin_statement(condition);
  s.condition = as_comparison(expressions_.translate(condition));
  const auto first = expressions_.take_steps(false), last = expressions_.take_steps(true);
  if (step->is_postfix) {
    const int bits = program_.variables[static_cast<std::size_t>(s.variable)].type.bits;
    if (!first.empty() || last.size() != 1 || bits < 32 || !ends_in_time(s.condition, s.step)) return false;
  } else {
    if (!last.empty() || first.size() != 1) return false;
    if (!s.runs_once) expression(first[0], before);
  }
  start(std::move(before), s, to);
  const bool outer = std::exchange(in_switch_, false);
  statement(body, s.body);
  in_switch_ = outer;
  to.push_back(std::move(s));
  return true;
}

// Lists the expressions that commas join.
void Translator::flatten(int index, std::vector<int>& to) const {
  const Node& n = node(index);
  if (n.kind == "BinaryOperator" && n.opcode == "," && n.children.size() == 2) {
    flatten(n.children[0], to);
    flatten(n.children[1], to);
  } else {
    to.push_back(index);
  }
}

// Sets the first value of a loop's variable; whatever else the loop starts with comes before it.
void Translator::start(std::vector<Stmt> before, Stmt& loop, std::vector<Stmt>& to) {
  loop.starts_as_is = true;
  loop.starts_at_once = before.empty();
  for (Stmt& s : before) {
    const bool declares = s.kind == Kind::declare && s.variable == loop.variable && s.op == "=";
    const bool assigns_it = s.kind == Kind::assign && s.target.variable == loop.variable && s.op.empty();
    if (&s == &before.back() && (declares || assigns_it)) {
      loop.value = std::move(s.value);
      loop.starts_as_is = false;
      loop.declares = declares;
    } else {
      to.push_back(std::move(s));
    }
  }
}

}  // namespace papilio::loops
