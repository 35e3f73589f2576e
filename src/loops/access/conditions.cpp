#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "loops/access/finder.h"

// Conditions as unions of polyhedra.

namespace papilio::loops {
namespace {

constexpr std::size_t most_conjunctions = 8;

const Domain unknown_domain = {{{}}, false};

Domain both(const Domain& a, const Domain& b) {
  if (a.any_of.size() * b.any_of.size() > most_conjunctions) return {a.any_of, false};
  Domain joined;
  joined.is_exact = a.is_exact && b.is_exact;
  joined.any_of.clear();
  for (const Conjunction& x : a.any_of) {
    for (const Conjunction& y : b.any_of) {
      joined.any_of.push_back(x);
      joined.any_of.back().insert(joined.any_of.back().end(), y.begin(), y.end());
    }
  }
  return joined;
}

Domain either(const Domain& a, const Domain& b) {
  if (a.any_of.size() + b.any_of.size() > most_conjunctions) return unknown_domain;
  Domain joined = a;
  joined.is_exact = a.is_exact && b.is_exact;
  joined.any_of.insert(joined.any_of.end(), b.any_of.begin(), b.any_of.end());
  return joined;
}

std::string opposite(const std::string& op) {
  if (op == "<") return ">=";
  if (op == ">=") return "<";
  if (op == ">") return "<=";
  if (op == "<=") return ">";
  return op == "==" ? "!=" : "==";
}

bool is_comparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

// Whether an expression names the variable or one of the set.
bool names_any(const Expr& e, int variable, const std::set<int>& set) {
  return (e.variable >= 0 && (e.variable == variable || set.contains(e.variable))) || e.kind == Expr::Kind::unknown ||
         std::any_of(e.operands.begin(), e.operands.end(), [&](const Expr& x) { return names_any(x, variable, set); });
}

}  // namespace

void Finder::narrow(const Domain& by) { domain_ = std::make_shared<const Domain>(both(*domain_, by)); }

void Finder::make_inexact() {
  if (domain_->is_exact) domain_ = std::make_shared<const Domain>(Domain{domain_->any_of, false});
}

Domain Finder::compared(const std::string& op, const Polynomial& left, const Polynomial& right) const {
  const auto difference = Polynomial::sum(left, right, -1), reverse = Polynomial::sum(right, left, -1);
  if (!difference || !reverse) return unknown_domain;
  const auto less = [](const Polynomial& p) { return Polynomial::sum(p, Polynomial::constant(-1)); };
  const auto above = less(*difference), below = less(*reverse);
  if (!above || !below) return unknown_domain;
  const auto one = [](const Polynomial& p, bool is_equality = false) { return Domain{{{{p, is_equality}}}, true}; };
  if (op == "==") return one(*difference, true);
  if (op == "!=") return either(one(*above), one(*below));
  if (op == "<") return one(*below);
  if (op == "<=") return one(*reverse);
  return op == ">" ? one(*above) : one(*difference);
}

Finder::Truth Finder::truth(const Expr& e) {
  if (e.kind == Expr::Kind::unary && e.op == "!") {
    Truth t = truth(e.operands[0]);
    return {std::move(t.no), std::move(t.yes)};
  }
  if (e.kind == Expr::Kind::binary && (e.op == "&&" || e.op == "||")) {
    const bool is_and = e.op == "&&";
    const Truth left = truth(e.operands[0]);
    const auto before = domain_;
    const auto assigned = assigned_;
    narrow(is_and ? left.yes : left.no);  // otherwise the right side is not reached
    ++conditions_;
    const Truth right = truth(e.operands[1]);
    --conditions_;
    domain_ = before;
    assigned_ = assigned;
    return is_and ? Truth{both(left.yes, right.yes), either(left.no, right.no)}
                  : Truth{either(left.yes, right.yes), both(left.no, right.no)};
  }
  if (e.kind == Expr::Kind::binary && is_comparison(e.op)) {
    const Type &a = e.operands[0].type, &b = e.operands[1].type;
    const Value left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
    if (!left || !right || a.kind != Type::Kind::integer || b.kind != Type::Kind::integer)
      return {unknown_domain, unknown_domain};
    return {compared(e.op, *left, *right), compared(opposite(e.op), *left, *right)};
  }
  const Value number = evaluate(e);
  if (!number || e.type.kind != Type::Kind::integer || e.kind == Expr::Kind::binary)
    return {unknown_domain, unknown_domain};
  return {compared("!=", *number, Polynomial()), compared("==", *number, Polynomial())};
}

// Obliges a loop that runs while `distance` is not 0 to come to its end: it must not start beyond it, and its steps
// must not pass over it, as the variable might then wrap around. (A signed one would overflow, which C forbids.)
// Returns why that cannot be demanded; empty if it can.
std::string Finder::require_arrival(const Polynomial& distance, const Loop& loop, const Place& place) {
  auto at_start = Polynomial::sum(distance, loop.lower, distance.coefficient({loop.symbol}));
  if (!at_start) return "its condition is too large";
  at_start->set({loop.symbol}, 0);
  Obligation divides;
  divides.value = *at_start;
  divides.loops.assign(loops_.begin(), loops_.end() - 1);
  divides.domain = domain_;
  Obligation ahead = divides;
  const auto least = Polynomial::sum(*at_start, Polynomial::constant(loop.runs_once ? -std::abs(loop.step) : 0));
  if (!least) return "its condition is too large";
  ahead.value = *least;
  ahead.low = 0;
  ahead.text = text_of(*least, out_.symbols) + " is not negative";
  divides.divisor = std::abs(loop.step);
  const std::string way = text_of(*at_start, out_.symbols);
  divides.text = fmt::format("{} % {} == 0", at_start->terms().size() > 1 ? "(" + way + ")" : way, divides.divisor);
  if (way.find('[') != std::string::npos)  // which is not C
    divides.text =
        fmt::format("{} (line {}, column {}) is a multiple of {}", way, place.line, place.column, divides.divisor);
  const bool is_known = std::all_of(at_start->terms().begin(), at_start->terms().end(),
                                    [&](const auto& term) { return term.second % divides.divisor == 0; });
  if (!is_known && way.find('?') != std::string::npos) return "its step may jump over its end";
  out_.obligations.push_back(std::move(ahead));
  if (!is_known) out_.obligations.push_back(std::move(divides));
  return "";
}

// Reads the condition of a counted loop: comparisons, joined by &&, that are true first and false from some iteration
// on. False, with the loop's fault, if it is none. The loop must be open and its variable must have its symbol.
bool Finder::loop_condition(const Expr& e, const std::set<int>& changed, Loop& loop, Domain& domain) {
  const auto fail = [&](const std::string& why) {
    if (loop.fault.empty()) loop.fault_place = e.place, loop.fault = why;  // if there is one already: it is the reason
    return false;
  };
  if (e.kind == Expr::Kind::binary && e.op == "&&") {
    return loop_condition(e.operands[0], changed, loop, domain) && loop_condition(e.operands[1], changed, loop, domain);
  }
  if (e.kind != Expr::Kind::binary || !is_comparison(e.op) || e.op == "==") {
    return fail(e.kind == Expr::Kind::unknown ? e.text : "its condition does not compare its variable with a bound");
  }
  const auto side = [&](const Expr& part) {
    in_header_ = !names_any(part, loop.variable, changed);  // the same in every iteration
    const auto before = domain_;
    if (!in_header_) {  // evaluated from the first iteration on, as long as the condition held before
      narrow(domain);
      make_inexact();
    }
    const Value value = evaluate(part);
    domain_ = before;
    in_header_ = false;
    return value;
  };
  const Value left = side(e.operands[0]), right = side(e.operands[1]);
  const bool integers =
      e.operands[0].type.kind == Type::Kind::integer && e.operands[1].type.kind == Type::Kind::integer;
  if (!left || !right || !integers) return fail("its condition does not compare integers that can be followed");
  std::optional<Polynomial> room;
  std::string op = e.op;
  if (op == "!=") {
    const auto difference = Polynomial::sum(*left, *right, -1);
    if (!difference) return fail("its condition is too large");
    op = std::string(1, difference->coefficient({loop.symbol}) * loop.step < 0 ? '>' : '<');
    if (std::abs(difference->coefficient({loop.symbol})) != 1)
      return fail("its condition is != on a multiple of its variable");
    const Type& counter = variable(loop.variable).type;
    if (!counter.is_signed || counter.bits < 32) {
      const auto distance = op == ">" ? difference : Polynomial::sum(*right, *left, -1);
      const std::string fault = distance ? require_arrival(*distance, loop, e.place) : "its condition is too large";
      if (!fault.empty()) return fail(fault);
    }
  }
  if (op == "<" || op == "<=") room = Polynomial::sum(*right, *left, -1);
  if (op == ">" || op == ">=") room = Polynomial::sum(*left, *right, -1);
  if (room && (op == "<" || op == ">")) room = Polynomial::sum(*room, Polynomial::constant(-1));
  if (!room) return fail("its condition is too large");
  const std::int64_t slope = room->coefficient({loop.symbol});
  for (const auto& [monomial, coefficient] : room->terms()) {
    for (const int s : monomial) {
      if (s != loop.symbol && symbol(s).defined_in == loops_.back()) return fail("its bound may change while it runs");
      if (s == loop.symbol && monomial.size() > 1) return fail("its bound depends on its variable");
    }
  }
  if (slope == 0 || (slope > 0) == (loop.step > 0)) return fail("its condition may never become false");
  loop.room.push_back(*room);
  domain = both(domain, Domain{{{{*room, false}}}, true});
  return true;
}

}  // namespace papilio::loops
