#include <fmt/format.h>

#include <utility>

#include "loops/clang/steps.h"
#include "loops/clang/translator.h"

// The forms of loops: a counted `for`, a `while` that is counted, and those of which nothing is known but their parts.

namespace papilio::loops {

// A loop of which nothing is known but its parts.
void Translator::opaque_loop(const Node& n, const std::string& fault, const std::vector<int>& parts, int condition,
                             std::vector<Stmt> before, std::vector<Stmt>& to) {
  for (Stmt& s : before) to.push_back(std::move(s));
  Stmt s = made(Kind::loop, n);
  s.fault = fault;
  if (condition >= 0 && !node(condition).kind.empty()) {
    evaluate(condition, s.body);
  }
  const bool outer = std::exchange(in_switch_, false);
  for (const int part : parts) statement(part, s.body);
  in_switch_ = outer;
  to.push_back(std::move(s));
}

// Why a variable cannot count a loop; empty if it can.
std::string Translator::counter_fault(std::uint64_t id) {
  const Node* d = names_.declaration(id);
  if (d == nullptr) return "its variable is not known";
  const CType type = type_of(*d);
  if (names_.offset(id) != nullptr) return "";
  if (type.pointers > 0) return fmt::format("where its pointer {} leads is not followed", d->name);
  if (!type.is_scalar() || type.type.kind != Type::Kind::integer || type.type.bits == 1)
    return "its variable is no integer";
  const Variable& v = program_.variables[static_cast<std::size_t>(names_.variable(id, "", type))];
  if (v.storage == Variable::Storage::global) return fmt::format("its variable {} is global", v.name);
  if (v.escapes) return fmt::format("the address of its variable {} is taken", v.name);
  return v.is_volatile ? "its variable is volatile" : "";
}

// What counts the loop: an integer, or the offset of a pointer.
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
  if (node(advance).kind.empty() && stepping_loop(index, before, condition, body, to)) return;
  std::vector<int> steps;
  flatten(advance, steps);
  std::uint64_t counter = 0;
  std::int64_t step = 0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < steps.size() && counter == 0; ++i) {
    const auto [name, by] = step_of(names_.tree(), steps[i]);
    if (name != 0 && by != 0 && !node(condition).kind.empty() && mentions(names_.tree(), condition, name)) {
      counter = name, step = by, which = i;
    }
  }
  std::string fault;
  if (node(condition).kind.empty()) {
    fault = "it has no condition";
  } else if (counter == 0) {
    fault = "its step is not a constant added to the variable of its condition";
  } else {
    fault = counter_fault(counter);
  }
  for (std::size_t i = 0; i < steps.size() && fault.empty(); ++i) {
    if (i != which && assigns(names_.tree(), steps[i], counter)) fault = "its variable is stepped twice";
  }
  if (fault.empty() && assigns(names_.tree(), body, counter)) fault = "its variable is assigned in its body";
  if (fault.empty() && assigns(names_.tree(), condition, counter)) fault = "its variable is assigned in its condition";
  if (fault.empty() && steps.size() > 1 && has_continue(names_.tree(), body)) fault = "it continues past a second step";
  if (!fault.empty()) {
    std::vector<int> parts = {body};
    if (!node(advance).kind.empty()) parts.push_back(advance);
    return opaque_loop(n, fault, parts, condition, std::move(before), to);
  }
  Stmt s = made(Kind::loop, n);
  s.step = step;
  s.variable = counter_variable(counter);
  start(std::move(before), s, to);
  s.condition = loop_condition(condition);
  const bool outer = std::exchange(in_switch_, false);
  statement(body, s.body);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i != which) expression(steps[i], s.body);
  }
  in_switch_ = outer;
  to.push_back(std::move(s));
}

// The condition of a loop; `i` alone as i != 0.
Expr Translator::loop_condition(int index) {
  Expr condition = expressions_.translate(index);
  if (condition.kind != Expr::Kind::variable) return condition;
  Expr zero = condition, compared = condition;
  zero.kind = Expr::Kind::integer;
  compared.kind = Expr::Kind::binary;
  zero.variable = compared.variable = -1;
  compared.op = "!=";
  compared.operands = {std::move(condition), std::move(zero)};
  return compared;
}

// for (init; i-- > 0;) and while (i-- > 0): the condition sees the value before the step. False for all else.
bool Translator::stepping_loop(int index, std::vector<Stmt>& before, int condition, int body, std::vector<Stmt>& to) {
  const Node* step = &node(condition);
  while (step->kind == "ImplicitCastExpr" || step->kind == "ParenExpr" || step->kind == "BinaryOperator") {
    if (step->children.empty()) return false;
    step = &node(step->children[0]);
  }
  const bool counts = step->kind == "UnaryOperator" && step->is_postfix && step->children.size() == 1;
  const std::uint64_t counter = counts ? plain_name(names_.tree(), step->children[0]) : 0;
  if (counter == 0 || (step->opcode != "--" && step->opcode != "++")) return false;
  if (!counter_fault(counter).empty() || assigns(names_.tree(), body, counter)) return false;
  Stmt s = made(Kind::loop, node(index));
  s.step = step->opcode == "--" ? -1 : 1;
  s.steps_first = true;
  s.variable = counter_variable(counter);
  expressions_.begin_statement(condition);
  s.condition = loop_condition(condition);
  const auto first = expressions_.take_steps(false), last = expressions_.take_steps(true);
  const int bits = program_.variables[static_cast<std::size_t>(s.variable)].type.bits;
  if (!first.empty() || last.size() != 1 || bits < 32) return false;
  const bool ends = s.condition.op == "!=" || s.condition.op == (s.step < 0 ? ">" : "<");
  if (s.condition.kind != Expr::Kind::binary || !ends) return false;
  start(std::move(before), s, to);
  const bool outer = std::exchange(in_switch_, false);
  statement(body, s.body);
  in_switch_ = outer;
  to.push_back(std::move(s));
  return true;
}

// The expressions that commas join.
void Translator::flatten(int index, std::vector<int>& to) const {
  const Node& n = node(index);
  if (n.kind == "BinaryOperator" && n.opcode == "," && n.children.size() == 2) {
    flatten(n.children[0], to);
    flatten(n.children[1], to);
  } else {
    to.push_back(index);
  }
}

// The first value of a loop's variable; whatever else the loop starts with comes before it.
void Translator::start(std::vector<Stmt> before, Stmt& loop, std::vector<Stmt>& to) {
  loop.starts_as_is = true;
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

void Translator::while_loop(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.children.size() != 2) return unknown(index, "a while loop", to);
  const int condition = n.children[0], body = n.children[1];
  std::vector<Stmt> none;
  if (stepping_loop(index, none, condition, body, to)) return;
  const Node& b = node(body);
  std::string fault = "its last statement does not step the variable of its condition";
  std::uint64_t counter = 0;
  std::int64_t step = 0;
  if (b.kind == "CompoundStmt" && !b.children.empty()) {
    const auto [name, by] = step_of(names_.tree(), b.children.back());
    if (name != 0 && by != 0 && mentions(names_.tree(), condition, name)) {
      counter = name, step = by;
      fault = counter_fault(counter);
      if (fault.empty() && has_continue(names_.tree(), body)) fault = "it continues past its step";
      if (fault.empty() && assigns(names_.tree(), condition, counter))
        fault = "its variable is assigned in its condition";
      for (std::size_t i = 0; i + 1 < b.children.size() && fault.empty(); ++i) {
        if (assigns(names_.tree(), b.children[i], counter)) fault = "its variable is assigned in its body";
      }
    }
  }
  if (!fault.empty()) return opaque_loop(n, fault, {body}, condition, {}, to);
  Stmt s = made(Kind::loop, n);
  s.step = step;
  s.starts_as_is = true;
  s.variable = counter_variable(counter);
  s.condition = loop_condition(condition);
  const bool outer = std::exchange(in_switch_, false);
  for (std::size_t i = 0; i + 1 < b.children.size(); ++i) statement(b.children[i], s.body);
  in_switch_ = outer;
  to.push_back(std::move(s));
}

}  // namespace papilio::loops
