#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "papilio/loops.h"

#include "loops/report/words.h"

namespace papilio::loops {

std::string words_of(Verdict verdict) {
  std::string text(name(verdict));
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

std::string words_of(const Clause& c) {
  if (c.kind == "reduction" || c.kind == "scan") return fmt::format("{}({}: {})", c.kind, c.detail, c.variable);
  if (c.kind == "induction") return fmt::format("induction: {}", c.detail);
  return fmt::format("{}({})", c.kind, c.variable);
}

namespace {

// The colours of terminals: ECMA-48, select graphic rendition.
class Paint {
 public:
  explicit Paint(bool is_on) : is_on_(is_on) {}
  std::string operator()(const char* code, const std::string& text) const {
    return is_on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string operator()(Verdict verdict) const {
    const bool is_plain = verdict == Verdict::parallel, is_sequential = verdict == Verdict::sequential;
    const char* const code = is_plain ? "32" : is_sequential ? "31" : verdict == Verdict::not_proven ? "35" : "33";
    return (*this)(code, words_of(verdict));
  }
  std::string operator()(ClaimStatus status) const {
    const char* const code = status == ClaimStatus::holds ? "32" : status == ClaimStatus::racy ? "1;31" : "35";
    return (*this)(code, status == ClaimStatus::not_proven ? "not proven" : std::string(name(status)));
  }

 private:
  bool is_on_;
};

std::string witness_text(const Witness& w) {
  return fmt::format("{}: iteration ({}) and iteration ({}){}", w.variable, fmt::join(w.source_iteration, ", "),
                     fmt::join(w.sink_iteration, ", "),
                     w.values.empty() ? "" : fmt::format(", for {}", fmt::join(w.values, ", ")));
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
                        d.is_exact ? "" : "  not ruled out");
  }
}

}  // namespace

std::string to_text(const Report& report, bool explain, bool color) {
  const Paint paint(color);
  std::string page, function;
  for (const LoopReport& loop : report.loops) {
    const std::string indent(2 * static_cast<std::size_t>(loop.depth), ' ');
    if (loop.function != function || (loop.parent < 0 && !page.empty())) page += page.empty() ? "" : "\n";
    if (loop.function != function) page += paint("1", loop.function) + "\n";
    function = loop.function;
    const std::string what = loop.variable.empty() ? "loop" : "loop of " + loop.variable;
    page += fmt::format("  {}line {}, {}: {}\n", indent, loop.position.line, what, paint(loop.verdict));
    page += fmt::format("    {}{}\n", indent, loop.reason);
    for (const Clause& c : loop.clauses) page += fmt::format("    {}{}\n", indent, words_of(c));
    for (const std::string& c : loop.condition) page += fmt::format("    {}if {}\n", indent, c);
    if (loop.witness) page += fmt::format("    {}{}\n", indent, witness_text(*loop.witness));
    if (!explain) continue;
    for (const Transformation& t : loop.transformations) page += fmt::format("    {}{} {}\n", indent, t.kind, t.detail);
    add_matrix(loop, page);
  }
  if (!report.claims.empty()) page += fmt::format("{}{}\n", page.empty() ? "" : "\n", paint("1", "pragmas"));
  for (const Claim& c : report.claims) {
    page += fmt::format("  line {}: {}\n    {}\n", c.position.line, paint(c.status), c.reason);
    if (c.witness) page += fmt::format("    {}\n", witness_text(*c.witness));
  }
  return page.empty() ? "no loops\n" : page;
}

}  // namespace papilio::loops
