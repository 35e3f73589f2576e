#include "loops/clang/translate.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "loops/clang/expressions.h"
#include "loops/clang/names.h"
#include "loops/clang/steps.h"

namespace papilio::loops {
namespace {

class Translator {
 public:
  Translator(const Tree& tree, Program& program) : names_(tree, program), expressions_(names_), program_(program) {}

  void run() {
    for (const int index : names_.node(0).children) {
      const Node& n = names_.node(index);
      if (n.kind == "FunctionDecl" && n.in_file) function(n);
    }
  }

 private:
  using Kind = Stmt::Kind;

  const Node& node(int index) const { return names_.node(index); }

  void function(const Node& n) {
    const auto body =
        std::find_if(n.children.begin(), n.children.end(), [&](int c) { return node(c).kind == "CompoundStmt"; });
    if (body == n.children.end()) return;
    Function made;
    made.name = n.name;
    made.place = n.place;
    for (const int c : n.children) {
      if (node(c).kind != "ParmVarDecl") continue;
      const CType type = type_of(node(c));
      const int v = names_.variable(node(c).id, "", type);
      const bool followed =
          type.is_scalar() || (type.is_pointer() && !type.is_record && !names_.is_assigned(node(c).id));
      made.parameters.push_back(followed ? v : -1);
    }
    fault_.clear();
    in_switch_ = false;
    statement(*body, made.body);
    made.fault = fault_;
    program_.functions.push_back(std::move(made));
  }

  Stmt made(Kind kind, const Node& n) const {
    Stmt s;
    s.kind = kind;
    s.place = n.place;
    return s;
  }

  void unknown(int index, const std::string& text, std::vector<Stmt>& to) {
    Stmt s = made(Kind::unknown, node(index));
    s.text = text;
    s.clobbers = names_.named_in(index);
    to.push_back(std::move(s));
  }

  void statement(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    if (n.too_deep && n.children.empty()) return unknown(index, "a statement that is nested too deep", to);
    if (n.kind == "CompoundStmt") return block(n, to);
    if (n.kind == "DeclStmt") return declarations(n, to);
    if (n.kind == "ForStmt") return for_loop(index, to);
    if (n.kind == "WhileStmt") return while_loop(index, to);
    if (n.kind == "DoStmt") {
      if (n.children.size() != 2) return unknown(index, "a loop", to);
      return opaque_loop(n, "a do loop is not followed", {n.children[0]}, n.children[1], {}, to);
    }
    if (n.kind == "IfStmt") return branch(index, to);
    if (n.kind == "SwitchStmt") return cases(index, to);
    if (n.kind == "NullStmt" || n.kind.empty()) return;
    if (n.kind == "BreakStmt" && in_switch_) return;  // what follows is conditional already
    if (n.kind == "BreakStmt" || n.kind == "ReturnStmt") {
      Stmt s = made(Kind::leave, n);
      s.leaves_function = n.kind == "ReturnStmt";
      if (!n.children.empty()) {
        s.op = "=";
        s.value = expressions_.translate(n.children[0]);
      }
      to.push_back(std::move(s));
      return;
    }
    if (n.kind == "ContinueStmt") return to.push_back(made(Kind::next, n));
    if (n.kind == "GotoStmt" || n.kind == "LabelStmt" || n.kind == "IndirectGotoStmt") {
      fault_ = fmt::format("the function has a label or goto (line {}, column {})", n.place.line, n.place.column);
      for (const int c : n.children) statement(c, to);
      return;
    }
    if (n.kind == "AttributedStmt" && !n.children.empty()) return statement(n.children.back(), to);
    if (n.kind == "GCCAsmStmt" || n.kind.starts_with("OMP")) return unknown(index, "a statement of kind " + n.kind, to);
    expression(index, to);
  }

  void block(const Node& n, std::vector<Stmt>& to) {
    Stmt s = made(Kind::block, n);
    for (const int c : n.children) statement(c, s.body);
    to.push_back(std::move(s));
  }

  void evaluate(int index, std::vector<Stmt>& to) {
    Stmt s = made(Kind::evaluate, node(index));
    s.value = expressions_.translate(index);
    to.push_back(std::move(s));
  }

  // A statement with the steps that were taken out of it.
  void push_with_steps(Stmt s, std::vector<Stmt>& to) {
    const auto before = expressions_.take_steps(false), after = expressions_.take_steps(true);
    for (const int step : before) expression(step, to);
    to.push_back(std::move(s));
    for (const int step : after) expression(step, to);
  }

  void declarations(const Node& n, std::vector<Stmt>& to) {
    for (const int c : n.children) {
      const Node& d = node(c);
      if (d.kind == "VarDecl") declaration(c, to);
    }
  }

  void declaration(int index, std::vector<Stmt>& to) {
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
  void pointer(int index, const CType& type, std::vector<Stmt>& to) {
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

  void branch(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    const std::size_t parts = n.has_else ? 3 : 2;
    if (n.children.size() != parts) return unknown(index, "an if statement", to);
    Stmt s = made(Kind::branch, n);
    s.value = expressions_.translate(n.children[0]);
    statement(n.children[1], s.body);
    if (n.has_else) statement(n.children[2], s.otherwise);
    to.push_back(std::move(s));
  }

  // Each statement of a switch may be left out.
  void cases(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    if (n.children.size() != 2) return unknown(index, "a switch statement", to);
    evaluate(n.children[0], to);
    const bool outer = std::exchange(in_switch_, true);
    std::vector<Stmt> body;
    case_body(n.children[1], body);
    in_switch_ = outer;
    for (Stmt& part : body) {
      Stmt s = made(Kind::branch, n);
      s.body.push_back(std::move(part));
      to.push_back(std::move(s));
    }
  }

  void case_body(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    if (n.kind == "CompoundStmt") {
      for (const int c : n.children) case_body(c, to);
    } else if ((n.kind == "CaseStmt" || n.kind == "DefaultStmt") && !n.children.empty()) {
      case_body(n.children.back(), to);
    } else {
      statement(index, to);
    }
  }

  void expression(int index, std::vector<Stmt>& to) {
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

  static bool is_choice(const Node& n) {
    return (n.kind == "BinaryOperator" && (n.opcode == "&&" || n.opcode == "||") && n.children.size() == 2) ||
           (n.kind == "ConditionalOperator" && n.children.size() == 3);
  }

  // c && (x = e); c || (x = e); c ? (x = e) : (y = f); as branches.
  void choice(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    Stmt s = made(Kind::branch, n);
    s.value = expressions_.translate(n.children[0]);
    expression(n.children[1], n.opcode == "||" ? s.otherwise : s.body);
    if (n.children.size() == 3) expression(n.children[2], s.otherwise);
    to.push_back(std::move(s));
  }

  // A loop of which nothing is known but its parts.
  void opaque_loop(const Node& n, const std::string& fault, const std::vector<int>& parts, int condition,
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
  std::string counter_fault(std::uint64_t id) {
    const Node* d = names_.declaration(id);
    if (d == nullptr) return "its variable is not known";
    const CType type = type_of(*d);
    if (!type.is_scalar() || type.type.kind != Type::Kind::integer || type.type.bits == 1)
      return "its variable is no integer";
    const Variable& v = program_.variables[static_cast<std::size_t>(names_.variable(id, "", type))];
    if (v.storage == Variable::Storage::global) return fmt::format("its variable {} is global", v.name);
    if (v.escapes) return fmt::format("the address of its variable {} is taken", v.name);
    return v.is_volatile ? "its variable is volatile" : "";
  }

  void for_loop(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    if (n.children.size() != 5) return unknown(index, "a for loop", to);
    const int init = n.children[0], condition = n.children[2], advance = n.children[3], body = n.children[4];
    if (node(advance).kind.empty() && stepping_loop(index, init, condition, body, to)) return;
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
    if (fault.empty() && assigns(names_.tree(), condition, counter))
      fault = "its variable is assigned in its condition";
    if (fault.empty() && steps.size() > 1 && has_continue(names_.tree(), body))
      fault = "it continues past a second step";
    if (!fault.empty()) {
      std::vector<Stmt> before;
      if (!node(init).kind.empty()) statement(init, before);
      std::vector<int> parts = {body};
      if (!node(advance).kind.empty()) parts.push_back(advance);
      return opaque_loop(n, fault, parts, condition, std::move(before), to);
    }
    Stmt s = made(Kind::loop, n);
    s.step = step;
    s.variable = names_.variable(counter, "", type_of(*names_.declaration(counter)));
    start(init, s, to);
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
  Expr loop_condition(int index) {
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
  bool stepping_loop(int index, int init, int condition, int body, std::vector<Stmt>& to) {
    const Node* step = &node(condition);
    while (step->kind == "ImplicitCastExpr" || step->kind == "ParenExpr" || step->kind == "BinaryOperator") {
      if (step->children.empty()) return false;
      step = &node(step->children[0]);
    }
    const bool counts = step->kind == "UnaryOperator" && step->is_postfix && step->children.size() == 1;
    const std::uint64_t counter = counts ? plain_name(names_.tree(), step->children[0]) : 0;
    if (counter == 0 || (step->opcode != "--" && step->opcode != "++")) return false;
    if (!counter_fault(counter).empty() || assigns(names_.tree(), body, counter)) return false;
    const CType type = type_of(*names_.declaration(counter));
    Stmt s = made(Kind::loop, node(index));
    s.step = step->opcode == "--" ? -1 : 1;
    s.steps_first = true;
    s.variable = names_.variable(counter, "", type);
    expressions_.begin_statement(condition);
    s.condition = loop_condition(condition);
    const auto before = expressions_.take_steps(false), after = expressions_.take_steps(true);
    if (!before.empty() || after.size() != 1 || type.type.bits < 32) return false;
    const bool ends = s.condition.op == "!=" || s.condition.op == (s.step < 0 ? ">" : "<");
    if (s.condition.kind != Expr::Kind::binary || !ends) return false;
    start(init, s, to);
    const bool outer = std::exchange(in_switch_, false);
    statement(body, s.body);
    in_switch_ = outer;
    to.push_back(std::move(s));
    return true;
  }

  // The expressions that commas join.
  void flatten(int index, std::vector<int>& to) const {
    const Node& n = node(index);
    if (n.kind == "BinaryOperator" && n.opcode == "," && n.children.size() == 2) {
      flatten(n.children[0], to);
      flatten(n.children[1], to);
    } else {
      to.push_back(index);
    }
  }

  // The first value of a loop's variable; whatever else the loop starts with comes before it.
  void start(int init, Stmt& loop, std::vector<Stmt>& to) {
    loop.starts_as_is = true;
    std::vector<Stmt> before;
    if (init >= 0 && !node(init).kind.empty()) statement(init, before);
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

  void while_loop(int index, std::vector<Stmt>& to) {
    const Node& n = node(index);
    if (n.children.size() != 2) return unknown(index, "a while loop", to);
    const int condition = n.children[0], body = n.children[1];
    if (stepping_loop(index, -1, condition, body, to)) return;
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
    s.variable = names_.variable(counter, "", type_of(*names_.declaration(counter)));
    s.condition = loop_condition(condition);
    const bool outer = std::exchange(in_switch_, false);
    for (std::size_t i = 0; i + 1 < b.children.size(); ++i) statement(b.children[i], s.body);
    in_switch_ = outer;
    to.push_back(std::move(s));
  }

  Names names_;
  Expressions expressions_;
  Program& program_;
  std::string fault_;
  bool in_switch_ = false;
};

}  // namespace

Program translate(const Tree& tree) {
  Program program;
  Translator(tree, program).run();
  return program;
}

}  // namespace papilio::loops
