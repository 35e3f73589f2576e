#include "loops/emit/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "loops/emit/bounds.h"

namespace papilio::loops {
namespace {

constexpr std::int64_t largest_private_array = 4096;  // elements of which each thread has a copy on its stack

const TextPart* innermost(const TextPart& part, int token) {
  if (token < part.begin || token >= part.end) return nullptr;
  for (const TextPart& p : part.parts) {
    if (const TextPart* found = innermost(p, token)) return found;
  }
  return part.kind == TextPart::Kind::plain ? &part : nullptr;
}

class Parallel {
 public:
  Parallel(const Candidate& candidate, std::string& why) : c_(candidate), why_(why) {}

  std::optional<Rewritten> run(const std::vector<Clause>& clauses) {
    const auto privates = private_clauses(c_, clauses, why_);
    if (!privates) return std::nullopt;
    result_.pragma = "#pragma omp parallel for" + *privates;
    for (const Clause& clause : clauses) {
      if (clause.kind == "reduction" && !reduction(clause)) return std::nullopt;
      if (clause.kind == "induction" && !induction(clause)) return std::nullopt;
      if (clause.kind == "copy" && !copy(clause)) return std::nullopt;
      if (clause.kind == "lastprivate" && clause.variable == c_.head->variable && !c_.head->first.empty()) {
        // A loop without iterations also leaves the first value.
        result_.before.push_back(fmt::format("{} = {};", c_.head->variable, c_.head->first));
      }
      if (clause.kind != "lastprivate" || !clause.is_array) continue;
      const bool has_same = std::any_of(clauses.begin(), clauses.end(), [&](const Clause& x) {
        return x.kind == "firstprivate" && x.variable == clause.variable;
      });
      if (!has_same)
        fail(fmt::format("the last iteration may not write every element of {} that others write", clause.variable));
      if (!has_same || !own_elements(clause)) return std::nullopt;
    }
    if (!at_start_.empty()) add_at_start();
    if (!own_start_.empty()) {
      const TextPart& body = c_.part.parts[0];
      result_.inside.insert(offset(body.begin), "{" + own_start_ + " ");
      result_.inside.insert(c_.source.tokens()[static_cast<std::size_t>(body.end - 1)].end, own_end_ + " }");
    }
    // Without iterations there is no last one, from which the variables would get their values.
    const bool has_truth = std::any_of(clauses.begin(), clauses.end(), [](const Clause& x) {
      return x.kind == "reduction" && (x.detail == "&&" || x.detail == "||");  // these turn 5 into 1
    });
    const bool takes_last = result_.pragma.find(" lastprivate(") != std::string::npos;
    if (!c_.head->runs_once && (has_truth || takes_last)) {
      result_.before.push_back(c_.head->is_counted
                                   ? fmt::format("if ({}turns > 0)", c_.prefix)
                                   : fmt::format("if ({} {} {})", c_.first(), c_.head->relation, c_.head->bound));
    }
    return std::move(result_);
  }

 private:
  bool fail(const std::string& why) {
    why_ = why;
    return false;
  }

  const Variable& variable(int v) const { return c_.program.variables[static_cast<std::size_t>(v)]; }
  std::size_t offset(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].begin; }

  bool reduction(const Clause& clause) {
    const int v = c_.variable(clause);
    if (v < 0 || is_field(clause.variable)) {
      if (v < 0 || !variable(v).is_array) return fail(fmt::format("{} is not a variable of its own", clause.variable));
    }
    const Variable& x = variable(v);
    if (x.is_offset) return fail(fmt::format("{} is a pointer", clause.variable));
    if (!x.is_array) {
      result_.pragma += fmt::format(" reduction({}: {})", clause.detail, clause.variable);
      return true;
    }
    const bool is_small = !x.is_pointer && x.extents.size() == 1 && x.extents[0] > 0 &&
                          x.extents[0] <= largest_private_array && !is_field(clause.variable) && !c_.has_other_name(v);
    if (is_small) {
      result_.pragma += fmt::format(" reduction({}: {}[:{}])", clause.detail, clause.variable, x.extents[0]);
      return true;
    }
    return atomic(v, clause.detail);
  }

  // For an array of unknown length: makes each update atomic.
  bool atomic(int v, const std::string& op) {
    if (op == "max" || op == "min" || op == "&&" || op == "||") {
      return fail(fmt::format("the {} of elements of {} has no atomic form", op, variable(v).name));
    }
    std::set<int> done;
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.variable != v || !a.is_write) continue;
      const TextPart* statement = statement_at(c_, a.place.line, a.place.column);
      if (statement == nullptr) return fail(fmt::format("line {} is not a statement of its own", a.place.line));
      if (!done.insert(statement->begin).second || !is_decided_by_branches(c_, a))
        return fail(fmt::format("line {} is not an update by itself", a.place.line));
      const std::size_t at = offset(statement->begin);
      const std::string indent = c_.source.indentation(at);
      std::size_t from = at;  // without the white space before it, which goes to the end of the line
      while (from > 0 && (c_.source.text()[from - 1] == ' ' || c_.source.text()[from - 1] == '\t')) --from;
      const bool begins = c_.source.begins_line(at);
      result_.inside.replace(from, at, (begins ? "" : "\n") + indent + "#pragma omp atomic\n" + indent);
    }
    return !done.empty() || fail("its updates are not found");
  }

  bool induction(const Clause& clause) {
    const int v = c_.variable(clause);
    if (v < 0 || is_field(clause.variable) || (c_.part.kind == TextPart::Kind::repeat && !c_.head->is_counted)) {
      return fail(fmt::format("{} is not a variable of its own", clause.variable));
    }
    const auto found = c_.accesses.loops[static_cast<std::size_t>(c_.id)].inductions.find(v);
    if (found == c_.accesses.loops[static_cast<std::size_t>(c_.id)].inductions.end())
      return fail("a step is not known");
    if (c_.counts_by_pointer() && !c_.head->is_counted)
      return fail(fmt::format("a pointer counts the loop, and {} goes with it", clause.variable));
    const std::string& x = c_.prefix;
    if (at_start_.empty() && !c_.head->is_counted)
      result_.before.push_back(fmt::format("const long long {}first = {};", x, c_.first()));
    const bool is_pointer = variable(v).is_offset;
    const std::string type = is_pointer ? fmt::format("__typeof__({})", clause.variable) : "long long";
    result_.before.push_back(fmt::format("{} const {} = {};", type, c_.named(clause.variable), clause.variable));
    const std::string by = c_.step() == "1" ? "" : fmt::format(" / {}", c_.step());
    const std::string turn =
        c_.head->is_counted ? x + "turn" : fmt::format("(({} - {}first){})", c_.head->variable, x, by);
    at_start_ += fmt::format(" {1} = (__typeof__({1}))({0} + {2} * {3});", c_.named(clause.variable), clause.variable,
                             found->second.step, turn);
    return true;
  }

  // Inserts code at the start of the body, before its first statement.
  void add_at_start() {
    const TextPart& body = c_.part.parts[0];
    if (body.kind == TextPart::Kind::block) {
      result_.inside.insert(offset(body.begin) + 1, at_start_);
      return;
    }
    result_.inside.insert(offset(body.begin), "{" + at_start_ + " ");
    result_.inside.insert(c_.source.tokens()[static_cast<std::size_t>(body.end - 1)].end, " }");
  }

  // Makes reads use a copy of the elements between the first and the last one that they read.
  bool copy(const Clause& clause) {
    const int v = c_.variable(clause.variable);
    if (v < 0 || is_field(clause.variable) || variable(v).moves) return fail("an array to copy is not named");
    const Bounds bounds(c_.program, c_.accesses, c_.id);
    std::vector<std::string> low, high;
    for (const Position& place : clause.places) {
      const auto access = std::find_if(c_.accesses.list.begin(), c_.accesses.list.end(), [&](const Access& a) {
        return c_.is_inside(a) && !a.is_write && a.place == Place{place.line, place.column} && a.variable == v;
      });
      const int token = c_.source.token_at(place.line, place.column);
      if (access == c_.accesses.list.end() || token < 0 || !c_.source.is(token, clause.variable) ||
          !c_.source.is(token + 1, "["))
        return fail(fmt::format("line {} does not read {} by its name", place.line, clause.variable));
      // An element that is not read in every iteration may not exist, and so cannot be copied.
      if (access->loops.back() != c_.id || access->subscripts.size() != 1 || !access->subscripts[0] ||
          certain_statement(c_, token) == nullptr || !is_decided_by_branches(c_, *access))
        return fail(fmt::format("the elements of {} that line {} reads are not known", clause.variable, place.line));
      for (const bool is_high : {false, true}) {
        const auto ends = bounds.ends(*access->subscripts[0], is_high);
        if (!ends) return fail(fmt::format("the elements of {} are not known", clause.variable));
        for (const Polynomial& end : *ends) {
          const auto text = bounds.text(end);
          if (!text) return fail(fmt::format("the elements of {} are not known", clause.variable));
          (is_high ? high : low).push_back(*text);
        }
      }
      const int after = c_.source.after_matching(token + 1);
      result_.inside.replace(offset(token), offset(token) + clause.variable.size(), c_.named(clause.variable));
      result_.inside.insert(offset(token + 1) + 1, "(");
      result_.inside.insert(offset(after - 1), fmt::format(") - {}_low", c_.named(clause.variable)));
    }
    add_copy(clause.variable, low, high);
    return !low.empty() || fail("nothing is copied");
  }

  void add_range(const std::string& a, const std::vector<std::string>& low, const std::vector<std::string>& high) {
    const std::string own = c_.named(a);
    const auto end = [&](const char* name, const std::vector<std::string>& values, char relation) {
      result_.before.push_back(fmt::format("long long {}_{} = {};", own, name, values[0]));
      for (std::size_t i = 1; i < values.size(); ++i) {
        result_.before.push_back(fmt::format("if ({0} {1} {2}_{3}) {2}_{3} = {0};", values[i], relation, own, name));
      }
    };
    end("low", low, '<');
    end("high", high, '>');
    result_.before.push_back(
        fmt::format("const long long {0}_size = {0}_high < {0}_low ? 1 : {0}_high - {0}_low + 1;", own));
  }

  void add_copy(const std::string& a, const std::vector<std::string>& low, const std::vector<std::string>& high) {
    const std::string &x = c_.prefix, own = c_.named(a);
    add_range(a, low, high);
    result_.before.push_back(
        fmt::format("__typeof__(&{1}[0]) const {0} = (__typeof__(&{1}[0]))__builtin_malloc((unsigned "
                    "long){0}_size * sizeof({1}[0]));",
                    own, a));
    result_.before.push_back(fmt::format("if ({} == 0) __builtin_abort();", own));
    result_.before.push_back("#pragma omp parallel for");
    result_.before.push_back(fmt::format(
        "for (long long {0}k = {2}_low; {0}k <= {2}_high; {0}k++) {2}[{0}k - {2}_low] = {1}[{0}k];", x, a, own));
    result_.after.push_back(fmt::format("__builtin_free({});", own));
  }

  // Gives each iteration its own elements; in the end, those of the last iteration replace the array's.
  bool own_elements(const Clause& clause) {
    const int v = c_.variable(clause.variable);
    if (v < 0 || is_field(clause.variable))
      return fail(fmt::format("{} is not a variable of its own", clause.variable));
    if (c_.counts_by_pointer() && !c_.head->is_counted) return fail("a pointer counts the loop");
    const Bounds bounds(c_.program, c_.accesses, c_.id);
    std::vector<std::string> low, high;
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.variable != v) continue;
      const int token = c_.source.token_at(a.place.line, a.place.column);
      if (!a.is_inlined && (token < 0 || !c_.source.is(token, clause.variable)))
        return fail(fmt::format("line {} does not name {}", a.place.line, clause.variable));
      for (const bool is_high : {false, true}) {
        const auto ends =
            a.subscripts.empty() || !a.subscripts[0] ? std::nullopt : bounds.ends(*a.subscripts[0], is_high);
        if (!ends) return fail(fmt::format("the elements of {} are not known", clause.variable));
        for (const Polynomial& end : *ends) {
          const auto text = bounds.text(end);
          if (!text) return fail(fmt::format("the elements of {} are not known", clause.variable));
          auto& list = is_high ? high : low;
          if (std::find(list.begin(), list.end(), *text) == list.end()) list.push_back(*text);
        }
      }
    }
    // Another name for the array would lead to the elements that all iterations share.
    for (int t = c_.part.begin; t < c_.part.end; ++t) {
      for (const Variable& other : c_.program.variables) {
        if (other.is_offset && other.base == v && c_.source.is(t, other.name))
          return fail(fmt::format("{} leads to elements of an array of its own", other.name));
      }
    }
    const std::string x = c_.named(clause.variable), &a = clause.variable;
    add_range(a, low, high);
    result_.before.push_back(fmt::format("__typeof__(&{1}[0]) const {0}_all = &{1}[0];", x, a));
    const Loop& loop = c_.accesses.loops[static_cast<std::size_t>(c_.id)];
    const std::string next = c_.head->is_counted
                                 ? fmt::format("{0}turn + 1 < {0}turns", c_.prefix)
                                 : fmt::format("((long long){} + {}) {} (long long)({})", c_.head->variable, loop.step,
                                               c_.head->relation, c_.head->bound);
    const std::string bytes = fmt::format("(unsigned long){0}_size * sizeof({0}_all[0])", x);
    own_start_ += fmt::format(
        " __typeof__(&{1}[0]) const {0}_own = (__typeof__(&{1}[0]))__builtin_malloc({2}); if ({0}_own == 0) "
        "__builtin_abort(); if (!({3})) __builtin_memcpy({0}_own, {0}_all + {0}_low, {2}); {{ __typeof__(&{1}[0]) "
        "const "
        "{1} = {0}_own - {0}_low;",
        x, a, bytes, next);
    own_end_ =
        fmt::format(" }} if (!({1})) __builtin_memcpy({0}_all + {0}_low, {0}_own, {2}); __builtin_free({0}_own);", x,
                    next, bytes) +
        own_end_;
    return true;
  }

  const Candidate& c_;
  std::string& why_;
  Rewritten result_;
  std::string at_start_;
  std::string own_start_, own_end_;  // before and after the body
};

}  // namespace

const TextPart* certain_statement(const Candidate& c, int token) {
  const TextPart* at = &c.part.parts[0];
  while (at->kind == TextPart::Kind::block) {
    const auto part = std::find_if(at->parts.begin(), at->parts.end(),
                                   [&](const TextPart& p) { return p.begin <= token && token < p.end; });
    if (part == at->parts.end()) return nullptr;
    at = &*part;
  }
  return at->kind == TextPart::Kind::plain ? at : nullptr;
}

bool is_decided_by_branches(const Candidate& c, const Access& access) {
  const int token = c.source.token_at(access.place.line, access.place.column);
  int branches = 0;
  const TextPart* at = &c.part.parts[0];
  for (bool found = token >= 0; found;) {
    branches += at->kind == TextPart::Kind::branch ? 1 : 0;
    const auto part = std::find_if(at->parts.begin(), at->parts.end(),
                                   [&](const TextPart& p) { return p.begin <= token && token < p.end; });
    found = part != at->parts.end();
    if (found) at = &*part;
  }
  const int conditions = access.conditions - c.accesses.loops[static_cast<std::size_t>(c.id)].conditions;
  return at->kind == TextPart::Kind::plain && conditions == branches;
}

const TextPart* statement_at(const Candidate& c, int line, int column) {
  const int token = c.source.token_at(line, column);
  return token < 0 ? nullptr : innermost(c.part.parts[0], token);
}

std::optional<std::string> private_clauses(const Candidate& c, const std::vector<Clause>& clauses, std::string& why) {
  std::string text;
  for (const Clause& clause : clauses) {
    const bool is_induction = clause.kind == "induction";
    if (clause.kind != "private" && clause.kind != "firstprivate" && clause.kind != "lastprivate" && !is_induction)
      continue;
    // Arrays with last values are handled by own_elements.
    const bool has_last = std::any_of(clauses.begin(), clauses.end(), [&](const Clause& x) {
      return x.kind == "lastprivate" && x.is_array && x.variable == clause.variable;
    });
    if (has_last) continue;
    const int v = c.variable(clause);
    const bool is_own = clause.variable == c.head->variable;
    if (!is_own && (v < 0 || is_field(clause.variable))) {
      why = fmt::format("{} is not a variable of its own", clause.variable);
      return std::nullopt;
    }
    if (!is_own && c.program.variables[static_cast<std::size_t>(v)].is_pointer) {
      why = fmt::format("{} is a pointer, so OpenMP does not make its elements private", clause.variable);
      return std::nullopt;
    }
    if (!is_own && c.program.variables[static_cast<std::size_t>(v)].is_array && c.has_other_name(v)) {
      why = fmt::format("a pointer leads to {}, too", clause.variable);
      return std::nullopt;
    }
    text += fmt::format(" {}({})", is_induction ? "lastprivate" : clause.kind, clause.variable);
  }
  return text;
}

std::optional<Rewritten> in_parallel(const Candidate& candidate, const std::vector<Clause>& clauses, std::string& why) {
  return Parallel(candidate, why).run(clauses);
}

}  // namespace papilio::loops
