#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loops/access/finder.h"

// The values of expressions, and what they read.

namespace papilio::loops {

int Finder::new_symbol(Symbol::Kind kind, const std::string& name, const Type& type, int variable) {
  Symbol s;
  s.kind = kind;
  s.name = name;
  s.variable = variable;
  const std::size_t around = loops_.size() - (in_header_ && kind == Symbol::Kind::unknown ? 1 : 0);
  s.defined_in = kind == Symbol::Kind::entry || around == 0 ? -1 : loops_[around - 1];
  s.is_natural = type.kind == Type::Kind::integer && !type.is_signed;
  s.bits = type.bits;
  s.has_name = kind == Symbol::Kind::entry && !changed_.contains(variable);
  out_.symbols.push_back(std::move(s));
  return static_cast<int>(out_.symbols.size()) - 1;
}

Polynomial Finder::fresh(const std::string& name, const Type& type) {
  return Polynomial::symbol(new_symbol(Symbol::Kind::unknown, name, type));
}

Polynomial Finder::value_of(int index) {
  const auto found = values_.find(index);
  if (found != values_.end()) return found->second;
  const Variable& v = variable(index);
  const bool has_entry = v.storage != Variable::Storage::local && !v.is_volatile;
  const Polynomial value =
      has_entry ? Polynomial::symbol(new_symbol(Symbol::Kind::entry, v.name, v.type, index)) : fresh(v.name, v.type);
  if (!v.is_volatile) values_[index] = value;
  return value;
}

// Unknown code: it may have changed whatever others can reach, and these variables.
void Finder::meet_unknown(const std::string& text, const Place& place, const std::vector<int>& clobbers) {
  blame(text, place);
  for (std::size_t i = 0; i < program_.variables.size(); ++i) {
    const Variable& v = variable(static_cast<int>(i));
    if (v.storage == Variable::Storage::global || v.escapes) set_value(static_cast<int>(i), std::nullopt);
  }
  for (const int v : clobbers) {  // it may also read these
    const bool is_local = variable(v).storage == Variable::Storage::local;
    const std::size_t depth = std::max<std::size_t>(1, variable(v).extents.size());
    if (!variable(v).is_array) access(v, false, {}, place);
    if (variable(v).is_array && is_local) access(v, false, std::vector<std::optional<Polynomial>>(depth), place);
    set_value(v, std::nullopt);
  }
  definitions_.clear();
}

std::vector<std::optional<Polynomial>> Finder::subscripts(const Expr& e) {
  std::vector<std::optional<Polynomial>> values;
  const bool outer = std::exchange(is_unused_, false);
  for (const Expr& subscript : e.operands) values.push_back(evaluate(subscript));
  is_unused_ = outer;
  return values;
}

// The value of an element. The same element of an array that nothing changes always has the same symbol.
Polynomial Finder::element(const Expr& e, const std::vector<std::optional<Polynomial>>& subs) {
  const Variable& v = variable(e.variable);
  const bool stays = !changed_.contains(e.variable) && !has_unknown_ && !v.is_volatile && !v.escapes;
  if (!stays || subs.size() != 1 || !subs[0] || v.type.kind != Type::Kind::integer ||
      v.storage == Variable::Storage::local)
    return fresh(v.name + "[]", v.type);
  const auto known = elements_.find({e.variable, *subs[0]});
  if (known != elements_.end()) return Polynomial::symbol(known->second);
  int defined_in = -1;  // the innermost loop that the subscript depends on
  for (const auto& [monomial, c] : subs[0]->terms()) {
    for (const int s : monomial) {
      const int loop = symbol(s).defined_in;
      if (loop >= 0 && (defined_in < 0 || loop_at(loop).depth > loop_at(defined_in).depth)) defined_in = loop;
    }
  }
  // s->n, of which all reads have the same value, like those of a parameter.
  const bool is_field = v.is_pointer && v.object != e.variable && subs[0]->as_constant() == 0;
  if (is_field) {
    std::string name = v.name;
    const int one = new_symbol(Symbol::Kind::entry, name.replace(name.find('.'), 1, "->"), v.type, e.variable);
    elements_[{e.variable, *subs[0]}] = one;
    return Polynomial::symbol(one);
  }
  const int made = new_symbol(Symbol::Kind::unknown, v.name + "[]", v.type);
  Symbol& s = out_.symbols[static_cast<std::size_t>(made)];
  s.defined_in = defined_in;
  s.array = e.variable;
  s.subscript = *subs[0];
  elements_[{e.variable, *subs[0]}] = made;
  return Polynomial::symbol(made);
}

Finder::Value Finder::read(const Expr& e) {
  const Variable& v = variable(e.variable);
  if (v.is_volatile) blame(fmt::format("{} is volatile", v.name), e.place);
  if (e.kind == Expr::Kind::element) {
    const auto subs = subscripts(e);
    access(e.variable, false, subs, e.place);
    return element(e, subs);
  }
  access(e.variable, false, {}, e.place);
  if (v.type.kind != Type::Kind::integer) return std::nullopt;
  return value_of(e.variable);
}

// The value of arithmetic in a type that may wrap or truncate, with the obligation that it does not.
Finder::Value Finder::checked(Value value, const Type& type, const Place& place, const std::string& what) {
  if (!value || type.kind != Type::Kind::integer || type.bits < 8) return std::nullopt;
  const std::int64_t half = type.bits >= 64 ? 0 : std::int64_t{1} << (type.bits - 1);
  Obligation o;
  if (type.bits < 64) {
    o.low = type.is_signed ? -half : 0;
    o.high = type.is_signed ? half - 1 : 2 * half - 1;
  } else if (!type.is_signed) {
    o.low = 0;
  } else {
    return value;
  }
  if (const auto known = value->as_constant()) {
    if (*known < *o.low || (o.high && *known > *o.high)) return std::nullopt;
    return value;
  }
  if (is_unused_) return std::nullopt;
  o.value = *value;
  o.text = fmt::format("{} (line {}, column {}) is from {} to {}", what, place.line, place.column, *o.low,
                       o.high ? std::to_string(*o.high) : "18446744073709551615");
  o.loops = loops_;
  o.domain = domain_;
  out_.obligations.push_back(std::move(o));
  return value;
}

Finder::Value Finder::converted(const Expr& e) {
  const Expr& inner = e.operands[0];
  const Value value = evaluate(inner);
  const Type &from = inner.type, &to = e.type;
  if (from.kind != Type::Kind::integer || to.kind != Type::Kind::integer || to.bits == 1) return std::nullopt;
  const bool widens = from.bits == 1 || (to.is_signed == from.is_signed && to.bits >= from.bits) ||
                      (to.is_signed && !from.is_signed && to.bits > from.bits);
  return widens || !value ? value : checked(value, to, e.place, text_of(*value, out_.symbols));
}

Finder::Value Finder::arithmetic(const Expr& e) {
  const Value left = evaluate(e.operands[0]);
  if (e.op == "&&" || e.op == "||") {
    // The right side may not be evaluated.
    const auto before = domain_;
    const auto assigned = assigned_;
    narrow(Domain{{{}}, false});
    ++conditions_;
    evaluate(e.operands[1]);
    --conditions_;
    domain_ = before;
    assigned_ = assigned;
    return std::nullopt;
  }
  const Value right = evaluate(e.operands[1]);
  if (!left || !right || e.type.kind != Type::Kind::integer) return std::nullopt;
  Value value;
  if (e.op == "+") value = Polynomial::sum(*left, *right);
  if (e.op == "-") value = Polynomial::sum(*left, *right, -1);
  if (e.op == "*") value = Polynomial::product(*left, *right);
  if (e.op == "<<") {
    const auto by = right->as_constant();
    if (by && *by >= 0 && *by < 31) value = Polynomial::product(*left, Polynomial::constant(std::int64_t{1} << *by));
  }
  if (!value) return std::nullopt;
  // Signed arithmetic that overflows has no meaning in C.
  return e.type.is_signed ? value : checked(value, e.type, e.place, text_of(*value, out_.symbols));
}

Finder::Value Finder::evaluate(const Expr& e) {
  Value value;
  switch (e.kind) {
    case Expr::Kind::integer:
      return Polynomial::sum(Polynomial::constant(0), Polynomial::constant(e.value));
    case Expr::Kind::opaque:
      for (const Expr& part : e.operands) evaluate(part);
      break;
    case Expr::Kind::variable:
    case Expr::Kind::element:
      value = read(e);
      break;
    case Expr::Kind::unary:
      value = evaluate(e.operands[0]);
      value = e.op == "-" && value && e.type.kind == Type::Kind::integer
                  ? Polynomial::product(*value, Polynomial::constant(-1))
                  : std::nullopt;
      if (value && !e.type.is_signed) value = checked(value, e.type, e.place, text_of(*value, out_.symbols));
      break;
    case Expr::Kind::binary:
      value = arithmetic(e);
      break;
    case Expr::Kind::select: {
      evaluate(e.operands[0]);
      const auto before = domain_;
      narrow(Domain{{{}}, false});
      ++conditions_;
      evaluate(e.operands[1]);
      evaluate(e.operands[2]);
      --conditions_;
      domain_ = before;
      break;
    }
    case Expr::Kind::convert:
      value = converted(e);
      break;
    case Expr::Kind::call:
    case Expr::Kind::unknown:
      meet_unknown(e.text, e.place, e.clobbers);
      break;
  }
  if (!value && e.type.kind == Type::Kind::integer) value = fresh("", e.type);
  return value;
}

}  // namespace papilio::loops
