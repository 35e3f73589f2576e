#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

std::string verdict_text(Verdict verdict) {
  std::string text(name(verdict));
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

std::string clause_text(const Clause& c) {
  if (c.kind == "reduction" || c.kind == "scan") return fmt::format("{}({}: {})", c.kind, c.detail, c.variable);
  if (c.kind == "induction") return fmt::format("induction: {}", c.detail);
  return fmt::format("{}({})", c.kind, c.variable);
}

void add_matrix(const LoopReport& loop, std::string& page) {
  if (loop.matrix.empty()) return;
  page += "  directions, from the outermost loop:\n";
  for (const Dependence& d : loop.matrix) {
    std::string row;
    for (const char c : d.directions) row += (row.empty() ? "" : ", ") + std::string(1, c);
    std::string distances;
    for (const auto& x : d.distances) distances += (distances.empty() ? "" : ", ") + (x ? std::to_string(*x) : "*");
    page += fmt::format("    [{}]  {:<6}  {}: line {} -> line {}{}{}\n", row, d.kind, d.variable, d.source.line,
                        d.sink.line, d.distances.empty() ? "" : "  distance (" + distances + ")",
                        d.is_exact ? "" : "  not excluded");
  }
}

}  // namespace

std::string to_text(const Report& report, bool explain) {
  std::string page, function;
  for (const LoopReport& loop : report.loops) {
    const std::string indent(2 * static_cast<std::size_t>(loop.depth), ' ');
    if (loop.function != function || (loop.parent < 0 && !page.empty())) page += page.empty() ? "" : "\n";
    if (loop.function != function) page += loop.function + "\n";
    function = loop.function;
    const std::string what = loop.variable.empty() ? "loop" : "loop of " + loop.variable;
    page += fmt::format("  {}line {}, {}: {}\n", indent, loop.position.line, what, verdict_text(loop.verdict));
    page += fmt::format("    {}{}\n", indent, loop.reason);
    for (const Clause& c : loop.clauses) page += fmt::format("    {}{}\n", indent, clause_text(c));
    for (const std::string& c : loop.condition) page += fmt::format("    {}if {}\n", indent, c);
    if (loop.witness) {
      const Witness& w = *loop.witness;
      page += fmt::format("    {}{}: iteration ({}) and iteration ({}){}\n", indent, w.variable,
                          fmt::join(w.source_iteration, ", "), fmt::join(w.sink_iteration, ", "),
                          w.values.empty() ? "" : fmt::format(", for {}", fmt::join(w.values, ", ")));
    }
    if (!explain) continue;
    for (const Transformation& t : loop.transformations) page += fmt::format("    {}{} {}\n", indent, t.kind, t.detail);
    add_matrix(loop, page);
  }
  return page.empty() ? "no loops\n" : page;
}

}  // namespace papilio::loops
