#include "loops/emit/system_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "loops/emit/linear.h"
#include "loops/emit/parallel.h"
#include "loops/emit/recurrence.h"
#include "loops/emit/slicing.h"
#include "loops/emit/terms.h"

namespace papilio::loops {
namespace {

class SystemSlicer : Slicing {
 public:
  SystemSlicer(const Candidate& candidate, std::string& why) : Slicing(candidate, why) {}

  std::optional<SystemSlice> run(const std::vector<Clause>& clauses) {
    std::set<int> variables;
    for (const Clause& clause : clauses) {
      if (clause.kind == "induction" || clause.kind == "copy")
        return fail(fmt::format("a scan with an {} is not supported", clause.kind));
      if (clause.kind.ends_with("private")) privates_.insert(clause.variable);
      if (clause.kind != "scan") continue;
      const int v = c_.variable(clause.variable);
      if (v < 0 || is_field(clause.variable))
        return fail(fmt::format("{} is not a variable of its own", clause.variable));
      variables.insert(v);
    }
    auto system = linear_system_of(c_.program, c_.accesses, c_.id, variables, c_.items ? &*c_.items : nullptr);
    if (!system) return fail("its matrices are not found");
    s_.system = std::move(*system);
    const bool is_real = variable(s_.system.states[0].variable).type.kind == Type::Kind::real;
    s_.type = is_real ? "double" : "unsigned long long";
    if (!find_parts() || !find_names() || !find_reads() || !find_steps() || !sliced()) return std::nullopt;
    if (!take_shared(s_.needed, s_.text)) return std::nullopt;
    return std::move(s_);
  }

 private:
  int token_of(const Access& a) const { return c_.source.token_at(a.place.line, a.place.column); }

  // Finds the statements of the body, and what each of them writes.
  bool find_parts() {
    const TextPart& body = c_.part.parts[0];
    if (body.kind == TextPart::Kind::block) {
      for (const TextPart& p : body.parts) parts_.push_back(&p);
    } else {
      parts_.push_back(&body);
    }
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a)) continue;
      const int token = token_of(a);
      const auto part = std::find_if(parts_.begin(), parts_.end(),
                                     [&](const TextPart* p) { return p->begin <= token && token < p->end; });
      if (part != parts_.end()) accesses_[*part].push_back(&a);
      const bool is_own_step = a.variable == c_.accesses.loops[static_cast<std::size_t>(c_.id)].variable;
      if (part == parts_.end() && a.is_write && !is_own_step && !variable(a.variable).is_made)
        return refuse(fmt::format("line {} is not a statement of the loop", a.place.line));
    }
    return true;
  }

  // Finds the names of states; no other variable may have the name of one that is followed.
  bool find_names() {
    for (const LinearSystem::State& state : s_.system.states) {
      const std::string& name = variable(state.variable).name;
      s_.names.push_back(state.distance == 0 ? name : fmt::format("{}_{}", c_.named(name), state.distance));
      followed_[name] = state.variable;
    }
    for (const LinearSystem::Step& step : s_.system.steps) {
      const Stmt& s = *step.statement;
      const int v = s.kind == Stmt::Kind::declare ? s.variable : s.target.variable;
      if (!followed_.emplace(variable(v).name, v).second && followed_.at(variable(v).name) != v)
        return refuse(fmt::format("two variables are called {}", variable(v).name));
    }
    for (const Access& a : c_.accesses.list) {
      const auto known = followed_.find(variable(a.variable).name);
      if (c_.is_inside(a) && known != followed_.end() && known->second != a.variable)
        return refuse(fmt::format("two variables are called {}", known->first));
    }
    return true;
  }

  int state_of(int v, int distance) const {
    const auto& all = s_.system.states;
    return static_cast<int>(std::find(all.begin(), all.end(), LinearSystem::State{v, distance}) - all.begin());
  }

  // The token after an element; -1 if no element begins at the token.
  int after_element(int token) const {
    int end = token + 1;
    while (end > 0 && c_.source.is(end, "[")) end = c_.source.after_matching(end);
    return end > token + 1 ? end : -1;
  }

  bool find_reads() {
    for (const auto& [a, distance] : s_.system.reads) {
      const int token = token_of(*a);
      if (token < 0 || !c_.source.is(token, variable(a->variable).name) || after_element(token) < 0)
        return refuse("an element is not read under its own name");
      s_.reads[token] = state_of(a->variable, distance);
    }
    for (const auto& [a, distance] : s_.system.certain) {
      const int token = token_of(*a), end = after_element(token);
      for (int t = token + 1; t < end; ++t) {
        if (is_changed(std::string(c_.source.text_of(t)))) return refuse("a subscript is computed in the loop");
      }
      s_.first_reads[state_of(a->variable, distance)] = std::string(c_.source.text_of(token, end));
    }
    for (std::size_t k = 0; k < s_.system.states.size(); ++k) {
      if (s_.system.states[k].distance > 0 && !s_.first_reads.contains(static_cast<int>(k)))
        return refuse("not every iteration reads the elements that it starts from");
    }
    return true;
  }

  // Finds the statements that compute something from the states, each as a statement of its own.
  bool find_steps() {
    for (const LinearSystem::Step& step : s_.system.steps) {
      const Stmt& s = *step.statement;
      const Place& place = s.kind == Stmt::Kind::declare ? s.place : s.target.place;
      const TextPart* part = statement_at(c_, place.line, place.column);
      if (part == nullptr || std::find(parts_.begin(), parts_.end(), part) == parts_.end() ||
          !steps_.emplace(part, &step).second)
        return refuse(fmt::format("line {} is not a statement of its own", place.line));
      const auto& all = accesses_[part];
      if (std::count_if(all.begin(), all.end(), [](const Access* a) { return a->is_write; }) != 1)
        return refuse(fmt::format("line {} changes more than one variable", place.line));
      if (names_macro(c_.source, part->begin, part->end)) return refuse("a macro stands in a function of the scan");
    }
    return true;
  }

  // Finds the steps that the states depend on, by the names in later statements.
  void find_live() {
    std::set<std::string> named;
    for (std::size_t k = parts_.size(); k-- > 0;) {
      const auto step = steps_.find(parts_[k]);
      if (step == steps_.end()) continue;
      const Stmt& s = *step->second->statement;
      const int v = s.kind == Stmt::Kind::declare ? s.variable : s.target.variable;
      if (!step->second->is_of_state && !named.contains(variable(v).name)) continue;
      live_.insert(parts_[k]);
      for (int t = parts_[k]->begin; t < parts_[k]->end; ++t) named.emplace(c_.source.text_of(t));
    }
  }

  // Collects the parts that the states need, until no more names are needed.
  bool sliced() {
    find_live();
    for (bool grows = true; grows;) {
      const std::size_t before = s_.needed.size();
      s_.text.clear();
      s_.written.clear();
      s_.writes.clear();
      now_.clear();
      whole_.clear();
      made_ = 0;
      for (std::size_t k = 0; k < s_.system.states.size(); ++k) {
        if (s_.system.states[k].distance == 0) now_[s_.names[k]] = LinearForm{{{k, "1"}}, ""};
      }
      for (const TextPart* p : parts_) {
        if (steps_.contains(p) && !live_.contains(p)) continue;
        if (steps_.contains(p) ? !slice_step(*p) : !slice_other(*p)) return false;
      }
      grows = s_.needed.size() != before;
    }
    return is_closed() && compose();
  }

  std::optional<std::pair<LinearForm, int>> known(int t) const {
    if (c_.source.kind(t) != Token::Kind::word) return std::nullopt;
    if (t > 0 && (c_.source.is(t - 1, ".") || c_.source.is(t - 1, "->"))) return std::nullopt;
    if (const auto read = s_.reads.find(t); read != s_.reads.end())
      return std::pair{LinearForm{{{static_cast<std::size_t>(read->second), "1"}}, ""}, after_element(t)};
    const int end = c_.source.is(t + 1, "[") ? after_element(t) : t + 1;
    if (end < 0) return std::nullopt;
    const auto now = now_.find(std::string(c_.source.text_of(t, end)));
    return now == now_.end() ? std::nullopt : std::optional(std::pair{now->second, end});
  }

  // Keeps the coefficients of a step, as variables of their own.
  bool slice_step(const TextPart& part) {
    const LinearSystem::Step& step = *steps_.at(&part);
    const int at = assignment(part), last = part.end - 1;
    if (at < 0 || c_.source.is(at, "++") || c_.source.is(at, "--") || !reads_are_known(part))
      return refuse("a function of the scan is not understood");
    const LinearReader reader{c_.source, s_.type, [this](int t) { return known(t); }};
    auto f = reader.read(at + 1, last);
    const bool is_declared = step.statement->kind == Stmt::Kind::declare;
    const int left_begin = is_declared ? at - 1 : part.begin;
    const std::string left(c_.source.text_of(left_begin, at));
    const std::string_view mark = c_.source.text_of(at);
    if (f && mark != "=") {
      const auto own = reader.read(left_begin, at);
      f = own ? LinearReader::joined(mark[0], *own, *f) : std::nullopt;
    }
    if (!f) return refuse("a function of the scan is not understood");
    for (int t = mark == "=" ? at + 1 : part.begin; t < last; ++t) {
      const auto it = known(t);
      if (it) t = it->second - 1;
      if (!it) need(t, t + 1);
    }
    const Stmt& s = *step.statement;
    const bool is_array = s.kind == Stmt::Kind::assign && variable(s.target.variable).is_array;
    for (int t = left_begin + 1; t < at && is_array; ++t) {
      if (is_changed(std::string(c_.source.text_of(t)))) return refuse("a subscript is computed in the loop");
    }
    LinearForm kept;
    std::string values;
    const auto keep = [&](const std::string& name, const std::string& value) {
      if (value.empty() || value == "1") return value;
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", name, value);
      return name;
    };
    for (const auto& [k, value] : f->a) {
      if (!value.empty()) kept.a[k] = keep(fmt::format("{}c{}_{}", c_.prefix, made_, k), value);
    }
    kept.b = keep(fmt::format("{}c{}", c_.prefix, made_), f->b);
    ++made_;
    if (!values.empty()) s_.text += fmt::format("const {} {}; ", s_.type, values);
    if (is_array) forget(s.target.variable);  // its text may differ
    now_[left] = std::move(kept);
    if (step.is_of_state && is_array) s_.writes[s.target.variable] = &part, s_.written[s.target.variable] = left;
    return true;
  }

  // Whether the text is read as what the analysis took it for: everything computed
  // from the states is known by its text, except what an element was before the loop.
  bool reads_are_known(const TextPart& part) const {
    const auto all = accesses_.find(&part);
    return all == accesses_.end() || std::all_of(all->second.begin(), all->second.end(), [&](const Access* a) {
             if (a->is_write || !followed_.contains(variable(a->variable).name)) return true;
             const int token = token_of(*a);
             const bool is_old =
                 is_state(a->variable) && variable(a->variable).is_array && !s_.written.contains(a->variable);
             return token >= 0 && (is_old || known(token));
           });
  }

  bool is_state(int v) const {
    return std::any_of(s_.system.states.begin(), s_.system.states.end(),
                       [&](const LinearSystem::State& state) { return state.variable == v; });
  }

  void forget(int v) {
    std::erase_if(now_, [&](const auto& made) {
      return made.first.substr(0, made.first.find_first_of("[ ")) == variable(v).name;
    });
  }

  void need(int first, int last) { Slicing::need(first, last, s_.needed); }

  // Another statement: kept as it is, if the slice needs what it computes.
  bool slice_other(const TextPart& part) {
    bool is_kept = false;
    for (const Access* a : accesses_[&part]) {
      if (!a->is_write) continue;
      is_kept = is_kept || is_needed(a->variable, s_.needed);
      forget(a->variable);
    }
    const bool declares = part.kind == TextPart::Kind::plain && c_.source.kind(part.begin) == Token::Kind::word &&
                          (c_.source.kind(part.begin + 1) == Token::Kind::word || c_.source.is(part.begin + 1, "*"));
    for (int t = part.begin; t < part.end && declares; ++t) {
      is_kept = is_kept || s_.needed.contains(std::string(c_.source.text_of(t)));
    }
    if (!is_kept) return true;
    if (part.kind != TextPart::Kind::plain || names_macro(c_.source, part.begin, part.end))
      return refuse("the computation of the scan's values cannot be separated");
    for (const Access* a : accesses_[&part]) {
      if (a->is_write && !is_own(a->variable))
        return refuse(fmt::format("the computation of the scan's values changes {}", variable(a->variable).name));
      if (followed_.contains(variable(a->variable).name))
        return refuse("what the scan's values need is made of them in another way");
    }
    whole_.insert(&part);
    need(part.begin, part.end);
    s_.text += std::string(c_.source.text_of(part.begin, part.end)) + " ";
    return true;
  }

  // Whether the slice itself computes everything that it reads and the loop writes, and whether it calls nothing.
  bool is_closed() {
    for (const Function& f : c_.program.functions) {
      if (s_.needed.contains(f.name)) return refuse(fmt::format("what the scan's values need calls {}", f.name));
    }
    const int own = c_.accesses.loops[static_cast<std::size_t>(c_.id)].variable;
    for (const auto& [part, all] : accesses_) {
      for (const Access* a : all) {
        if (!a->is_write || is_state(a->variable) || a->variable == own || whole_.contains(part)) continue;
        if (is_needed(a->variable, s_.needed))
          return refuse(fmt::format("the scan's values need {}, which the loop writes", variable(a->variable).name));
      }
    }
    return true;
  }

  // Composes the iteration's function with those before it.
  bool compose() {
    const auto& states = s_.system.states;
    const std::string& x = c_.prefix;
    std::string rows;
    for (std::size_t k = 0; k < states.size(); ++k) {
      LinearForm form;
      if (states[k].distance > 1) {
        form.a.emplace(k - 1, "1");
      } else {
        const std::string name = states[k].distance == 0 ? s_.names[k] : s_.written[states[k].variable];
        const auto now = now_.find(name);
        if (now == now_.end()) return refuse("a function of the scan is not understood");
        form = now->second;
      }
      std::string row;
      for (std::size_t column = 0; column <= states.size(); ++column) {
        std::string value = column == states.size() ? form.b : "";
        for (const auto& [other, a] : form.a)
          value = sum(value, product(a, fmt::format("{}m[{}][{}]", x, other, column)));
        row += fmt::format("{}{}", column > 0 ? ", " : "", value.empty() ? "0" : value);
      }
      rows += fmt::format("{}{{{}}}", k > 0 ? ", " : "", row);
    }
    s_.text += fmt::format("const {1} {0}next[{2}][{3}] = {{{4}}}; __builtin_memcpy({0}m, {0}next, sizeof {0}m); ", x,
                           s_.type, states.size(), states.size() + 1, rows);
    return true;
  }

  SystemSlice s_;
  std::map<std::string, int> followed_;  // variables of states, and those computed from them
  std::vector<const TextPart*> parts_;   // of the body
  std::map<const TextPart*, std::vector<const Access*>> accesses_;
  std::map<const TextPart*, const LinearSystem::Step*> steps_;
  std::set<const TextPart*> live_;         // steps that the states depend on
  std::set<const TextPart*> whole_;        // those that the slice has unchanged
  std::map<std::string, LinearForm> now_;  // for what is computed from the states, by its text
  int made_ = 0;
};

}  // namespace

std::optional<SystemSlice> system_slice_of(const Candidate& candidate, const std::vector<Clause>& clauses,
                                           std::string& why) {
  return SystemSlicer(candidate, why).run(clauses);
}

}  // namespace papilio::loops
