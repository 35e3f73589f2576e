#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loops/clang/expressions.h"
#include "loops/clang/names.h"
#include "loops/program/program.h"

namespace papilio::loops {

// Translates the functions of a syntax tree into statements of the program.
class Translator {
 public:
  Translator(const Tree& tree, Program& program) : names_(tree, program), expressions_(names_), program_(program) {}

  // `begin_function` may throw.
  void run(const std::function<void()>& begin_function);

 private:
  using Kind = Stmt::Kind;

  const Node& node(int index) const { return names_.node(index); }

  // translate.cpp
  void function(const Node& n);
  Stmt made(Kind kind, const Node& n) const;
  void unknown(int index, const std::string& text, std::vector<Stmt>& to);
  void statement(int index, std::vector<Stmt>& to);
  void block(const Node& n, std::vector<Stmt>& to);
  void statements(const std::vector<int>& all, std::size_t first, std::vector<Stmt>& to);
  bool leaves_switch(int index) const;
  void branch(int index, std::vector<Stmt>& to);
  void cases(int index, std::vector<Stmt>& to);
  void case_body(int index, std::vector<Stmt>& to);

  // effects.cpp
  void evaluate(int index, std::vector<Stmt>& to);
  void push_with_steps(Stmt s, std::vector<Stmt>& to);
  void declarations(const Node& n, std::vector<Stmt>& to);
  void declaration(int index, std::vector<Stmt>& to);
  void pointer(int index, std::vector<Stmt>& to);
  bool moves_pointer(int index, std::vector<Stmt>& to);
  int follow(const Node& declared, int base);
  void moving_parameter(const Node& declared, std::vector<Stmt>& to);
  void expression(int index, std::vector<Stmt>& to);
  void choice(int index, std::vector<Stmt>& to);

  // forms.cpp
  struct Parts {
    int condition, body;
    std::vector<int> steps;
  };
  struct Body {
    std::vector<Stmt> statements, steps;
    std::size_t begin = 0, end = 0;  // of the statements other than the loop's own
    std::size_t step = 0;            // which of the steps, if there are any, is that of the loop
    bool is_endless = false;         // the head has no condition
    bool continues = false;
  };
  void for_loop(int index, std::vector<Stmt>& to);
  void while_loop(int index, std::vector<Stmt>& to);
  void do_loop(int index, std::vector<Stmt>& to);
  bool stepping_loop(Stmt s, std::vector<Stmt>& before, int condition, int body, std::vector<Stmt>& to);
  const Node* step_in_test(int condition) const;
  void loop(Stmt s, std::vector<Stmt> before, const Parts& parts, std::vector<Stmt>& to);
  std::string count(Stmt& s, const Parts& parts, Body& b);
  int assignments_in(int part, int variable);
  std::string take_step(Stmt& s, Body& b);
  std::string counter_fault(std::uint64_t id);
  std::string variable_fault(int variable) const;
  int counter_variable(std::uint64_t id);
  bool is_endless(int condition) const;
  void flatten(int index, std::vector<int>& to) const;
  void start(std::vector<Stmt> before, Stmt& loop, std::vector<Stmt>& to);

  Names names_;
  Expressions expressions_;
  Program& program_;
  std::string fault_;
  bool in_switch_ = false;
};

}  // namespace papilio::loops
