#include "loops/program/changes.h"

#include <algorithm>
#include <optional>

namespace papilio::loops {
namespace {

bool clobbers(const Expr& e, int variable) {
  return std::find(e.clobbers.begin(), e.clobbers.end(), variable) != e.clobbers.end() ||
         std::any_of(e.operands.begin(), e.operands.end(), [&](const Expr& part) { return clobbers(part, variable); });
}

// The expression without conversions that keep every value.
const Expr& plain(const Expr& e) {
  const bool widens = e.kind == Expr::Kind::convert && e.type.bits >= e.operands[0].type.bits;
  return widens ? plain(e.operands[0]) : e;
}

// The value of a constant of at most 2^30, as added to a variable of the type.
std::optional<std::int64_t> constant(const Expr& e, const Type& type) {
  constexpr std::int64_t most = 1 << 30;
  if (e.kind == Expr::Kind::integer) return e.value >= -most && e.value <= most ? std::optional(e.value) : std::nullopt;
  const bool keeps = e.type.kind == Type::Kind::integer && (e.type.bits >= type.bits || e.type.is_signed);
  if (e.kind == Expr::Kind::unary && e.op == "-" && keeps) {
    const auto value = constant(e.operands[0], type);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (e.kind != Expr::Kind::convert || !keeps || e.type.bits < 32) return std::nullopt;
  return constant(e.operands[0], type);
}

bool is_variable(const Expr& e, int v) { return e.kind == Expr::Kind::variable && e.variable == v; }

}  // namespace

int assignments(const std::vector<Stmt>& list, int variable) {
  int count = 0;
  for (const Stmt& s : list) {
    const bool assigns = (s.kind == Stmt::Kind::assign && s.target.variable == variable) ||
                         ((s.kind == Stmt::Kind::declare || s.kind == Stmt::Kind::loop) && s.variable == variable) ||
                         std::find(s.clobbers.begin(), s.clobbers.end(), variable) != s.clobbers.end() ||
                         clobbers(s.value, variable) || clobbers(s.target, variable) || clobbers(s.condition, variable);
    count += (assigns ? 1 : 0) + assignments(s.body, variable) + assignments(s.otherwise, variable);
  }
  return count;
}

std::int64_t step_of(const Stmt& s) {
  if (s.kind != Stmt::Kind::assign || s.target.kind != Expr::Kind::variable) return 0;
  const Type& type = s.target.type;
  const Expr* by = &s.value;
  std::string op = s.op;
  if (op.empty()) {
    // In any case the assigned value is converted to the variable's type.
    const bool is_of_type = by->kind == Expr::Kind::convert && by->type == type;
    const Expr& sum = plain(is_of_type ? by->operands[0] : *by);
    if (sum.kind != Expr::Kind::binary) return 0;
    op = sum.op;
    const bool is_left = is_variable(plain(sum.operands[0]), s.target.variable);
    if (!is_left && (op != "+" || !is_variable(plain(sum.operands[1]), s.target.variable))) return 0;
    by = &sum.operands[is_left ? 1 : 0];
  }
  const auto value = op == "+" || op == "-" ? constant(*by, type) : std::nullopt;
  return value ? (op == "+" ? *value : -*value) : 0;
}

bool names(const Expr& e, int variable) {
  return e.variable == variable || std::find(e.clobbers.begin(), e.clobbers.end(), variable) != e.clobbers.end() ||
         std::any_of(e.operands.begin(), e.operands.end(), [&](const Expr& part) { return names(part, variable); });
}

}  // namespace papilio::loops
