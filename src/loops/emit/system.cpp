#include "loops/emit/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loops/emit/parallel.h"
#include "loops/emit/system_slice.h"

namespace papilio::loops {
namespace {

constexpr int blocks = 64;

class Matrices {
 public:
  Matrices(const Candidate& candidate, SystemSlice slice, std::string& why)
      : c_(candidate), s_(std::move(slice)), why_(why), size_(s_.system.states.size()) {}

  std::optional<Rewritten> written(const std::vector<Clause>& clauses) {
    std::vector<Clause> privates, others;
    bool has_last = false;
    for (Clause clause : clauses) {
      if (clause.kind == "scan" || clause.variable == c_.head->variable) continue;
      others.push_back(clause);
      has_last = has_last || clause.kind == "lastprivate";
      if (clause.kind == "lastprivate") clause.kind = "private";
      if (s_.needed.contains(clause.variable) && clause.kind != "reduction") privates.push_back(clause);
    }
    const auto first_pass = private_clauses(c_, privates, why_);
    auto second_pass = first_pass ? in_parallel(c_, others, why_) : std::nullopt;
    // A guard for lastprivate, by the number of iterations.
    const bool is_guarded = second_pass && has_last && second_pass->before.size() == 1;
    if (!second_pass || (!second_pass->before.empty() && !is_guarded)) {
      if (why_.empty()) why_ = "its clauses cannot be combined with a scan";
      return std::nullopt;
    }
    const std::string& x = c_.prefix;
    const std::string indent = c_.indentation();
    Rewritten r;
    add_start(r.before);
    add_blocks(r.before, *first_pass);
    add_carried(r.before);
    r.before.push_back(fmt::format("if ({}ok) {{", x));
    if (has_last) r.before.push_back(fmt::format("if ({}count > 0) {{", x));
    r.before.push_back(second_pass->pragma);
    r.loop = second_loop(second_pass->inside);
    if (has_last) r.after.push_back("}");
    for (std::size_t k = 0; k < size_; ++k) {
      const std::string& name = s_.names[k];
      if (state(k).distance == 0)
        r.after.push_back(fmt::format("{0} = ({1}){2}carried[{3}][{4}];", name, type_of(k), x, blocks, k));
    }
    if (c_.head->type.empty()) r.after.push_back(c_.last(x + "first", x + "count"));
    // A composition may be undefined although the values are not.
    r.after.push_back(fmt::format("}} else {{\n{}    {}\n{}  }}", indent, c_.original(), indent));
    r.needs_version = true;
    return r;
  }

 private:
  const LinearSystem::State& state(std::size_t k) const { return s_.system.states[k]; }

  std::string type_of(std::size_t k) const {
    const std::string& name = c_.program.variables[static_cast<std::size_t>(state(k).variable)].name;
    if (state(k).distance == 0) return fmt::format("__typeof__({})", name);
    std::string element = name;
    const std::string& read = s_.first_reads.at(static_cast<int>(k));
    int depth = 0;
    for (const char c : read) {  // without subscripts, which may name what does not exist there
      if (c == '[' && depth++ == 0) element += "[0]";
      if (c == ']') --depth;
    }
    return fmt::format("__typeof__({})", element);
  }

  std::string turns() const {
    return fmt::format(
        "for (long long {0}t = {0}count * {0}block / {1}; {0}t < {0}count * ({0}block + 1) / {1}; {0}t++) {{",
        c_.prefix, blocks);
  }

  std::string counter() const {
    return fmt::format("{} {} = {}first + {}t * {};", c_.type(), c_.head->variable, c_.prefix, c_.prefix, c_.step());
  }

  void add_start(std::vector<std::string>& lines) const {
    const std::string& x = c_.prefix;
    lines.push_back(
        fmt::format("// A scan by {0} x {0} matrices over {1} blocks of iterations, in two passes.", size_, blocks));
    lines.push_back(c_.start(x + "first"));
    lines.push_back(fmt::format("const long long {}count = {};", x, c_.count()));
    lines.push_back(fmt::format("{} {}ms[{}][{}][{}];", s_.type, x, blocks, size_, size_ + 1));
    lines.push_back(fmt::format("{} {}carried[{}][{}] = {{{{0}}}};", s_.type, x, blocks + 1, size_));
    std::string elements;
    for (std::size_t k = 0; k < size_; ++k) {
      if (state(k).distance == 0) {
        lines.push_back(fmt::format("{0}carried[0][{1}] = ({2}){3};", x, k, s_.type, s_.names[k]));
      } else {
        elements +=
            fmt::format(" {0}carried[0][{1}] = ({2}){3};", x, k, s_.type, s_.first_reads.at(static_cast<int>(k)));
      }
    }
    if (!elements.empty())
      lines.push_back(fmt::format("if ({0}count > 0) {{ const {1} {2} = {0}first;{3} }}", x, c_.type(),
                                  c_.head->variable, elements));
  }

  // Computes the matrix of each block, with a column for what is added.
  void add_blocks(std::vector<std::string>& lines, const std::string& privates) const {
    const std::string &x = c_.prefix, indent = c_.indentation();
    std::string rows;
    for (std::size_t k = 0; k < size_; ++k) {
      std::string row;
      for (std::size_t column = 0; column <= size_; ++column)
        row += fmt::format("{}{}", column > 0 ? ", " : "", column == k ? 1 : 0);
      rows += fmt::format("{}{{{}}}", k > 0 ? ", " : "", row);
    }
    lines.push_back("#pragma omp parallel for" + privates);
    lines.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {{", x, blocks));
    lines.push_back(fmt::format("  {} {}m[{}][{}] = {{{}}};", s_.type, x, size_, size_ + 1, rows));
    lines.push_back(fmt::format("  {0}\n{1}      {2} (void){3};\n{1}      {4}\n{1}    }}", turns(), indent, counter(),
                                c_.head->variable, s_.text));
    lines.push_back(fmt::format("  __builtin_memcpy({0}ms[{0}block], {0}m, sizeof {0}m);", x));
    lines.push_back("}");
  }

  // Computes the states before each block.
  void add_carried(std::vector<std::string>& lines) const {
    const std::string& x = c_.prefix;
    lines.push_back(fmt::format("int {}ok = 1;", x));
    lines.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {{", x, blocks));
    lines.push_back(fmt::format("  for (int {0}k = 0; {0}k < {1}; {0}k++) {{", x, size_));
    lines.push_back(fmt::format("    {1} {0}value = {0}ms[{0}block][{0}k][{2}];", x, s_.type, size_));
    lines.push_back(
        fmt::format("    for (int {0}j = 0; {0}j < {1}; {0}j++) {0}value += {0}ms[{0}block][{0}k][{0}j] * "
                    "{0}carried[{0}block][{0}j];",
                    x, size_));
    lines.push_back(fmt::format("    {0}carried[{0}block + 1][{0}k] = {0}value;", x));
    if (s_.type == "double")
      lines.push_back(fmt::format("    {0}ok &= ({1}){0}value - ({1}){0}value == 0;", x, type_of(0)));
    lines.push_back("  }");
    lines.push_back("}");
  }

  // The body, in which variables that move along replace the elements of earlier iterations.
  std::string second_loop(Edits body) const {
    const std::string &x = c_.prefix, indent = c_.indentation();
    const auto& tokens = c_.source.tokens();
    const auto begin = [&](int t) { return tokens[static_cast<std::size_t>(t)].begin; };
    const auto end = [&](int t) { return tokens[static_cast<std::size_t>(t)].end; };
    for (const auto& [token, k] : s_.reads) {
      int last = token + 1;
      while (c_.source.is(last, "[")) last = c_.source.after_matching(last);
      body.replace(begin(token), end(last - 1), s_.names[static_cast<std::size_t>(k)]);
    }
    std::string starts, made, moves;
    for (std::size_t k = size_; k-- > 0;) {
      const auto& [v, distance] = state(k);
      starts = fmt::format("{1} {2} = ({1}){0}carried[{0}block][{3}]; ", x, type_of(k), s_.names[k], k) + starts;
      if (distance == 0) continue;
      const std::string newest = c_.named(c_.program.variables[static_cast<std::size_t>(v)].name) + "_0";
      moves += fmt::format("{} = {}; ", s_.names[k], distance == 1 ? newest : s_.names[k - 1]);
      if (distance > 1) continue;
      made += fmt::format("{} {}; ", type_of(k), newest);
      body.insert(end(s_.writes.at(v)->end - 1), fmt::format(" {} = {};", newest, s_.written.at(v)));
    }
    const std::string first = fmt::format("{} (void){}; {}", counter(), c_.head->variable, made);
    const std::string inner = "\n" + indent + "      ", line = "\n" + indent + "    ";
    return fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {{", x, blocks) + line + starts + line +
           turns() + inner + first + inner + c_.body(body) + inner + moves + line + "}\n" + indent + "  }";
  }

  const Candidate& c_;
  const SystemSlice s_;
  std::string& why_;
  const std::size_t size_;
};

}  // namespace

std::optional<Rewritten> in_two_passes_by_matrices(const Candidate& candidate, const std::vector<Clause>& clauses,
                                                   std::string& why) {
  auto slice = system_slice_of(candidate, clauses, why);
  return slice ? Matrices(candidate, std::move(*slice), why).written(clauses) : std::nullopt;
}

}  // namespace papilio::loops
