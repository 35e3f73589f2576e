#include "loops/clang/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loops/clang/translator.h"

namespace papilio::loops {

void Translator::run(const std::function<void()>& begin_function) {
  for (const int index : names_.node(0).children) {
    const Node& n = names_.node(index);
    if (n.kind != "FunctionDecl" || !n.in_file) continue;
    if (begin_function) begin_function();
    function(n);
  }
}

void Translator::function(const Node& n) {
  const auto body =
      std::find_if(n.children.begin(), n.children.end(), [&](int c) { return node(c).kind == "CompoundStmt"; });
  if (body == n.children.end()) return;
  Function made;
  made.name = n.name;
  made.place = n.place;
  for (const int c : n.children) {
    if (node(c).kind == "ParmVarDecl") moving_parameter(node(c), made.body);
  }
  for (const int c : n.children) {
    if (node(c).kind != "ParmVarDecl") continue;
    const CType type = type_of(node(c));
    const int v = names_.variable(node(c).id, "", type);
    const bool followed =
        type.is_scalar() || (type.is_pointer() && !type.is_record &&
                             (!names_.is_assigned(node(c).id) || names_.offset(node(c).id) != nullptr));
    made.parameters.push_back(followed ? v : -1);
  }
  fault_.clear();
  in_switch_ = false;
  statement(*body, made.body);
  if (n.too_deep) fault_ = "a part of the function is nested too deep";  // and may do anything to its variables
  made.fault = fault_;
  program_.functions.push_back(std::move(made));
}

Stmt Translator::made(Kind kind, const Node& n) const {
  Stmt s;
  s.kind = kind;
  s.place = n.place;
  return s;
}

void Translator::unknown(int index, const std::string& text, std::vector<Stmt>& to) {
  Stmt s = made(Kind::unknown, node(index));
  s.text = text;
  s.clobbers = names_.named_in(index);
  to.push_back(std::move(s));
}

void Translator::statement(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.too_deep && n.children.empty()) return unknown(index, "a statement that is nested too deep", to);
  if (n.kind == "CompoundStmt") return block(n, to);
  if (n.kind == "DeclStmt") return declarations(n, to);
  if (n.kind == "ForStmt") return for_loop(index, to);
  if (n.kind == "WhileStmt") return while_loop(index, to);
  if (n.kind == "DoStmt") return do_loop(index, to);
  if (n.kind == "IfStmt") return branch(index, to);
  if (n.kind == "SwitchStmt") return cases(index, to);
  if (n.kind == "NullStmt" || n.kind.empty()) return;
  if (n.kind == "BreakStmt" && in_switch_) return;  // what follows is already conditional
  if (n.kind == "BreakStmt" || n.kind == "ReturnStmt") {
    Stmt s = made(Kind::leave, n);
    s.leaves_function = n.kind == "ReturnStmt";
    if (!n.children.empty()) {
      s.op.assign(1, '=');
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
  if (n.kind == "CaseStmt" || n.kind == "DefaultStmt")  // not in the body of its switch: it may lead into a loop
    fault_ = fmt::format("a case label is within another statement (line {}, column {})", n.place.line, n.place.column);
  if (n.kind == "AttributedStmt" && !n.children.empty()) return statement(n.children.back(), to);
  if (n.kind == "GCCAsmStmt" || n.kind.starts_with("OMP")) return unknown(index, "a statement of kind " + n.kind, to);
  expression(index, to);
}

void Translator::block(const Node& n, std::vector<Stmt>& to) {
  Stmt s = made(Kind::block, n);
  statements(n.children, 0, s.body);
  to.push_back(std::move(s));
}

// What follows a statement that may leave the switch around it may be skipped.
void Translator::statements(const std::vector<int>& all, std::size_t first, std::vector<Stmt>& to) {
  for (std::size_t k = first; k < all.size(); ++k) {
    statement(all[k], to);
    if (!in_switch_ || !leaves_switch(all[k]) || k + 1 == all.size()) continue;
    Stmt rest = made(Kind::branch, node(all[k + 1]));
    statements(all, k + 1, rest.body);
    return to.push_back(std::move(rest));
  }
}

// Whether a part of a switch has a break that leaves it.
bool Translator::leaves_switch(int index) const {
  const Node& n = node(index);
  if (n.kind == "BreakStmt" || n.too_deep) return true;
  if (n.kind == "SwitchStmt" || n.kind == "ForStmt" || n.kind == "WhileStmt" || n.kind == "DoStmt") return false;
  return std::any_of(n.children.begin(), n.children.end(), [&](int c) { return leaves_switch(c); });
}

void Translator::branch(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  const std::size_t parts = n.has_else ? 3 : 2;
  if (n.children.size() != parts) return unknown(index, "an if statement", to);
  Stmt s = made(Kind::branch, n);
  s.value = expressions_.translate(n.children[0]);
  statement(n.children[1], s.body);
  if (n.has_else) statement(n.children[2], s.otherwise);
  to.push_back(std::move(s));
}

// Translates a switch: each of its statements may be skipped.
void Translator::cases(int index, std::vector<Stmt>& to) {
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

void Translator::case_body(int index, std::vector<Stmt>& to) {
  const Node& n = node(index);
  if (n.kind == "CompoundStmt") {
    for (const int c : n.children) case_body(c, to);
  } else if ((n.kind == "CaseStmt" || n.kind == "DefaultStmt") && !n.children.empty()) {
    case_body(n.children.back(), to);
  } else {
    statement(index, to);
  }
}

Program translate(const Tree& tree, const std::function<void()>& begin_function) {
  Program program;
  Translator(tree, program).run(begin_function);
  return program;
}

}  // namespace papilio::loops
