#include <algorithm>
#include <array>
#include <string_view>

#include "loops/access/finder.h"

// Updates: x = x op e, where op is associative and commutative and e does not depend on x.

namespace papilio::loops {
namespace {

constexpr auto updating = std::to_array<std::string_view>({"+", "-", "*", "&", "|", "^"});

// A _Bool that is 1 stays 1 whatever is added: sums in another order may give another result.
bool cuts(const Type& type, const std::string& op) {
  return type.kind == Type::Kind::integer && type.bits < 8 && (op == "+" || op == "-" || op == "^");
}

bool updates(const std::string& op) { return std::find(updating.begin(), updating.end(), op) != updating.end(); }

bool has_unknown(const Expr& e) {
  return e.kind == Expr::Kind::unknown || std::any_of(e.operands.begin(), e.operands.end(), has_unknown);
}

const Stmt* only(const std::vector<Stmt>& list) {
  if (list.size() != 1) return nullptr;
  return list[0].kind == Stmt::Kind::block ? only(list[0].body) : &list[0];
}

}  // namespace

bool same(const Expr& a, const Expr& b) {
  return a.kind == b.kind && a.kind != Expr::Kind::unknown && a.kind != Expr::Kind::opaque && a.value == b.value &&
         a.variable == b.variable && a.op == b.op && a.type == b.type &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(), same);
}

bool mentions(const Program& program, const Expr& e, int variable) {
  const auto object = [&](int v) { return program.variables[static_cast<std::size_t>(v)].object; };
  if (e.variable >= 0 && object(e.variable) == object(variable)) return true;
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const Expr& x) { return mentions(program, x, variable); });
}

// The operator of x = x op rest; empty if it is not an update. Subtraction adds the negative.
std::string Finder::update_of(const Stmt& s) const {
  const int x = s.target.variable;
  // The subscripts of x must not depend on x either.
  for (const Expr& subscript : s.target.operands) {
    if (mentions(program_, subscript, x)) return "";
  }
  if (has_unknown(s.target) || has_unknown(s.value)) return "";
  const auto name = [](const std::string& op) { return op == "-" ? std::string("+") : op; };
  if (s.target.type.kind == Type::Kind::integer && s.value.type.kind == Type::Kind::real) return "";  // cuts each sum
  if (cuts(s.target.type, s.op.empty() ? s.value.op : s.op)) return "";
  if (!s.op.empty()) return updates(s.op) && !mentions(program_, s.value, x) ? name(s.op) : "";
  const Expr& e = s.value;
  if (e.kind == Expr::Kind::binary && (updates(e.op) || e.op == "&&" || e.op == "||")) {
    if (same(e.operands[0], s.target) && !mentions(program_, e.operands[1], x)) {
      return name(e.op);
    }
    if (same(e.operands[1], s.target) && e.op != "-" && e.op != "&&" && e.op != "||" &&
        !mentions(program_, e.operands[0], x)) {
      return name(e.op);
    }
    return "";
  }
  // m = e > m ? e : m in all its forms, fmax and fmin.
  if (e.kind == Expr::Kind::select && e.operands[0].kind == Expr::Kind::binary) {
    const Expr &c = e.operands[0], &yes = e.operands[1], &no = e.operands[2];
    const bool keeps_no = same(no, s.target), keeps_yes = same(yes, s.target);
    if (keeps_no == keeps_yes || (c.op != "<" && c.op != ">" && c.op != "<=" && c.op != ">=")) return "";
    const Expr& other = keeps_no ? yes : no;
    if (mentions(program_, other, x)) return "";
    const bool x_left = same(c.operands[0], s.target) && same(c.operands[1], other);
    const bool x_right = same(c.operands[1], s.target) && same(c.operands[0], other);
    if (!x_left && !x_right) return "";
    const bool x_less = x_left == (c.op[0] == '<');  // true where x is the smaller
    return (x_less == keeps_no) ? "max" : "min";
  }
  if (e.kind == Expr::Kind::opaque && e.operands.size() == 2 && (e.text == "fmax" || e.text == "fmin")) {
    for (const int side : {0, 1}) {
      if (same(e.operands[static_cast<std::size_t>(side)], s.target) &&
          !mentions(program_, e.operands[static_cast<std::size_t>(1 - side)], x)) {
        return e.text.substr(1);
      }
    }
  }
  return "";
}

// The operator of if (e > m) m = e; empty if it is not an update.
std::string Finder::update_of_branch(const Stmt& s) const {
  const Stmt* inner = only(s.body);
  const Expr& c = s.value;
  if (inner == nullptr || inner->kind != Stmt::Kind::assign || !inner->op.empty() || !s.otherwise.empty()) return "";
  if (c.kind != Expr::Kind::binary || (c.op != "<" && c.op != ">" && c.op != "<=" && c.op != ">=")) return "";
  const Expr &x = inner->target, &e = inner->value;
  if (has_unknown(c) || has_unknown(e) || has_unknown(x) || mentions(program_, e, x.variable)) return "";
  for (const Expr& subscript : x.operands) {
    if (mentions(program_, subscript, x.variable)) return "";
  }
  const bool x_left = same(c.operands[0], x) && same(c.operands[1], e);
  const bool x_right = same(c.operands[1], x) && same(c.operands[0], e);
  if (!x_left && !x_right) return "";
  return x_left == (c.op[0] == '<') ? "max" : "min";
}

}  // namespace papilio::loops
