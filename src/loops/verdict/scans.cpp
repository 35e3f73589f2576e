#include "loops/verdict/scans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace papilio::loops {
namespace {

// What depends on the variable: statements that read it, what they write, and so on. Statements `own` do not count.
struct Taint {
  std::set<int> variables, statements;
};

Taint taint_of(const View& view, int variable, const std::set<int>& own) {
  Taint t;
  t.variables = {variable};
  for (bool grows = true; grows;) {
    grows = false;
    for (const Access* a : view.accesses) {
      if (own.contains(a->statement) && !t.statements.contains(a->statement)) continue;
      const bool controlled =
          std::any_of(a->controls.begin(), a->controls.end(), [&](int c) { return t.statements.contains(c); });
      if ((controlled || (!a->is_write && t.variables.contains(a->variable))) &&
          t.statements.insert(a->statement).second)
        grows = true;
      if (a->is_write && t.statements.contains(a->statement) && t.variables.insert(a->variable).second) grows = true;
    }
  }
  return t;
}

// Whether the statement's result depends on the variable only through the accesses that are marked.
bool is_free_of(const Taint& taint, const View& view, int variable, int statement) {
  for (const Access* a : view.accesses) {
    if (a->statement != statement) continue;
    for (const int c : a->controls) {
      if (taint.statements.contains(c)) return false;
    }
    const bool marked =
        (a->variable == variable && (!a->update.empty() || !a->recurrence.empty())) || a->recurs == variable;
    if (!a->is_write && !marked && taint.variables.contains(a->variable)) return false;
  }
  return true;
}

// The statements that compute a recurrence of the variable.
std::set<int> parts_of(const View& view, int variable) {
  std::set<int> parts;
  for (const Access* a : view.accesses) {
    if (a->recurs == variable) parts.insert(a->statement);
  }
  return parts;
}

bool are_free(const View& view, int variable, const std::set<int>& updates, const std::set<int>& others) {
  const std::set<int> parts = parts_of(view, variable);
  const bool is_spread =
      std::any_of(parts.begin(), parts.end(), [&](int s) { return !updates.contains(s) && !others.contains(s); });
  // Intermediate results for the variable's next value depend on it, too.
  const Taint taint = taint_of(view, variable, is_spread ? std::set<int>() : updates);
  for (const std::set<int>* all : {&updates, &others, &parts}) {
    for (const int s : *all) {
      if (!is_free_of(taint, view, variable, s)) return false;
    }
  }
  return true;
}

// "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : k + 1 == words.size() ? " and " : ", ", words[k]);
  return text;
}

// "line 3 makes", "lines 3 and 4 make".
std::string lines_of(const std::set<int>& lines, const std::string& verb) {
  std::vector<std::string> words;
  for (const int line : lines) words.push_back(std::to_string(line));
  return words.size() == 1 ? fmt::format("line {} {}s", words[0], verb)
                           : fmt::format("lines {} {}", listed(words), verb);
}

std::optional<Scan> of_accumulator(const View& view, int variable, bool trusts) {
  Scan scan;
  scan.variable = variable;
  std::set<int> resets, updates;
  std::set<std::string> ops;
  for (const Access* a : view.accesses) {
    if (a->variable != variable || !a->is_write) continue;
    const std::string& op = a->update.empty() ? a->recurrence : a->update;
    if (op.empty()) {
      resets.insert(a->statement);
      continue;
    }
    updates.insert(a->statement);
    ops.insert(op);
  }
  if (updates.empty()) return std::nullopt;
  scan.op = *ops.begin();
  const bool starts_anew_between = updates.size() > 1 && !resets.empty();
  if (ops.size() > 1 || starts_anew_between || ops.contains("linear")) {
    // x + b, a x, and b alone, which restarts the scan, are linear, too.
    for (const std::string& op : ops) {
      if (op != "+" && op != "*" && op != "linear") return std::nullopt;
    }
    scan.op = "linear";
  } else {
    scan.is_segmented = !resets.empty();
  }
  if (scan.op == "fractional" && (updates.size() > 1 || scan.is_segmented)) return std::nullopt;
  // Except by the recurrence itself, no update or restart may depend on the accumulator, nor may its conditions.
  if (!trusts && !are_free(view, variable, updates, resets)) return std::nullopt;
  return scan;
}

// Whether in every iteration a read is of the element that the write has written in the iteration before.
bool reads_the_one_before(const Accesses& accesses, int root, const Access& read, const Access& write) {
  if (read.subscripts.size() != write.subscripts.size()) return false;
  for (std::size_t k = 0; k < write.subscripts.size(); ++k) {
    if (!read.subscripts[k] || !write.subscripts[k]) return false;
    const auto before = before_of(accesses, root, *write.subscripts[k], 1);
    if (!before || !(*before == *read.subscripts[k])) return false;
  }
  return true;
}

std::optional<Scan> of_array(const Accesses& accesses, const Carrier& carrier, int variable,
                             const std::vector<Carried>& dependences) {
  const View& view = carrier.view();
  Scan scan;
  scan.variable = variable;
  const Access* write = nullptr;
  for (const Access* a : view.accesses) {
    if (a->variable != variable || !a->is_write) continue;
    if (a->recurrence.empty() || write != nullptr) return std::nullopt;
    write = a;
    scan.op = a->recurrence;
  }
  if (write == nullptr) return std::nullopt;
  const std::set<int> parts = parts_of(view, variable);
  for (const Access* a : view.accesses) {
    if (a->variable != variable || a->is_write || !parts.contains(a->statement)) continue;
    if (a->subscripts != write->subscripts && !reads_the_one_before(accesses, view.root, *a, *write))
      return std::nullopt;
  }
  const std::int64_t step = std::abs(accesses.loops[static_cast<std::size_t>(view.root)].step);
  for (const Carried& pair : dependences) {
    const Access &a = *view.accesses[pair.first], &b = *view.accesses[pair.second];
    if (!a.is_write || b.is_write) return std::nullopt;
    if (!parts.contains(b.statement)) continue;
    if (carrier.exists(pair.first, pair.second, step + 1) != Existence::none) return std::nullopt;
    for (const int l : a.loops) {
      const bool is_inside =
          accesses.loops[static_cast<std::size_t>(l)].depth > accesses.loops[static_cast<std::size_t>(view.root)].depth;
      if (is_inside && carrier.moves_along(pair.first, pair.second, l)) return std::nullopt;
    }
    if (pair.existence != Existence::exact) return std::nullopt;
  }
  if (!are_free(view, variable, {write->statement}, {})) return std::nullopt;
  return scan;
}

}  // namespace

std::optional<Scan> find_scan(const Program& program, const Accesses& accesses, const Carrier& carrier,
                              const std::vector<Carried>& dependences, bool is_complete, bool trusts) {
  const View& view = carrier.view();
  const int variable = view.accesses[dependences[0].first]->variable;
  for (const Carried& pair : dependences) {
    if (view.accesses[pair.first]->variable != variable) return std::nullopt;
  }
  if (!program.variables[static_cast<std::size_t>(variable)].is_array) return of_accumulator(view, variable, trusts);
  return is_complete ? of_array(accesses, carrier, variable, dependences) : std::nullopt;
}

std::optional<LinearSystem> find_system(const Program& program, const Accesses& accesses, const View& view,
                                        const std::vector<Carried>& dependences, const Part& part) {
  if (part.loop >= 0 && part.loop != view.root) return std::nullopt;
  std::set<int> variables;
  for (const Carried& pair : dependences) variables.insert(view.accesses[pair.first]->variable);
  return linear_system_of(program, accesses, view.root, variables, part.loop < 0 ? nullptr : &part.items);
}

std::string reason_of(const Program& program, const Scan& scan) {
  const std::string& name = program.variables[static_cast<std::size_t>(scan.variable)].name;
  if (scan.op == "linear")
    return fmt::format(
        "Each iteration computes a {0} + b from the previous {0}; composing such functions is associative: "
        "(a2 a1, a2 b1 + b2).",
        name);
  if (scan.op == "fractional")
    return fmt::format(
        "Each iteration computes (a {0} + b) / (c {0} + d) from the previous {0}; composing such functions is "
        "associative: the product of 2 x 2 matrices.",
        name);
  return fmt::format("Each iteration updates {} from its previous value by {}, an associative operator.", name,
                     scan.op);
}

std::string reason_of(const Program& program, const LinearSystem& system) {
  std::set<int> variables, writing, reading;
  for (const LinearSystem::State& state : system.states) variables.insert(state.variable);
  std::vector<std::string> names, before;
  for (const int v : variables) {
    names.push_back(program.variables[static_cast<std::size_t>(v)].name);
    for (const Position& place : statements_of(system, v)) writing.insert(place.line);
  }
  for (const auto& [read, distance] : system.certain) reading.insert(read->place.line);
  const std::size_t size = system.states.size();
  const std::string end = fmt::format(
      "composing such functions is associative: the product of {0} x {0} matrices, (A2 A1, A2 b1 + b2).", size);
  if (variables.size() > 1)
    return fmt::format("A linear recurrence of {} coupled variables, {}: {} them from their values in {}; {}",
                       names.size(), listed(names), lines_of(writing, "compute"),
                       size > names.size() ? "earlier iterations" : "the previous iteration", end);
  for (std::size_t d = 1; d <= size; ++d) before.push_back(std::to_string(d));
  return fmt::format("A linear recurrence of order {}: {} {} from its elements of {} iterations earlier, which {}; {}",
                     size, lines_of(writing, "compute"), names[0], listed(before), lines_of(reading, "read"), end);
}

std::vector<Position> statements_of(const LinearSystem& system, int variable) {
  std::vector<Position> found;
  for (const LinearSystem::Step& step : system.steps) {
    const Stmt& s = *step.statement;
    const int v = s.kind == Stmt::Kind::declare ? s.variable : s.target.variable;
    if (step.is_of_state && v == variable) found.push_back({s.place.line, s.place.column});
  }
  return found;
}

}  // namespace papilio::loops
