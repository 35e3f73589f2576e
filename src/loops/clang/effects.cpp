#include <utility>

#include "loops/clang/steps.h"
#include "loops/clang/translator.h"

// Declarations, and expressions that stand as statements.

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

// A statement with the steps that were taken out of it.
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
  if (type.pointers > 0) return pointer(index, type, to);
  const int init = d.has_init && !d.children.empty() ? d.children.back() : -1;
  Stmt s = made(Kind::declare, d);
  s.variable = names_.variable(d.id, "", type);
  if (is_static) return;  // it lives as long as a global variable, and is initialised once
  if (type.is_record || type.type.kind == Type::Kind::other) {
    if (init >= 0) evaluate(init, to);
  } else if (init >= 0) {
    expressions_.begin_statement(init);
    s.value = expressions_.translate(init);
    s.op.assign(1, '=');
  }
  push_with_steps(std::move(s), to);
}

// A pointer that never changes again stands for what it points to, from the value that its offset has here.
void Translator::pointer(int index, const CType& type, std::vector<Stmt>& to) {
  const Node& d = node(index);
  if (!d.has_init || d.children.empty()) return;
  const auto target = expressions_.pointed_to(d.children.back());
  const bool can = target && type.is_pointer() && !type.pointer_to_array && !names_.is_assigned(d.id) &&
                   target->subscripts.size() == 1 && d.storage.empty() &&
                   !program_.variables[static_cast<std::size_t>(target->variable)].is_volatile;
  if (!can) return evaluate(d.children.back(), to);
  Stmt s = made(Kind::declare, d);
  s.variable = names_.make_offset(d.id, target->variable, d.name);
  s.value = target->subscripts[0];
  s.op = "=";
  to.push_back(std::move(s));
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
