#include "loops/emit/heads.h"

#include <fmt/format.h>

#include <cstdlib>

#include "loops/emit/bounds.h"

namespace papilio::loops {

std::optional<Head> counted_head(const Candidate& c) {
  const Loop& loop = c.accesses.loops[static_cast<std::size_t>(c.id)];
  auto head = read_start(c.source, c.part, loop.name);
  if (!head || !loop.fault.empty() || loop.room.empty()) return std::nullopt;
  if (c.counts_by_pointer()) {
    const Variable& counter = c.program.variables[static_cast<std::size_t>(loop.variable)];
    if (counter.base < 0) return std::nullopt;
    const Variable& array = c.program.variables[static_cast<std::size_t>(counter.base)];
    if (array.moves || array.extents.size() > 1 || is_field(array.name)) return std::nullopt;
    head->origin = fmt::format("&{}[0]", array.name);
  }
  const Bounds bounds(c.program, c.accesses, c.id);
  std::string bound;
  for (const Polynomial& room : loop.room) {  // rest - i >= 0; downwards, i + rest >= 0
    const std::int64_t slope = room.coefficient({loop.symbol});
    if (slope != (loop.step > 0 ? -1 : 1)) return std::nullopt;
    Polynomial rest = room;
    rest.set({loop.symbol}, 0);
    const auto value = loop.step > 0 ? rest : Polynomial::product(rest, Polynomial::constant(-1));
    const auto text = value ? bounds.text(*value) : std::nullopt;
    if (!text) return std::nullopt;
    bound = bound.empty() ? *text
                          : fmt::format("(({0}) {2} ({1}) ? ({0}) : ({1}))", bound, *text, loop.step > 0 ? "<" : ">");
  }
  head->is_counted = true;
  head->runs_once = loop.runs_once;
  head->relation = loop.step > 0 ? "<=" : ">=";
  head->bound = bound;
  const std::string first = head->first.empty() ? head->variable : head->first;
  const std::string type = head->type.empty() ? fmt::format("__typeof__({})", head->variable) : head->type;
  const char sign = loop.step > 0 ? '+' : '-';
  if (loop.steps_in_test && !loop.runs_once && head->origin.empty()) {
    // As wide as the variable: an unsigned one may wrap around to 0 here.
    head->first = fmt::format("(long long)({0})(({0})({1}) {2} {3})", type, first, sign, std::abs(loop.step));
  } else if (loop.steps_first || (loop.steps_in_test && !loop.runs_once)) {
    head->first =
        fmt::format("{}({}) {} {}", head->origin.empty() ? "(long long)" : "", first, sign, std::abs(loop.step));
  }
  return head;
}

}  // namespace papilio::loops
