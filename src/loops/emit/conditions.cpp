#include "loops/emit/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "loops/emit/bounds.h"

namespace papilio::loops {
namespace {

// The text with min(a, b) and max(a, b) written out; nothing if it does not end in one of them.
std::optional<std::string> without_calls(const std::string& text) {
  const Source source(text);
  const int last = static_cast<int>(source.tokens().size()) - 1;
  for (int t = 0; t + 1 < last; ++t) {
    const bool is_min = source.is(t, "min"), is_max = source.is(t, "max");
    if ((!is_min && !is_max) || !source.is(t + 1, "(")) continue;
    const int after = source.after_matching(t + 1);
    int comma = -1, depth = 0;
    for (int k = t + 1; k < after - 1; ++k) {
      depth += source.is(k, "(") ? 1 : source.is(k, ")") ? -1 : 0;
      if (depth == 1 && source.is(k, ",")) comma = k;
    }
    if (after < 0 || comma < 0) return std::nullopt;
    const auto a = without_calls(std::string(source.text_of(t + 2, comma)));
    const auto b = without_calls(std::string(source.text_of(comma + 1, after - 1)));
    const auto rest = without_calls(std::string(text.substr(source.tokens()[static_cast<std::size_t>(after - 1)].end)));
    if (!a || !b || !rest) return std::nullopt;
    return fmt::format("{}(({}) {} ({}) ? ({}) : ({})){}",
                       text.substr(0, source.tokens()[static_cast<std::size_t>(t)].begin), *a, is_min ? "<" : ">", *b,
                       *a, *b, *rest);
  }
  return text;
}

std::optional<std::string> in_c(const std::string& text) {
  const auto plain = without_calls(text);
  return plain ? widened(*plain) : std::nullopt;
}

std::optional<std::string> range(const Candidate& c, const Predicate& p) {
  const Bounds bounds(c.program, c.accesses, c.id);
  for (const Obligation& o : c.accesses.obligations) {
    if (o.text == p.text) return bounds.in_range(o);
  }
  return std::nullopt;
}

std::optional<std::string> inspector(const Candidate& c, const Predicate& p, bool& needs_helper) {
  if (p.arrays.size() != 1 || p.low.empty() || p.high.empty()) return std::nullopt;
  if (const int v = c.variable(p.arrays[0]); v >= 0 && c.program.variables[static_cast<std::size_t>(v)].moves)
    return std::nullopt;
  const auto low = in_c(p.low), high = in_c(p.high);
  if (!low || !high) return std::nullopt;
  const std::string& x = c.prefix;
  const std::string& array = p.arrays[0];
  if (p.kind == "increasing") {
    return fmt::format(
        "__extension__({{ int {0}ok = 1; for (long long {0}k = {1}; {0}k < {2}; {0}k++) {0}ok &= {3}[{0}k] <= "
        "{3}[{0}k + 1]; {0}ok; }})",
        x, *low, *high, array);
  }
  const auto least = in_c(p.expression);
  if (!least) return std::nullopt;
  needs_helper = true;
  return fmt::format(
      "__extension__({{ const long long {0}n = {2} - {1} + 1; int {0}ok = {0}n <= 1; if (!{0}ok) {{ long long *{0}x = "
      "(long long *)__builtin_malloc((unsigned long){0}n * sizeof(long long)); if ({0}x) {{ for (long long {0}k = 0; "
      "{0}k < {0}n; {0}k++) {0}x[{0}k] = (long long){3}[{1} + {0}k]; {0}ok = {0}separated({0}x, {0}n, {4}); "
      "__builtin_free({0}x); }} }} {0}ok; }})",
      x, *low, *high, array, *least);
}

// A variable in the struct to which the pointer of this name leads, or one
// behind it, that every iteration or the loop's test reads; -1 if there is none.
int certainly_read(const Candidate& c, std::string_view pointer) {
  const auto variable = [&](int v) -> const Variable& { return c.program.variables[static_cast<std::size_t>(v)]; };
  const Loop& loop = c.accesses.loops[static_cast<std::size_t>(c.id)];
  const auto found = std::find_if(c.accesses.list.begin(), c.accesses.list.end(), [&](const Access& a) {
    const Variable& v = variable(a.variable);
    const bool is_first =
        v.object != a.variable && v.is_pointer && a.subscripts[0] && a.subscripts[0]->as_constant() == 0;
    if ((v.holder < 0 && !is_first) || !c.is_inside(a) || a.loops.back() != c.id) return false;
    if (variable(variable(v.holder >= 0 ? v.holder : a.variable).object).name != pointer) return false;
    return a.is_header || (a.conditions == loop.conditions && !loop.may_leave);
  });
  return found == c.accesses.list.end() ? -1 : found->variable;
}

// A condition that reads behind pointers may hold only if the loop reads there, too; nothing if the loop may not.
std::optional<std::string> guarded(const Candidate& c, const std::string& condition) {
  if (condition.find("->") == std::string::npos) return condition;
  const Source source(condition);
  const int last = static_cast<int>(source.tokens().size()) - 1;
  for (int t = 1; t < last; ++t) {
    if (!source.is(t, "->")) continue;
    const int read = source.kind(t - 1) == Token::Kind::word ? certainly_read(c, source.text_of(t - 1)) : -1;
    if (read < 0 || !Bounds(c.program, c.accesses, c.id).has_root(read)) return std::nullopt;
  }
  return fmt::format("({}) > 0 && ({})", c.count(), condition);
}

}  // namespace

std::optional<std::string> condition_of(const Candidate& c, const std::vector<Predicate>& predicates,
                                        bool& needs_helper, std::string& why) {
  std::string all;
  for (const Predicate& p : predicates) {
    std::optional<std::string> one;
    if (p.kind == "expression") {
      one = in_c(p.expression);
    } else if (p.kind == "range") {
      one = range(c, p);
    } else if (p.kind == "no_overlap" && p.arrays.size() == 2) {
      one = Bounds(c.program, c.accesses, c.id).no_overlap(p.arrays[0], p.arrays[1]);
    } else if (p.kind == "increasing" || p.kind == "separated") {
      one = inspector(c, p, needs_helper);
    }
    if (!one) {
      why = "the condition cannot be tested before the loop: " + p.text;
      return std::nullopt;
    }
    all += (all.empty() ? "" : " && ") + (predicates.size() > 1 ? "(" + *one + ")" : *one);
  }
  const auto sound = guarded(c, all);
  if (!sound)
    why = "the condition cannot be tested before the loop, which may not read what the condition reads: " + all;
  return sound;
}

std::string separated_helper(const std::string& prefix) {
  return fmt::format(R"(// Whether numbers differ from each other by at least `least`. Sorts them, in place.
static int {0}separated(long long *x, long long n, long long least) {{
  for (long long size = 2; size <= n + n - 1; size++) {{  // heap sort: the heap grows, then shrinks
    const long long end = size <= n ? size : 2 * n - size;
    if (size <= n) {{
      for (long long k = end - 1; k > 0 && x[(k - 1) / 2] < x[k]; k = (k - 1) / 2) {{
        const long long t = x[k];
        x[k] = x[(k - 1) / 2], x[(k - 1) / 2] = t;
      }}
      continue;
    }}
    const long long t = x[0];
    x[0] = x[end], x[end] = t;
    for (long long k = 0, c; (c = 2 * k + 1) < end; k = c) {{
      if (c + 1 < end && x[c + 1] > x[c]) c++;
      if (x[c] <= x[k]) break;
      const long long swapped = x[k];
      x[k] = x[c], x[c] = swapped;
    }}
  }}
  for (long long k = 1; k < n; k++) {{
    if ((unsigned long long)x[k] - (unsigned long long)x[k - 1] < (unsigned long long)least) return 0;
  }}
  return 1;
}}

)",
                     prefix);
}

}  // namespace papilio::loops
