#include <algorithm>
#include <array>
#include <string_view>

#include "loops/access/finder.h"

// Recurrences: a variable, or an element of an array, is a function of its value in an earlier iteration. Functions of
// these kinds can be composed without knowing that value, and composition is associative:
//   x op e                        op is associative; e does not depend on x
//   linear: a x + b               (a', b') after (a, b) is (a' a, a' b + b')
//   fractional: (a x + b) / (c x + d), of real numbers: the product of 2 x 2 matrices
// After G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990, section 1.4, and H. S. Stone, An
// efficient parallel algorithm for the solution of a tridiagonal linear system of equations, JACM 20, 1973. The
// function may be spread over several statements; each variable that they set then holds a part of it.

namespace papilio::loops {
namespace {

constexpr auto associative = std::to_array<std::string_view>({"+", "-", "*", "&", "|", "^"});
constexpr int none = 3, deepest = 60;
constexpr std::size_t most_looked_at = 10'000'000;

bool is_associative(const std::string& op) {
  return std::find(associative.begin(), associative.end(), op) != associative.end();
}

bool has_unknown(const Expr& e) {
  return e.kind == Expr::Kind::unknown || e.kind == Expr::Kind::call ||
         std::any_of(e.operands.begin(), e.operands.end(), has_unknown);
}

// Whether an expression names the variable of the target in any way other than as the target itself.
bool mentions_other(const Program& program, const Expr& e, const Expr& target) {
  if (same(e, target)) return false;
  const auto object = [&](int v) { return program.variables[static_cast<std::size_t>(v)].object; };
  if (e.variable >= 0 && object(e.variable) == object(target.variable)) return true;
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const Expr& part) { return mentions_other(program, part, target); });
}

// The degree of two parts joined by an operator: 0 without x, 1 linear, 2 fractional, `none` for everything else.
int joined(const std::string& op, int left, int right, bool is_real) {
  const int most = std::max(left, right), least = std::min(left, right);
  if (most == 0) return 0;
  if (most == none) return none;
  if (op == "+" || op == "-") return most == 2 && least > 0 ? none : most;
  if (op == "*") return least == 0 ? most : none;
  if (op != "/" || !is_real) return none;
  if (right == 0) return left;
  return right == 1 && left < 2 ? 2 : right == 2 && left == 0 ? 2 : none;
}

}  // namespace

// The definition that gave the expression its value in this iteration, on every path that leads here.
const Finder::Definition* Finder::definition(const Expr& e) const {
  looked_at_ += definitions_.size();
  for (const auto& d : definitions_) {
    if (d->target.variable != e.variable || !same(d->target, e) || d->loops != loops_) continue;
    if (d->controls.size() <= controls_.size() && std::equal(d->controls.begin(), d->controls.end(), controls_.begin()))
      return d.get();
  }
  return nullptr;
}

void Finder::define(const Expr& target, const Expr& value, std::size_t first, std::size_t last) {
  if (loops_.empty() || has_unknown(value) || has_unknown(target) || mentions(program_, value, target.variable)) return;
  definitions_.push_back(std::make_unique<Definition>(Definition{target, &value, loops_, controls_, first, last}));
}

// The variable gets another value, so definitions that use its old value no longer hold.
void Finder::forget_definitions(int variable) {
  std::erase_if(definitions_, [&](const auto& d) {
    return mentions(program_, d->target, variable) || mentions(program_, *d->value, variable);
  });
}

int Finder::degree(const Expr& e, const Expr& target, Used& used, int depth) const {
  using Kind = Expr::Kind;
  if (depth > deepest || looked_at_ > most_looked_at || has_unknown(e)) return none;
  const Type& x = variable(target.variable).type;
  const auto part = [&](std::size_t k) { return degree(e.operands[k], target, used, depth + 1); };
  int found = 0;
  if (e.kind == Kind::variable || e.kind == Kind::element) {
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
      if (part(k) != 0) return none;
    }
    const bool is_array = target.kind == Kind::element;
    if (is_array && same(e, target)) return 0;  // the element's old value
    if (variable(e.variable).object == variable(target.variable).object) {
      if (e.variable != target.variable) return none;
      if (used.element == nullptr) used.element = &e;
      if (!same(*used.element, e)) return none;
      found = 1;
    } else if (const Definition* d = definition(e)) {
      const auto known = used.degrees.find(d);
      found = known != used.degrees.end() ? known->second : degree(*d->value, target, used, depth + 1);
      used.degrees[d] = found;
      if (found != 0) used.parts.insert(d);
    } else if (std::any_of(definitions_.begin(), definitions_.end(), [&](const auto& other) {
                 return other->target.variable == e.variable && mentions(program_, *other->value, target.variable);
               })) {
      return none;  // another element of an array with values computed from x
    }
  } else if (e.kind == Kind::unary && (e.op == "-" || e.op == "+")) {
    found = part(0);
  } else if (e.kind == Kind::binary) {
    found = joined(e.op, part(0), part(1), e.type.kind == Type::Kind::real);
  } else if (e.kind == Kind::convert || (e.kind == Kind::opaque && e.text == "FloatingCast")) {
    found = part(0);
  } else {
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
      if (part(k) != 0) return none;
    }
  }
  // Integers count modulo 2^bits; fewer bits would cut them.
  const bool is_followed = e.type.kind == x.kind && (x.kind == Type::Kind::real || e.type.bits >= x.bits);
  return found == 0 || is_followed ? found : none;
}

// The operator of a[i] = a[i - 1] op rest, where rest does not depend on a; empty if it is not of that form.
std::string Finder::plain_recurrence(const Stmt& s) const {
  const Expr& e = s.value;
  const int a = s.target.variable;
  if (s.target.kind != Expr::Kind::element) return "";
  const auto is_other = [&](const Expr& x) {
    return x.kind == Expr::Kind::element && x.variable == a && !same(x, s.target) &&
           std::none_of(x.operands.begin(), x.operands.end(),
                        [&](const Expr& part) { return mentions(program_, part, a); });
  };
  if (!s.op.empty()) return is_associative(s.op) && s.op != "-" && is_other(e) ? s.op : "";
  if (e.kind != Expr::Kind::binary || !is_associative(e.op)) return "";
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (!is_other(e.operands[side]) || (e.op == "-" && side == 1)) continue;
    if (mentions_other(program_, e.operands[1 - side], s.target)) continue;
    return e.op == "-" ? "+" : e.op;
  }
  return "";
}

// How a statement computes a variable from its value in an earlier iteration; empty if that is not known.
std::string Finder::recurrence_of(const Stmt& s, Used& used) const {
  if (loops_.empty() || has_unknown(s.target) || has_unknown(s.value)) return "";
  if (std::any_of(s.target.operands.begin(), s.target.operands.end(),
                  [&](const Expr& subscript) { return mentions(program_, subscript, s.target.variable); }))
    return "";
  const Variable& x = variable(s.target.variable);
  const bool is_array = s.target.kind == Expr::Kind::element;
  if (x.is_array != is_array || x.is_volatile || x.type.kind == Type::Kind::other) return "";
  if (x.type.kind == Type::Kind::integer && x.type.bits < 8) return "";
  if (x.type.kind == Type::Kind::real && x.type.bits > 64) return "";
  Used parts;
  int found = degree(s.value, s.target, parts, 0);
  const bool is_real = x.type.kind == Type::Kind::real;
  const bool fits = is_real || s.value.type.kind == Type::Kind::integer;  // otherwise it is cut
  if (parts.parts.empty() && fits) {
    if (std::string op = plain_recurrence(s); !op.empty()) return op;
  }
  const bool is_copy = s.value.kind == Expr::Kind::element || s.value.kind == Expr::Kind::variable;
  if (s.op.empty() && is_copy) return "";  // nothing is computed
  if (!s.op.empty()) found = fits ? joined(s.op, is_array ? 0 : 1, found, is_real) : none;
  if (found == 0 || found == none || (found == 2 && !is_real)) return "";
  used = std::move(parts);
  return found == 1 ? "linear" : "fractional";
}

// Marks the statements that computed parts of the recurrence as belonging to it.
void Finder::mark_recurrence(int variable, const std::string& recurrence, const Used& used) {
  for (const Definition* d : used.parts) updated_.used.insert(d->target.variable);
  for (const Definition* d : used.parts) {
    for (std::size_t i = d->first; i < d->last; ++i) {
      Access& a = out_.list[i];
      if (a.variable != variable && !updated_.used.contains(a.variable)) continue;
      if (a.variable == variable) a.recurrence = recurrence;
      a.recurs = variable;
    }
  }
}

}  // namespace papilio::loops
