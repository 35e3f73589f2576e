#include "loops/emit/bounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "loops/emit/candidate.h"
#include "loops/source/tokens.h"

namespace papilio::loops {
namespace {

constexpr std::size_t most_ends = 8;

// Splits p = factor * symbol + rest; nothing if the symbol occurs more than once in a product.
std::optional<std::pair<Polynomial, Polynomial>> split(const Polynomial& p, int symbol) {
  Polynomial factor, rest;
  for (const auto& [monomial, c] : p.terms()) {
    Monomial others = monomial;
    const auto at = std::find(others.begin(), others.end(), symbol);
    if (at == others.end()) {
      rest.set(monomial, c);
      continue;
    }
    others.erase(at);
    if (std::find(others.begin(), others.end(), symbol) != others.end()) return std::nullopt;
    factor.set(others, c);
  }
  return std::pair{factor, rest};
}

std::string all_of(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, " && ")); }

}  // namespace

bool Bounds::is_within(int loop) const {
  for (int at = loop; at >= 0; at = accesses_.loops[static_cast<std::size_t>(at)].parent) {
    if (at == loop_) return true;
  }
  return false;
}

bool Bounds::is_inside(const Access& access) const {
  return std::find(access.loops.begin(), access.loops.end(), loop_) != access.loops.end();
}

bool Bounds::has_name(int symbol) const {
  const Symbol& s = accesses_.symbols[static_cast<std::size_t>(symbol)];
  if (s.name.empty() || s.name.find_first_of("[]?") != std::string::npos) return false;
  if (is_field(s.name)) return s.kind == Symbol::Kind::entry && s.has_name && has_root(s.variable);
  // Another variable with this name may hide it.
  std::set<int> named;
  for (const Access& a : accesses_.list) {
    if (program_.variables[static_cast<std::size_t>(a.variable)].name == s.name) named.insert(a.variable);
  }
  if (named.size() > 1 && s.kind == Symbol::Kind::entry) return false;
  if (s.kind == Symbol::Kind::entry) return s.has_name || is_start(symbol);
  if (s.kind != Symbol::Kind::iterator) return false;
  for (int at = accesses_.loops[static_cast<std::size_t>(loop_)].parent; at >= 0;
       at = accesses_.loops[static_cast<std::size_t>(at)].parent) {
    if (accesses_.loops[static_cast<std::size_t>(at)].symbol == symbol) return true;
  }
  return false;
}

// Whether a symbol is the value that the loop's variable has before the loop, if the loop's text does not set a first
// value.
bool Bounds::is_start(int symbol) const {
  const Loop& loop = accesses_.loops[static_cast<std::size_t>(loop_)];
  return accesses_.symbols[static_cast<std::size_t>(symbol)].variable == loop.variable && loop.start &&
         *loop.start == Polynomial::symbol(symbol);
}

bool Bounds::has_root(int index) const {
  const auto root_of = [&](int v) { return variable(variable(v).holder >= 0 ? variable(v).holder : v).object; };
  const int root = root_of(index);
  const auto hides = [&](int v) { return root_of(v) != root && variable(root_of(v)).name == variable(root).name; };
  return !variable(root).moves && std::none_of(accesses_.list.begin(), accesses_.list.end(), [&](const Access& a) {
    return hides(a.variable);
  }) && std::none_of(accesses_.declared_in.begin(), accesses_.declared_in.end(), [&](const auto& declared) {
    return hides(declared.first);
  });
}

std::optional<std::string> Bounds::text(const Polynomial& p) const {
  for (const auto& [monomial, c] : p.terms()) {
    for (const int s : monomial) {
      if (!has_name(s)) return std::nullopt;
    }
  }
  return widened(text_of(p, accesses_.symbols));
}

// The first and the last value of a loop's variable, the smaller one first.
// If the loop runs once in any case, the last may lie before the first.
std::optional<std::pair<Polynomial, Polynomial>> Bounds::range_of(int index) const {
  const Loop& loop = accesses_.loops[static_cast<std::size_t>(index)];
  if (!loop.fault.empty() || loop.symbol < 0) return std::nullopt;
  for (const Polynomial& room : loop.room) {
    const auto parts = split(room, loop.symbol);
    const auto factor = parts ? parts->first.as_constant() : std::nullopt;
    if (!factor || *factor != (loop.step > 0 ? -1 : 1)) continue;
    if (loop.step > 0) return std::pair{loop.lower, parts->second};
    const auto last = Polynomial::product(parts->second, Polynomial::constant(-1));
    if (last) return std::pair{*last, loop.lower};
  }
  return std::nullopt;
}

std::optional<std::vector<Polynomial>> Bounds::ends(const Polynomial& p, bool high) const {
  std::vector<Polynomial> open = {p}, done;
  while (!open.empty()) {
    if (open.size() + done.size() > most_ends) return std::nullopt;
    const Polynomial q = std::move(open.back());
    open.pop_back();
    int innermost = -1;  // loops are numbered from the outside in
    for (std::size_t l = 0; l < accesses_.loops.size(); ++l) {
      if (is_within(static_cast<int>(l)) && q.contains(accesses_.loops[l].symbol)) innermost = static_cast<int>(l);
    }
    if (innermost < 0) {
      done.push_back(q);
      continue;
    }
    const auto parts = split(q, accesses_.loops[static_cast<std::size_t>(innermost)].symbol);
    const auto range = range_of(innermost);
    if (!parts || !range) return std::nullopt;
    const auto factor = parts->first.as_constant();
    for (const bool at_high : {false, true}) {
      if (factor && (*factor > 0) == (at_high != high)) continue;
      const auto moved = Polynomial::product(parts->first, at_high ? range->second : range->first);
      const auto value = moved ? Polynomial::sum(*moved, parts->second) : std::nullopt;
      if (!value) return std::nullopt;
      open.push_back(*value);
      const Loop& loop = accesses_.loops[static_cast<std::size_t>(innermost)];
      if (!loop.runs_once || at_high != (loop.step > 0)) continue;
      // The only iteration may have the first value, beyond what the condition allows.
      const auto first = Polynomial::product(parts->first, loop.lower);
      const auto only = first ? Polynomial::sum(*first, parts->second) : std::nullopt;
      if (!only) return std::nullopt;
      open.push_back(*only);
    }
  }
  return done;
}

// The element that an access touches; without its last subscripts if the name is only that of the struct that it is in.
std::optional<std::vector<std::string>> Bounds::elements(const Access& access, bool is_whole, bool high) const {
  const Variable& object = variable(variable(access.variable).object);
  const Variable& v = is_whole ? object : variable(access.variable);
  std::size_t depth = access.subscripts.size();
  if (is_whole) depth = object.is_array ? std::max<std::size_t>(1, object.extents.size()) : 0;
  if (depth > access.subscripts.size()) return std::nullopt;
  std::vector<std::string> found = {v.is_array ? v.name : fmt::format("(&{})[0]", v.name)};
  for (std::size_t k = 0; k < depth; ++k) {
    const auto& subscript = access.subscripts[k];
    const auto values = subscript ? ends(*subscript, high) : std::nullopt;
    if (!values) return std::nullopt;
    std::vector<std::string> longer;
    for (const Polynomial& value : *values) {
      const auto in_c = text(value);
      if (!in_c) return std::nullopt;
      for (const std::string& e : found) longer.push_back(fmt::format("{}[{}]", e, *in_c));
    }
    found = std::move(longer);
  }
  return found;
}

std::optional<std::vector<std::string>> Bounds::addresses(const std::string& name, bool high) const {
  std::vector<std::string> found;
  std::set<int> objects;
  const auto add = [&](const std::vector<std::string>& elements) {
    for (const std::string& e : elements) {
      std::string address = fmt::format("&{}", e);
      if (std::find(found.begin(), found.end(), address) == found.end()) found.push_back(std::move(address));
    }
  };
  for (const Access& a : accesses_.list) {
    const Variable& v = variable(a.variable);
    const bool is_whole = v.name != name && variable(v.object).name == name;
    const int holder = v.holder < 0 ? -1 : variable(v.holder).object;
    const bool is_held = holder >= 0 && variable(holder).name == name;
    if (v.name != name && !is_whole && !is_held) continue;
    // By now the name stands for another place.
    if (v.moves || variable(v.object).moves || (is_held && variable(holder).moves)) return std::nullopt;
    // For variables that are not arrays, the assumptions depend on everything that the function writes: see no_overlap.
    if (!is_inside(a)) continue;
    objects.insert(is_held ? holder : v.object);
    if (is_held) add({variable(holder).is_array ? name + "[0]" : fmt::format("(&{})[0]", name)});
    if (is_held) continue;
    const auto touched = elements(a, is_whole, high);
    if (!touched) return std::nullopt;
    add(*touched);
    if (found.size() > most_ends) return std::nullopt;
  }
  if (objects.size() != 1) return std::nullopt;
  const int only = *objects.begin();
  const bool is_behind = variable(only).holder >= 0;
  const bool is_struct = !is_behind && variable(only).type.kind == Type::Kind::other;
  if ((is_behind || is_struct) && !has_root(only)) return std::nullopt;
  return is_field(name) && !is_behind ? std::nullopt : std::optional(found);
}

std::optional<std::string> Bounds::no_overlap(const std::string& a, const std::string& b) const {
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    bool is_scalar = false, written_elsewhere = false;
    for (const Access& access : accesses_.list) {
      const Variable& v = variable(access.variable);
      const bool is_of_one = v.object != access.variable && variable(v.object).name == one;
      const bool is_held = v.holder >= 0 && variable(variable(v.holder).object).name == one;
      if ((v.name == one && !v.is_array) || is_of_one || is_held) is_scalar = true;
      const bool is_other = v.name == other || variable(v.object).name == other;
      if (is_other && access.is_write && !is_inside(access)) written_elsewhere = true;
    }
    if (is_scalar && written_elsewhere) return std::nullopt;
  }
  const auto a_low = addresses(a, false), a_high = addresses(a, true), b_low = addresses(b, false),
             b_high = addresses(b, true);
  if (!a_low || !a_high || !b_low || !b_high) return std::nullopt;
  const auto all_before = [](const std::vector<std::string>& ends, const std::vector<std::string>& starts) {
    std::vector<std::string> parts;
    for (const std::string& end : ends) {
      for (const std::string& start : starts) {
        parts.push_back(fmt::format("(__UINTPTR_TYPE__)({} + 1) <= (__UINTPTR_TYPE__){}", end, start));
      }
    }
    return parts.size() == 1 ? parts[0] : fmt::format("({})", all_of(parts));
  };
  return fmt::format("{} || {}", all_before(*a_high, *b_low), all_before(*b_high, *a_low));
}

std::optional<std::string> Bounds::in_range(const Obligation& obligation) const {
  std::vector<std::string> parts;
  for (const bool high : {false, true}) {
    const auto& bound = high ? obligation.high : obligation.low;
    if (!bound) continue;
    const auto values = ends(obligation.value, high);
    if (!values) return std::nullopt;
    for (const Polynomial& value : *values) {
      const auto in_c = text(value);
      if (!in_c) return std::nullopt;
      parts.push_back(fmt::format("{} {} {}", *in_c, high ? "<=" : ">=", *bound));
    }
  }
  return parts.empty() ? std::nullopt : std::optional(all_of(parts));
}

std::optional<std::string> widened(const std::string& condition) {
  const Source source(condition);
  std::string result;
  std::size_t at = 0;
  int words = 0;
  const int last = static_cast<int>(source.tokens().size()) - 1;
  for (int t = 0; t < last; ++t) {
    const Token& token = source.tokens()[static_cast<std::size_t>(t)];
    if (token.kind == Token::Kind::directive || token.kind == Token::Kind::text) return std::nullopt;
    const std::string_view text = source.text_of(t);
    if (token.kind == Token::Kind::mark && std::string_view("+-*/%<>()!?:").find(text[0]) == std::string_view::npos &&
        text != "==" && text != "!=" && text != "&&" && text != "||")
      return std::nullopt;
    result += condition.substr(at, token.begin - at);
    at = token.begin;
    if (token.kind != Token::Kind::word) continue;
    // In C no word follows another one; in sentences it does.
    const bool follows =
        t > 0 && (source.kind(t - 1) == Token::Kind::word || source.kind(t - 1) == Token::Kind::number);
    if (follows || (t + 1 < last && source.is(t + 1, "("))) return std::nullopt;
    result += "(long long)";
    ++words;
    while (t + 2 < last && (source.is(t + 1, ".") || source.is(t + 1, "->"))) t += 2;  // s->n, s.n
    if (source.kind(t) != Token::Kind::word) return std::nullopt;
  }
  return words == 0 && last == 0 ? std::nullopt : std::optional(result + condition.substr(at));
}

}  // namespace papilio::loops
