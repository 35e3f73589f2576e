#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "loops/clang/expressions.h"
#include "loops/clang/parts.h"

// What pointers lead to.

namespace papilio::loops {

// What a pointer in a field of a parameter points to: m->value, g.cells.
std::optional<Expressions::Lvalue> Expressions::pointee_of_field(int index) {
  const Node* member = &names_.node(index);
  while (member->kind == "ParenExpr" && !member->children.empty()) member = &names_.node(member->children[0]);
  if (member->kind != "MemberExpr") return std::nullopt;
  const auto field = lvalue(index);
  if (!field || field->offset_base >= 0 || !field->type.is_pointer() || field->type.is_volatile) return std::nullopt;
  const bool is_first = std::all_of(field->subscripts.begin(), field->subscripts.end(), [](const Expr& subscript) {
    return subscript.kind == Expr::Kind::integer && subscript.value == 0;
  });
  CType type = field->type;
  type.pointers = 0;
  if (!is_first || field->type.pointer_to_array || !type.is_scalar()) return std::nullopt;
  const int made = names_.pointed_to_by_field(field->id, field->path, member->reference, field->type);
  if (made < 0) return std::nullopt;
  return Lvalue{0, "", type, {zero(names_.node(index).place)}, made};
}

// What a followed pointer points to: an element of its array, at the offset that a variable holds.
Expressions::Lvalue Expressions::followed(std::uint64_t id, const Node& n) const {
  const Names::Offset* known = names_.offset(id);
  CType type = type_of(*names_.declaration(id));
  type.pointers = 0;
  Expr offset = leaf(Expr::Kind::variable, n);
  offset.type = {Type::Kind::integer, 64, true};
  offset.variable = known->offset;
  return Lvalue{0, "", type, {offset}, known->base};
}

// The object that a pointer value points to, with the subscript of the element last.
std::optional<Expressions::Lvalue> Expressions::pointee(int index) {
  const Node& n = names_.node(index);
  if (n.children.empty() || n.too_deep) return std::nullopt;
  if (n.kind == "ParenExpr") return pointee(n.children[0]);
  if (n.kind == "ImplicitCastExpr" && n.cast == "NoOp") return pointee(n.children[0]);  // const
  if (n.kind == "ImplicitCastExpr" && n.cast == "ArrayToPointerDecay") {
    auto array = lvalue(n.children[0]);
    if (!array || !array->type.is_array()) return std::nullopt;
    array->type.extents.erase(array->type.extents.begin());
    array->subscripts.push_back(zero(n.place));
    return array;
  }
  if (n.kind == "ImplicitCastExpr" && n.cast == "LValueToRValue") {
    const std::uint64_t id = plain_name(names_.tree(), n.children[0]);
    if (id == 0) return pointee_of_field(n.children[0]);
    if (names_.offset(id) != nullptr) return followed(id, n);
    const Node* declared = names_.declaration(id);
    if (declared == nullptr || names_.is_assigned(id) || declared->kind != "ParmVarDecl") return std::nullopt;
    CType type = type_of(*declared);
    if (!type.is_pointer() || type.is_volatile) return std::nullopt;
    type.pointers = 0;
    return Lvalue{id, "", type, {zero(n.place)}, -1};
  }
  if (n.kind == "UnaryOperator" && (n.opcode == "++" || n.opcode == "--")) {
    const std::uint64_t id = plain_name(names_.tree(), n.children[0]);
    if (names_.offset(id) == nullptr || !takes_step(index, id)) return std::nullopt;
    return followed(id, n);
  }
  if (n.kind == "UnaryOperator" && n.opcode == "&") {
    // &a[i], as in double* row = &a[i * n].
    auto element = lvalue(n.children[0]);
    if (!element || element->subscripts.empty() || !element->path.empty()) return std::nullopt;
    const Node* inner = &names_.node(n.children[0]);
    while (inner->kind == "ParenExpr") inner = &names_.node(inner->children[0]);
    if (inner->kind != "ArraySubscriptExpr") return std::nullopt;
    return element;
  }
  if (n.kind == "BinaryOperator" && (n.opcode == "+" || n.opcode == "-") && n.children.size() == 2) {
    const CType left = type_of(names_.node(n.children[0]));
    const bool left_points = left.pointers > 0;
    if (!left_points && n.opcode == "-") return std::nullopt;
    auto base = pointee(n.children[left_points ? 0 : 1]);
    if (!base) return std::nullopt;
    const Type wide = {Type::Kind::integer, 64, true};
    Expr moved = widened(translate(n.children[left_points ? 1 : 0]));
    base->subscripts.back() = binary(n.opcode, base->subscripts.back(), std::move(moved), wide);
    return base;
  }
  return std::nullopt;
}

std::optional<Target> Expressions::pointed_to(int index) {
  const auto found = pointee(index);
  if (!found || !found->type.extents.empty()) return std::nullopt;
  return target_of(*found);
}

// What a pointer argument points to. This includes a row, a[i] (but not &a[i][0], which often means all of a).
std::optional<Target> Expressions::passed_to(int index) {
  const auto found = pointee(index);
  if (!found) return std::nullopt;
  const Node* n = &names_.node(index);
  while (n->kind == "ParenExpr" || n->kind == "ImplicitCastExpr") n = &names_.node(n->children[0]);
  if (n->kind == "UnaryOperator" && found->subscripts.size() > 1) return std::nullopt;
  return target_of(*found);
}

// p < q, p != q or q - p for two pointers into one array, as the same operation on their offsets.
std::optional<Expr> Expressions::of_pointers(int index) {
  static constexpr auto known = std::to_array<std::string_view>({"<", "<=", ">", ">=", "==", "!=", "-"});
  const Node& n = names_.node(index);
  const auto points = [&](int child) { return type_of(names_.node(child)).pointers > 0; };
  if (!points(n.children[0]) || !points(n.children[1])) return std::nullopt;
  if (std::find(known.begin(), known.end(), n.opcode) == known.end()) return std::nullopt;
  auto left = pointed_to(n.children[0]), right = pointed_to(n.children[1]);
  if (!left || !right) return std::nullopt;
  if (left->variable != right->variable)
    return unknown(index, "a comparison of pointers that may point into two arrays");
  if (left->subscripts.size() != 1 || right->subscripts.size() != 1) return std::nullopt;
  Expr made = binary(n.opcode, std::move(left->subscripts[0]), std::move(right->subscripts[0]), type_of(n).type);
  made.place = n.place;
  return made;
}

}  // namespace papilio::loops
