#include "loops/emit/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "loops/emit/parallel.h"

namespace papilio::loops {
namespace {

constexpr int blocks = 64;

bool starts_type(std::string_view word) {
  static const std::set<std::string_view> words = {"char",  "short",  "int",   "long",  "unsigned", "signed",
                                                   "float", "double", "const", "_Bool", "bool",     "size_t"};
  return words.contains(word) || (word.size() > 2 && word.ends_with("_t"));
}

class Passes {
 public:
  Passes(const Candidate& candidate, const Clause& scan, std::string& why) : c_(candidate), scan_(scan), why_(why) {}

  std::optional<Rewritten> run(const std::vector<Clause>& clauses) {
    op_ = scan_.detail.substr(0, scan_.detail.find(','));
    is_segmented_ = scan_.detail.find("segmented") != std::string::npos;
    variable_ = c_.variable(scan_.variable);
    if (variable_ < 0 || scan_.variable.find('.') != std::string::npos)
      return fail(fmt::format("{} is no variable of its own", scan_.variable));
    is_array_ = c_.program.variables[static_cast<std::size_t>(variable_)].is_array;
    for (const Clause& clause : clauses) {
      if (clause.kind == "induction" || clause.kind == "copy")
        return fail(fmt::format("a scan with an {} is not written", clause.kind));
    }
    if (is_array_ ? !find_recurrence() : !find_updates()) return std::nullopt;
    std::string slice;
    if (!sliced(c_.part.parts[0], slice)) return fail("what the scan's values need is not separable");
    if (!is_closed()) return std::nullopt;
    return written(clauses, slice);
  }

 private:
  std::nullopt_t fail(const std::string& why) {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  bool refuse(const std::string& why) {
    fail(why);
    return false;
  }
  std::size_t begin_of(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].begin; }
  std::size_t end_of(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].end; }

  // The statements that change the accumulator.
  bool find_updates() {
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.variable != variable_ || !a.is_write) continue;
      const TextPart* statement = statement_at(c_, a.place.line, a.place.column);
      if (statement == nullptr) return refuse(fmt::format("line {} is no statement of its own", a.place.line));
      marked_.insert(statement->begin);
      if (a.update.empty()) resets_.insert(statement->begin);
    }
    accumulator_ = scan_.variable;
    return !marked_.empty() || refuse("its updates are not found");
  }

  // a[i] = a[i - 1] op e: the read becomes an accumulator, which is kept where the element is written.
  bool find_recurrence() {
    const Access* write = nullptr;
    for (const Access& a : c_.accesses.list) {
      if (c_.is_inside(a) && a.variable == variable_ && a.is_write) write = &a;
    }
    if (write == nullptr || write->loops.back() != c_.id) return refuse("a scan along an outer loop is not written");
    const TextPart* statement = statement_at(c_, write->place.line, write->place.column);
    if (statement == nullptr) return refuse("the statement of the scan is not found");
    if (!c_.source.is(statement->begin, scan_.variable)) return refuse("an array is not written by its name");
    if (is_conditional(statement->begin)) return refuse("its elements are not written in every iteration");
    int reads = 0;
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.variable != variable_ || a.is_write) continue;
      const int token = c_.source.token_at(a.place.line, a.place.column);
      const bool is_its_own = statement->begin <= token && token < statement->end;
      if (is_its_own) {
        ++reads;
        read_ = token;
      } else if (a.subscripts != write->subscripts || a.order < write->order) {
        return refuse(fmt::format("line {} reads what other iterations write", a.place.line));
      }
    }
    if (reads != 1 || read_ < 0 || !c_.source.is(read_, scan_.variable))
      return refuse("an element is not read by its name");
    read_end_ = read_ + 1;
    while (c_.source.is(read_end_, "[")) {
      read_end_ = c_.source.after_matching(read_end_);
      if (read_end_ < 0) return refuse("a subscript does not end");
    }
    for (assign_ = statement->begin; assign_ < statement->end && !c_.source.is(assign_, "="); ++assign_) {
    }
    if (assign_ == statement->end || read_ < assign_) return refuse("the statement of the scan is no plain assignment");
    marked_.insert(statement->begin);
    accumulator_ = c_.prefix + "sum";
    return true;
  }

  bool is_conditional(int token) const {
    const TextPart* at = &c_.part.parts[0];
    while (at->kind == TextPart::Kind::block) {
      const auto part = std::find_if(at->parts.begin(), at->parts.end(),
                                     [&](const TextPart& p) { return p.begin <= token && token < p.end; });
      if (part == at->parts.end()) return true;
      at = &*part;
    }
    return at->kind != TextPart::Kind::plain;
  }

  bool has_marked(const TextPart& part) const {
    if (marked_.contains(part.begin) && part.kind == TextPart::Kind::plain) return true;
    return std::any_of(part.parts.begin(), part.parts.end(), [&](const TextPart& p) { return has_marked(p); });
  }

  void need(int first, int last) {
    for (int t = first; t < last; ++t) {
      if (c_.source.kind(t) == Token::Kind::word && !(t > 0 && (c_.source.is(t - 1, ".") || c_.source.is(t - 1, "->"))))
        needed_.insert(std::string(c_.source.text_of(t)));
    }
  }

  // What a plain statement declares or assigns, if that is all that it does.
  std::string defined_by(const TextPart& p) const {
    int assigns = -1, count = 0;
    for (int t = p.begin; t < p.end; ++t) {
      const std::string_view mark = c_.source.text_of(t);
      const bool is_assignment = c_.source.kind(t) == Token::Kind::mark && mark.size() >= 1 && mark.back() == '=' &&
                                 mark != "==" && mark != "!=" && mark != "<=" && mark != ">=";
      if (is_assignment || mark == "++" || mark == "--") ++count, assigns = t;
    }
    if (count != 1 || assigns <= p.begin || !c_.source.is(assigns, "=")) return "";
    if (c_.source.kind(assigns - 1) != Token::Kind::word) return "";
    const bool declares = starts_type(c_.source.text_of(p.begin));
    return declares || assigns - 1 == p.begin ? std::string(c_.source.text_of(assigns - 1)) : "";
  }

  // The part without what the accumulator does not need; true where nothing stands in the way.
  bool sliced(const TextPart& part, std::string& text) {
    for (bool grows = true; grows;) {
      const std::size_t before = needed_.size();
      text.clear();
      if (!slice(part, text)) return false;
      grows = needed_.size() != before;
    }
    return true;
  }

  bool slice(const TextPart& part, std::string& text) {
    switch (part.kind) {
      case TextPart::Kind::block: {
        text += "{ ";
        for (const TextPart& p : part.parts) {
          if (p.kind == TextPart::Kind::repeat && &p == &part.parts.back()) continue;
          if (c_.part.kind == TextPart::Kind::repeat && &part == &c_.part.parts[0] && &p == &part.parts.back())
            continue;
          if (!slice(p, text)) return false;
        }
        text += "} ";
        return true;
      }
      case TextPart::Kind::branch: {
        if (!has_marked(part)) return true;
        need(part.head_begin, part.head_end);
        text += fmt::format("if ({}) {{ ", c_.source.text_of(part.head_begin, part.head_end));
        if (!slice(part.parts[0], text)) return false;
        text += "} ";
        if (part.parts.size() > 1 && has_marked(part.parts[1])) {
          text += "else { ";
          if (!slice(part.parts[1], text)) return false;
          text += "} ";
        }
        return true;
      }
      case TextPart::Kind::loop: {
        if (!has_marked(part)) return true;
        need(part.head_begin, part.head_end);
        text += fmt::format("for ({}) {{ ", c_.source.text_of(part.head_begin, part.head_end));
        if (!slice(part.parts[0], text)) return false;
        text += "} ";
        return true;
      }
      case TextPart::Kind::plain:
        return slice_plain(part, text);
      default:
        return !has_marked(part);
    }
  }

  bool slice_plain(const TextPart& part, std::string& text) {
    const bool is_jump = c_.source.is(part.begin, "continue") || c_.source.is(part.begin, "break");
    if (is_jump) return false;
    if (marked_.contains(part.begin) && !is_array_ && !c_.source.is(part.begin, accumulator_)) {
      // a[next++] = e: of such a statement only the step.
      for (int t = part.begin; t + 1 < part.end; ++t) {
        const bool is_name = c_.source.is(t, accumulator_);
        const bool after = is_name && (c_.source.is(t + 1, "++") || c_.source.is(t + 1, "--"));
        const bool before = is_name && t > part.begin && (c_.source.is(t - 1, "++") || c_.source.is(t - 1, "--"));
        if (!after && !before) continue;
        needed_.insert(accumulator_);
        text += fmt::format("{}{}; ", accumulator_, c_.source.text_of(after ? t + 1 : t - 1));
        return true;
      }
    }
    if (marked_.contains(part.begin)) {
      need(part.begin, part.end);
      if (is_array_) {
        Edits edits;
        edits.replace(begin_of(read_), end_of(read_end_ - 1), accumulator_);
        text +=
            fmt::format("{} ={} ", accumulator_, edits.apply(c_.source.text(), end_of(assign_), end_of(part.end - 1)));
      } else {
        text += std::string(c_.source.text_of(part.begin, part.end)) + " ";
        if (resets_.contains(part.begin)) text += c_.prefix + "anew = 1; ";
      }
      return true;
    }
    const std::string name = defined_by(part);
    if (name.empty() || !needed_.contains(name)) return true;
    need(part.begin, part.end);
    text += std::string(c_.source.text_of(part.begin, part.end)) + " ";
    return true;
  }

  // Whether the slice reads nothing that the loop writes but what it computes itself.
  bool is_closed() {
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || !a.is_write || a.variable == variable_) continue;
      const Variable& v = c_.program.variables[static_cast<std::size_t>(a.variable)];
      if (!needed_.contains(v.name)) continue;
      const TextPart* statement = statement_at(c_, a.place.line, a.place.column);
      const bool is_sliced = !v.is_array && statement != nullptr && defined_by(*statement) == v.name;
      const bool is_counter = std::any_of(c_.accesses.loops.begin(), c_.accesses.loops.end(),
                                          [&](const Loop& l) { return l.variable == a.variable; });
      if (!is_sliced && !is_counter)
        return refuse(fmt::format("the scan's values need {}, which the loop writes", v.name));
    }
    return true;
  }

  std::string neutral() const {
    if (op_ == "+" || op_ == "^") return "0";
    if (op_ == "*") return "1";
    return c_.prefix + "carried[0]";  // op is idempotent
  }

  std::string combined(const std::string& a, const std::string& b) const {
    if (op_ == "max" || op_ == "min") return fmt::format("{0} {2} {1} ? {0} : {1}", a, b, op_ == "max" ? ">" : "<");
    return fmt::format("{} {} {}", a, op_, b);
  }

  std::optional<Rewritten> written(const std::vector<Clause>& clauses, const std::string& slice) {
    std::vector<Clause> privates, others;
    for (Clause clause : clauses) {
      if (clause.kind == "scan" || clause.variable == c_.head->variable) continue;
      if (clause.kind == "reduction") others.push_back(clause);
      if (clause.kind == "reduction") continue;
      others.push_back(clause);
      if (clause.kind == "lastprivate") clause.kind = "private";
      if (needed_.contains(clause.variable)) privates.push_back(clause);
    }
    const auto first_pass = private_clauses(c_, privates, why_);
    auto second_pass = first_pass ? in_parallel(c_, others, why_) : std::nullopt;
    if (!second_pass || !second_pass->before.empty()) return fail("its clauses are not written with a scan");
    const std::string x = c_.prefix, acc = accumulator_;
    const std::string type =
        is_array_ ? fmt::format("__typeof__({}[0])", element()) : fmt::format("__typeof__({})", acc);
    Edits body = second_pass->inside;
    if (is_array_) {
      body.replace(begin_of(read_), end_of(read_end_ - 1), acc);
      body.insert(end_of(assign_), fmt::format(" {} =", acc));
    }
    Rewritten r;
    auto& lines = r.before;
    lines.push_back(fmt::format("// A scan by {} over {} blocks of iterations, in two passes.", op_, blocks));
    lines.push_back(fmt::format("const long long {}first = {};", x, c_.first()));
    lines.push_back(fmt::format("const long long {}count = {};", x, c_.count()));
    lines.push_back(fmt::format("{} {}carried[{}];", type, x, blocks + 1));
    if (is_segmented_) lines.push_back(fmt::format("char {}anews[{}];", x, blocks + 1));
    const std::string start = is_array_ ? fmt::format("{}[0]", element()) : acc;
    const std::string counter =
        fmt::format("{} {} = {}first + {}t * {};", c_.type(), c_.head->variable, x, x, c_.step());
    const std::string over = fmt::format(
        "for (long long {0}t = {0}count * {0}block / {1}; {0}t < {0}count * ({0}block + 1) / {1}; {0}t++) {{", x,
        blocks);
    if (is_array_) {
      std::string first_read(c_.source.text_of(read_, read_end_));
      lines.push_back(fmt::format("{0}carried[0] = 0;", x));
      lines.push_back(fmt::format("if ({0}count > 0) {{ const {1} {2} = {0}first; {0}carried[0] = {3}; }}", x,
                                  c_.type(), c_.head->variable, first_read));
    } else {
      lines.push_back(fmt::format("{}carried[0] = {};", x, start));
    }
    lines.push_back("#pragma omp parallel for" + *first_pass);
    lines.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {{", x, blocks));
    lines.push_back(fmt::format("  {} {} = {};", type, acc, neutral()));
    if (is_segmented_) lines.push_back(fmt::format("  char {}anew = 0;", x));
    lines.push_back(fmt::format("  {}\n{}      {}\n{}      {}\n{}    }}", over, c_.indentation(), counter,
                                c_.indentation(), slice, c_.indentation()));
    lines.push_back(fmt::format("  {0}carried[{0}block + 1] = {1};", x, acc));
    if (is_segmented_) lines.push_back(fmt::format("  {0}anews[{0}block + 1] = {0}anew;", x));
    lines.push_back("}");
    const std::string both =
        combined(fmt::format("{0}carried[{0}block]", x), fmt::format("{0}carried[{0}block + 1]", x));
    const std::string unless = is_segmented_ ? fmt::format("if (!{0}anews[{0}block + 1]) ", x) : "";
    lines.push_back(fmt::format("for (int {0}block = 0; {0}block < {1}; {0}block++) {2}{0}carried[{0}block + 1] = {3};",
                                x, blocks, unless, both));
    if (has_last(clauses)) lines.push_back(fmt::format("if ({}count > 0) {{", x));
    lines.push_back(second_pass->pragma);
    r.loop = fmt::format(
        "for (int {0}block = 0; {0}block < {1}; {0}block++) {{\n{2}    {3} {4} = {0}carried[{0}block];\n"
        "{2}    {5}\n{2}      {6}\n{2}      {7}\n{2}    }}\n{2}  }}",
        x, blocks, c_.indentation(), type, acc, over, counter, c_.body(body));
    if (has_last(clauses)) r.after.push_back("}");
    if (!is_array_) r.after.push_back(fmt::format("{} = {}carried[{}];", acc, x, blocks));
    if (c_.head->type.empty()) {
      r.after.push_back(fmt::format("{} = {}first + {}count * {};", c_.head->variable, x, x, c_.step()));
    }
    r.needs_version = true;
    return r;
  }

  static bool has_last(const std::vector<Clause>& clauses) {
    return std::any_of(clauses.begin(), clauses.end(), [](const Clause& c) { return c.kind == "lastprivate"; });
  }

  // The array with all subscripts but the last, of which the elements have the accumulator's type.
  std::string element() const {
    int last = read_ + 1, at = read_ + 1;
    while (at < read_end_) {
      last = at;
      at = c_.source.after_matching(at);
    }
    return std::string(c_.source.text_of(read_, last));
  }

  const Candidate& c_;
  const Clause& scan_;
  std::string& why_;
  std::string op_, accumulator_;
  bool is_segmented_ = false, is_array_ = false;
  int variable_ = -1, read_ = -1, read_end_ = -1, assign_ = -1;
  std::set<int> marked_, resets_;  // first tokens of statements
  std::set<std::string> needed_;   // names in the slice
};

}  // namespace

std::optional<Rewritten> in_two_passes(const Candidate& candidate, const Clause& scan,
                                       const std::vector<Clause>& clauses, std::string& why) {
  return Passes(candidate, scan, why).run(clauses);
}

}  // namespace papilio::loops
