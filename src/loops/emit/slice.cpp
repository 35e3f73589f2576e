#include "loops/emit/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "loops/emit/parallel.h"
#include "loops/emit/recurrence.h"
#include "loops/emit/slicing.h"

namespace papilio::loops {
namespace {

class Slicer : Slicing {
 public:
  Slicer(const Candidate& candidate, const Clause& scan, std::string& why) : Slicing(candidate, why), scan_(scan) {}

  std::optional<Slice> run(const std::vector<Clause>& clauses) {
    s_.op = scan_.detail.substr(0, scan_.detail.find(','));
    s_.is_segmented = scan_.detail.find("segmented") != std::string::npos;
    variable_ = c_.variable(scan_.variable);
    s_.is_array = variable_ >= 0 && variable(variable_).is_array;
    if (variable_ < 0 || (is_field(scan_.variable) && !s_.is_array))
      return fail(fmt::format("{} is not a variable of its own", scan_.variable));
    const Variable& x = variable(variable_);
    if (s_.op == "linear" || s_.op == "fractional")
      s_.type = x.type.kind == Type::Kind::real ? "double" : "unsigned long long";
    for (const Clause& clause : clauses) {
      // In a piece of a loop, the step may be in another piece.
      if ((clause.kind == "induction" && c_.items) || clause.kind == "copy")
        return fail(fmt::format("a scan with {} is not supported", clause.kind == "copy" ? "a copy" : "an induction"));
    }
    if (s_.is_array ? !find_recurrence() : !find_updates()) return std::nullopt;
    for (const Clause& clause : clauses) {
      if (clause.kind.ends_with("private") || clause.kind == "induction") privates_.insert(clause.variable);
    }
    if (!sliced(c_.part.parts[0], s_.text)) return fail("the computation of the scan's values cannot be separated");
    if (!is_closed() || !has_no_effects() || !starts_alone() || !take_shared(s_.needed, s_.text)) return std::nullopt;
    return std::move(s_);
  }

 private:
  std::size_t begin_of(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].begin; }
  std::size_t end_of(int token) const { return c_.source.tokens()[static_cast<std::size_t>(token)].end; }

  // Finds the statements that change the accumulator.
  bool find_updates() {
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.variable != variable_ || !a.is_write) continue;
      const TextPart* statement = statement_at(c_, a.place.line, a.place.column);
      if (statement == nullptr) return refuse(fmt::format("line {} is not a statement of its own", a.place.line));
      ++writes_[statement->begin];
      if (!is_decided_by_branches(c_, a)) hidden_.insert(statement->begin);
      marked_.insert(statement->begin);
      if (a.update.empty()) resets_.insert(statement->begin);
    }
    s_.accumulator = scan_.variable;
    if (!find_parts()) return false;
    return !marked_.empty() || refuse("its updates are not found");
  }

  // Finds the statements that compute parts of the function, before the one that completes it.
  bool find_parts() {
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.recurs != variable_) continue;
      const TextPart* statement = statement_at(c_, a.place.line, a.place.column);
      if (statement == nullptr) return refuse(fmt::format("line {} is not a statement of its own", a.place.line));
      if (!is_decided_by_branches(c_, a)) hidden_.insert(statement->begin);
      if (!marked_.contains(statement->begin)) parts_.insert(statement->begin);
    }
    if (!parts_.empty() && !s_.is_function()) return refuse("its values are made in several statements");
    return true;
  }

  // a[i] = a[i - 1] op e: an accumulator replaces the reads, and is set where the element is written.
  bool find_recurrence() {
    const Access* write = nullptr;
    for (const Access& a : c_.accesses.list) {
      if (c_.is_inside(a) && a.variable == variable_ && a.is_write) write = &a;
    }
    if (write == nullptr || write->loops.back() != c_.id) return refuse("a scan along an outer loop is not written");
    const TextPart* statement = statement_at(c_, write->place.line, write->place.column);
    if (statement == nullptr) return refuse("the statement of the scan is not found");
    if (after_element(statement->begin) < 0) return refuse("an array is not written under its own name");
    if (certain_statement(c_, statement->begin) == nullptr || !is_decided_by_branches(c_, *write))
      return refuse("its elements are not written in every iteration");
    marked_.insert(statement->begin);
    s_.statement = statement->begin;
    if (!find_parts()) return false;
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || a.variable != variable_ || a.is_write || a.subscripts == write->subscripts) continue;
      const int token = c_.source.token_at(a.place.line, a.place.column);
      if (a.recurs != variable_) return refuse(fmt::format("line {} reads what other iterations write", a.place.line));
      const int end = token < 0 ? -1 : after_element(token);
      if (end < 0) return refuse("an element is not read under its own name");
      s_.reads[token] = end;
    }
    s_.assigns = assignment(*statement);
    if (s_.reads.empty() || s_.assigns < 0) return refuse("the statement of the scan is no assignment");
    s_.accumulator = c_.prefix + "sum";
    return true;
  }

  // The token after an element of the array: a[i], s->a[i], s.a[i], a[i].x. -1 if no element begins at the token.
  int after_element(int token) const {
    const Source name(scan_.variable);
    const int names = static_cast<int>(name.tokens().size()) - 1;  // the last one is the text's end
    if ((names != 1 && names != 3) || !c_.source.is(token, name.text_of(0))) return -1;
    int end = token + 1, subscripts = 0;
    const auto skip = [&] {
      for (; end > 0 && c_.source.is(end, "["); ++subscripts) end = c_.source.after_matching(end);
      return end > 0;
    };
    if (!skip()) return -1;
    if (names == 3) {
      const bool is_same = c_.source.is(end, name.text_of(1)) || (subscripts > 0 && c_.source.is(end, "."));
      if (!is_same || !c_.source.is(end + 1, name.text_of(2))) return -1;
      end += 2;
      if (!skip()) return -1;
    }
    const bool goes_on = c_.source.is(end, ".") || c_.source.is(end, "->");
    return subscripts > 0 && !goes_on ? end : -1;
  }

  // Whether the slice has anything of a part: a statement that the scan's values depend on, or one that skips others.
  bool has_kept(const TextPart& part, bool counts_jumps = true) const {
    if (part.kind == TextPart::Kind::plain)
      return keeps(part) || (counts_jumps && c_.source.is(part.begin, "continue"));
    const bool counts = counts_jumps && part.kind != TextPart::Kind::loop && part.kind != TextPart::Kind::repeat;
    return std::any_of(part.parts.begin(), part.parts.end(), [&](const TextPart& p) { return has_kept(p, counts); });
  }

  // Whether a plain statement belongs to the scan, or declares or assigns a variable that the slice needs.
  bool keeps(const TextPart& p) const {
    if (marked_.contains(p.begin) || parts_.contains(p.begin)) return true;
    const auto [first, last] = written_.equal_range(p.begin);
    if (first != last) {
      return std::any_of(first, last, [&](const auto& w) { return is_needed(w.second, s_.needed); });
    }
    const bool declares = c_.source.kind(p.begin) == Token::Kind::word &&
                          (c_.source.kind(p.begin + 1) == Token::Kind::word || c_.source.is(p.begin + 1, "*"));
    for (int k = p.begin; k < p.end && declares; ++k) {
      if (s_.needed.contains(std::string(c_.source.text_of(k)))) return true;
    }
    return false;
  }

  // Finds the variables that each plain statement writes.
  void find_written() {
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || !a.is_write || a.is_inlined) continue;
      if (const TextPart* statement = statement_at(c_, a.place.line, a.place.column))
        written_.emplace(statement->begin, a.variable);
    }
  }

  void need(int first, int last) { Slicing::need(first, last, s_.needed); }

  // The part without what the accumulator does not need; false if the two cannot be separated.
  bool sliced(const TextPart& part, std::string& text) {
    find_written();
    for (bool grows = true; grows;) {
      const std::size_t before = s_.needed.size();
      text.clear();
      made_.clear();
      whole_.clear();
      loops_.clear();
      if (!slice(part, text)) return false;
      grows = s_.needed.size() != before;
    }
    return true;
  }

  bool slice(const TextPart& part, std::string& text) {
    switch (part.kind) {
      case TextPart::Kind::block: {
        text += "{ ";
        for (const TextPart& p : part.parts) {
          if (is_own_step(p)) continue;
          if (!slice(p, text)) return false;
        }
        text += "} ";
        return true;
      }
      case TextPart::Kind::branch: {
        if (!has_kept(part)) return true;
        need(part.head_begin, part.head_end);
        text += fmt::format("if ({}) {{ ", c_.source.text_of(part.head_begin, part.head_end));
        if (!slice(part.parts[0], text)) return false;
        text += "} ";
        if (part.parts.size() > 1 && has_kept(part.parts[1])) {
          text += "else { ";
          if (!slice(part.parts[1], text)) return false;
          text += "} ";
        }
        return true;
      }
      case TextPart::Kind::loop: {
        if (!has_kept(part)) return true;
        loops_.insert(part.begin);
        need(part.head_begin, part.head_end);
        text += fmt::format("for ({}) {{ ", c_.source.text_of(part.head_begin, part.head_end));
        if (!slice(part.parts[0], text)) return false;
        text += "} ";
        return true;
      }
      case TextPart::Kind::plain:
        return slice_plain(part, text);
      default:
        return !has_kept(part);
    }
  }

  // Whether a statement is a step or a test of the loop itself.
  bool is_own_step(const TextPart& p) const {
    const auto& own = c_.accesses.loops[static_cast<std::size_t>(c_.id)].own;
    return std::any_of(own.begin(), own.end(), [&](const Place& place) { return c_.own_part(place) == &p; });
  }

  bool slice_plain(const TextPart& part, std::string& text) {
    if (c_.source.is(part.begin, "continue")) {
      text += "continue; ";
      return true;
    }
    if (!keeps(part)) return !c_.source.is(part.begin, "break");
    const bool is_marked = marked_.contains(part.begin);
    const bool takes_step = is_marked && !s_.is_array && !c_.source.is(part.begin, s_.accumulator);
    const bool is_of_function = s_.is_function() && (is_marked || parts_.contains(part.begin));
    const bool is_whole = !is_of_function && !(is_marked && s_.is_array) && !resets_.contains(part.begin);
    if (hidden_.contains(part.begin) && !is_whole)
      return refuse("an operator decides whether a statement of the scan runs");
    if (takes_step && slice_step(part, text)) return true;
    if (is_of_function) return slice_function(part, text);
    if (is_marked && s_.is_array) {
      slice_element(part, text);
      return true;
    }
    whole_.insert(part.begin);
    need(part.begin, part.end);
    text += std::string(c_.source.text_of(part.begin, part.end)) + " ";
    if (resets_.contains(part.begin)) text += c_.prefix + "anew = 1; ";
    return true;
  }

  // a[next++] = e: only the step of such a statement is kept.
  bool slice_step(const TextPart& part, std::string& text) {
    if (writes_.at(part.begin) != 1 || hidden_.contains(part.begin)) return false;
    for (int t = part.begin; t + 1 < part.end; ++t) {
      const bool is_name = c_.source.is(t, s_.accumulator);
      const bool after = is_name && (c_.source.is(t + 1, "++") || c_.source.is(t + 1, "--"));
      const bool before = is_name && t > part.begin && (c_.source.is(t - 1, "++") || c_.source.is(t - 1, "--"));
      if (!after && !before) continue;
      s_.needed.insert(s_.accumulator);
      text += fmt::format("{}{}; ", s_.accumulator, c_.source.text_of(after ? t + 1 : t - 1));
      return true;
    }
    return false;
  }

  // For a[i] = a[i - 1] op e, what it does to the accumulator.
  void slice_element(const TextPart& part, std::string& text) {
    need(part.begin, part.end);
    Edits edits;
    for (const auto& [token, end] : s_.reads) edits.replace(begin_of(token), end_of(end - 1), s_.accumulator);
    const std::string op(c_.source.text_of(s_.assigns).substr(0, c_.source.text_of(s_.assigns).size() - 1));
    const std::string right = edits.apply(c_.source.text(), end_of(s_.assigns), end_of(part.end - 2));
    if (op.empty()) {
      text += fmt::format("{} ={}; ", s_.accumulator, right);
    } else {
      text +=
          fmt::format("{0} = {1} {2} ({3}); ", s_.accumulator, c_.source.text_of(part.begin, s_.assigns), op, right);
    }
  }

  // A statement as a function of the accumulator: its coefficients are kept for later statements, or composed.
  bool slice_function(const TextPart& part, std::string& text) {
    const int at = assignment(part), last = part.end - 1;
    if (at < 0 || names_macro(c_.source, part.begin, part.end))
      return refuse("a function of the scan is not understood");
    const FunctionReader reader{c_.source, s_.type, [this](int t) { return known(t); }};
    const std::string_view mark = c_.source.text_of(at);
    const bool counts = mark == "++" || mark == "--";
    const auto right = counts ? std::optional(Coefficients{"", "1", "", ""}) : reader.read(at + 1, last);
    const bool is_element = s_.is_array && marked_.contains(part.begin);
    const int left_begin = c_.source.is(at - 1, "]") || counts || is_element ? part.begin : at - 1;
    const std::string left(c_.source.text_of(left_begin, at));
    std::optional<Coefficients> f = right;
    if (f && mark != "=") {
      const Coefficients own = s_.is_array ? Coefficients{"", fmt::format("({})({})", s_.type, left), "", ""}
                                           : Coefficients{"1", "", "", ""};
      f = FunctionReader::joined(mark[0], own, *f);
    }
    if (!f || (f->is_fractional() && s_.op == "linear")) return refuse("a function of the scan is not understood");
    for (int t = part.begin; t < last; ++t) {
      const auto it = known(t);
      if (it) t = it->second - 1;
      if (!it && (t >= at || s_.is_array)) need(t, t + 1);
    }
    if (parts_.contains(part.begin)) {
      made_.emplace_back(left, *f);
      s_.needed.erase(left.substr(0, left.find('[')));
    } else {
      text += composed(*f, s_.type, c_.prefix + "f", s_.op == "fractional");
    }
    return true;
  }

  // The function that begins at a token, if that is the accumulator or was computed from it.
  std::optional<std::pair<Coefficients, int>> known(int t) const {
    if (c_.source.kind(t) != Token::Kind::word) return std::nullopt;
    if (t > 0 && (c_.source.is(t - 1, ".") || c_.source.is(t - 1, "->"))) return std::nullopt;
    const Coefficients x{"1", "", "", ""};
    if (const auto read = s_.reads.find(t); read != s_.reads.end()) return std::pair{x, read->second};
    if (!s_.is_array && c_.source.is(t, s_.accumulator)) return std::pair{x, t + 1};
    for (const auto& [name, f] : made_) {
      int end = t + 1;
      while (c_.source.is(end, "[") && c_.source.after_matching(end) > 0) end = c_.source.after_matching(end);
      if (c_.source.text_of(t, end) == name) return std::pair{f, end};
    }
    return std::nullopt;
  }

  // Whether the access is in the head of a loop that the slice has.
  bool is_counter(const Access& a) const { return loops_.contains(c_.source.token_at(a.place.line, a.place.column)); }

  // Whether everything that the slice reads, and the loop writes, is computed by the slice itself.
  bool is_closed() {
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || !a.is_write || a.variable == variable_) continue;
      if (!is_needed(a.variable, s_.needed)) continue;
      const TextPart* statement = statement_at(c_, a.place.line, a.place.column);
      const bool is_sliced = statement != nullptr && whole_.contains(statement->begin);
      const bool is_own_counter = a.variable == c_.accesses.loops[static_cast<std::size_t>(c_.id)].variable;
      if (!is_sliced && !is_counter(a) && !is_own_counter)
        return refuse(fmt::format("the scan's values need {}, which the loop writes", variable(a.variable).name));
    }
    return true;
  }

  // Whether the slice, which runs before the loop, changes only the accumulator and variables of its own.
  bool has_no_effects() {
    const auto may_change = [&](int v) { return v == variable_ || is_own(v); };
    for (const auto& [statement, v] : written_) {
      if (whole_.contains(statement) && !may_change(v))
        return refuse(fmt::format("the computation of the scan's values changes {}", variable(v).name));
    }
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || !a.is_write) continue;
      if (a.is_inlined && !variable(a.variable).is_made && !may_change(a.variable) &&
          std::any_of(c_.program.functions.begin(), c_.program.functions.end(),
                      [&](const Function& f) { return s_.needed.contains(f.name); }))
        return refuse(fmt::format("what the scan's values need calls what changes {}", variable(a.variable).name));
      if (is_counter(a) && !may_change(a.variable))
        return refuse(fmt::format("what the scan's values need counts by {}", variable(a.variable).name));
    }
    return true;
  }

  // Whether the first iteration finds its elements without anything that the loop, or another piece of it, computes.
  bool starts_alone() {
    for (const auto& [token, end] : s_.reads) {
      if (is_declared(std::string(c_.source.text_of(token)))) return refuse("its array is made in the loop");
      for (int t = token; t < end; ++t) {
        const std::string name(c_.source.text_of(t));
        const bool is_read = t > token && c_.source.kind(t) == Token::Kind::word;
        if (c_.shared.contains(name) || (is_read && is_changed(name)))
          return refuse("a subscript is computed in the loop");
      }
    }
    return true;
  }

  const Clause& scan_;
  Slice s_;
  int variable_ = -1;
  std::set<int> marked_, resets_, parts_;                   // first tokens of statements
  std::set<int> hidden_;                                    // of these, those that an operator or continue may skip
  std::set<int> whole_, loops_;                             // those that the slice has unchanged
  std::map<int, int> writes_;                               // how often each of marked_ writes the accumulator
  std::multimap<int, int> written_;                         // the variables that each statement writes
  std::vector<std::pair<std::string, Coefficients>> made_;  // computed from the accumulator: names, functions
};

}  // namespace

std::optional<Slice> slice_of(const Candidate& candidate, const Clause& scan, const std::vector<Clause>& clauses,
                              std::string& why) {
  return Slicer(candidate, scan, why).run(clauses);
}

}  // namespace papilio::loops
