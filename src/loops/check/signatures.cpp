#include "loops/check/signatures.h"

#include <fmt/format.h>

#include <algorithm>

#include "loops/check/members.h"
#include "loops/clang/names.h"

namespace papilio::loops {
namespace {

// Whether what a pointer points to is constant, as clang spells it.
bool points_to_constant(const Node& n) {
  const std::string& type = n.desugared.empty() ? n.type : n.desugared;
  return type.substr(0, type.find('*')).find("const") != std::string::npos;
}

Slot slot_of(const Node& n, const Records& records, std::string& fault) {
  const CType type = type_of(n);
  Slot slot;
  slot.name = n.name;
  slot.element = type.is_record ? name_of_record(n.desugared.empty() ? n.type : n.desugared) : name_of(type.type);
  slot.is_real = type.type.kind == Type::Kind::real;
  slot.is_restrict = type.is_restrict;
  const std::string name = n.name.empty() ? "a parameter" : n.name;
  const bool is_table = type.pointers == 2 && type.extents.empty() && !type.pointer_to_array;
  if (slot.element.empty() || type.is_volatile || (type.pointers > 0 && !type.is_pointer() && !is_table)) {
    fault = fmt::format("{} is of type {}", name, n.type);
    return slot;
  }
  std::string why;
  if (type.is_record) slot.members = records.members(slot.element, why);
  if (!why.empty()) fault = fmt::format("{} is of type {}: {}", name, n.type, why);
  if (is_table) {
    slot.kind = Slot::Kind::table;
    for (const Member& m : slot.members) {
      if (m.is_pointer) fault = fmt::format("{} is of type {}: its member {} is a pointer", name, n.type, m.path);
    }
  } else if (type.pointers == 1 || type.is_array()) {
    slot.kind = Slot::Kind::array;
    slot.is_const = points_to_constant(n);
    slot.is_local_array = type.is_array();
  } else if (type.is_record) {
    slot.kind = Slot::Kind::structure;
  } else {
    slot.kind = slot.is_real ? Slot::Kind::real : Slot::Kind::integer;
  }
  return slot;
}

}  // namespace

Signatures read_signatures(const Tree& tree) {
  Signatures found;
  const Records records(tree);
  const auto node = [&](int i) -> const Node& { return tree[static_cast<std::size_t>(i)]; };
  for (const int index : tree[0].children) {
    const Node& n = node(index);
    if (n.kind == "VarDecl" && n.in_file && n.storage != "extern" && !n.type.starts_with("const ")) {
      std::string fault;
      Slot slot = slot_of(n, records, fault);
      const bool is_struct = !slot.members.empty();
      std::erase_if(slot.members, [](const Member& m) { return m.is_pointer; });
      if (is_struct && slot.members.empty()) continue;
      const bool is_there =
          std::any_of(found.globals.begin(), found.globals.end(), [&](const Slot& g) { return g.name == slot.name; });
      // From a struct, use the members for which values can be made.
      if ((fault.empty() || !slot.members.empty()) && !is_there && type_of(n).pointers == 0)
        found.globals.push_back(slot);
    }
    if (n.kind != "FunctionDecl" || !n.in_file) continue;
    const bool has_body =
        std::any_of(n.children.begin(), n.children.end(), [&](int c) { return node(c).kind == "CompoundStmt"; });
    if (!has_body) continue;
    Signature s;
    s.name = n.name;
    if (n.name == "main") s.fault = "it is main";
    const CType result = read_type(n.type.substr(0, n.type.find('(')));
    if (result.is_scalar() && result.type.kind != Type::Kind::other) {
      s.result = name_of(result.type);
      s.is_real = result.type.kind == Type::Kind::real;
    }
    for (const int c : n.children) {
      if (node(c).kind == "ParmVarDecl") s.parameters.push_back(slot_of(node(c), records, s.fault));
    }
    if (n.type.ends_with("...)")) s.fault = "it has a variable number of arguments";
    found.functions.push_back(std::move(s));
  }
  return found;
}

}  // namespace papilio::loops
