#include "loops/clang/steps.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "loops/clang/names.h"

namespace papilio::loops {
namespace {

const Node& node_at(const Tree& tree, int index) { return tree[static_cast<std::size_t>(index)]; }

// The value of an integer constant, with its sign; 0 for anything else.
std::int64_t literal(const Tree& tree, int index) {
  const Node& n = node_at(tree, index);
  if ((n.kind == "ParenExpr" || n.kind == "ImplicitCastExpr" || n.kind == "ConstantExpr") && !n.children.empty()) {
    return literal(tree, n.children[0]);
  }
  if (n.kind == "UnaryOperator" && n.opcode == "-" && !n.children.empty()) return -literal(tree, n.children[0]);
  std::int64_t value = 0;
  if (n.kind != "IntegerLiteral") return 0;
  const auto [end, failure] = std::from_chars(n.value.data(), n.value.data() + n.value.size(), value);
  return failure == std::errc() && value <= (1 << 30) ? value : 0;
}

}  // namespace

std::pair<std::uint64_t, std::int64_t> step_of(const Tree& tree, int index) {
  const Node& n = node_at(tree, index);
  const std::pair<std::uint64_t, std::int64_t> none = {0, 0};
  if (n.children.empty()) return none;
  if (n.kind == "ParenExpr") return step_of(tree, n.children[0]);
  const std::uint64_t name =
      node_at(tree, n.children[0]).kind == "DeclRefExpr" ? node_at(tree, n.children[0]).reference : 0;
  if (name == 0) return none;
  if (n.kind == "UnaryOperator" && n.opcode == "++") return {name, 1};
  if (n.kind == "UnaryOperator" && n.opcode == "--") return {name, -1};
  if (n.children.size() != 2) return none;
  if (n.kind == "CompoundAssignOperator" && (n.opcode == "+=" || n.opcode == "-=")) {
    const auto by = literal(tree, n.children[1]);
    return by == 0 ? none : std::pair{name, n.opcode == "+=" ? by : -by};
  }
  if (n.kind == "BinaryOperator" && n.opcode == "=") {
    const Node* sum = &node_at(tree, n.children[1]);
    while ((sum->kind == "ParenExpr" || sum->kind == "ImplicitCastExpr") && !sum->children.empty())
      sum = &node_at(tree, sum->children[0]);
    if (sum->kind != "BinaryOperator" || (sum->opcode != "+" && sum->opcode != "-")) return none;
    if (plain_name(tree, sum->children[0]) == name) {
      const auto by = literal(tree, sum->children[1]);
      return by == 0 ? none : std::pair{name, sum->opcode == "+" ? by : -by};
    }
    if (plain_name(tree, sum->children[1]) == name && sum->opcode == "+") {
      const auto by = literal(tree, sum->children[0]);
      return by == 0 ? none : std::pair{name, by};
    }
  }
  return none;
}

bool assigns_any(const Tree& tree, int index) {
  const Node& n = node_at(tree, index);
  if (n.kind == "CompoundAssignOperator" || (n.kind == "BinaryOperator" && n.opcode == "=")) return true;
  if (n.kind == "UnaryOperator" && (n.opcode == "++" || n.opcode == "--")) return true;
  return std::any_of(n.children.begin(), n.children.end(), [&](int c) { return assigns_any(tree, c); });
}

bool has_continue(const Tree& tree, int index) {
  const Node& n = node_at(tree, index);
  if (n.kind == "ContinueStmt" || n.too_deep) return true;
  if (n.kind == "ForStmt" || n.kind == "WhileStmt" || n.kind == "DoStmt") return false;
  return std::any_of(n.children.begin(), n.children.end(), [&](int c) { return has_continue(tree, c); });
}

}  // namespace papilio::loops
