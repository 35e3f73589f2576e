#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/clang/names.h"
#include "loops/program/program.h"

namespace papilio::loops {

// What an lvalue names: a variable, or one of its elements.
struct Target {
  int variable = -1;
  std::vector<Expr> subscripts;
};

class Expressions {
 public:
  explicit Expressions(Names& names) : names_(names) {}

  Expr translate(int node);

  // The same for a whole statement: each x++ or ++x in it becomes a step of its own, if nothing else in
  // it names x. `take_steps` returns the steps (nodes) that happen before the statement, or after it.
  void begin_statement(int node);
  std::vector<int> take_steps(bool after);

  // Returns nothing for what cannot be followed: a pointer that may lead to two arrays, a union, a bit-field.
  std::optional<Target> target(int node);

  // What a pointer value points to; the last subscript is that of the element it points to.
  std::optional<Target> pointed_to(int node);

  std::optional<Target> passed_to(int node);

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
  std::optional<Lvalue> pointee_of_field(int node);
  Lvalue followed(std::uint64_t id, const Node& n) const;
  std::optional<Target> target_of(const Lvalue& found);
  Expr convert(const Node& n, int child);
  Expr cast(int node);
  Expr binary_operator(int node);
  Expr conditional_operator(const Node& n);
  Expr call(int node);
  Expr call_of_file(int node, const std::string& name);
  std::optional<Expr> step(int node);
  bool takes_step(int node, std::uint64_t id);
  std::optional<Expr> of_pointers(int node);
  bool has_call(int index) const;
  int uses(int node, std::uint64_t id) const;

  Names& names_;
  int statement_ = -1;  // the statement whose steps may be taken out
  std::vector<int> before_, after_;
};

}  // namespace papilio::loops
