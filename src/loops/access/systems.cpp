#include "loops/access/systems.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "loops/access/finder.h"

namespace papilio::loops {
namespace {

constexpr std::size_t most_states = 4;  // a product of matrices costs the cube of this
constexpr int deepest = 60;
constexpr std::int64_t largest_step = std::int64_t{1} << 40;
constexpr std::size_t most_read = 10'000;  // parts of expressions read
constexpr std::size_t most_accesses = 1000;

bool is_within(const Accesses& accesses, int loop, int root) {
  while (loop >= 0 && loop != root) loop = accesses.loops[static_cast<std::size_t>(loop)].parent;
  return loop == root;
}

using Subscripts = std::vector<std::optional<Polynomial>>;

// Whether no two iterations have the same element: one subscript is a multiple of the iteration plus what stays.
bool is_injective(const Accesses& accesses, int root, const Subscripts& subscripts) {
  const Loop& loop = accesses.loops[static_cast<std::size_t>(root)];
  return std::any_of(subscripts.begin(), subscripts.end(), [&](const std::optional<Polynomial>& p) {
    bool moves = false;
    for (const auto& [monomial, c] : p->terms()) {
      for (const int s : monomial) {
        const Symbol& symbol = accesses.symbols[static_cast<std::size_t>(s)];
        const bool counts = symbol.kind == Symbol::Kind::count && symbol.defined_in == root;
        if (s != loop.symbol && !counts && !is_within(accesses, symbol.defined_in, root)) continue;
        if (monomial.size() != 1 || moves || (s != loop.symbol && !counts)) return false;
        moves = true;
      }
    }
    return moves;
  });
}

class Systems {
 public:
  // The states of which a value is a linear function.
  struct Form {
    bool is_linear = true;
    std::set<std::size_t> states = {};

    bool is_constant() const { return is_linear && states.empty(); }
    bool needs_states() const { return is_linear && !states.empty(); }
  };

  Systems(const Program& program, const Accesses& accesses, int root, const std::set<int>& variables)
      : program_(program), accesses_(accesses), root_(root), variables_(variables) {}

  std::optional<LinearSystem> run(const std::set<int>* items) {
    const Loop& loop = accesses_.loops[static_cast<std::size_t>(root_)];
    if (loop.text == nullptr || loop.may_leave || loop.is_inlined || variables_.contains(loop.variable)) return {};
    int next = 0;
    flatten(loop.text->body, next, items);
    for (const Access& a : accesses_.list) {
      const auto level = std::find(a.loops.begin(), a.loops.end(), root_);
      if (level == a.loops.end()) continue;
      const int item = a.items[static_cast<std::size_t>(level - a.loops.begin())];
      if (items == nullptr || items->contains(item)) inside_.push_back(&a);
    }
    if (inside_.size() > most_accesses || !are_sound() || !find_states()) return {};
    find_tainted();
    for (const Stmt* s : body_) take(*s);
    if (fails_ || !is_coupled()) return {};
    return std::move(system_);
  }

 private:
  const Variable& variable(int v) const { return program_.variables[static_cast<std::size_t>(v)]; }

  void flatten(const std::vector<Stmt>& list, int& next, const std::set<int>* items) {
    for (const Stmt& s : list) {
      if (s.kind == Stmt::Kind::block) {
        flatten(s.body, next, items);
      } else if (const int item = next++; items == nullptr || items->contains(item)) {
        body_.push_back(&s);
      }
    }
  }

  // Whether the variables have one type, and are written in statements of the body that every iteration reaches.
  bool are_sound() {
    type_ = variable(*variables_.begin()).type;
    const bool is_number =
        (type_.kind == Type::Kind::real && type_.bits <= 64) || (type_.kind == Type::Kind::integer && type_.bits >= 8);
    if (!is_number) return false;
    for (const int v : variables_) {
      const Variable& x = variable(v);
      const bool is_same = x.type.kind == type_.kind && x.type.bits == type_.bits;
      if (!is_same || x.is_volatile || x.escapes || x.is_offset || x.moves || x.object != v || x.is_made) return false;
    }
    const int conditions = accesses_.loops[static_cast<std::size_t>(root_)].conditions;
    return std::all_of(inside_.begin(), inside_.end(), [&](const Access* a) {
      const int object = variable(a->variable).object;
      if (!variables_.contains(object)) return true;
      if (a->variable != object || a->is_inlined || a->is_header) return false;
      return !a->is_write || (a->loops.back() == root_ && a->conditions == conditions);
    });
  }

  // Finds the states. For an array: the one element that is written, and
  // how many iterations before the elements that are read were written.
  bool find_states() {
    for (const int v : variables_) {
      if (!variable(v).is_array) {
        system_.states.push_back({v, 0});
        continue;
      }
      const Access* write = nullptr;
      for (const Access* a : inside_) {
        if (a->variable != v || !a->is_write) continue;
        if (write != nullptr && write->subscripts != a->subscripts) return false;
        write = a;
      }
      const auto is_known = [](const std::optional<Polynomial>& p) { return p.has_value(); };
      if (write == nullptr || !std::all_of(write->subscripts.begin(), write->subscripts.end(), is_known) ||
          !is_injective(accesses_, root_, write->subscripts))
        return false;
      const int furthest = distances(*write);
      for (int d = 1; d <= furthest; ++d) system_.states.push_back({v, d});
      if (furthest < 1) return false;
    }
    return system_.states.size() >= 2 && system_.states.size() <= most_states;
  }

  // How far back the array's reads go. Returns the furthest; -1 if one is of another element or none goes back 1.
  int distances(const Access& write) {
    std::vector<Subscripts> elements = {write.subscripts};
    for (std::size_t d = 1; d <= most_states; ++d) {
      Subscripts before;
      for (const auto& p : write.subscripts) before.push_back(before_of(accesses_, root_, *p, static_cast<int>(d)));
      if (std::any_of(before.begin(), before.end(), [](const auto& p) { return !p.has_value(); })) return -1;
      elements.push_back(std::move(before));
    }
    std::set<int> found;
    for (const Access* a : inside_) {
      if (a->variable != write.variable || a->is_write) continue;
      const auto element = std::find(elements.begin(), elements.end(), a->subscripts);
      if (element == elements.end()) return -1;
      const int d = static_cast<int>(element - elements.begin());
      distances_[a] = d;
      if (d > 0) system_.reads.emplace_back(a, d), found.insert(d);
    }
    return found.contains(1) ? *found.rbegin() : -1;
  }

  // Variables that depend on the states in any way.
  void find_tainted() {
    tainted_ = variables_;
    std::set<int> statements;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Access* a : inside_) {
        const bool controlled =
            std::any_of(a->controls.begin(), a->controls.end(), [&](int c) { return statements.contains(c); });
        if ((controlled || (!a->is_write && tainted_.contains(a->variable))) && statements.insert(a->statement).second)
          grows = true;
        if (a->is_write && statements.contains(a->statement) && tainted_.insert(a->variable).second) grows = true;
      }
    }
  }

  void take(const Stmt& s) {
    if (fails_) return;
    const std::size_t certain = system_.certain.size(), steps = system_.steps.size();
    assigned(s);
    if (system_.steps.size() == steps) system_.certain.resize(certain);
  }

  void assigned(const Stmt& s) {
    if (s.kind == Stmt::Kind::declare) {
      if (variable(s.variable).is_array || s.op.empty()) return;
      Form form = form_of(s.value, 0);
      scalar(s, s.variable, form);
    } else if (s.kind == Stmt::Kind::assign) {
      Form form = form_of(s.value, 0);
      if (!s.op.empty()) {
        form = joined(s.op, form_of(s.target, 0), form);
        const bool is_cut = s.value.type.kind != Type::Kind::integer && s.value.type.kind != type_.kind;
        const bool is_quotient = s.op == "/" && type_.kind != Type::Kind::real;  // a quotient of integers
        if (form.needs_states() && (is_cut || is_quotient)) form = other();
      }
      for (const Expr& subscript : s.target.operands) {
        if (!form_of(subscript, 0).is_constant()) fails_ = true;
      }
      s.target.kind == Expr::Kind::element ? element(s, form) : scalar(s, s.target.variable, form);
    } else if (s.kind != Stmt::Kind::evaluate) {
      std::set<int> changed(s.clobbers.begin(), s.clobbers.end());
      if (s.variable >= 0) changed.insert(s.variable);
      bool unknown = s.kind == Stmt::Kind::unknown;
      for (const auto* list : {&s.body, &s.otherwise}) find_changed(*list, changed, unknown);
      fails_ = fails_ || unknown;
      for (const int v : changed) forget(v);
    }
  }

  // Whether a type holds every number that the type of the states holds.
  bool holds(const Type& type) const {
    return type.kind == type_.kind && (type.kind == Type::Kind::real || type.bits >= type_.bits);
  }

  void forget(int v) {
    if (variables_.contains(v)) fails_ = true;
    now_.erase(v);
    std::erase_if(elements_, [&](const auto& e) { return e.first.first == v; });
  }

  void step(const Stmt& s, const Form& form, bool is_of_state) {
    if (is_of_state || form.needs_states()) system_.steps.push_back({&s, is_of_state});
  }

  void scalar(const Stmt& s, int v, Form form) {
    const bool is_of_state = variables_.contains(v);
    if (form.needs_states() && !holds(variable(v).type)) form = other();
    if (is_of_state && !form.is_linear) fails_ = true;
    step(s, form, is_of_state);
    now_[v] = std::move(form);
  }

  void element(const Stmt& s, Form form) {
    const int v = s.target.variable;
    const bool is_of_state = variables_.contains(v);
    if (form.needs_states() && !holds(variable(v).type)) form = other();
    if (is_of_state && !form.is_linear) fails_ = true;
    const Access* write = access(s.target, true);
    if (!is_of_state) forget(v);
    step(s, form, is_of_state);
    if (is_of_state) {
      now_[v] = std::move(form);
    } else if (write != nullptr) {
      elements_[{v, write->subscripts}] = std::move(form);
    }
  }

  // The access that an expression is; null if another access at its place has other subscripts.
  const Access* access(const Expr& e, bool is_write) const {
    const Access* found = nullptr;
    for (const Access* a : inside_) {
      if (a->variable != e.variable || a->is_write != is_write || !(a->place == e.place)) continue;
      if (found != nullptr && found->subscripts != a->subscripts) return nullptr;
      if (a->loops.back() != root_) return nullptr;
      found = a;
    }
    return found;
  }

  static Form other() { return {false, {}}; }

  static Form joined(const std::string& op, const Form& left, const Form& right) {
    if (!left.is_linear || !right.is_linear) return other();
    Form both = left;
    both.states.insert(right.states.begin(), right.states.end());
    const bool is_sum = op == "+" || op == "-";
    const bool is_scaled =
        (op == "*" && (left.is_constant() || right.is_constant())) || (op == "/" && right.is_constant());
    return both.is_constant() || is_sum || is_scaled ? both : other();
  }

  Form state(int v, int distance) const {
    const LinearSystem::State one{v, distance};
    const auto at = std::find(system_.states.begin(), system_.states.end(), one);
    return at == system_.states.end() ? other() : Form{true, {static_cast<std::size_t>(at - system_.states.begin())}};
  }

  Form variable_form(const Expr& e) {
    if (const auto now = now_.find(e.variable); now != now_.end()) return now->second;
    if (variables_.contains(e.variable)) return state(e.variable, 0);
    return tainted_.contains(e.variable) ? other() : Form{};
  }

  Form element_form(const Expr& e, int depth) {
    for (const Expr& subscript : e.operands) {
      if (!form_of(subscript, depth + 1).is_constant()) return other();
    }
    if (!tainted_.contains(e.variable)) return {};
    const Access* read = access(e, false);
    if (read == nullptr) return other();
    if (!variables_.contains(e.variable)) {
      const auto known = elements_.find({e.variable, read->subscripts});
      return known == elements_.end() ? other() : known->second;
    }
    const int distance = distances_.at(read);
    if (distance > 0) system_.certain.emplace_back(read, distance);
    if (distance > 0) return state(e.variable, distance);
    const auto now = now_.find(e.variable);
    return now == now_.end() ? Form{} : now->second;  // the element's value before the loop
  }

  Form form_of(const Expr& e, int depth) {
    using Kind = Expr::Kind;
    if (depth > deepest || ++read_ > most_read || e.kind == Kind::unknown || e.kind == Kind::call) return other();
    Form form;
    if (e.kind == Kind::variable) {
      form = variable_form(e);
    } else if (e.kind == Kind::element) {
      form = element_form(e, depth);
    } else if (e.kind == Kind::binary) {
      form = joined(e.op, form_of(e.operands[0], depth + 1), form_of(e.operands[1], depth + 1));
      if (form.needs_states() && e.op == "/" && e.type.kind != Type::Kind::real) return other();
    } else if ((e.kind == Kind::unary && (e.op == "-" || e.op == "+")) || e.kind == Kind::convert ||
               (e.kind == Kind::opaque && e.text == "FloatingCast")) {
      form = form_of(e.operands[0], depth + 1);
    } else if (!std::all_of(e.operands.begin(), e.operands.end(),
                            [&](const Expr& part) { return form_of(part, depth + 1).is_constant(); })) {
      return other();
    }
    return form.needs_states() && !holds(e.type) ? other() : form;
  }

  // Whether each state depends on each other after some number of iterations; otherwise they are several systems.
  bool is_coupled() const {
    const std::size_t count = system_.states.size();
    std::vector<std::vector<bool>> needs(count, std::vector<bool>(count));
    for (std::size_t k = 0; k < count; ++k) {
      const auto& [v, distance] = system_.states[k];
      if (distance > 1) {
        needs[k][k - 1] = true;
        continue;
      }
      const auto now = now_.find(v);
      if (now == now_.end() || !now->second.is_linear) return false;
      for (const std::size_t other : now->second.states) needs[k][other] = true;
    }
    for (std::size_t m = 0; m < count; ++m) {
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
          if (needs[a][m] && needs[m][b]) needs[a][b] = true;
        }
      }
    }
    return std::all_of(needs.begin(), needs.end(),
                       [](const auto& row) { return std::all_of(row.begin(), row.end(), [](bool x) { return x; }); });
  }

  const Program& program_;
  const Accesses& accesses_;
  int root_;
  const std::set<int>& variables_;
  Type type_;
  std::vector<const Stmt*> body_;
  std::vector<const Access*> inside_;
  std::map<const Access*, int> distances_;
  std::set<int> tainted_;
  std::map<int, Form> now_;  // of scalars, and of the elements of states' arrays, in the current iteration
  std::map<std::pair<int, Subscripts>, Form> elements_;
  std::size_t read_ = 0;
  bool fails_ = false;
  LinearSystem system_;
};

}  // namespace

std::optional<Polynomial> before_of(const Accesses& accesses, int root, const Polynomial& subscript, int iterations) {
  const Loop& loop = accesses.loops[static_cast<std::size_t>(root)];
  if (std::abs(loop.step) > largest_step) return std::nullopt;
  Polynomial moved;
  for (const auto& [monomial, coefficient] : subscript.terms()) {
    std::optional<Polynomial> term = Polynomial::constant(coefficient);
    for (const int s : monomial) {
      const Symbol& symbol = accesses.symbols[static_cast<std::size_t>(s)];
      const bool counts = symbol.kind == Symbol::Kind::count && symbol.defined_in == root;
      const bool is_other = symbol.kind != Symbol::Kind::iterator && is_within(accesses, symbol.defined_in, root);
      if (is_other && !counts) return std::nullopt;
      const std::int64_t step = s == loop.symbol ? loop.step : counts ? 1 : 0;
      const auto factor = Polynomial::sum(Polynomial::symbol(s), Polynomial::constant(-step * iterations));
      term = term && factor ? Polynomial::product(*term, *factor) : std::nullopt;
    }
    const auto sum = term ? Polynomial::sum(moved, *term) : std::nullopt;
    if (!sum) return std::nullopt;
    moved = *sum;
  }
  return moved;
}

std::optional<LinearSystem> linear_system_of(const Program& program, const Accesses& accesses, int loop,
                                             const std::set<int>& variables, const std::set<int>* items) {
  if (variables.empty() || variables.size() > most_states) return std::nullopt;
  return Systems(program, accesses, loop, variables).run(items);
}

}  // namespace papilio::loops
