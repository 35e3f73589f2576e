#include "loops/verdict/scans.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace papilio::loops {
namespace {

// What knows of the variable: statements that read it, what they write, and so on. The statements `own` do not count.
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

// Whether the statement's result rests on the variable in no way but by the accesses that are marked.
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

// The statements in which a recurrence of the variable is written.
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
  // What is made of the variable on the way to its next value knows of it too.
  const Taint taint = taint_of(view, variable, is_spread ? std::set<int>() : updates);
  for (const std::set<int>* all : {&updates, &others, &parts}) {
    for (const int s : *all) {
      if (!is_free_of(taint, view, variable, s)) return false;
    }
  }
  return true;
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
    // x + b, a x and b, which starts anew, are linear too.
    for (const std::string& op : ops) {
      if (op != "+" && op != "*" && op != "linear") return std::nullopt;
    }
    scan.op = "linear";
  } else {
    scan.is_segmented = !resets.empty();
  }
  if (scan.op == "fractional" && (updates.size() > 1 || scan.is_segmented)) return std::nullopt;
  // A write where another write is conditional on it must be known to be free of the accumulator as well.
  if (!trusts && !are_free(view, variable, updates, resets)) return std::nullopt;
  return scan;
}

bool is_within(const Accesses& accesses, int loop, int root) {
  while (loop >= 0 && loop != root) loop = accesses.loops[static_cast<std::size_t>(loop)].parent;
  return loop == root;
}

// A subscript in the iteration before; nothing where it holds something that may be another value there.
std::optional<Polynomial> before_of(const Accesses& accesses, int root, const Polynomial& subscript) {
  const Loop& loop = accesses.loops[static_cast<std::size_t>(root)];
  Polynomial moved;
  for (const auto& [monomial, coefficient] : subscript.terms()) {
    std::optional<Polynomial> term = Polynomial::constant(coefficient);
    for (const int s : monomial) {
      const Symbol& symbol = accesses.symbols[static_cast<std::size_t>(s)];
      const bool counts = symbol.kind == Symbol::Kind::count && symbol.defined_in == root;
      const bool is_other = symbol.kind != Symbol::Kind::iterator && is_within(accesses, symbol.defined_in, root);
      if (is_other && !counts) return std::nullopt;
      const std::int64_t step = s == loop.symbol ? loop.step : counts ? 1 : 0;
      const auto factor = Polynomial::sum(Polynomial::symbol(s), Polynomial::constant(-step));
      term = term && factor ? Polynomial::product(*term, *factor) : std::nullopt;
    }
    const auto sum = term ? Polynomial::sum(moved, *term) : std::nullopt;
    if (!sum) return std::nullopt;
    moved = *sum;
  }
  return moved;
}

// Whether a read is of the element that the write has written in the iteration before, in every iteration.
bool reads_the_one_before(const Accesses& accesses, int root, const Access& read, const Access& write) {
  if (read.subscripts.size() != write.subscripts.size()) return false;
  for (std::size_t k = 0; k < write.subscripts.size(); ++k) {
    if (!read.subscripts[k] || !write.subscripts[k]) return false;
    const auto before = before_of(accesses, root, *write.subscripts[k]);
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

}  // namespace papilio::loops
