#include "loops/check/members.h"

#include <fmt/format.h>

#include <algorithm>

#include "loops/clang/types.h"

namespace papilio::loops {
namespace {

constexpr int deepest = 8;  // nesting of structs in structs
constexpr std::size_t most_members = 256;

}  // namespace

std::string name_of(const Type& t) {
  if (t.kind == Type::Kind::real) return t.bits == 32 ? "float" : t.bits == 64 ? "double" : "long double";
  if (t.kind != Type::Kind::integer) return "";
  if (t.bits == 1) return "_Bool";
  const char* const base = t.bits == 8 ? "char" : t.bits == 16 ? "short" : t.bits == 32 ? "int" : "long";
  return fmt::format("{} {}", t.is_signed ? "signed" : "unsigned", base);
}

std::string name_of_record(const std::string& spelled) {
  const std::size_t begin = spelled.find("struct ");
  if (begin == std::string::npos || spelled.substr(0, begin).find("union ") != std::string::npos) return "";
  const std::size_t name = begin + 7, end = std::min(spelled.find_first_of(" *[(:", name), spelled.size());
  return end == name || spelled.substr(end, 1) == ":" ? "" : spelled.substr(begin, end - begin);
}

Records::Records(const Tree& tree) : tree_(tree) {
  int nameless = -1;  // the last struct {...} without a name, which a type's name may follow
  for (const int index : tree[0].children) {
    const Node& n = tree[static_cast<std::size_t>(index)];
    if (n.kind == "RecordDecl") {
      nameless = n.name.empty() ? index : -1;
      if (!n.name.empty() && !n.children.empty()) by_name_[fmt::format("struct {}", n.name)] = index;
    } else if (n.kind == "TypedefDecl" && nameless >= 0 && n.type == fmt::format("struct {}", n.name)) {
      by_name_[n.name] = nameless;
    }
  }
}

std::vector<Member> Records::members(std::string& name, std::string& fault) const {
  std::vector<Member> found;
  auto at = by_name_.find(name);
  // clang names a struct without a name after its type.
  if (at == by_name_.end() && name.starts_with("struct ")) at = by_name_.find(name.substr(7));
  if (at == by_name_.end()) {
    fault = fmt::format("{} is not defined in the file", name);
  } else {
    name = at->first;
    add(at->second, "", 0, found, fault);
  }
  if (found.empty() && fault.empty()) fault = "it has no members";
  if (found.size() > most_members) fault = fmt::format("it has more than {} members", most_members);
  return found;
}

void Records::add(int record, const std::string& path, int depth, std::vector<Member>& to, std::string& fault) const {
  if (tree_[static_cast<std::size_t>(record)].too_deep || depth > deepest) fault = "it is too deep";
  if (!fault.empty() && depth > deepest) return;
  for (const int child : tree_[static_cast<std::size_t>(record)].children) {
    if (to.size() > most_members) return;
    if (tree_[static_cast<std::size_t>(child)].kind == "FieldDecl") add_field(child, record, path, depth, to, fault);
  }
}

void Records::add_field(int field, int record, const std::string& path, int depth, std::vector<Member>& to,
                        std::string& fault) const {
  const Node& n = tree_[static_cast<std::size_t>(field)];
  const std::string& spelled = n.desugared.empty() ? n.type : n.desugared;
  const CType type = read_type(spelled);
  const std::string name = path.empty() ? n.name : fmt::format("{}.{}", path, n.name);
  const std::string of_struct = type.is_record && !type.is_union && type.extents.empty() ? name_of_record(spelled) : "";
  const bool is_flexible = std::count(type.extents.begin(), type.extents.end(), "") > 0;
  if (const auto inner = by_name_.find(of_struct);
      !n.name.empty() && type.pointers == 0 && inner != by_name_.end() && inner->second != record) {
    add(inner->second, name, depth + 1, to, fault);
  } else if (const std::string element = name_of(type.type);
             n.name.empty() || element.empty() || n.is_bit_field || type.pointers > 1 || type.is_volatile ||
             is_flexible || (type.pointers == 1 && !type.is_pointer()) || type.pointer_to_array) {
    fault = fmt::format("its member {} is of type {}{}", name, n.type, n.is_bit_field ? ", in bits" : "");
  } else {
    to.push_back(
        {name, element, type.type.kind == Type::Kind::real, type.is_array(), type.pointers > 0, type.is_restrict});
  }
}

}  // namespace papilio::loops
