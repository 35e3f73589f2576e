#include "loops/emit/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loops/emit/parallel.h"
#include "loops/emit/slice.h"

namespace papilio::loops {
namespace {

constexpr int blocks = 64;

class Passes {
 public:
  Passes(const Candidate& candidate, Slice slice, std::string& why) : c_(candidate), s_(std::move(slice)), why_(why) {}

  std::optional<Rewritten> written(const std::vector<Clause>& clauses) {
    std::vector<Clause> privates, others;
    for (Clause clause : clauses) {
      if (clause.kind == "scan" || clause.variable == c_.head->variable) continue;
      if (clause.kind == "induction" && !add_induction(clause)) return fail();
      if (clause.kind == "induction") continue;
      if (clause.kind == "reduction") others.push_back(clause);
      if (clause.kind == "reduction") continue;
      others.push_back(clause);
      if (clause.kind == "lastprivate") clause.kind = "private";
      if (s_.needed.contains(clause.variable)) privates.push_back(clause);
    }
    const auto first_pass = private_clauses(c_, privates, why_);
    auto second_pass = first_pass ? in_parallel(c_, others, why_) : std::nullopt;
    const bool has_last = std::any_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
      return clause.kind == "lastprivate" && clause.variable != c_.head->variable;
    });
    const bool is_guarded = second_pass && has_last && second_pass->before.size() == 1;  // by the number of iterations
    if (!second_pass || (!second_pass->before.empty() && !is_guarded)) return fail();
    const std::string x = c_.prefix, acc = s_.accumulator, indent = c_.indentation();
    const std::string type =
        s_.is_array ? fmt::format("__typeof__({})", element()) : fmt::format("__typeof__({})", acc);
    const std::string counter = fmt::format("{} {} = {}first + {}t * {}; (void){};{}", c_.type(), c_.head->variable, x,
                                            x, c_.step(), c_.head->variable, at_start_);
    const std::string over = fmt::format(
        "for (long long {0}t = {0}count * {0}block / {1}; {0}t < {0}count * ({0}block + 1) / {1}; {0}t++) {{", x,
        blocks);
    Rewritten r;
    add_start(r.before, type);
    r.before.insert(r.before.end(), inductions_.begin(), inductions_.end());
    r.before.push_back("#pragma omp parallel for" + *first_pass);
    r.before.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {{", x, blocks));
    const std::string pass =
        fmt::format("  {0}\n{1}      {2}\n{1}      {3}\n{1}    }}", over, indent, counter, s_.text);
    s_.is_function() ? add_functions(r.before, pass, type) : add_sums(r.before, pass, type);
    if (s_.is_function()) r.before.push_back(fmt::format("if ({}ok) {{", x));
    if (has_last) r.before.push_back(fmt::format("if ({}count > 0) {{", x));
    r.before.push_back(second_pass->pragma);
    r.loop = fmt::format(
        "for (int {0}block = 0; {0}block < {1}; {0}block++) {{\n{2}    {3} {4} = {0}carried[{0}block];\n"
        "{2}    {5}\n{2}      {6}\n{2}      {7}\n{2}    }}\n{2}  }}",
        x, blocks, indent, type, acc, over, counter, c_.body(body_with_accumulator(second_pass->inside)));
    if (has_last) r.after.push_back("}");
    if (!s_.is_array) r.after.push_back(fmt::format("{} = {}carried[{}];", acc, x, blocks));
    if (c_.head->type.empty()) {
      r.after.push_back(c_.last(x + "first", x + "count"));
    }
    r.after.insert(r.after.end(), lasts_.begin(), lasts_.end());
    if (s_.is_function()) {  // a composition may be undefined although the values are not
      r.after.push_back(fmt::format("}} else {{\n{}    {}\n{}  }}", indent, c_.original(), indent));
    }
    r.needs_version = true;
    return r;
  }

 private:
  // Gives each iteration its own variable with the value of its closed form; no other loop has a variable of that name.
  bool add_induction(const Clause& clause) {
    const int v = c_.variable(clause);
    const auto& all = c_.accesses.loops[static_cast<std::size_t>(c_.id)].inductions;
    const auto found = all.find(v);
    if (v < 0 || is_field(clause.variable) || found == all.end()) return false;
    const std::string own = c_.named(clause.variable), &k = clause.variable;
    const bool is_pointer = c_.program.variables[static_cast<std::size_t>(v)].is_offset;
    const std::string type = fmt::format("__typeof__({} + 0)", k);  // without qualifiers
    const auto at = [&](const char* turns) {
      return fmt::format("({})({} + {} * {}{})", type, own, found->second.step, c_.prefix, turns);
    };
    inductions_.push_back(fmt::format("{} const {} = {};", is_pointer ? type : "long long", own, k));
    at_start_ += fmt::format(" {} {} = {}; (void){};", type, k, at("t"), k);
    lasts_.push_back(fmt::format("{} = {};", k, at("count")));
    return true;
  }

  std::nullopt_t fail() {
    if (why_.empty()) why_ = "its clauses cannot be combined with a scan";
    return std::nullopt;
  }
  std::size_t begin_of(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].begin; }
  std::size_t end_of(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].end; }

  std::string neutral() const {
    if (s_.op == "+" || s_.op == "^") return "0";
    if (s_.op == "*") return "1";
    return c_.prefix + "carried[0]";  // op is idempotent
  }

  std::string combined(const std::string& a, const std::string& b) const {
    if (s_.op == "max" || s_.op == "min")
      return fmt::format("{0} {2} {1} ? {0} : {1}", a, b, s_.op == "max" ? ">" : "<");
    return fmt::format("{} {} {}", a, s_.op, b);
  }

  // The body, in which the accumulator replaces the elements of earlier iterations.
  Edits body_with_accumulator(Edits body) const {
    for (const auto& [token, end] : s_.reads) body.replace(begin_of(token), end_of(end - 1), s_.accumulator);
    if (!s_.is_array) return body;
    const int first = s_.statement;
    if (c_.source.is(s_.assigns, "=")) {
      body.insert(end_of(s_.assigns), fmt::format(" {} =", s_.accumulator));
      return body;
    }
    int last = s_.assigns;
    while (!c_.source.is(last, ";")) ++last;
    body.insert(begin_of(first), "{ ");
    body.insert(end_of(last), fmt::format(" {} = {}; }}", s_.accumulator, c_.source.text_of(first, s_.assigns)));
    return body;
  }

  void add_start(std::vector<std::string>& lines, const std::string& type) const {
    const std::string& x = c_.prefix;
    lines.push_back(fmt::format("// A scan by {} over {} blocks of iterations, in two passes.",
                                s_.is_function() ? s_.op + " functions" : s_.op, blocks));
    lines.push_back(c_.start(x + "first"));
    lines.push_back(fmt::format("const long long {}count = {};", x, c_.count()));
    lines.push_back(fmt::format("{} {}carried[{}];", type, x, blocks + 1));
    if (s_.is_segmented) lines.push_back(fmt::format("char {}anews[{}];", x, blocks + 1));
    if (s_.is_function())
      lines.push_back(fmt::format("{} {}fs[{}][{}];", s_.type, x, blocks, s_.op == "linear" ? 2 : 4));
    if (s_.is_array) {
      const auto& [token, end] = *s_.reads.begin();
      lines.push_back(fmt::format("{0}carried[0] = 0;", x));
      lines.push_back(fmt::format("if ({0}count > 0) {{ const {1} {2} = {0}first; {0}carried[0] = {3}; }}", x,
                                  c_.type(), c_.head->variable, c_.source.text_of(token, end)));
    } else {
      lines.push_back(fmt::format("{}carried[0] = {};", x, s_.accumulator));
    }
  }

  // Computes what each block adds, and from that the accumulator before each block.
  void add_sums(std::vector<std::string>& lines, const std::string& pass, const std::string& type) const {
    const std::string& x = c_.prefix;
    lines.push_back(fmt::format("  {} {} = {};", type, s_.accumulator, neutral()));
    if (s_.is_segmented) lines.push_back(fmt::format("  char {}anew = 0;", x));
    lines.push_back(pass);
    lines.push_back(fmt::format("  {0}carried[{0}block + 1] = {1};", x, s_.accumulator));
    if (s_.is_segmented) lines.push_back(fmt::format("  {0}anews[{0}block + 1] = {0}anew;", x));
    lines.push_back("}");
    const std::string both =
        combined(fmt::format("{0}carried[{0}block]", x), fmt::format("{0}carried[{0}block + 1]", x));
    const std::string unless = s_.is_segmented ? fmt::format("if (!{0}anews[{0}block + 1]) ", x) : "";
    lines.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {2}{0}carried[{0}block + 1] = {3};",
                                x, blocks, unless, both));
  }

  // Computes the function that each block is, and from these the accumulator before each block.
  void add_functions(std::vector<std::string>& lines, const std::string& pass, const std::string& type) const {
    const std::string& x = c_.prefix;
    const bool is_linear = s_.op == "linear";
    const std::string matrix = is_linear ? "" : fmt::format(", {0}f2 = 0, {0}f3 = 1", x);
    lines.push_back(fmt::format("  {0} {1}f0 = 1, {1}f1 = 0{2};", s_.type, x, matrix));
    lines.push_back(pass);
    for (int k = 0; k < (is_linear ? 2 : 4); ++k)
      lines.push_back(fmt::format("  {0}fs[{0}block][{1}] = {0}f{1};", x, k));
    lines.push_back("}");
    lines.push_back(fmt::format("int {}ok = 1;", x));
    lines.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {{", x, blocks));
    lines.push_back(
        fmt::format("  const {1} *const {0}f = {0}fs[{0}block], {0}at = ({1}){0}carried[{0}block];", x, s_.type));
    const std::string below = is_linear ? "" : fmt::format(" / ({0}f[2] * {0}at + {0}f[3])", x);
    lines.push_back(fmt::format("  {0}carried[{0}block + 1] = ({1})(({0}f[0] * {0}at + {0}f[1]){2});", x, type, below));
    if (s_.type == "double")
      lines.push_back(fmt::format("  {0}ok &= {0}carried[{0}block + 1] - {0}carried[{0}block + 1] == 0;", x));
    lines.push_back("}");
  }

  // An element of the array, for its type only; subscripts in the text may name what the loop declares.
  std::string element() const {
    const auto& [token, end] = *s_.reads.begin();
    std::string text;
    for (int at = token; at < end;) {
      const bool is_subscript = c_.source.is(at, "[");
      text += is_subscript ? "[0]" : c_.source.text_of(at);
      at = is_subscript ? c_.source.after_matching(at) : at + 1;
    }
    return text;
  }

  const Candidate& c_;
  const Slice s_;
  std::string& why_;
  std::vector<std::string> inductions_, lasts_;  // lines before and after the loop
  std::string at_start_;                         // at the start of an iteration
};

}  // namespace

std::optional<Rewritten> in_two_passes(const Candidate& candidate, const Clause& scan,
                                       const std::vector<Clause>& clauses, std::string& why) {
  const int v = candidate.variable(scan);
  if (v >= 0 && candidate.program.variables[static_cast<std::size_t>(v)].is_offset) {
    why = fmt::format("{} is a pointer, so its values are not written as a scan", scan.variable);
    return std::nullopt;
  }
  auto slice = slice_of(candidate, scan, clauses, why);
  return slice ? Passes(candidate, std::move(*slice), why).written(clauses) : std::nullopt;
}

}  // namespace papilio::loops
