#include "loops/clang/names.h"

#include <algorithm>
#include <charconv>

namespace papilio::loops {

std::uint64_t plain_name(const Tree& tree, int index) {
  const Node* node = &tree[static_cast<std::size_t>(index)];
  while ((node->kind == "ParenExpr" || (node->kind == "ImplicitCastExpr" && node->cast == "LValueToRValue") ||
          (node->kind == "ImplicitCastExpr" && node->cast == "IntegralCast")) &&
         !node->children.empty()) {
    node = &tree[static_cast<std::size_t>(node->children[0])];
  }
  return node->kind == "DeclRefExpr" ? node->reference : 0;
}

std::string called_function(const Tree& tree, const Node& call) {
  if (call.children.empty()) return "";
  const Node* callee = &tree[static_cast<std::size_t>(call.children[0])];
  while ((callee->kind == "ParenExpr" ||
          (callee->kind == "ImplicitCastExpr" && callee->cast == "FunctionToPointerDecay")) &&
         !callee->children.empty()) {
    callee = &tree[static_cast<std::size_t>(callee->children[0])];
  }
  return callee->kind == "DeclRefExpr" && callee->reference_kind == "FunctionDecl" ? callee->reference_name : "";
}

Names::Names(const Tree& tree, Program& program) : tree_(tree), program_(program) {
  for (const Node& n : tree) {
    const bool has_body =
        std::any_of(n.children.begin(), n.children.end(), [&](int c) { return node(c).kind == "CompoundStmt"; });
    if (n.kind == "FunctionDecl" && has_body) defined_.insert(n.name);
  }
  std::map<std::string, std::uint64_t> first;
  for (const int index : tree[0].children) {
    const Node& n = node(index);
    if (n.kind == "VarDecl") of_file_[n.id] = first.try_emplace(n.name, n.id).first->second;
  }
  for (const Node& n : tree) {  // functions may declare them, too
    if (n.kind == "VarDecl" && n.storage == "extern") of_file_[n.id] = first.try_emplace(n.name, n.id).first->second;
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].kind == "CallExpr") find_arguments(static_cast<int>(i));
    scan(static_cast<int>(i));
  }
}

// What a function of this file does with a pointer argument is followed, or expand_calls says that it is not.
void Names::find_arguments(int call) {
  const Node& n = node(call);
  if (!defined_.contains(called_function(tree_, n))) return;
  passed_.insert(call);
  for (std::size_t i = 1; i < n.children.size(); ++i) pass(n.children[i]);
}

void Names::pass(int argument) {
  const Node& n = node(argument);
  if (n.children.empty()) return;
  const bool is_cast = n.kind == "ImplicitCastExpr" && (n.cast == "NoOp" || n.cast == "ArrayToPointerDecay");
  const bool is_sum = n.kind == "BinaryOperator" && (n.opcode == "+" || n.opcode == "-");
  const Node* inner = &node(n.children[0]);
  while (inner->kind == "ParenExpr" && !inner->children.empty()) inner = &node(inner->children[0]);
  const bool is_element = n.kind == "UnaryOperator" && n.opcode == "&" && inner->kind == "ArraySubscriptExpr";
  if (!is_cast && !is_sum && !is_element && n.kind != "ParenExpr") return;
  passed_.insert(argument);
  if (!is_element) {
    for (const int child : n.children) pass(child);
  }
}

void Names::scan(int index) {
  const Node& n = node(index);
  if (n.kind.ends_with("Decl")) declarations_[n.id] = index;
  if (n.children.empty()) return;
  // The object at the root of an lvalue, which is assigned or whose address is taken.
  const auto root = [&](int at) {
    while (true) {
      const Node& part = node(at);
      if (part.kind == "DeclRefExpr") {
        const auto first = of_file_.find(part.reference);
        return first == of_file_.end() ? part.reference : first->second;
      }
      const bool passes = part.kind == "ParenExpr" || (part.kind == "MemberExpr" && !part.is_arrow) ||
                          part.kind == "ArraySubscriptExpr" || part.kind == "ImplicitCastExpr";
      if (!passes || part.children.empty()) return std::uint64_t{0};
      if (part.kind == "ImplicitCastExpr" && part.cast != "ArrayToPointerDecay" && part.cast != "NoOp")
        return std::uint64_t{0};
      at = part.children[0];
    }
  };
  const bool assigns = (n.kind == "BinaryOperator" && n.opcode == "=") || n.kind == "CompoundAssignOperator" ||
                       (n.kind == "UnaryOperator" && (n.opcode == "++" || n.opcode == "--"));
  if (assigns) assigned_[root(n.children[0])].push_back(index);
  if ((assigns || (n.kind == "UnaryOperator" && n.opcode == "&")) && !n.children.empty()) {
    const Node* field = &node(n.children[0]);
    while (field->kind == "ParenExpr" && !field->children.empty()) field = &node(field->children[0]);
    if (field->kind == "MemberExpr") assigned_fields_.insert(field->reference);
  }
  if (passed_.contains(index)) return;
  if (n.kind == "UnaryOperator" && n.opcode == "&") {
    // &a[i] of an array is an alias like the name of the array; so is &x.
    addressed_.insert(root(n.children[0]));
  }
  // An array that decays for anything other than a subscript is passed on.
  if (n.kind != "ArraySubscriptExpr") {
    for (const int child : n.children) {
      const Node& part = node(child);
      if (part.kind == "ImplicitCastExpr" && part.cast == "ArrayToPointerDecay" && !part.children.empty()) {
        addressed_.insert(root(part.children[0]));
      }
    }
  }
}

const Node* Names::declaration(std::uint64_t id) const {
  const auto found = declarations_.find(id);
  return found == declarations_.end() ? nullptr : &node(found->second);
}

// Whether a variable belongs to the file, or to the same function as the other one.
bool Names::is_seen_with(std::uint64_t id, std::uint64_t other) const {
  const auto top = [&](std::uint64_t of) {
    const auto found = declarations_.find(of);
    const std::vector<int>& all = node(0).children;
    return found == declarations_.end() ? all.end() : std::upper_bound(all.begin(), all.end(), found->second);
  };
  return of_file_.contains(id) || top(id) == top(other);
}

int Names::variable(std::uint64_t id, const std::string& path, const CType& type) {
  if (const auto first = of_file_.find(id); first != of_file_.end()) id = first->second;
  const auto [place, is_new] = variables_.try_emplace({id, path}, -1);
  if (!is_new) return place->second;
  const Node* n = declaration(id);
  int object = -1;
  if (!path.empty()) object = variable(id, "", n == nullptr ? CType() : type_of(*n));
  Variable v;
  const CType whole = n == nullptr ? type : type_of(*n);
  v.name = n == nullptr ? path : n->name;
  if (n != nullptr) v.name.append(path);
  v.type = type.is_scalar() || type.is_array() || type.is_pointer() ? type.type : Type{Type::Kind::other, 0, false};
  if (type.is_record) v.type.kind = Type::Kind::other;
  v.is_volatile = type.is_volatile || whole.is_volatile;
  v.escapes = addressed_.contains(id);
  v.is_array = whole.is_array() || whole.is_pointer();
  v.is_pointer = whole.is_pointer();
  v.is_restrict = whole.is_restrict;
  const bool is_local = n != nullptr && n->kind == "VarDecl" && n->storage != "static" && n->storage != "extern" &&
                        !of_file_.contains(id);
  v.storage = n != nullptr && n->kind == "ParmVarDecl" ? Variable::Storage::parameter
              : is_local                               ? Variable::Storage::local
                                                       : Variable::Storage::global;
  if (path.empty() && whole.is_array()) {
    for (const std::string& extent : whole.extents) {
      std::int64_t length = -1;
      const auto [end, failure] = std::from_chars(extent.data(), extent.data() + extent.size(), length);
      v.extents.push_back(failure == std::errc() && end == extent.data() + extent.size() ? length : -1);
      int named = -1;
      const auto same_name = by_name_.find(extent);
      for (const int known : same_name == by_name_.end() ? std::vector<int>() : same_name->second) {
        const std::uint64_t declared = declared_by_.at(known);
        if (!is_assigned(declared) && is_seen_with(declared, id))
          named = named == -1 ? known : -2;  // two with one name: it may be either
      }
      v.extent_variables.push_back(std::max(named, -1));
    }
  }
  const int index = static_cast<int>(program_.variables.size());
  v.object = object < 0 ? index : object;
  if (path.empty()) by_name_[v.name].push_back(index);
  program_.variables.push_back(std::move(v));
  variables_[{id, path}] = index;
  declared_by_[index] = id;
  return index;
}

int Names::pointed_to_by_field(std::uint64_t id, const std::string& path, std::uint64_t field, const CType& type) {
  const Node* n = declaration(id);
  if (n == nullptr || n->kind != "ParmVarDecl" || assigned_fields_.contains(field) || addressed_.contains(id) ||
      tree_[0].too_deep)  // what was left out may assign the field
    return -1;
  const bool is_behind = type_of(*n).is_pointer();
  const std::pair<std::uint64_t, std::string> key = {id, path + "->"};
  if (const auto known = variables_.find(key); known != variables_.end()) return known->second;
  const int holder = variable(id, path, type);
  if (program_.variables[static_cast<std::size_t>(holder)].is_volatile) return -1;
  Variable v;
  v.name = n->name + (is_behind ? "->" : ".") + path.substr(1);
  v.type = type.type;
  v.storage = Variable::Storage::parameter;
  v.is_array = v.is_pointer = true;
  v.holder = holder;
  v.object = static_cast<int>(program_.variables.size());
  program_.variables.push_back(v);
  variables_[key] = v.object;
  return v.object;
}

int Names::make_offset(std::uint64_t pointer, int base, const std::string& name) {
  Variable v;
  v.name = name;
  v.type = {Type::Kind::integer, 64, true};
  v.is_offset = true;
  v.base = base;
  v.object = static_cast<int>(program_.variables.size());
  program_.variables.push_back(v);
  offsets_[pointer] = {base, v.object};
  declared_by_[v.object] = pointer;
  return v.object;
}

const std::vector<int>& Names::assignments(std::uint64_t id) const {
  static const std::vector<int> none;
  const auto found = assigned_.find(id);
  return found == assigned_.end() ? none : found->second;
}

std::vector<int> Names::assignments_in(int part, int variable) const {
  const auto id = declared_by_.find(variable);
  if (id == declared_by_.end()) return {};
  int last = part;  // the nodes of a part follow each other
  while (!node(last).children.empty()) last = node(last).children.back();
  const std::vector<int>& all = assignments(id->second);
  return {std::lower_bound(all.begin(), all.end(), part), std::upper_bound(all.begin(), all.end(), last)};
}

const Names::Offset* Names::offset(std::uint64_t pointer) const {
  const auto found = offsets_.find(pointer);
  return found == offsets_.end() ? nullptr : &found->second;
}

std::vector<int> Names::named_in(int index) {
  std::vector<int> open = {index}, found;
  while (!open.empty()) {
    const Node& n = node(open.back());
    open.pop_back();
    open.insert(open.end(), n.children.begin(), n.children.end());
    if (n.kind != "DeclRefExpr" || (n.reference_kind != "VarDecl" && n.reference_kind != "ParmVarDecl")) continue;
    const Node* declared = declaration(n.reference);
    variable(n.reference, "", declared == nullptr ? CType() : type_of(*declared));
    const auto first = of_file_.find(n.reference);
    const std::uint64_t id = first == of_file_.end() ? n.reference : first->second;
    for (auto at = variables_.lower_bound({id, ""}); at != variables_.end() && at->first.first == id; ++at) {
      if (at->second >= 0) found.push_back(at->second);
    }
    if (const Offset* known = offset(id)) found.push_back(known->offset);
  }
  return found;
}

}  // namespace papilio::loops
