#include <algorithm>
#include <cctype>
#include <numeric>

#include "machine.h"

// Loops whose iterations run in another order, and conditions that are tested before.

namespace papilio::loops::oracle {
namespace {

constexpr std::int64_t poison = 12345;

// One variable, as a list of values.
template <class Change>
void for_each_value(State& state, int variable, const Change& change) {
  if (variable >= arrays) {
    change(state.scalar[static_cast<std::size_t>(variable - arrays)], std::size_t{0});
    return;
  }
  auto& all = state.array[static_cast<std::size_t>(variable)];
  for (std::size_t i = 0; i < all.size(); ++i) change(all[i], i);
}

std::int64_t value_in(const State& state, int variable, std::size_t i) {
  return variable >= arrays ? state.scalar[static_cast<std::size_t>(variable - arrays)]
                            : state.array[static_cast<std::size_t>(variable)][i];
}

bool has(const LoopReport& report, const std::string& kind, const std::string& variable) {
  return std::any_of(report.clauses.begin(), report.clauses.end(),
                     [&](const Clause& c) { return c.kind == kind && c.variable == variable; });
}

std::int64_t neutral(const std::string& op) {
  return op == "*" || op == "&&" ? 1 : op == "&" ? -1 : op == "max" ? -poison : op == "min" ? poison : 0;
}

std::int64_t combined(const std::string& op, std::int64_t left, std::int64_t right) {
  if (op == "+") return left + right;
  if (op == "*") return left * right;
  if (op == "^") return left ^ right;
  if (op == "&") return left & right;
  if (op == "|") return left | right;
  return op == "max" ? std::max(left, right) : std::min(left, right);
}

// Reads conditions: C with the operators that reports use.
class Reader {
 public:
  Reader(const std::string& text, const State& state) : text_(text), state_(state) {}

  std::optional<std::int64_t> run() {
    const std::int64_t v = choice();
    skip();
    return fails_ || at_ != text_.size() ? std::nullopt : std::optional(v);
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool takes(const std::string& token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  std::int64_t choice() {
    const std::int64_t c = disjunction();
    if (!takes("?")) return c;
    const std::int64_t yes = choice();
    if (!takes(":")) fails_ = true;
    const std::int64_t no = choice();
    return c != 0 ? yes : no;
  }
  std::int64_t disjunction() {
    std::int64_t v = conjunction();
    while (takes("||")) v = (conjunction() != 0) | (v != 0);
    return v;
  }
  std::int64_t conjunction() {
    std::int64_t v = comparison();
    while (takes("&&")) v = (comparison() != 0) & (v != 0);
    return v;
  }
  std::int64_t comparison() {
    const std::int64_t left = sum();
    if (takes("<=")) return left <= sum();
    if (takes(">=")) return left >= sum();
    if (takes("==")) return left == sum();
    if (takes("!=")) return left != sum();
    if (takes("<")) return left < sum();
    if (takes(">")) return left > sum();
    return left;
  }
  std::int64_t sum() {
    std::int64_t v = product();
    while (true) {
      if (takes("+")) {
        v += product();
      } else if (takes("-")) {
        v -= product();
      } else {
        return v;
      }
    }
  }
  std::int64_t product() {
    std::int64_t v = unit();
    while (true) {
      if (takes("*")) {
        v *= unit();
      } else if (takes("%") || takes("/")) {
        const bool is_quotient = text_[at_ - 1] == '/';
        const std::int64_t by = unit();
        if (by == 0) return fail();
        v = is_quotient ? v / by : v % by;
      } else {
        return v;
      }
    }
  }
  std::int64_t fail() {
    fails_ = true;
    return 0;
  }
  std::int64_t two(bool is_max) {
    const std::int64_t left = choice();
    if (!takes(",")) return fail();
    const std::int64_t right = choice();
    if (!takes(")")) return fail();
    return is_max ? std::max(left, right) : std::min(left, right);
  }
  std::int64_t unit() {
    if (takes("-")) return -unit();
    if (takes("max(")) return two(true);
    if (takes("min(")) return two(false);
    if (takes("(")) {
      const std::int64_t v = choice();
      return takes(")") ? v : fail();
    }
    skip();
    std::size_t end = at_;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end])) != 0) ++end;
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (word.empty()) return fail();
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return std::stoll(word);
    const int v = variable_of(word);
    return v < arrays ? fail() : state_.scalar[static_cast<std::size_t>(v - arrays)];
  }

  const std::string& text_;
  const State& state_;
  std::size_t at_ = 0;
  bool fails_ = false;
};

bool elements_hold(const Predicate& predicate, const State& state) {
  const auto low = evaluate(predicate.low, state), high = evaluate(predicate.high, state);
  const auto apart =
      predicate.expression.empty() ? std::optional<std::int64_t>(0) : evaluate(predicate.expression, state);
  const int array = variable_of(predicate.arrays[0]);
  if (!low || !high || !apart || (array != x && array != o)) return false;
  if (*low < -middle || *high >= middle) return false;
  std::vector<std::int64_t> all;
  for (std::int64_t at = *low; at <= *high; ++at)
    all.push_back(state.array[static_cast<std::size_t>(array)][static_cast<std::size_t>(at + middle)]);
  if (predicate.kind == "increasing") return std::is_sorted(all.begin(), all.end());
  std::sort(all.begin(), all.end());
  for (std::size_t at = 1; at < all.size(); ++at) {
    if (all[at] - all[at - 1] < *apart) return false;
  }
  return true;
}

// Of a value that is not read, a type says the range, and values here are small.
bool is_in_range(const Predicate& predicate, const State& state) {
  const auto value = evaluate(predicate.expression, state);
  const auto bound = [&](const std::string& text) {
    return text.empty() || text.size() > 18 ? std::nullopt : evaluate(text, state);
  };
  const auto low = bound(predicate.low), high = bound(predicate.high);
  return !value || ((!low || *value >= *low) && (!high || *value <= *high));
}

}  // namespace

std::optional<std::int64_t> evaluate(const std::string& text, const State& state) { return Reader(text, state).run(); }

bool Machine::holds(const LoopReport& report) {
  const bool claims = report.verdict == Verdict::parallel || report.verdict == Verdict::parallel_with_clauses ||
                      report.verdict == Verdict::parallel_if || report.verdict == Verdict::scan;
  return claims && std::all_of(report.predicates.begin(), report.predicates.end(), [&](const Predicate& predicate) {
           if (predicate.kind == "no_overlap") return true;  // all are restrict
           if (predicate.kind == "range") return is_in_range(predicate, *state_);
           if (predicate.kind != "expression") return elements_hold(predicate, *state_);
           const auto v = evaluate(predicate.expression, *state_);
           return v && *v != 0;
         });
}

// Sets every variable of a clause to what it is when an iteration begins.
void Machine::start_iteration(const LoopReport& report, const State& before, std::size_t number,
                              const std::vector<State>& starts) {
  for (const Clause& c : report.clauses) {
    const int v = variable_of(c.variable);
    for_each_value(*state_, v, [&](std::int64_t& value, std::size_t i) {
      const std::int64_t old = value_in(before, v, i);
      if (c.kind == "private" || (c.kind == "lastprivate" && !has(report, "firstprivate", c.variable))) value = poison;
      if (c.kind == "firstprivate") value = old;
      if (c.kind == "reduction") value = neutral(c.detail);
      if (c.kind == "induction") value = old + static_cast<std::int64_t>(number) * c.step;
      if (c.kind == "scan") value = value_in(starts[number], v, i);
    });
  }
}

// Sets every variable of a clause to what it is after the loop.
void Machine::finish(const LoopReport& report, const State& before, const State& last, const State& total,
                     std::size_t count) {
  for (const Clause& c : report.clauses) {
    const int v = variable_of(c.variable);
    const bool is_kept = has(report, "lastprivate", c.variable);
    for_each_value(*state_, v, [&](std::int64_t& value, std::size_t i) {
      const std::int64_t old = value_in(before, v, i);
      if (c.kind == "private" || (c.kind == "firstprivate" && !is_kept)) value = poison;
      if (c.kind == "lastprivate") value = count > 0 ? value_in(last, v, i) : old;
      if (c.kind == "reduction") value = combined(c.detail, old, value_in(total, v, i));
      if (c.kind == "induction") value = old + static_cast<std::int64_t>(count) * c.step;
      if (c.kind == "scan") value = value_in(last, v, i);
    });
  }
}

// One iteration with three values of the scanned variable, in an array of what earlier iterations have written: sums
// and linear functions must grow by the same amount, and a sum by as much as the variable, unless it restarts.
void Machine::check_function(const Step& step, const Clause& scan, std::int64_t turn, const State& before,
                             const State& start) {
  const int v = variable_of(scan.variable);
  std::vector<State> ends;
  for (const std::int64_t more : {0, 1, 2}) {
    *state_ = start;
    for_each_value(*state_, v, [&](std::int64_t& value, std::size_t at) {
      if (!scan.is_array || value != value_in(before, v, at)) value += more;
    });
    state_->scalar[static_cast<std::size_t>(step.variable)] = turn;
    try {
      run(step.body);
    } catch (const Discard&) {
      return;  // the other values led out of an array
    }
    ends.push_back(*state_);
  }
  for_each_value(ends[0], v, [&](std::int64_t value, std::size_t at) {
    const std::int64_t first = value_in(ends[1], v, at) - value;
    const std::int64_t second = value_in(ends[2], v, at) - value_in(ends[1], v, at);
    const bool is_sum = scan.detail[0] == '+' && !scan.is_array;
    const bool starts_anew = first == 0 && scan.detail.find("segmented") != std::string::npos;
    if (first != second || (is_sum && first != 1 && !starts_anew)) throw Discard("no function of its kind");
  });
}

void Machine::in_any_order(const Step& step, const std::vector<std::int64_t>& turns) {
  const LoopReport& report = *reports_[static_cast<std::size_t>(step.number)];
  const auto v = static_cast<std::size_t>(step.variable);
  const State before = *state_;
  // A scan's values come from a run in the order of the text.
  std::vector<State> starts;
  State last = before;
  const bool scans = report.verdict == Verdict::scan;
  if (scans) {
    for (const std::int64_t turn : turns) {
      starts.push_back(*state_);
      state_->scalar[v] = turn;
      if (run(step.body) == Flow::leave) throw std::logic_error("a scan is left");
    }
    last = *state_;
    for (const Clause& c : report.clauses) {
      const bool is_linear = c.detail[0] == '+' || c.detail[0] == '*' || c.detail.starts_with("linear");
      if (c.kind != "scan" || !is_linear) continue;
      for (std::size_t number = turns.size() / 4; number < turns.size(); number += 1 + turns.size() / 2)
        check_function(step, c, turns[number], before, starts[number]);
    }
    *state_ = before;
  }
  std::vector<std::size_t> order(turns.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (random_() % 2 == 0) std::shuffle(order.begin(), order.end(), random_);
  marked_.clear();
  for (const Clause& c : report.clauses) {
    for (const Position& place : c.places) {
      if (c.kind == "copy") marked_.insert({place.line, place.column});
    }
  }
  State total = before;
  for (const Clause& c : report.clauses) {
    if (c.kind != "reduction") continue;
    for_each_value(total, variable_of(c.variable),
                   [&](std::int64_t& value, std::size_t) { value = neutral(c.detail); });
  }
  for (const std::size_t number : order) {
    start_iteration(report, before, number, starts);
    state_->scalar[v] = turns[number];
    copy_ = &before;
    const Flow flow = run(step.body);
    copy_ = nullptr;
    if (flow == Flow::leave) throw std::logic_error("a parallel loop is left");
    if (number + 1 == turns.size() && !scans) last = *state_;
    for (const Clause& c : report.clauses) {
      if (c.kind != "reduction") continue;
      const int r = variable_of(c.variable);
      for_each_value(total, r, [&](std::int64_t& value, std::size_t i) {
        value = combined(c.detail, value, value_in(*state_, r, i));
      });
    }
  }
  finish(report, before, last, total, turns.size());
  if (!turns.empty()) state_->scalar[v] = turns.back();
}

}  // namespace papilio::loops::oracle
