#include "loops/program/deciding.h"

#include <map>
#include <utility>
#include <vector>

namespace papilio::loops {
namespace {

class Deciding {
 public:
  explicit Deciding(const Program& program) : program_(program) {}

  std::set<int> run(const Function& function) {
    for (const Stmt& s : function.body) statement(s);
    std::vector<int> open(found_.begin(), found_.end());
    while (!open.empty()) {
      const auto of = made_of_.find(open.back());
      open.pop_back();
      if (of == made_of_.end()) continue;
      for (const int v : of->second) {
        if (found_.insert(v).second) open.push_back(v);
      }
    }
    return std::move(found_);
  }

 private:
  using Kind = Expr::Kind;

  // `decides`: the expression's value decides something, too. `to`: receives the variables that it names.
  void expression(const Expr& e, bool decides, std::set<int>& to) {
    const bool is_followed = e.kind != Kind::unknown && e.kind != Kind::call;
    decides = decides || !is_followed;
    if (e.variable >= 0) {
      to.insert(e.variable);
      if (decides) found_.insert(e.variable);
      lengths(e.variable);
    }
    found_.insert(e.clobbers.begin(), e.clobbers.end());
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
      const bool is_lazy = e.kind == Kind::binary && (e.op == "&&" || e.op == "||");
      const bool is_condition = k == 0 && (is_lazy || e.kind == Kind::select);
      expression(e.operands[k], decides || is_condition || e.kind == Kind::element, to);
    }
  }

  void lengths(int variable) {
    for (const int v : program_.variables[static_cast<std::size_t>(variable)].extent_variables) {
      if (v >= 0) found_.insert(v);
    }
  }

  void statement(const Stmt& s) {
    const bool decides = s.kind == Stmt::Kind::branch || s.kind == Stmt::Kind::loop || s.kind == Stmt::Kind::unknown;
    std::set<int> named;
    for (const Expr* e : {&s.value, &s.condition, &s.target}) expression(*e, decides, named);
    if (s.variable >= 0) lengths(s.variable);
    if (decides && s.variable >= 0) found_.insert(s.variable);
    found_.insert(s.clobbers.begin(), s.clobbers.end());
    const int target = s.kind == Stmt::Kind::declare ? s.variable : s.target.variable;
    if (target >= 0) made_of_[target].insert(named.begin(), named.end());
    for (const Stmt& part : s.body) statement(part);
    for (const Stmt& part : s.otherwise) statement(part);
  }

  const Program& program_;
  std::set<int> found_;
  std::map<int, std::set<int>> made_of_;
};

}  // namespace

std::set<int> deciding_variables(const Program& program, const Function& function) {
  return Deciding(program).run(function);
}

}  // namespace papilio::loops
