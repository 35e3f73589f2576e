#include "loops/emit/steps.h"

#include <algorithm>
#include <utility>

#include "loops/emit/parallel.h"

namespace papilio::loops {
namespace {

// The tokens that form a step within a statement, with a comma if only
// that stands beside it; empty if the step is written in another way.
std::pair<int, int> step_within(const Candidate& c, const TextPart& statement, int token) {
  const Source& s = c.source;
  int first = statement.begin, last = first;
  for (; last < statement.end - 1 && !(s.is(last, ",") && last > token); ++last) {
    if (s.is(last, ",")) first = last + 1;
    if (s.is(last, "(") || s.is(last, "[") || s.is(last, "{")) last = s.after_matching(last) - 1;
  }
  const bool has_comma = first > statement.begin || last < statement.end - 1;
  if (has_comma && first == token && is_step(s, first, last))
    return first > statement.begin ? std::pair(first - 1, last) : std::pair(first, last + 1);
  const std::string& name = c.accesses.loops[static_cast<std::size_t>(c.id)].name;
  const int mark = s.is(token, name) ? token + 1 : token, named = s.is(token, name) ? token : token + 1;
  const bool counts = (s.is(mark, "++") || s.is(mark, "--")) && s.is(named, name);
  return counts ? std::pair(mark, mark + 1) : std::pair(0, 0);
}

}  // namespace

std::optional<std::string> without_steps(const Candidate& c) {
  std::string text(c.source.text());
  for (const Place& place : c.accesses.loops[static_cast<std::size_t>(c.id)].own) {
    if (c.own_part(place) != nullptr) continue;
    const TextPart* statement = statement_at(c, place.line, place.column);
    if (statement == nullptr) return std::nullopt;
    const auto [first, last] = step_within(c, *statement, c.source.token_at(place.line, place.column));
    if (first == last) return std::nullopt;
    const auto& tokens = c.source.tokens();
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(tokens[static_cast<std::size_t>(first)].begin);
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(tokens[static_cast<std::size_t>(last - 1)].end);
    std::replace_if(
        begin, end, [](char one) { return one != '\n'; }, ' ');
  }
  return text;
}

}  // namespace papilio::loops
