#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/clang/names.h"
#include "loops/program/program.h"

namespace papilio::loops {

// What an lvalue names: a variable, or an element of it.
struct Target {
  int variable = -1;
  std::vector<Expr> subscripts;
};

class Expressions {
 public:
  explicit Expressions(Names& names) : names_(names) {}

  Expr translate(int node);

  // Nothing for what cannot be followed: a pointer that changes, a union, a bit-field.
  std::optional<Target> target(int node);

  // What a pointer value points to, the subscript of its first element last.
  std::optional<Target> pointed_to(int node);

  Expr reference(int node);  // the lvalue as an expression
  Expr unknown(int node, const std::string& text);

 private:
  struct Lvalue {
    std::uint64_t id = 0;
    std::string path;
    CType type;
    std::vector<Expr> subscripts;
    int offset_base = -1;
  };

  std::optional<Lvalue> lvalue(int node);
  std::optional<Lvalue> pointee(int node);
  std::optional<Target> target_of(const Lvalue& found);
  Expr convert(const Node& n, int child);
  Expr call(int node);

  Names& names_;
};

}  // namespace papilio::loops
