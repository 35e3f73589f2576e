#include <optional>
#include <utility>

#include "loops/clang/parts.h"
#include "loops/clang/steps.h"
#include "loops/clang/translator.h"

// Declarations, and expressions used as statements.

namespace papilio::loops {
namespace {

bool is_choice(const Node& n) {
  return (n.kind == "BinaryOperator" && (n.opcode == "&&" || n.opcode == "||") && n.children.size() == 2) ||
         (n.kind == "ConditionalOperator" && n.children.size() == 3);
}

}  // namespace

void Translator::evaluate(int index, std::vector<Stmt>& to) {
  Stmt s = made(Kind::evaluate, node(index));
  s.value = expressions_.translate(index);
  to.push_back(std::move(s));
}

// Adds a statement together with the steps that were taken out of it.
void Translator::push_with_steps(Stmt s, std::vector<Stmt>& to) {
  const auto before = expressions_.take_steps(false), after = expressions_.take_steps(true);
  for (const int step : before) expression(step, to);
  to.push_back(std::move(s));
  for (const int step : after) expression(step, to);
}

void Translator::declarations(const Node& n, std::vector<Stmt>& to) {
  for (const int c : n.children) {
    const Node& d = node(c);
    if (d.kind == "VarDecl") declaration(c, to);
  }
}

void Translator::declaration(int index, std::vector<Stmt>& to) {
  const Node& d = node(index);
  const CType type = type_of(d);
  const bool is_static = d.storage == "static" || d.storage == "extern";
  if (type.pointers > 0) return pointer(index, to);
  const int init = d.has_init && !d.children.empty() ? d.children.back() : -1;
  Stmt s = made(Kind::declare, d);
  s.variable = names_.variable(d.id, "", type);
  if (is_static) return;  // it lives as long as a global variable, and is initialised only once
  if (type.is_record || type.type.kind == Type::Kind::other) {
    if (init >= 0) evaluate(init, to);
  } else if (init >= 0) {
    expressions_.begin_statement(init);
    s.value = expressions_.translate(init);
    s.op.assign(1, '=');
  }
  push_with_steps(std::move(s), to);
}

// Translates a step of a pointer, or an assignment to it, to one of its offset; false if the pointer is not followed.
bool Translator::moves_pointer(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  const Names::Offset* known = names_.offset(plain_name(names_.tree(), n.children[0]));
  if (known == nullptr) return false;
  Stmt s = made(Kind::assign, n);
  s.target = leaf(Expr::Kind::variable, node(n.children[0]));
  s.target.type = {Type::Kind::integer, 64, true};
  s.target.variable = known->offset;
  if (n.children.size() == 1) {
    s.op = n.opcode.substr(0, 1);
    s.value = zero(n.place);
    s.value.value = 1;
  } else {
    s.op = n.opcode.substr(0, n.opcode.size() - 1);
    expressions_.begin_statement(index);
    auto target = s.op.empty() ? expressions_.pointed_to(n.children[1]) : std::nullopt;
    if (s.op.empty() && !target) {
      expressions_.take_steps(false);
      return false;
    }
    s.value = target ? std::move(target->subscripts[0]) : widened(expressions_.translate(n.children[1]));
  }
  push_with_steps(std::move(s), to);
  return true;
}

// Makes the offset of a pointer a variable, if everything that is ever assigned to it leads to the same array; else -1.
int Translator::follow(const Node& declared, int base) {
  const CType type = type_of(declared);
  const bool can = type.is_pointer() && !type.pointer_to_array && !type.is_record && !type.is_volatile &&
                   declared.storage.empty() && !names_.is_addressed(declared.id) && !names_.is_of_file(declared.id) &&
                   !program_.variables[static_cast<std::size_t>(base)].is_volatile;
  if (!can) return -1;
  const int offset = names_.make_offset(declared.id, base, declared.name);
  for (const int index : names_.assignments(declared.id)) {
    const Node& n = node(index);
    if (n.kind != "BinaryOperator") continue;  // a step, of any size
    const auto target = expressions_.pointed_to(n.children[1]);
    if (target && target->variable == base && target->subscripts.size() == 1) continue;
    names_.drop_offset(declared.id);
    return -1;
  }
  return offset;
}

// Declares a pointer: from now on it stands for what it points to, with the value of its offset.
void Translator::pointer(int index, std::vector<Stmt>& to) {
  const Node& d = node(index);
  const int init = d.has_init && !d.children.empty() ? d.children.back() : -1;
  expressions_.begin_statement(init);
  std::optional<Target> target;
  if (init >= 0) target = expressions_.pointed_to(init);
  const auto steps = std::pair(expressions_.take_steps(false), expressions_.take_steps(true));
  if (init < 0) {
    for (const int a : names_.assignments(d.id)) {
      if (!target && node(a).kind == "BinaryOperator") target = expressions_.pointed_to(node(a).children[1]);
    }
  }
  const int offset = target && target->subscripts.size() == 1 ? follow(d, target->variable) : -1;
  if (offset < 0) {
    if (init >= 0) evaluate(init, to);
    return;
  }
  Stmt s = made(Kind::declare, d);
  s.variable = offset;
  if (init >= 0) {
    s.value = std::move(target->subscripts[0]);
    s.op.assign(1, '=');
  }
  for (const int step : steps.first) expression(step, to);
  to.push_back(std::move(s));
  for (const int step : steps.second) expression(step, to);
}

// A parameter that is assigned is a pointer into the memory that it was given.
void Translator::moving_parameter(const Node& declared, std::vector<Stmt>& to) {
  const CType type = type_of(declared);
  if (!type.is_pointer() || type.is_record || !names_.is_assigned(declared.id)) return;
  const int base = names_.variable(declared.id, "", type);
  program_.variables[static_cast<std::size_t>(base)].moves = true;
  Stmt s = made(Kind::declare, declared);
  s.variable = follow(declared, base);
  s.value = zero(declared.place);
  s.op.assign(1, '=');
  if (s.variable >= 0) to.push_back(std::move(s));
}

void Translator::expression(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.kind == "ParenExpr" && !n.children.empty()) return expression(n.children[0], to);
  const bool drops = n.kind == "ImplicitCastExpr" || n.kind == "CStyleCastExpr";  // (void), or what && makes of it
  if (drops && !n.children.empty() && n.cast != "LValueToRValue" && assigns_any(names_.tree(), index))
    return expression(n.children[0], to);
  if (n.kind == "BinaryOperator" && n.opcode == "," && n.children.size() == 2) {
    expression(n.children[0], to);
    return expression(n.children[1], to);
  }
  if (is_choice(n) && assigns_any(names_.tree(), index)) return choice(index, to);
  const bool counts = n.kind == "UnaryOperator" && (n.opcode == "++" || n.opcode == "--");
  const bool assigns = (n.kind == "BinaryOperator" && n.opcode == "=") || n.kind == "CompoundAssignOperator";
  const std::size_t operands = counts ? 1 : 2;
  if ((!counts && !assigns) || n.children.size() != operands) return evaluate(index, to);
  const CType type = type_of(n);
  if (type.pointers > 0 && moves_pointer(index, to)) return;
  if (!type.is_scalar()) return unknown(index, type.pointers > 0 ? "a pointer is changed" : "a struct is copied", to);
  Stmt s = made(Kind::assign, n);
  if (!counts) expressions_.begin_statement(index);
  s.target = expressions_.reference(n.children[0]);
  if (s.target.kind == Expr::Kind::unknown) {
    expressions_.take_steps(false);
    return unknown(index, s.target.text, to);
  }
  if (counts) {
    s.op = n.opcode.substr(0, 1);
    s.value.kind = Expr::Kind::integer;
    s.value.place = n.place;
    s.value.value = 1;
  } else {
    s.op = n.opcode.substr(0, n.opcode.size() - 1);
    s.value = expressions_.translate(n.children[1]);
  }
  push_with_steps(std::move(s), to);
}

// c && (x = e); c || (x = e); c ? (x = e) : (y = f); as branches.
void Translator::choice(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  Stmt s = made(Kind::branch, n);
  s.value = expressions_.translate(n.children[0]);
  expression(n.children[1], n.opcode == "||" ? s.otherwise : s.body);
  if (n.children.size() == 3) expression(n.children[2], s.otherwise);
  to.push_back(std::move(s));
}

}  // namespace papilio::loops
