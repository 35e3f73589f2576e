#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/program/program.h"

namespace papilio::loops {

// Walks over a function in the order of its text. It follows the values of integer variables
// as polynomials. If two values meet, or a loop may have changed one, there is a new symbol.
class Finder {
 public:
  Finder(const Program& program, const Function& function);
  Accesses run();

 private:
  using Value = std::optional<Polynomial>;

  // evaluate.cpp
  Value evaluate(const Expr& e);
  Value arithmetic(const Expr& e);
  Value converted(const Expr& e);
  Value read(const Expr& e);
  Polynomial element(const Expr& e, const std::vector<std::optional<Polynomial>>& subscripts);
  Value checked(Value value, const Type& type, const Place& place, const std::string& what);
  std::vector<std::optional<Polynomial>> subscripts(const Expr& e);
  void meet_unknown(const std::string& text, const Place& place, const std::vector<int>& clobbers);
  Polynomial fresh(const std::string& name, const Type& type);
  Polynomial value_of(int variable);
  int new_symbol(Symbol::Kind kind, const std::string& name, const Type& type, int variable = -1);

  // conditions.cpp
  struct Truth {
    Domain yes, no;
  };
  Truth truth(const Expr& condition);
  Domain compared(const std::string& op, const Polynomial& left, const Polynomial& right) const;
  bool loop_condition(const Expr& condition, const std::set<int>& changed, Loop& loop, Domain& domain);
  std::string require_arrival(const Polynomial& distance, const Loop& loop, const Place& place);

  // counters.cpp
  std::map<int, int> find_counters(const std::vector<Stmt>& body) const;
  void begin_counters(const std::map<int, int>& signs, const std::map<int, Polynomial>& before);
  void end_counters(int id, const std::map<int, int>& signs, const std::map<int, Polynomial>& before);
  void know(const Polynomial& high, const Polynomial& low, int sign);
  void merge(int variable, std::size_t first, std::size_t second, const std::map<int, Polynomial>& then,
             const std::map<int, Polynomial>& otherwise, const Polynomial& before);

  // recurrences.cpp
  struct Definition {
    Expr target;
    const Expr* value;
    std::vector<int> loops, controls;
    std::size_t first, last;  // its accesses in `value`
  };
  struct Used {
    std::set<const Definition*> parts;
    const Expr* element = nullptr;                  // the only element of the array that is read
    std::map<const Definition*, int> degrees = {};  // the degrees of those that were examined
  };
  std::string recurrence_of(const Stmt& s, Used& used) const;
  std::string plain_recurrence(const Stmt& s) const;
  int degree(const Expr& e, const Expr& target, Used& used, int depth) const;
  const Definition* definition(const Expr& e) const;
  void define(const Expr& target, const Expr& value, std::size_t first, std::size_t last);
  void forget_definitions(int variable);
  void mark_recurrence(int variable, const std::string& recurrence, const Used& used);

  // loops.cpp
  struct Known {
    std::shared_ptr<const Domain> domain;
    std::vector<std::set<int>> assigned;
  };
  void loop(const Stmt& s);
  void opaque_loop(const Stmt& s);
  Loop entry_of(const Stmt& s) const;
  Loop counted_entry_of(const Stmt& s) const;
  Polynomial first_value(const Stmt& s, Polynomial& start);
  int open_loop(Loop made);
  std::map<int, Polynomial> values_before(const Stmt& s, const std::set<int>& changed);
  void begin_iterations(const Stmt& s, int id, const std::set<int>& changed);
  std::optional<Polynomial> enter_iteration(const Stmt& s, int id, const std::set<int>& changed);
  void require_no_wrap(const Stmt& s, int id);
  std::optional<Polynomial> iterations_before(const Stmt& s, int id, const Value& since, Domain& ran);
  void give_up_condition(const Stmt& s, int id, Domain& ran);
  void find_inductions(const Stmt& s, int id, const Polynomial& count, const std::map<int, Polynomial>& before);
  void run_body(const Stmt& s, int id, const Known& before);
  void body_of(const Stmt& s, int id);

  // updates.cpp
  std::string update_of(const Stmt& s) const;
  std::string update_of_branch(const Stmt& s) const;

  // statements.cpp
  void statements(const std::vector<Stmt>& list, bool are_items);
  void statement(const Stmt& s);
  void evaluate_only(const Expr& e);
  void declare(const Stmt& s);
  void assign(const Stmt& s);
  void branch(const Stmt& s);
  void update_by_branch(const Stmt& s, const std::string& update);
  void write(const Expr& target);
  void set_value(int variable, const Value& value);
  void access(int variable, bool is_write, std::vector<std::optional<Polynomial>> subscripts, const Place& place);
  void blame(const std::string& fault, const Place& place);
  void narrow(const Domain& by);
  void make_inexact();

  const Variable& variable(int index) const { return program_.variables[static_cast<std::size_t>(index)]; }
  Loop& loop_at(int index) { return out_.loops[static_cast<std::size_t>(index)]; }
  const Symbol& symbol(int index) const { return out_.symbols[static_cast<std::size_t>(index)]; }

  const Program& program_;
  const Function& function_;
  Accesses out_;
  std::map<int, Polynomial> values_;
  std::vector<int> loops_;                              // those that are open, outermost first
  std::vector<int> items_;                              // for each of them, the part of its body
  std::vector<std::set<int>> assigned_;                 // for each of them, since its iteration began
  std::shared_ptr<const Domain> domain_;                // when what comes now happens
  std::set<int> deciding_;                              // variables whose values may decide what is touched
  std::set<int> changed_;                               // variables that the function assigns anywhere
  bool has_unknown_ = false;                            // whether it does something unknown
  std::vector<std::map<int, int>> counters_;            // of each: variables that only rise or fall, with their signs
  std::map<std::pair<int, Polynomial>, int> elements_;  // symbols of elements that never change
  bool is_inlined_ = false;                             // what comes now is from a function that is called
  bool is_unused_ = false;                              // the value of what is evaluated decides nothing: it may wrap
  bool in_header_ = false;  // what is read has one value for all iterations of loops_.back()
  int order_ = 0;
  int conditions_ = 0;
  int statement_ = 0;
  std::vector<int> controls_;  // statements whose conditions decide whether what comes now happens
  struct Updated {
    int variable = -1;
    std::string update, recurrence;
    std::set<int> used = {};                              // variables that hold what was computed from it before
  } updated_;                                             // by the current statement
  std::vector<std::unique_ptr<Definition>> definitions_;  // of variables, in the current iteration
  mutable std::size_t looked_at_ = 0;                     // definitions examined, in all questions for a degree
};

// Finds the variables that statements may assign. `unknown` becomes whether the statements include anything unknown.
void find_changed(const std::vector<Stmt>& list, std::set<int>& changed, bool& unknown);

// Whether an expression names the variable, or another part of the same object.
bool mentions(const Program& program, const Expr& e, int variable);

bool same(const Expr& a, const Expr& b);

}  // namespace papilio::loops
