#pragma once

#include <string>
#include <utility>

#include "loops/clang/names.h"
#include "loops/program/program.h"

// Makes expressions from their parts.

namespace papilio::loops {

inline Expr leaf(Expr::Kind kind, const Node& n) {
  Expr e;
  e.kind = kind;
  e.place = n.place;
  e.type = type_of(n).type;
  return e;
}

inline Expr binary(const std::string& op, Expr left, Expr right, const Type& type) {
  Expr e;
  e.kind = Expr::Kind::binary;
  e.place = left.place;
  e.type = type;
  e.op = op;
  e.operands.push_back(std::move(left));
  e.operands.push_back(std::move(right));
  return e;
}

inline Expr zero(const Place& place) {
  Expr e;
  e.kind = Expr::Kind::integer;
  e.place = place;
  e.type = {Type::Kind::integer, 64, true};
  return e;
}

// Subscripts are as wide as addresses.
inline Expr widened(Expr e) {
  const Type wide = {Type::Kind::integer, 64, true};
  if (e.type == wide || e.type.kind != Type::Kind::integer || (e.type.bits == 64)) return e;
  Expr c;
  c.kind = Expr::Kind::convert;
  c.place = e.place;
  c.type = wide;
  c.operands.push_back(std::move(e));
  return c;
}

}  // namespace papilio::loops
