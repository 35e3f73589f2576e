#include "loops/program/calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace papilio::loops {
namespace {

constexpr std::size_t most_in_function = 2000, most_in_all = 20'000;  // statements that expanding calls may add

template <class Visit>
void for_each_expression(Expr& e, const Visit& visit) {
  visit(e);
  for (Expr& part : e.operands) for_each_expression(part, visit);
}

template <class Visit>
void for_each_statement(std::vector<Stmt>& list, const Visit& visit) {
  for (Stmt& s : list) {
    visit(s);
    for_each_statement(s.body, visit);
    for_each_statement(s.otherwise, visit);
  }
}

bool has_call(const Expr& e) {
  return e.kind == Expr::Kind::call || std::any_of(e.operands.begin(), e.operands.end(), has_call);
}

bool has_return(const std::vector<Stmt>& list) {
  return std::any_of(list.begin(), list.end(), [](const Stmt& s) {
    return (s.kind == Stmt::Kind::leave && s.leaves_function) || has_return(s.body) || has_return(s.otherwise);
  });
}

bool always_returns(const std::vector<Stmt>& list) {
  if (list.empty()) return false;
  const Stmt& s = list.back();
  if (s.kind == Stmt::Kind::leave) return s.leaves_function;
  if (s.kind == Stmt::Kind::block) return always_returns(s.body);
  return s.kind == Stmt::Kind::branch && always_returns(s.body) && always_returns(s.otherwise);
}

void append(std::vector<Stmt>& to, std::vector<Stmt> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

// The list with `result = value` in place of each return. What follows a return
// that may happen goes into the other branch. Nothing if a loop returns.
std::optional<std::vector<Stmt>> without_returns(std::vector<Stmt> list, int result) {
  std::vector<Stmt> made;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Stmt& s = list[i];
    const bool returns =
        (s.kind == Stmt::Kind::leave && s.leaves_function) || has_return(s.body) || has_return(s.otherwise);
    if (!returns) {
      made.push_back(std::move(s));
      continue;
    }
    std::vector<Stmt> rest(std::make_move_iterator(list.begin() + static_cast<std::ptrdiff_t>(i) + 1),
                           std::make_move_iterator(list.end()));
    if (s.kind == Stmt::Kind::leave) {
      if (s.op.empty()) return made;
      s.kind = result < 0 ? Stmt::Kind::evaluate : Stmt::Kind::assign;
      s.op.clear();
      s.target.kind = Expr::Kind::variable;
      s.target.variable = result;
      s.target.type = s.value.type;
      s.target.place = s.place;
      made.push_back(std::move(s));
      return made;
    }
    if (s.kind == Stmt::Kind::block) {
      std::vector<Stmt> flat = std::move(s.body);
      append(flat, std::move(rest));
      rest = std::move(flat);
    } else if (s.kind == Stmt::Kind::branch && (always_returns(s.body) || always_returns(s.otherwise))) {
      append(always_returns(s.body) ? s.otherwise : s.body, std::move(rest));
      auto body = without_returns(std::move(s.body), result),
           otherwise = without_returns(std::move(s.otherwise), result);
      if (!body || !otherwise) return std::nullopt;
      s.body = std::move(*body);
      s.otherwise = std::move(*otherwise);
      made.push_back(std::move(s));
      return made;
    } else {
      return std::nullopt;
    }
    auto tail = without_returns(std::move(rest), result);
    if (!tail) return std::nullopt;
    append(made, std::move(*tail));
    return made;
  }
  return made;
}

class Calls {
 public:
  explicit Calls(Program& program) : program_(program), state_(program.functions.size()) {
    for (std::size_t f = 0; f < program.functions.size(); ++f) by_name_[program.functions[f].name] = f;
  }

  void expand(std::size_t f) {
    if (state_[f].is_begun) return;
    state_[f].is_begun = true;
    std::vector<Stmt> body = std::move(program_.functions[f].body);
    const std::size_t outer = std::exchange(added_, 0);
    body = rewritten(std::move(body));
    added_ = outer;
    state_[f].is_pure = program_.functions[f].fault.empty() && is_pure(body);
    state_[f].size = size_of(body);
    program_.functions[f].body = std::move(body);
    state_[f].is_done = true;
  }

 private:
  struct State {
    bool is_begun = false, is_done = false;
    bool is_pure = false;  // whether it changes only its own variables
    std::size_t size = 0;
  };

  Variable& variable(int v) { return program_.variables[static_cast<std::size_t>(v)]; }

  bool is_pure(std::vector<Stmt>& list) {
    bool pure = true;
    const auto look = [&](const Expr& e) { pure = pure && e.kind != Expr::Kind::unknown; };
    for_each_statement(list, [&](Stmt& s) {
      if (s.kind == Stmt::Kind::unknown) pure = false;
      if (s.kind == Stmt::Kind::assign) {
        const Variable& v = variable(s.target.variable);
        pure = pure && v.storage != Variable::Storage::global && !v.is_pointer && !v.escapes;
      }
      for (Expr* e : {&s.target, &s.value, &s.condition}) for_each_expression(*e, look);
    });
    return pure;
  }

  std::vector<Stmt> rewritten(std::vector<Stmt> list) {
    std::vector<Stmt> made;
    for (Stmt& s : list) {
      s.body = rewritten(std::move(s.body));
      s.otherwise = rewritten(std::move(s.otherwise));
      if (has_call(s.condition)) hide(s.condition, "in the condition of a loop");
      if (has_call(s.target)) hoist(s.target, s, true, false, made);
      const bool is_only = s.kind == Stmt::Kind::evaluate && s.value.kind == Expr::Kind::call;
      if (has_call(s.value)) hoist(s.value, s, can_be_first(s), false, made);
      // A call of a function without a result leaves nothing behind.
      if (is_only && s.value.kind == Expr::Kind::opaque && s.value.operands.empty()) continue;
      made.push_back(std::move(s));
    }
    return made;
  }

  // Whether the statement evaluates nothing else, before or after, that a call could change.
  bool can_be_first(const Stmt& s) {
    if (s.kind != Stmt::Kind::assign) return true;
    const Variable& target = variable(s.target.variable);
    const bool is_own = target.storage != Variable::Storage::global && !target.is_array && !target.escapes;
    if (!s.op.empty() && !is_own) return false;
    bool plain = true;
    for (const Expr& subscript : s.target.operands) plain = plain && is_own_value(subscript);
    return plain;
  }

  bool is_own_value(const Expr& e) {
    if (e.kind == Expr::Kind::element || e.kind == Expr::Kind::unknown || e.kind == Expr::Kind::call) return false;
    if (e.kind == Expr::Kind::variable) {
      const Variable& v = variable(e.variable);
      if (v.storage == Variable::Storage::global || v.escapes) return false;
    }
    return std::all_of(e.operands.begin(), e.operands.end(), [&](const Expr& x) { return is_own_value(x); });
  }

  // Moves the calls in an expression before its statement. `is_root`: only conversions are around the expression.
  void hoist(Expr& e, const Stmt& s, bool is_root, bool is_conditional, std::vector<Stmt>& to) {
    const bool chooses =
        e.kind == Expr::Kind::select || (e.kind == Expr::Kind::binary && (e.op == "&&" || e.op == "||"));
    const bool passes = e.kind == Expr::Kind::convert || (e.kind == Expr::Kind::opaque && e.operands.size() == 1);
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      hoist(e.operands[i], s, is_root && passes, is_conditional || (chooses && i > 0), to);
    }
    if (e.kind != Expr::Kind::call) return;
    const auto found = by_name_.find(e.text);
    if (found == by_name_.end()) return hide(e, "");
    const std::size_t f = found->second;
    program_.functions[f].is_called = true;
    expand(f);
    if (!state_[f].is_done) return hide(e, "which calls itself");
    const Function& function = program_.functions[f];
    if (!function.fault.empty()) return hide(e, "");
    const bool is_alone = is_root && !is_conditional;
    if (!state_[f].is_pure && !is_alone) return hide(e, "whose effects may happen in any order");
    const std::size_t size = state_[f].size;
    if (added_ + size > most_in_function || total_ + size > most_in_all) return hide(e, "which is too large");
    auto made = translated(e, function);
    if (!made) return hide(e, "");
    added_ += size;
    total_ += size;
    if (!is_conditional) return append(to, std::move(*made));
    Stmt maybe;
    maybe.kind = Stmt::Kind::branch;
    maybe.place = s.place;
    maybe.body = std::move(*made);
    to.push_back(std::move(maybe));
  }

  // Marks a call as not followed.
  void hide(Expr& e, const std::string& why) {
    for_each_expression(e, [&](Expr& part) {
      if (part.kind != Expr::Kind::call) return;
      for (const Expr& argument : part.operands) {
        if (argument.variable >= 0) variable(variable(argument.variable).object).escapes = true;
        if (argument.variable >= 0) variable(argument.variable).escapes = true;
      }
      part.kind = Expr::Kind::unknown;
      part.text = "a call of " + part.text + (why.empty() ? "" : ", " + why);
      part.operands.clear();
    });
  }

  // The body of the function with the arguments of the call; `call`
  // becomes the result. Nothing if something cannot be followed.
  std::optional<std::vector<Stmt>> translated(Expr& call, const Function& function) {
    if (function.parameters.size() != call.operands.size()) return std::nullopt;
    Copy copy;
    std::vector<Stmt> made;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const int p = function.parameters[i];
      Expr& argument = call.operands[i];
      if (p < 0) return std::nullopt;
      Stmt declare;
      declare.kind = Stmt::Kind::declare;
      declare.place = call.place;
      declare.op = "=";
      if (!variable(p).is_pointer) {
        declare.variable = copied(p, copy);
        variable(declare.variable).is_made = true;
        declare.value = argument;
      } else {
        if (argument.kind != Expr::Kind::element || argument.operands.empty()) return std::nullopt;
        copy.pointers[p].first = argument.variable;
        for (const Expr& subscript : argument.operands) {  // those of a row, and the offset in it
          declare.variable = offset_of(variable(p).name);
          declare.value = subscript;
          copy.pointers[p].second.push_back(declare.variable);
          made.push_back(declare);
        }
        continue;
      }
      made.push_back(std::move(declare));
    }
    const bool has_result = call.type.kind != Type::Kind::other;
    int result = -1;
    if (has_result) {
      result = static_cast<int>(program_.variables.size());
      Variable v;
      v.name = function.name + "()";
      v.type = call.type;
      v.object = result;
      v.is_made = true;
      program_.variables.push_back(std::move(v));
      Stmt declare;
      declare.kind = Stmt::Kind::declare;
      declare.place = call.place;
      declare.variable = result;
      made.push_back(std::move(declare));
    }
    std::vector<Stmt> body = function.body;
    for_each_statement(body, [&](Stmt& s) { rename(s, copy); });
    auto flat = without_returns(std::move(body), result);
    if (!flat) return std::nullopt;
    append(made, std::move(*flat));
    Expr value;
    value.kind = has_result ? Expr::Kind::variable : Expr::Kind::opaque;
    value.place = call.place;
    value.type = call.type;
    value.variable = result;
    call = std::move(value);
    return made;
  }

  struct Copy {
    std::map<int, int> variables;
    std::map<int, std::pair<int, std::vector<int>>> pointers;  // parameters: what they point to, and its subscripts
  };

  int offset_of(const std::string& name) {
    Variable v;
    v.name = name;
    v.type = {Type::Kind::integer, 64, true};
    v.object = static_cast<int>(program_.variables.size());
    v.is_made = true;
    program_.variables.push_back(v);
    return v.object;
  }

  int copied(int v, Copy& copy) {
    if (v < 0 || variable(v).storage == Variable::Storage::global) return v;
    if (const auto known = copy.variables.find(v); known != copy.variables.end()) return known->second;
    Variable made = variable(v);
    const int index = static_cast<int>(program_.variables.size());
    copy.variables[v] = index;
    const int object = made.object;
    made.object = index;
    made.storage = Variable::Storage::local;
    program_.variables.push_back(made);
    if (made.base >= 0) {
      const auto p = copy.pointers.find(made.base);
      const int base = p != copy.pointers.end() ? p->second.first : copied(made.base, copy);
      variable(index).base = base;
    }
    if (object != v) {
      const int whole = copied(object, copy);
      variable(index).object = whole;
    }
    for (int& extent : variable(index).extent_variables) extent = -1;
    return index;
  }

  void rename(Expr& e, Copy& copy) {
    for_each_expression(e, [&](Expr& part) {
      if (part.variable >= 0) {
        if (const auto p = copy.pointers.find(part.variable); p != copy.pointers.end()) {
          part.variable = p->second.first;
          add_offset(part, p->second.second);
        } else {
          part.variable = copied(part.variable, copy);
        }
      }
      rename(part.clobbers, copy);
    });
  }

  void add_offset(Expr& element, const std::vector<int>& subscripts) {
    if (element.operands.empty()) return;
    const auto value_of = [&](int v) {
      Expr value;
      value.kind = Expr::Kind::variable;
      value.variable = -2 - v;  // so that no renaming sees it
      value.type = {Type::Kind::integer, 64, true};
      value.place = element.place;
      return value;
    };
    Expr sum;
    sum.kind = Expr::Kind::binary;
    sum.op = "+";
    sum.type = {Type::Kind::integer, 64, true};
    sum.place = element.place;
    sum.operands = {value_of(subscripts.back()), std::move(element.operands[0])};
    element.operands[0] = std::move(sum);
    for (std::size_t k = subscripts.size() - 1; k-- > 0;)
      element.operands.insert(element.operands.begin(), value_of(subscripts[k]));
  }

  // Unknown code may keep a pointer that it is given.
  void rename(std::vector<int>& clobbers, Copy& copy) {
    for (int& v : clobbers) {
      const auto p = copy.pointers.find(v);
      v = p != copy.pointers.end() ? p->second.first : copied(v, copy);
      if (p != copy.pointers.end()) variable(v).escapes = variable(variable(v).object).escapes = true;
    }
  }

  void rename(Stmt& s, Copy& copy) {
    s.variable = copied(s.variable, copy);
    s.is_inlined = true;
    rename(s.clobbers, copy);
    const auto settle = [](Expr& e) {
      if (e.variable <= -2) e.variable = -2 - e.variable;
    };
    for (Expr* e : {&s.target, &s.value, &s.condition}) {
      rename(*e, copy);
      for_each_expression(*e, settle);
    }
  }

  Program& program_;
  std::map<std::string, std::size_t> by_name_;
  std::vector<State> state_;
  std::size_t added_ = 0, total_ = 0;
};

}  // namespace

std::size_t size_of(const std::vector<Stmt>& list) {
  std::size_t count = list.size();
  for (const Stmt& s : list) count += size_of(s.body) + size_of(s.otherwise);
  return count;
}

void expand_calls(Program& program) {
  Calls calls(program);
  for (std::size_t f = 0; f < program.functions.size(); ++f) calls.expand(f);
}

}  // namespace papilio::loops
