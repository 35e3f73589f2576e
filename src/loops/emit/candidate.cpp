#include "loops/emit/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace papilio::loops {

bool Candidate::is_inside(const Access& access) const {
  const auto level = std::find(access.loops.begin(), access.loops.end(), id);
  if (level == access.loops.end()) return false;
  return !items || items->contains(access.items[static_cast<std::size_t>(level - access.loops.begin())]);
}

int Candidate::variable(const std::string& name) const {
  std::set<int> found;
  for (const Access& a : accesses.list) {
    const Variable& v = program.variables[static_cast<std::size_t>(a.variable)];
    if (is_inside(a) && v.name == name && !v.is_made) found.insert(a.variable);
  }
  return found.size() == 1 ? *found.begin() : -1;
}

int Candidate::variable(const Clause& clause) const {
  std::set<int> pointers;
  for (const Access& a : accesses.list) {
    const Variable& v = program.variables[static_cast<std::size_t>(a.variable)];
    if (is_inside(a) && v.is_offset && v.name == clause.variable) pointers.insert(a.variable);
  }
  return !clause.is_array && pointers.size() == 1 ? *pointers.begin() : variable(clause.variable);
}

bool Candidate::has_other_name(int array) const {
  for (std::size_t i = 0; i < program.variables.size(); ++i) {
    const Variable& v = program.variables[i];
    const auto declared = accesses.declared_in.find(static_cast<int>(i));
    const bool is_inside = declared != accesses.declared_in.end() &&
                           std::find(declared->second.begin(), declared->second.end(), id) != declared->second.end();
    if (v.base != array || is_inside) continue;
    for (int t = part.begin; t < part.end; ++t) {
      if (source.is(t, v.name)) return true;
    }
  }
  return false;
}

bool Candidate::counts_by_pointer() const {
  const int counter = accesses.loops[static_cast<std::size_t>(id)].variable;
  return counter >= 0 && program.variables[static_cast<std::size_t>(counter)].is_offset;
}

std::string Candidate::type() const {
  return head->type.empty() ? fmt::format("__typeof__({})", head->variable) : head->type;
}

std::string Candidate::first() const { return head->first.empty() ? head->variable : head->first; }

std::string Candidate::step() const { return std::to_string(accesses.loops[static_cast<std::size_t>(id)].step); }

std::string Candidate::start(const std::string& name) const {
  return fmt::format("{} const {} = {};", head->origin.empty() ? "long long" : type(), name, first());
}

std::string Candidate::count() const {
  const std::int64_t step = accesses.loops[static_cast<std::size_t>(id)].step;
  const std::string begin = head->origin.empty() ? fmt::format("(long long)({})", first())
                                                 : fmt::format("(({}) - {})", first(), head->origin);
  const std::string end = fmt::format("(long long)({})", head->bound);
  const std::string &low = step > 0 ? begin : end, &high = step > 0 ? end : begin;
  const bool has_equal = head->relation.size() == 2 && head->relation != "!=";
  const std::string room = fmt::format("({} - {}{})", high, low, has_equal ? " + 1" : "");
  const std::int64_t size = std::abs(step);
  const std::string number = size == 1 ? room : fmt::format("({} + {}) / {}", room, size - 1, size);
  const int least = head->runs_once ? 1 : 0;
  return fmt::format("{} > {} ? {} : {}", room, head->runs_once ? size : 0, number, least);
}

std::string Candidate::last(const std::string& first, const std::string& turns) const {
  const Loop& loop = accesses.loops[static_cast<std::size_t>(id)];
  // If the step is the first statement of the body, the test that ends the loop does not take it once more.
  const bool is_in_body = loop.steps_first && !loop.own.empty();
  return fmt::format("{} = {} + {} * {};", head->variable, first, is_in_body ? "(" + turns + " - 1)" : turns, step());
}

bool is_step(const Source& s, int first, int last) {
  const auto counts = [&](int t) { return s.is(t, "++") || s.is(t, "--"); };
  for (int t = first; t < last; ++t) {
    if (s.is(t, ",")) return false;
  }
  const auto after_name = [&](int t) { return s.is(t, "(") ? s.after_matching(t) : t + 1; };
  if (counts(first)) return after_name(first + 1) == last;
  const int at = after_name(first);
  if (at < first || at >= last) return false;
  return counts(at) ? at + 1 == last : s.is(at, "=") || s.is(at, "+=") || s.is(at, "-=");
}

const TextPart* Candidate::own_part(const Place& place) const {
  const int token = source.token_at(place.line, place.column);
  for (const TextPart& p : part.parts[0].parts) {
    if (p.begin != token || token < 0) continue;
    const bool is_test = p.kind == TextPart::Kind::branch && p.parts.size() == 1;
    return is_test || (p.kind == TextPart::Kind::plain && is_step(source, p.begin, p.end - 1)) ? &p : nullptr;
  }
  return nullptr;
}

bool Candidate::finds_own() const {
  const auto& own = accesses.loops[static_cast<std::size_t>(id)].own;
  return std::all_of(own.begin(), own.end(), [&](const Place& place) { return own_part(place) != nullptr; });
}

std::string Candidate::body(const Edits& edits) const {
  const TextPart& body = part.parts[0];
  const auto& tokens = source.tokens();
  const std::size_t from = tokens[static_cast<std::size_t>(body.begin)].begin;
  const std::size_t to = tokens[static_cast<std::size_t>(body.end - 1)].end;
  Edits all = edits;
  all.add(always);
  for (const Place& place : accesses.loops[static_cast<std::size_t>(id)].own) {
    const TextPart* own = own_part(place);
    if (own != nullptr)
      all.replace(tokens[static_cast<std::size_t>(own->begin)].begin,
                  tokens[static_cast<std::size_t>(own->end - 1)].end, "");
  }
  return all.apply(source.text(), from, to);
}

Edits placed(const Candidate& c, const Rewritten& r) {
  const std::string indent = c.indentation();
  std::string loop = r.loop;
  std::vector<std::string> before = r.before, after = r.after;
  if (loop.empty() && c.head->is_counted) {
    const std::string& x = c.prefix;
    before.insert(before.begin(), {c.start(x + "start"), fmt::format("const long long {}turns = {};", x, c.count())});
    loop = fmt::format(
        "for (long long {0}turn = 0; {0}turn < {0}turns; {0}turn++) {{ {1} {2} = {0}start + {0}turn * {3}; (void){2}; "
        "{4} }}",
        x, c.type(), c.head->variable, c.step(), c.body(r.inside));
    if (c.head->type.empty()) {
      after.push_back(c.last(x + "start", x + "turns"));
    }
  } else if (loop.empty() && c.part.kind == TextPart::Kind::repeat) {
    const std::string& v = c.head->variable;
    const std::string step = c.step();
    loop = fmt::format("for ({} = {}first; {} {} {}; {} {}= {}) {}", v, c.prefix, v, c.head->relation, c.head->bound, v,
                       step[0] == '-' ? '-' : '+', step[0] == '-' ? step.substr(1) : step, c.body(r.inside));
  } else if (loop.empty()) {
    loop = r.inside.apply(c.source.text(), c.begin(), c.end());
  }
  std::string text;
  const bool is_versioned = !r.condition.empty() && r.needs_version;
  std::string pragma = r.pragma;
  if (!r.condition.empty() && !is_versioned && !pragma.empty()) pragma += fmt::format(" if ({})", r.condition);
  if (c.part.kind == TextPart::Kind::repeat && r.loop.empty() && !c.head->is_counted) {
    before.insert(before.begin(), fmt::format("const {} {}first = {};", c.type(), c.prefix, c.head->variable));
  }
  const bool is_wrapped = is_versioned || !before.empty() || !after.empty();
  const std::string inner = is_wrapped ? indent + "  " : indent;
  if (is_versioned) text += fmt::format("if ({}) ", r.condition);
  if (is_wrapped) text += "{\n";
  for (const std::string& line : before) text += inner + line + "\n";
  if (!pragma.empty()) {
    if (!is_wrapped && !c.source.begins_line(c.begin())) text += "\n";
    text += (is_wrapped ? inner : std::string()) + pragma + "\n" + inner;
  } else if (is_wrapped) {
    text += inner;
  }
  text += loop;
  if (is_wrapped) {
    text += "\n";
    for (const std::string& line : after) text += inner + line + "\n";
    text += indent + "}";
  }
  if (is_versioned)
    text += fmt::format(" else {{\n{}  {}\n{}}}", indent, c.written.substr(c.begin(), c.end() - c.begin()), indent);
  Edits edits;
  std::size_t from = c.begin();
  if (!is_wrapped && !pragma.empty() && c.source.begins_line(from)) {  // the pragma begins its line
    from -= indent.size();
    text = indent + text;
  }
  edits.replace(from, c.written_end, std::move(text));
  return edits;
}

}  // namespace papilio::loops
