#include "loops/clang/faults.h"

#include <fmt/format.h>

namespace papilio::loops {
namespace {

std::string fault_of_pointer(const Names& names, int index) {
  const std::uint64_t id = plain_name(names.tree(), index);
  const Node* declared = id == 0 ? nullptr : names.declaration(id);
  if (declared == nullptr) return "a pointer that is itself read from memory";
  const CType type = type_of(*declared);
  if (type.is_volatile) return fmt::format("{} is volatile", declared->name);
  if (names.is_assigned(id)) return fmt::format("the pointer {} changes", declared->name);
  if (declared->kind == "ParmVarDecl") return "";  // the parameter is known, but what it leads to is not
  return fmt::format("it is not known where the pointer {} points", declared->name);
}

std::string fault_at(const Names& names, int index) {
  const Node& n = names.node(index);
  if (n.too_deep || n.children.empty()) return "";
  const int first = n.children[0];
  if (n.kind == "CallExpr") return "a pointer that a call returns";
  if (n.kind == "CStyleCastExpr") return "a pointer that is cast";
  const bool counts = n.kind == "UnaryOperator" && (n.opcode == "++" || n.opcode == "--");
  if (counts) return fault_of_pointer(names, first);
  if (n.kind == "MemberExpr") {
    const Node* field = names.declaration(n.reference);
    if (field != nullptr && field->is_bit_field) return fmt::format("{} is a bit-field", n.name);
    if (type_of(names.node(first)).is_union) return fmt::format("{} is a member of a union", n.name);
  }
  if (n.kind == "ImplicitCastExpr" && n.cast == "LValueToRValue") {
    const std::string deeper = plain_name(names.tree(), first) == 0 ? fault_at(names, first) : "";
    return deeper.empty() ? fault_of_pointer(names, first) : deeper;
  }
  const bool points = type_of(names.node(first)).pointers > 0 || n.children.size() == 1;
  return fault_at(names, points ? first : n.children[1]);
}

}  // namespace

std::string access_fault(const Names& names, int index) {
  const std::string why = fault_at(names, index);
  return "an access that cannot be followed" + (why.empty() ? "" : ": " + why);
}

}  // namespace papilio::loops
