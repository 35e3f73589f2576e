#include "machine.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace papilio::loops::oracle {

State state_of(std::int64_t size, std::int64_t other, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  State state;
  state.scalar = {size, other, static_cast<std::int64_t>(random() % 4), 0, 1, 0, 0, 0};
  for (int v = 0; v < arrays; ++v) {
    state.array[static_cast<std::size_t>(v)].resize(static_cast<std::size_t>(sizes[static_cast<std::size_t>(v)]));
    for (auto& value : state.array[static_cast<std::size_t>(v)]) value = static_cast<std::int64_t>(random() % 8);
  }
  // Every other time, x is a permutation; o never falls, but for every fourth time.
  auto& index = state.array[x];
  if (seed % 2 == 0) {
    std::iota(index.begin(), index.end(), -middle);
    std::shuffle(index.begin() + middle, index.begin() + middle + 12, random);
  }
  if (seed % 4 != 0) {
    for (std::size_t at = 1; at < index.size(); ++at)
      state.array[o][at] =
          std::max(std::int64_t{0}, state.array[o][at - 1]) + (at > middle ? state.array[o][at] % 3 : 0);
    for (std::size_t at = 0; at <= middle; ++at) state.array[o][at] = 0;
  }
  return state;
}

std::vector<Facts> Machine::log(State& state) {
  std::vector<Facts> facts(nest_.loops.size());
  state_ = &state;
  facts_ = &facts;
  permuted_ = -1;
  steps_ = 0;
  open_.clear();
  run(nest_.body);
  facts_ = nullptr;
  return facts;
}

bool Machine::permute(State& state, int loop, std::uint64_t seed) {
  for (const Clause& c : reports_[static_cast<std::size_t>(loop)]->clauses) {
    if (variable_of(c.variable) < 0) return false;
  }
  state_ = &state;
  facts_ = nullptr;
  permuted_ = loop;
  steps_ = 0;
  open_.clear();
  random_.seed(seed);
  run(nest_.body);
  return true;
}

void Machine::note(int variable, std::int64_t offset, bool is_write) {
  if (facts_ == nullptr) return;
  static const auto bases = [] {
    std::array<std::int64_t, arrays + 1> base{};
    for (int v = 0; v < arrays; ++v)
      base[static_cast<std::size_t>(v) + 1] = base[static_cast<std::size_t>(v)] + sizes[static_cast<std::size_t>(v)];
    return base;
  }();
  const std::int64_t at =
      variable < arrays ? bases[static_cast<std::size_t>(variable)] + offset : bases[arrays] + variable - arrays;
  for (std::size_t depth = 0; depth < open_.size(); ++depth) {
    if (cells_.size() <= depth) cells_.emplace_back(static_cast<std::size_t>(bases[arrays] + scalars));
    const Open& o = open_[depth];
    Cell& c = cells_[depth][static_cast<std::size_t>(at)];
    if (c.instance != o.instance) c = {o.instance, o.turn, false, false};
    c.has_many = c.has_many || c.turn != o.turn;
    c.is_written = c.is_written || is_write;
    if (!c.has_many || !c.is_written) continue;
    Facts& f = (*facts_)[static_cast<std::size_t>(o.loop)];
    f.conflicts |= 1u << variable;
    if (o.holds) f.under_condition |= 1u << variable;
  }
}

std::int64_t& Machine::cell(int array, const std::array<std::int64_t, 2>& at) {
  std::int64_t offset = at[0];
  if (array == m) {
    if (std::abs(at[0]) >= rows / 2 || std::abs(at[1]) >= columns / 2) throw Discard("a subscript of m");
    offset = (at[0] + rows / 2) * columns + at[1] + columns / 2;
  } else if (array != w) {
    offset += middle;
  }
  if (offset < 0 || offset >= sizes[static_cast<std::size_t>(array)]) throw Discard("a subscript");
  return state_->array[static_cast<std::size_t>(array)][static_cast<std::size_t>(offset)];
}

std::array<std::int64_t, 2> Machine::place(const Node& e) {
  return {value(e.parts[0]), e.parts.size() > 1 ? value(e.parts[1]) : 0};
}

std::int64_t Machine::load(int array, const std::array<std::int64_t, 2>& at, const Node* e) {
  const std::int64_t& here = cell(array, at);
  const std::int64_t offset = &here - state_->array[static_cast<std::size_t>(array)].data();
  if (array != x && array != o) note(array, offset, false);
  if (e != nullptr && copy_ != nullptr && marked_.contains({e->line, e->column}))
    return copy_->array[static_cast<std::size_t>(array)][static_cast<std::size_t>(offset)];
  return here;
}

void Machine::store(int array, const std::array<std::int64_t, 2>& at, std::int64_t v) {
  std::int64_t& here = cell(array, at);
  note(array, &here - state_->array[static_cast<std::size_t>(array)].data(), true);
  if (std::abs(v) > (1 << 30)) throw Discard("an overflow");
  here = v;
}

std::int64_t Machine::value(const Node& e) {
  if (++steps_ > 60'000) throw Discard("too many steps");
  if (e.kind == Node::number) return e.value;
  if (e.kind == Node::scalar) {
    note(arrays + e.which, 0, false);
    return state_->scalar[static_cast<std::size_t>(e.which)];
  }
  if (e.kind == Node::element) return load(e.which, place(e), &e);
  if (e.kind == Node::pick) {
    const std::int64_t c = value(e.parts[0]), d = value(e.parts[1]);
    return c > 2 ? d : c;
  }
  if (e.kind == Node::sum) {
    const std::int64_t length = value(e.parts[0]), first = value(e.parts[1].parts[0]);
    std::int64_t total = 0;
    for (std::int64_t q = 0; q < length; ++q) total += load(e.parts[1].which, {first + q, 0}, nullptr);
    return total;
  }
  const std::int64_t left = value(e.parts[0]), right = value(e.parts[1]);
  if (e.op == "+") return left + right;
  if (e.op == "-") return left - right;
  if (e.op == "*") return left * right;
  if (e.op == "&") return left & right;
  if (e.op == "/") return left / right;
  if (e.op == "%") return left % right;
  if (e.op == "<") return left < right;
  if (e.op == ">") return left > right;
  if (e.op == "<=") return left <= right;
  return (left == right) == (e.op == "==");
}

Machine::Flow Machine::run(const std::vector<Step>& list) {
  for (const Step& step : list) {
    if (const Flow flow = run(step); flow != Flow::on) return flow;
  }
  return Flow::on;
}

void Machine::assign(const Step& step) {
  const bool is_scalar = step.target.kind == Node::scalar;
  const auto at = is_scalar ? std::array<std::int64_t, 2>() : place(step.target);
  std::int64_t result = value(step.value);
  if (!step.op.empty()) {
    const std::int64_t old = is_scalar ? value(step.target) : load(step.target.which, at, &step.target);
    result = step.op == "+" ? old + result : old ^ result;
  }
  if (!is_scalar) return store(step.target.which, at, result);
  if (std::abs(result) > (1 << 30)) throw Discard("an overflow");
  note(arrays + step.target.which, 0, true);
  state_->scalar[static_cast<std::size_t>(step.target.which)] = result;
}

void Machine::call(const Step& step) {
  const std::int64_t length = value(step.value), first = value(step.target.parts[0]);
  const std::int64_t c = state_->scalar[p];
  if (step.kind == Step::maybe_fill && c == 1) return;
  for (std::int64_t q = 0; q < length; ++q) {
    const std::int64_t v = step.kind == Step::fill         ? q
                           : step.kind == Step::maybe_fill ? c
                                                           : load(step.target.which, {first + q + 1, 0}, nullptr);
    store(step.target.which, {first + q, 0}, v);
  }
}

Machine::Flow Machine::run(const Step& step) {
  switch (step.kind) {
    case Step::assign:
      assign(step);
      return Flow::on;
    case Step::branch:
      return run(value(step.value) != 0 ? step.body : step.otherwise);
    case Step::loop:
      return loop(step);
    case Step::leave:
      return Flow::leave;
    case Step::next:
      return Flow::next;
    default:
      call(step);
      return Flow::on;
  }
}

Machine::Flow Machine::loop(const Step& step) {
  const std::int64_t low = value(step.target), high = value(step.value);
  std::vector<std::int64_t> turns;
  const auto v = static_cast<std::size_t>(step.variable);
  if (step.by < 0) {
    for (std::int64_t at = high; at >= low; --at) turns.push_back(at);
  } else {
    const std::int64_t end = step.form == 1 ? high + 1 : high;
    for (std::int64_t at = low; at < end; at += step.by) turns.push_back(at);
  }
  if (turns.size() > 200) throw Discard("too many iterations");
  const LoopReport* report = reports_[static_cast<std::size_t>(step.number)];
  const bool does_hold = report != nullptr && holds(*report);
  if (step.number == permuted_ && does_hold) {
    in_any_order(step, turns);
  } else {
    open_.push_back({step.number, 0, ++instances_, does_hold});
    for (const std::int64_t turn : turns) {
      ++open_.back().turn;
      state_->scalar[v] = turn;
      if (run(step.body) == Flow::leave) break;
    }
    if (facts_ != nullptr) {
      Facts& f = (*facts_)[static_cast<std::size_t>(step.number)];
      f.most = std::max(f.most, open_.back().turn);
    }
    open_.pop_back();
  }
  return Flow::on;
}

}  // namespace papilio::loops::oracle
