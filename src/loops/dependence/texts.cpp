#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "loops/dependence/contradiction.h"
#include "loops/dependence/sets.h"
#include "loops/dependence/solver.h"

// Answers that are text: conditions and bounds in C, sets in isl's notation.

namespace papilio::loops {
namespace {

isl_set* named(isl_set* set, int kept, const std::vector<std::string>& names) {
  set = isl_set_move_dims(set, isl_dim_param, 0, isl_dim_set, 0, static_cast<unsigned>(kept));
  for (int i = 0; i < kept; ++i) {
    set =
        isl_set_set_dim_name(set, isl_dim_param, static_cast<unsigned>(i), names[static_cast<std::size_t>(i)].c_str());
  }
  return set;
}

// floord(a, b), isl's name for a division that rounds down, in C; b is a positive number.
std::string without_floord(std::string text) {
  const std::string_view name = "floord(";
  for (std::size_t at = text.rfind(name); at != std::string::npos; at = text.rfind(name)) {  // the innermost ones first
    std::size_t end = at + name.size(), comma = end;
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ')'); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (depth == 0 && text[end] == ',') comma = end;
    }
    const std::string a = text.substr(at + name.size(), comma - at - name.size());
    const std::string b = text.substr(comma + 2, end - comma - 2);
    const bool is_plain = a.find_first_of(" -") == std::string::npos;  // a name or number
    text.replace(at, end + 1 - at,
                 fmt::format("(({0} - ({0} % {1} + {1}) % {1}) / {1})", is_plain ? a : '(' + a + ')', b));
  }
  return text;
}

std::optional<std::string> text_of(isl_ast_expr* expression) {
  char* text = expression == nullptr ? nullptr : isl_ast_expr_to_C_str(expression);
  std::optional<std::string> found;
  if (text != nullptr) found = without_floord(text);
  std::free(text);
  isl_ast_expr_free(expression);
  return found;
}

// Everything that a question depends on, as bytes.
std::string key_of(char question, std::initializer_list<const std::vector<System>*> lists, int columns, int kept,
                   const std::vector<std::string>& names) {
  std::string key(1, question);
  for (const std::vector<System>* list : lists) key += key_of(*list);
  key += std::to_string(columns) + ' ' + std::to_string(kept);
  for (int i = 0; i < kept; ++i) key += '\0' + names[static_cast<std::size_t>(i)];
  return key;
}

}  // namespace

// The answer. The question is asked only if the answer is not known.
Solver::Text Solver::ask_once(const std::string& key, const std::function<Text()>& ask) {
  constexpr std::size_t most_texts = 10'000;
  if (const auto known = texts_.find(key); known != texts_.end()) return known->second;
  begin();
  Text answer = ask();
  if (isl_ctx_last_error(context_) != isl_error_none) return answer;
  if (texts_.size() >= most_texts) texts_.clear();
  return texts_[key] = std::move(answer);
}

namespace {

// The text of `good` within `runs`, if it is a single polyhedron without the points of one equation: "16 * np >= ns &&
// sym != 1". Takes ownership of nothing.
std::optional<std::string> text_without_equation(isl_set* good, isl_set* runs) {
  if (good == nullptr || isl_set_n_basic_set(good) != 2) return std::nullopt;
  isl_set* hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(good)));
  isl_set* around = isl_set_intersect(isl_set_copy(hull), isl_set_copy(runs));
  isl_set* rest = isl_set_subtract(isl_set_copy(around), isl_set_copy(good));
  rest = isl_set_coalesce(isl_set_gist(isl_set_coalesce(rest), around));
  const bool is_everything = isl_set_plain_is_universe(hull) == isl_bool_true;
  isl_ast_build* build = isl_ast_build_from_context(isl_set_copy(runs));
  auto equation = text_of(rest == nullptr ? nullptr : isl_ast_build_expr_from_set(build, rest));
  auto other = text_of(hull == nullptr ? nullptr : isl_ast_build_expr_from_set(build, hull));
  isl_ast_build_free(build);
  if (!equation || !other) return std::nullopt;
  const std::size_t at = equation->find(" == ");
  if (at == std::string::npos || equation->find_first_of("&|<>%?") != std::string::npos) return std::nullopt;
  equation->replace(at, 4, " != ");
  if (is_everything) return equation;
  return other->find("||") == std::string::npos ? std::optional(*other + " && " + *equation) : std::nullopt;
}

}  // namespace

// When `runs` holds and `bad` does not. Takes ownership of both.
std::optional<std::string> Solver::condition(isl_set* bad, isl_set* runs) {
  isl_set* good = isl_set_intersect(isl_set_complement(bad), isl_set_copy(runs));
  const isl_bool never = isl_set_is_empty(good);
  if (never != isl_bool_false) {
    isl_set_free(good);
    isl_set_free(runs);
    return std::nullopt;
  }
  runs = isl_set_coalesce(runs);
  good = isl_set_coalesce(isl_set_gist(isl_set_coalesce(good), isl_set_copy(runs)));
  if (isl_set_n_basic_set(good) > 8) good = isl_set_free(good);
  if (auto short_text = text_without_equation(good, runs)) {
    isl_set_free(good);
    isl_set_free(runs);
    return short_text;
  }
  isl_ast_build* build = isl_ast_build_from_context(runs);
  auto found = text_of(good == nullptr ? nullptr : isl_ast_build_expr_from_set(build, good));
  isl_ast_build_free(build);
  return found;
}

std::optional<std::string> Solver::condition_for_none(const std::vector<System>& systems, const System& context,
                                                      int kept, const std::vector<std::string>& names) {
  if (!affords_sets(systems)) return std::nullopt;
  const std::vector<System> where = {context};
  return ask_once(key_of('n', {&systems, &where}, kept, kept, names), [&] {
    isl_set* bad = isl_set_params(named(union_of(context_, systems, kept), kept, names));
    return condition(bad, isl_set_params(named(union_of(context_, where, kept), kept, names)));
  });
}

std::optional<std::string> Solver::condition_for_covered(const std::vector<System>& wanted,
                                                         const std::vector<System>& given, int columns,
                                                         const System& context, int kept,
                                                         const std::vector<std::string>& names) {
  if (!affords_sets(wanted, given)) return std::nullopt;
  const std::vector<System> where = {context};
  return ask_once(key_of('c', {&wanted, &given, &where}, columns, kept, names), [&] {
    isl_set* all = union_of(context_, wanted, columns);
    isl_set* open = isl_set_subtract(isl_set_copy(all), union_of(context_, given, columns));
    isl_set* bad = isl_set_params(named(open, kept, names));
    isl_set* runs = isl_set_params(named(union_of(context_, where, kept), kept, names));
    // If nothing is wanted, nothing is missing, so the condition may say anything there.
    return condition(bad, isl_set_intersect(runs, isl_set_params(named(all, kept, names))));
  });
}

namespace {

// Bounds are asked for with numbers in place of names, "$0 - 1": loops differ more in names than in bounds.
std::vector<std::string> numbers_as_names(int kept) {
  std::vector<std::string> names;
  for (int i = 0; i < kept; ++i) names.push_back(fmt::format("${}", i));
  return names;
}

std::string with_names(const std::string& text, const std::vector<std::string>& names) {
  std::string found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      found += text[at];
      continue;
    }
    std::size_t number = 0;
    for (; at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9'; ++at)
      number = number * 10 + static_cast<std::size_t>(text[at + 1] - '0');
    found += names[number];
  }
  return found;
}

// If one of the first columns occurs only in rows of its own, the systems without those rows,
// provided that they are then all the same: x > 0 and R, or x < 0 and R, has the bounds of R.
std::vector<System> without_switches(const std::vector<System>& systems, int kept) {
  std::set<int> tied;
  for (const System& system : systems) {
    for (const Row& row : system.rows) {
      if (row.terms.size() == 1) continue;
      for (const auto& [column, c] : row.terms) tied.insert(column);
    }
  }
  std::vector<System> reduced = systems;
  for (System& system : reduced) {
    std::erase_if(system.rows, [&](const Row& row) {
      return row.terms.size() == 1 && row.terms[0].first < kept && !tied.contains(row.terms[0].first);
    });
  }
  const bool is_one = std::all_of(reduced.begin(), reduced.end(),
                                  [&](const System& s) { return key_of(s) == key_of(reduced.front()); });
  if (systems.size() < 2 || !is_one || std::all_of(systems.begin(), systems.end(), is_plain_contradiction))
    return systems;
  return {reduced.front()};
}

}  // namespace

std::pair<std::string, std::string> Solver::range(const std::vector<System>& systems, int kept,
                                                  const std::vector<std::string>& names) {
  const std::string key = key_of('r', {&systems}, kept, kept, names);  // what is read is often also written
  if (const auto known = ranges_.find(key); known != ranges_.end()) return known->second;
  if (!affords_sets(systems)) return {};
  const auto parts = without_switches(systems, kept);
  const Text both = ask_once(key_of('b', {&parts}, kept, 0, {}), [&] {
    const Set all(isl_set_coalesce(named(union_of(context_, parts, kept + 1), kept, numbers_as_names(kept))));
    const std::string least = end_of(all.get(), false);
    begin();
    return least + '\n' + end_of(all.get(), true);
  });
  const std::size_t middle = both->find('\n');
  return ranges_[key] = {with_names(both->substr(0, middle), names), with_names(both->substr(middle + 1), names)};
}

std::string Solver::largest(const std::vector<System>& systems, int kept, const std::vector<std::string>& names) {
  if (!affords_sets(systems)) return "";
  const Text text = ask_once(key_of('l', {&systems}, kept, 0, {}), [&] {
    const Set all(isl_set_coalesce(named(union_of(context_, systems, kept + 1), kept, numbers_as_names(kept))));
    return end_of(all.get(), true);
  });
  return with_names(*text, names);
}

// The least or largest value of a one-dimensional set, in its parameters; empty if it is not found in time.
std::string Solver::end_of(isl_set* all, bool is_largest) {
  isl_options_set_ast_build_detect_min_max(context_, 1);
  const Set runs(isl_set_params(isl_set_copy(all)));
  isl_ast_build* build = isl_ast_build_from_context(isl_set_copy(runs.get()));
  isl_pw_aff* end = is_largest ? isl_set_dim_max(isl_set_copy(all), 0) : isl_set_dim_min(isl_set_copy(all), 0);
  if (isl_pw_aff_n_piece(end) != 1) end = isl_pw_aff_coalesce(isl_pw_aff_gist(end, isl_set_copy(runs.get())));
  const auto text = text_of(end == nullptr ? nullptr : isl_ast_build_expr_from_pw_aff(build, end));
  isl_ast_build_free(build);
  isl_options_set_ast_build_detect_min_max(context_, 0);
  return text.value_or("");
}

// Takes ownership of the set.
std::optional<std::string> Solver::notation(isl_set* set, int kept, const std::vector<std::string>& names) {
  const Set owner(isl_set_coalesce(named(set, kept, names)));
  const isl_bool empty = isl_set_is_empty(owner.get());
  if (empty == isl_bool_error) return std::nullopt;
  if (empty == isl_bool_true) return "";
  char* text = isl_set_to_str(owner.get());
  if (text == nullptr) return std::nullopt;
  std::string found = text;
  std::free(text);
  return found;
}

std::optional<std::string> Solver::difference_text(const std::vector<System>& first, const std::vector<System>& second,
                                                   int columns, int kept, const std::vector<std::string>& names) {
  if (!affords_sets(first, second)) return std::nullopt;
  return ask_once(key_of('d', {&first, &second}, columns, kept, names), [&] {
    return notation(isl_set_subtract(union_of(context_, first, columns), union_of(context_, second, columns)), kept,
                    names);
  });
}

std::optional<std::string> Solver::rest_text(const std::vector<System>& all, const std::vector<System>& first,
                                             const std::vector<System>& second, int columns, int kept,
                                             const std::vector<std::string>& names) {
  if (!affords_sets(all, first)) return std::nullopt;
  return ask_once(key_of('e', {&all, &first, &second}, columns, kept, names), [&] {
    isl_set* left = isl_set_subtract(union_of(context_, first, columns), union_of(context_, second, columns));
    return notation(isl_set_subtract(union_of(context_, all, columns), left), kept, names);
  });
}

}  // namespace papilio::loops
