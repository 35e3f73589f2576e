#include <array>
#include <string>
#include <vector>

#include "nest.h"

// Nests as C text.

namespace papilio::loops::oracle {
namespace {

class Printer {
 public:
  Printer(Nest& nest, int line) : nest_(nest), line_(line) {}

  void run() {
    write("void " + nest_.name + "(int n, int p, int k, int *restrict a, int *restrict b, int (*restrict m)[64],");
    end();
    write("    const int *restrict x, const int *restrict o) { int s = 0, t = 1; int w[64];");
    end();
    steps(nest_.body);
    write("}");
    end();
  }

 private:
  void write(const std::string& text) {
    nest_.text += text;
    column_ += static_cast<int>(text.size());
  }
  void end() {
    nest_.text += '\n';
    column_ = 1;
    ++line_;
  }

  void expression(const Node& e) {
    if (e.kind == Node::number)
      return write(e.value < 0 ? "(" + std::to_string(e.value) + ")" : std::to_string(e.value));
    if (e.kind == Node::scalar) {
      const std::string v = name(static_cast<Scalar>(e.which));
      return write(is_pointer(e) ? "(" + v + " - " + base_of(e) + ")" : v);
    }
    if (e.kind == Node::binary) {
      write("(");
      expression(e.parts[0]);
      write(" " + e.op + " ");
      expression(e.parts[1]);
      return write(")");
    }
    if (e.kind != Node::element) {
      write(e.kind == Node::pick ? "pick(" : "sum(");
      expression(e.parts[0]);
      write(e.kind == Node::pick ? ", " : ", &");
      expression(e.parts[1]);
      return write(")");
    }
    e.line = line_;
    e.column = column_;
    if (by_pointer(e)) return;
    write(name(static_cast<Array>(e.which)));
    for (const Node& subscript : e.parts) {
      write("[");
      expression(subscript);
      write("]");
    }
  }

  // The variable of a loop may be a pointer into a, b or w: what else names it means its offset.
  bool is_pointer(const Node& e) const {
    return e.kind == Node::scalar && bases_[static_cast<std::size_t>(e.which)] >= 0;
  }
  std::string base_of(const Node& e) const {
    return name(static_cast<Array>(bases_[static_cast<std::size_t>(e.which)]));
  }

  // a[p - a] as *p, and a[p - a + 1] as p[1].
  bool by_pointer(const Node& e) {
    const Node& subscript = e.parts[0];
    const bool is_sum = subscript.kind == Node::binary && (subscript.op == "+" || subscript.op == "-") &&
                        subscript.parts[1].kind == Node::number;
    const Node& p = is_sum ? subscript.parts[0] : subscript;
    if (e.parts.size() != 1 || !is_pointer(p) || bases_[static_cast<std::size_t>(p.which)] != e.which) return false;
    const std::string v = name(static_cast<Scalar>(p.which));
    const std::int64_t by = is_sum ? subscript.parts[1].value * (subscript.op == "-" ? -1 : 1) : 0;
    write(is_sum ? v + "[" + std::to_string(by) + "]" : "*" + v);
    return true;
  }

  void steps(const std::vector<Step>& list) {
    for (const Step& step : list) print(step);
  }

  void assignment(const Step& step) {
    expression(step.target);
    write(" " + step.op + "= ");
    expression(step.value);
  }

  // A branch by an operator: c && (x = e); !c || (x = e); c ? (x = e) : (y = f);
  void choice(const Step& step) {
    if (step.form == 3) write("!");
    write("(");
    expression(step.value);
    write(step.form == 1 ? ") && (" : step.form == 2 ? ") ? (" : ") || (");
    assignment(step.body[0]);
    write(")");
    if (step.form == 2) write(step.otherwise.empty() ? " : 0" : " : (");
    if (!step.otherwise.empty()) {
      assignment(step.otherwise[0]);
      write(")");
    }
    write(";");
  }

  void print(const Step& step) {
    switch (step.kind) {
      case Step::assign:
        assignment(step);
        write(";");
        break;
      case Step::branch:
        if (step.form > 0) {
          choice(step);
          break;
        }
        write("if (");
        expression(step.value);
        write(") {");
        end();
        steps(step.body);
        if (!step.otherwise.empty()) {
          write("} else {");
          end();
          steps(step.otherwise);
        }
        write("}");
        break;
      case Step::loop:
        return loop(step);
      case Step::leave:
        write("break;");
        break;
      case Step::next:
        write("continue;");
        break;
      case Step::fill:
      case Step::shift:
      case Step::maybe_fill:
        write(step.kind == Step::fill ? "fill(" : step.kind == Step::shift ? "shift(" : "maybe_fill(");
        expression(step.value);
        write(step.kind == Step::maybe_fill ? ", p, &" : ", &");
        expression(step.target);
        write(");");
        break;
    }
    end();
  }

  void loop(const Step& step) {
    const std::string v = name(static_cast<Scalar>(step.variable));
    const auto piece = [&](const std::string& before, const Node& e, const std::string& after) {
      write(before);
      expression(e);
      write(after);
    };
    // 11: the step first; 12, 13: the test by break, first or last; 14: by break in a for; 15: do, whose test steps;
    // 16: a pointer by two.
    const bool counts_in_body = step.form == 4 || (step.form >= 11 && step.form <= 13) || step.form == 15;
    if (step.form == 3 || counts_in_body) {
      write("{ int " + v + (counts_in_body ? " = 0;" : ";"));
      end();
    }
    if (counts_in_body) {
      piece(v + " = ", step.form == 15 ? step.value : step.target, step.form == 11 ? " - 1;" : ";");
      end();
    }
    if (step.form == 13) piece("if (" + v + " < ", step.value, ")");
    if (step.form == 15) piece("if (" + v + " >= ", step.target, ")");
    if (step.form == 13 || step.form == 15) end();
    nest_.loops[static_cast<std::size_t>(step.number)].line = line_;
    const int array = std::array{a, b, w}[static_cast<std::size_t>(step.number) % 3];
    const std::string base = name(static_cast<Array>(array));
    switch (step.form) {
      case 0:
        piece("for (int " + v + " = ", step.value, "; ");
        piece(v + " >= ", step.target, "; " + v + "--) {");
        break;
      case 1:
        piece("for (int " + v + " = ", step.target, "; ");
        piece(v + " <= ", step.value, "; " + v + " += 2) {");
        break;
      case 2:
        piece("for (int " + v + " = 0; " + v + " != ", step.value, "; " + v + "++) {");
        break;
      case 3:
        piece("for (" + v + " = ", step.target, "; ");
        piece(v + " < ", step.value, "; ++" + v + ") {");
        break;
      case 4:
        piece("while (" + v + " < ", step.value, ") {");
        break;
      case 10:
      case 16:
        piece("for (int *" + v + " = " + base + " + ", step.target, "; ");
        piece(v + " < " + base + " + ", step.value, "; " + v + (step.form == 16 ? " += 2) {" : "++) {"));
        bases_[static_cast<std::size_t>(step.variable)] = array;
        break;
      case 11:
        piece("while (" + v + " < ", step.value, " - 1) { " + v + "++;");
        break;
      case 12:
        piece("while (1) { if (" + v + " >= ", step.value, ") break;");
        break;
      case 13:
        write(step.number % 2 == 0 ? "do {" : "while (1) {");
        break;
      case 15:
        write("do {");
        break;
      case 14:
        piece("for (int " + v + " = ", step.target, ";; " + v + "++) { ");
        piece("if (" + v + " >= ", step.value, ") break;");
        break;
      default:
        piece("for (int " + v + " = ", step.target, "; ");
        piece(v + " < ", step.value, "; " + v + "++) {");
    }
    end();
    steps(step.body);
    bases_[static_cast<std::size_t>(step.variable)] = -1;
    if (step.form == 4 || step.form == 12 || step.form == 13) {
      write(v + "++;");
      end();
    }
    if (step.form == 15) {
      const std::string test = step.number % 3 == 2 ? "--" + v + " >= " : v + "--";
      const bool is_truth = step.number % 3 == 1 && step.target.value == 0;
      write("} while (" + test + (step.number % 3 == 0 ? " > " : step.number % 3 == 1 && !is_truth ? " != " : ""));
      if (!is_truth) expression(step.target);
      write("); }");
    } else if (step.form == 13) {
      if (step.number % 2 != 0) write("if (!");
      piece(step.number % 2 == 0 ? "} while (" : "(", Node{Node::scalar, 0, step.variable, {}, {}}, " < ");
      piece("", step.value, step.number % 2 == 0 ? "); }" : ")) break; } }");
    } else {
      write(step.form == 3 || counts_in_body ? "} }" : "}");
    }
    end();
  }

  Nest& nest_;
  int line_, column_ = 1;
  std::array<int, scalars> bases_ = [] {
    std::array<int, scalars> none;
    none.fill(-1);
    return none;
  }();  // of variables that are pointers at this place: the array
};

}  // namespace

void print(Nest& nest, int line) { Printer(nest, line).run(); }

}  // namespace papilio::loops::oracle
