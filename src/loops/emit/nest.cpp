#include "loops/emit/nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace papilio::loops {
namespace {

// Whether the loop at position `k` of the rows is parallel: in each row its entry is '=', or one to the left is '<'.
bool is_parallel_in(const std::vector<std::string>& rows, std::size_t k) {
  return std::all_of(rows.begin(), rows.end(), [&](const std::string& row) {
    return row[k] == '=' || row.substr(0, k).find('<') != std::string::npos;
  });
}

}  // namespace

std::optional<Nest> Nest::read(const Judged& f, const Candidate& outermost, const std::vector<int>& chain,
                               std::string& why) {
  Nest nest;
  const std::vector<Loop>& loops = f.accesses.loops;
  int top = chain[0];
  while (loops[static_cast<std::size_t>(top)].parent >= 0) top = loops[static_cast<std::size_t>(top)].parent;
  const auto report_of = [&](int l) { return static_cast<std::size_t>(f.reports[static_cast<std::size_t>(l)]); };
  for (std::size_t k = 0; k < chain.size(); ++k) {
    Candidate c = outermost;
    if (k > 0) {
      const auto index = report_of(chain[k]);
      Candidate inner{c.source, c.report, index, c.program, c.accesses, chain[k]};
      const int token = c.source.token_at(inner.loop().position.line, inner.loop().position.column);
      auto part = token < 0 ? std::nullopt : read_statement(c.source, token);
      if (part) {
        inner.part = std::move(*part);
        inner.head = read_head(c.source, inner.part, inner.loop().variable);
      }
      inner.prefix = c.prefix;
      nest.members_.push_back(inner);
    } else {
      nest.members_.push_back(c);
    }
    const Candidate& made = nest.members_.back();
    if (made.counts_by_pointer()) {
      why = "a pointer counts a loop of the nest";
      return std::nullopt;
    }
    if (!made.head || made.part.kind != TextPart::Kind::loop || made.head->type.empty()) {
      why = "a loop of the nest does not declare its variable, or has a head that OpenMP does not accept";
      return std::nullopt;
    }
  }
  const auto first = static_cast<std::size_t>(loops[static_cast<std::size_t>(chain[0])].depth);
  for (const Dependence& d : outermost.report.loops[report_of(top)].matrix) {
    if (d.directions.size() < first + chain.size()) {
      why = "a variable of the nest is not its own";
      return std::nullopt;
    }
    if (d.directions.substr(0, first).find('<') != std::string::npos) continue;  // carried by a loop around
    nest.rows_.push_back(d.directions.substr(first, chain.size()));
  }
  return nest;
}

// A name for the loop at position k.
std::string Nest::text(std::size_t k, const char* name) const {
  return fmt::format("{}{}{}", members_[0].prefix, name, k);
}

std::vector<std::string> Nest::counts() const {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Candidate& c = members_[k];
    lines.push_back(fmt::format("const long long {} = {};", text(k, "first"), c.first()));
    lines.push_back(fmt::format("const long long {} = {};", text(k, "count"), c.count()));
  }
  return lines;
}

Rewritten Nest::tiled(std::int64_t size) const {
  Rewritten r;
  const std::string indent = members_[0].indentation() + "  ";
  r.before = counts();
  r.before.insert(r.before.begin(), fmt::format("// Tiles of {} iterations of each loop.", size));
  // Two tiles may be neighbours along just one loop, so no dependence at all may lead along a parallel one.
  std::size_t parallel = 0;
  const auto is_free = [&](std::size_t k) {
    return std::all_of(rows_.begin(), rows_.end(), [&](const std::string& row) { return row[k] == '='; });
  };
  while (parallel < members_.size() && !is_free(parallel)) ++parallel;
  std::string step = indent;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (k == parallel) {
      if (k == 0) r.pragma = "#pragma omp parallel for";
      if (k > 0) r.loop += fmt::format("#pragma omp parallel for\n{}", step);
    }
    r.loop += fmt::format("for (long long {0} = 0; {0} < {1}; {0} += {2})\n", text(k, "tile"), text(k, "count"), size);
    step += "  ";
    r.loop += step;
  }
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Candidate& c = members_[k];
    r.loop +=
        fmt::format("for (long long {0} = {1}; {0} < {1} + {2} && {0} < {3}; {0}++) {{ {4} {5} = {6} + {0} * {7};\n",
                    text(k, "turn"), text(k, "tile"), size, text(k, "count"), c.head->type, c.head->variable,
                    text(k, "first"), c.step());
    step += "  ";
    r.loop += step;
  }
  r.loop += members_.back().body({}) + " " + std::string(members_.size(), '}');
  return r;
}

Rewritten Nest::reordered(const std::vector<std::size_t>& order) const {
  Rewritten r;
  std::vector<std::string> rows;
  for (const std::string& row : rows_) {
    std::string& made = rows.emplace_back();
    for (const std::size_t k : order) made += row[k];
  }
  std::string step = members_[0].indentation();
  bool has_pragma = false;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const Candidate& c = members_[order[at]];
    if (!has_pragma && is_parallel_in(rows, at)) {
      has_pragma = true;
      if (at == 0) r.pragma = "#pragma omp parallel for";
      if (at > 0) r.loop += fmt::format("#pragma omp parallel for\n{}", step);
    }
    r.loop += fmt::format("for ({})", c.source.text_of(c.part.head_begin, c.part.head_end));
    step += "  ";
    r.loop += at + 1 < order.size() ? "\n" + step : std::string(" ");
  }
  r.loop += members_.back().body({});
  return r;
}

}  // namespace papilio::loops
