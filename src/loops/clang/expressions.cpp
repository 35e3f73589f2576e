#include "loops/clang/expressions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "loops/clang/faults.h"
#include "loops/clang/parts.h"

namespace papilio::loops {
namespace {

// Functions of <math.h> and <stdlib.h> whose results depend on their arguments alone. (errno belongs to a thread.)
constexpr auto pure_functions = std::to_array<std::string_view>(
    {"abs",   "labs",  "llabs", "fabs",  "fabsf", "sqrt",  "sqrtf", "exp",   "expf",   "exp2", "log",   "logf",
     "log2",  "log10", "log1p", "expm1", "sin",   "sinf",  "cos",   "cosf",  "tan",    "asin", "acos",  "atan",
     "atan2", "sinh",  "cosh",  "tanh",  "tanhf", "pow",   "powf",  "floor", "floorf", "ceil", "ceilf", "round",
     "trunc", "fmod",  "fmin",  "fminf", "fmax",  "fmaxf", "fma",   "hypot", "cbrt",   "erf",  "erfc",  "tgamma"});

// The value of an integer or a character; opaque if it does not fit.
Expr integer_literal(const Node& n) {
  Expr e = leaf(Expr::Kind::integer, n);
  const auto [end, failure] = std::from_chars(n.value.data(), n.value.data() + n.value.size(), e.value);
  if (failure != std::errc() || end != n.value.data() + n.value.size()) e.kind = Expr::Kind::opaque;
  return e;
}

}  // namespace

Expr Expressions::unknown(int index, const std::string& text) {
  Expr e = leaf(Expr::Kind::unknown, names_.node(index));
  e.text = text;
  e.clobbers = names_.named_in(index);
  return e;
}

std::optional<Expressions::Lvalue> Expressions::lvalue(int index) {
  const Node& n = names_.node(index);
  if (n.too_deep) return std::nullopt;
  if (n.kind == "ParenExpr" && !n.children.empty()) return lvalue(n.children[0]);
  if (n.kind == "DeclRefExpr") {
    if (n.reference_kind != "VarDecl" && n.reference_kind != "ParmVarDecl") return std::nullopt;
    const Node* declared = names_.declaration(n.reference);
    if (declared == nullptr) return std::nullopt;
    return Lvalue{n.reference, "", type_of(*declared), {}, -1};
  }
  if (n.kind == "ArraySubscriptExpr" && n.children.size() == 2) {
    const bool first_points = type_of(names_.node(n.children[0])).pointers > 0;
    auto element = pointee(n.children[first_points ? 0 : 1]);
    if (!element) return std::nullopt;
    Expr subscript = widened(translate(n.children[first_points ? 1 : 0]));
    Expr& last = element->subscripts.back();
    const bool is_zero = last.kind == Expr::Kind::integer && last.value == 0;
    last = is_zero ? std::move(subscript) : binary("+", last, std::move(subscript), {Type::Kind::integer, 64, true});
    return element;
  }
  if (n.kind == "UnaryOperator" && n.opcode == "*" && !n.children.empty()) return pointee(n.children[0]);
  if (n.kind == "MemberExpr" && !n.children.empty()) {
    auto object = n.is_arrow ? pointee(n.children[0]) : lvalue(n.children[0]);
    const Node* field = names_.declaration(n.reference);
    if (!object || !object->type.is_record || object->type.is_union || object->type.pointers > 0) return std::nullopt;
    if (!object->type.extents.empty() || field == nullptr || field->is_bit_field) return std::nullopt;
    object->path += "." + n.name;
    const bool is_volatile = object->type.is_volatile;
    object->type = type_of(*field);
    object->type.is_volatile |= is_volatile;
    return object;
  }
  return std::nullopt;
}

std::optional<Target> Expressions::target_of(const Lvalue& found) {
  if (found.offset_base >= 0) {
    if (!found.path.empty() || !found.type.is_scalar() || found.subscripts.size() != 1) return std::nullopt;
    return Target{found.offset_base, found.subscripts};
  }
  CType type = found.type;
  type.extents.clear();
  if (!type.is_scalar()) return std::nullopt;
  return Target{names_.variable(found.id, found.path, type), found.subscripts};
}

std::optional<Target> Expressions::target(int index) {
  const auto found = lvalue(index);
  if (!found || !found->type.is_scalar()) return std::nullopt;
  return target_of(*found);
}

Expr Expressions::reference(int index) {
  const auto found = target(index);
  if (!found) return unknown(index, access_fault(names_, index));
  Expr e = leaf(found->subscripts.empty() ? Expr::Kind::variable : Expr::Kind::element, names_.node(index));
  e.variable = found->variable;
  e.operands = found->subscripts;
  return e;
}

Expr Expressions::call(int index) {
  const Node& n = names_.node(index);
  const std::string name = called_function(names_.tree(), n);
  const bool is_pure = std::find(pure_functions.begin(), pure_functions.end(), name) != pure_functions.end();
  if (names_.defines(name)) return call_of_file(index, name);
  if (!is_pure) return unknown(index, name.empty() ? "a call" : "a call of " + name);
  Expr e = leaf(Expr::Kind::opaque, n);
  e.text = name;
  for (std::size_t i = 1; i < n.children.size(); ++i) e.operands.push_back(translate(n.children[i]));
  return e;
}

Expr Expressions::call_of_file(int index, const std::string& name) {
  const Node& n = names_.node(index);
  Expr e = leaf(Expr::Kind::call, n);
  e.text = name;
  e.clobbers = names_.named_in(index);
  for (std::size_t i = 1; i < n.children.size(); ++i) {
    if (type_of(names_.node(n.children[i])).pointers == 0) {
      e.operands.push_back(translate(n.children[i]));
      continue;
    }
    Expr pointer = leaf(Expr::Kind::element, names_.node(n.children[i]));
    if (const auto found = passed_to(n.children[i])) {
      pointer.variable = found->variable;
      pointer.operands = found->subscripts;
    } else {
      pointer.kind = Expr::Kind::opaque;
    }
    e.operands.push_back(std::move(pointer));
  }
  return e;
}

void Expressions::begin_statement(int node) {
  statement_ = node;
  before_.clear();
  after_.clear();
}

std::vector<int> Expressions::take_steps(bool after) {
  statement_ = -1;
  return std::exchange(after ? after_ : before_, {});
}

int Expressions::uses(int index, std::uint64_t id) const {
  const Node& n = names_.node(index);
  int count = (n.kind == "DeclRefExpr" && n.reference == id) || n.too_deep ? 1 : 0;
  for (const int c : n.children) count += uses(c, id);
  return count;
}

bool Expressions::has_call(int index) const {
  const Node& n = names_.node(index);
  return n.kind == "CallExpr" || n.too_deep ||
         std::any_of(n.children.begin(), n.children.end(), [&](int c) { return has_call(c); });
}

// Notes x++ or --x as a step of its own, if nothing else in the statement names x.
bool Expressions::takes_step(int index, std::uint64_t id) {
  const Node& n = names_.node(index);
  if (statement_ < 0 || uses(statement_, id) != 1) return false;
  (n.is_postfix ? after_ : before_).push_back(index);
  return true;
}

// x++ or --x of a plain variable: x, with the step noted.
std::optional<Expr> Expressions::step(int index) {
  const Node& n = names_.node(index);
  if (statement_ < 0 || n.kind != "UnaryOperator" || n.children.size() != 1) return std::nullopt;
  if (n.opcode != "++" && n.opcode != "--") return std::nullopt;
  const std::uint64_t id = plain_name(names_.tree(), n.children[0]);
  const Node* declared = id == 0 ? nullptr : names_.declaration(id);
  if (declared == nullptr || declared->storage == "static") return std::nullopt;
  const CType type = type_of(*declared);
  if (!type.is_scalar() || type.type.kind != Type::Kind::integer || type.is_volatile) return std::nullopt;
  if (declared->kind != "ParmVarDecl" && declared->kind != "VarDecl") return std::nullopt;
  if (names_.is_addressed(id)) return std::nullopt;
  if (names_.is_of_file(id) && has_call(statement_)) return std::nullopt;  // the called function may see the step
  return takes_step(index, id) ? std::optional(reference(n.children[0])) : std::nullopt;
}

Expr Expressions::convert(const Node& n, int child) {
  static constexpr auto of_numbers =
      std::to_array<std::string_view>({"IntegralCast", "IntegralToBoolean", "IntegralToFloating", "FloatingToIntegral",
                                       "FloatingCast", "FloatingToBoolean", "NoOp", "ToVoid"});
  Expr inner = translate(child);
  const bool known = std::find(of_numbers.begin(), of_numbers.end(), n.cast) != of_numbers.end();
  if (known && inner.type == type_of(n).type) return inner;
  const bool integral = n.cast == "IntegralCast" && type_of(n).type.kind == Type::Kind::integer;
  Expr e = leaf(integral ? Expr::Kind::convert : Expr::Kind::opaque, n);
  if (!integral) e.text = n.cast;
  e.operands.push_back(std::move(inner));
  return e;
}

// An explicit or implicit conversion, such as the one that reads a variable.
Expr Expressions::cast(int index) {
  const Node& n = names_.node(index);
  if (n.children.empty()) return unknown(index, "a conversion");
  if (n.cast != "LValueToRValue") return convert(n, n.children[0]);
  const CType type = type_of(n);
  int read = n.children[0];  // within its parentheses: that is its place
  while (names_.node(read).kind == "ParenExpr" && !names_.node(read).children.empty())
    read = names_.node(read).children[0];
  return type.pointers > 0 ? unknown(index, "the value of a pointer") : reference(read);
}

Expr Expressions::binary_operator(int index) {
  const Node& n = names_.node(index);
  if (auto compared = of_pointers(index)) return *compared;
  Expr e = leaf(Expr::Kind::binary, n);
  e.op = n.opcode;
  e.operands.push_back(translate(n.children[0]));
  const bool is_lazy = n.opcode == "&&" || n.opcode == "||";
  const int statement = is_lazy ? std::exchange(statement_, -1) : statement_;
  e.operands.push_back(translate(n.children[1]));
  statement_ = statement;
  return e;
}

Expr Expressions::conditional_operator(const Node& n) {
  Expr e = leaf(Expr::Kind::select, n);
  e.operands.push_back(translate(n.children[0]));
  const int statement = std::exchange(statement_, -1);
  for (std::size_t i = 1; i < 3; ++i) e.operands.push_back(translate(n.children[i]));
  statement_ = statement;
  return e;
}

Expr Expressions::translate(int index) {
  const Node& n = names_.node(index);
  if (n.too_deep && n.children.empty()) return unknown(index, "an expression that is nested too deep");
  if ((n.kind == "ParenExpr" || n.kind == "ConstantExpr") && !n.children.empty()) return translate(n.children[0]);
  if (n.kind == "IntegerLiteral" || n.kind == "CharacterLiteral") return integer_literal(n);
  if (n.kind == "FloatingLiteral" || n.kind == "StringLiteral" || n.kind == "UnaryExprOrTypeTraitExpr") {
    return leaf(Expr::Kind::opaque, n);
  }
  if (n.kind == "DeclRefExpr" && (n.reference_kind == "EnumConstantDecl" || n.reference_kind == "FunctionDecl")) {
    return leaf(Expr::Kind::opaque, n);
  }
  if (n.kind == "ImplicitCastExpr" || n.kind == "CStyleCastExpr") return cast(index);
  if (n.kind == "UnaryOperator" && n.children.size() == 1 &&
      (n.opcode == "-" || n.opcode == "+" || n.opcode == "~" || n.opcode == "!")) {
    if (n.opcode == "+") return translate(n.children[0]);
    Expr e = leaf(Expr::Kind::unary, n);
    e.op = n.opcode;
    e.operands.push_back(translate(n.children[0]));
    return e;
  }
  if (n.kind == "BinaryOperator" && n.children.size() == 2 && n.opcode != "=" && n.opcode != ",") {
    return binary_operator(index);
  }
  if (n.kind == "ConditionalOperator" && n.children.size() == 3) return conditional_operator(n);
  if (n.kind == "CallExpr") return call(index);
  if (n.kind == "InitListExpr" || n.kind == "ImplicitValueInitExpr") {
    Expr e = leaf(Expr::Kind::opaque, n);
    for (const int c : n.children) e.operands.push_back(translate(c));
    return e;
  }
  if (n.kind == "DeclRefExpr" || n.kind == "ArraySubscriptExpr" || n.kind == "MemberExpr") return reference(index);
  if (auto stepped = step(index)) return *stepped;
  const bool assigns = n.kind == "CompoundAssignOperator" || (n.kind == "BinaryOperator" && n.opcode == "=") ||
                       (n.kind == "UnaryOperator" && (n.opcode == "++" || n.opcode == "--"));
  return unknown(index, assigns ? "an assignment inside an expression" : "an expression of kind " + n.kind);
}

}  // namespace papilio::loops
