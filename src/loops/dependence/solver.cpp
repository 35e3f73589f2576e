#include "loops/dependence/solver.h"

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <algorithm>

#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>

#include "loops/dependence/contradiction.h"

namespace papilio::loops {
namespace {

struct Free {
  void operator()(isl_set* s) const { isl_set_free(s); }
  void operator()(isl_basic_set* s) const { isl_basic_set_free(s); }
};
using Set = std::unique_ptr<isl_set, Free>;

// Whether a row alone has no solution; `is_true` receives whether it always holds.
bool is_impossible(const Row& row, std::vector<std::int64_t>& dense, bool& is_true) {
  std::int64_t divisor = 0;
  for (const auto& [column, c] : row.terms) dense[static_cast<std::size_t>(column)] += c;
  for (const auto& [column, c] : row.terms) {
    divisor = std::gcd(divisor, dense[static_cast<std::size_t>(column)]);
  }
  for (const auto& [column, c] : row.terms) dense[static_cast<std::size_t>(column)] = 0;
  is_true = divisor == 0 && (row.is_equality ? row.constant == 0 : row.constant >= 0);
  if (divisor == 0) return !is_true;
  return row.is_equality && row.constant % divisor != 0;
}

// The system as bytes.
std::string key_of(const System& system) {
  std::string key;
  const auto add = [&](std::int64_t value) {
    do {
      key.push_back(static_cast<char>(value & 0x7f));
      value >>= 7;
    } while (value != 0 && value != -1);
    key.push_back(value == 0 ? '\x80' : '\x81');
  };
  add(system.columns);
  for (const Row& row : system.rows) {
    for (const auto& [column, c] : row.terms) {
      add(column);
      add(c);
    }
    key.push_back(row.is_equality ? '\x82' : '\x83');
    add(row.constant);
  }
  return key;
}

isl_mat* matrix_of(isl_ctx* context, const std::vector<const Row*>& rows, int columns) {
  isl_mat* m = isl_mat_alloc(context, static_cast<unsigned>(rows.size()), static_cast<unsigned>(columns) + 1);
  std::vector<std::int64_t> dense(static_cast<std::size_t>(columns) + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    dense.assign(dense.size(), 0);
    for (const auto& [column, c] : rows[r]->terms) dense[static_cast<std::size_t>(column)] += c;
    dense.back() = rows[r]->constant;
    for (std::size_t c = 0; c < dense.size(); ++c) {
      const auto small = static_cast<int>(dense[c]);
      if (small == dense[c]) {
        m = isl_mat_set_element_si(m, static_cast<int>(r), static_cast<int>(c), small);
        continue;
      }
      isl_val* v = isl_val_int_from_si(context, static_cast<long>(dense[c]));
      m = isl_mat_set_element_val(m, static_cast<int>(r), static_cast<int>(c), v);
    }
  }
  return m;
}

// Null where a row alone is impossible.
isl_basic_set* basic_set_of(isl_ctx* context, const System& system) {
  std::vector<const Row*> equalities, inequalities;
  std::vector<std::int64_t> dense(static_cast<std::size_t>(system.columns));
  for (const Row& row : system.rows) {
    bool is_true = false;
    if (is_impossible(row, dense, is_true)) return nullptr;
    if (!is_true) (row.is_equality ? equalities : inequalities).push_back(&row);
  }
  isl_space* space = isl_space_set_alloc(context, 0, static_cast<unsigned>(system.columns));
  return isl_basic_set_from_constraint_matrices(space, matrix_of(context, equalities, system.columns),
                                                matrix_of(context, inequalities, system.columns), isl_dim_set,
                                                isl_dim_cst, isl_dim_param, isl_dim_div);
}

// The union of the systems seen in their first columns; null on an error.
isl_set* union_of(isl_ctx* context, const std::vector<System>& systems, int kept) {
  isl_set* all = isl_set_empty(isl_space_set_alloc(context, 0, static_cast<unsigned>(kept)));
  for (const System& system : systems) {
    isl_basic_set* part = basic_set_of(context, system);
    if (part == nullptr) continue;
    isl_set* seen = isl_set_from_basic_set(part);
    seen = isl_set_project_out(seen, isl_dim_set, static_cast<unsigned>(kept),
                               static_cast<unsigned>(system.columns - kept));
    all = isl_set_union(all, isl_set_reset_tuple_id(seen));
  }
  return all;
}

// A second's worth for a short text, or what its statements have of their own and a part of that.
constexpr std::int64_t steps_per_text = 80'000'000, least_shared = 20'000'000, steps_per_statement = 16'000;

}  // namespace

Solver::Solver(unsigned long most_operations, std::int64_t statements, const Deadline* deadline)
    : context_(isl_ctx_alloc()),
      most_operations_(most_operations),
      deadline_(deadline),
      shared_(std::max(least_shared, steps_per_text - steps_per_statement * statements)),
      most_until_(shared_) {
  if (context_ == nullptr) throw std::bad_alloc();
  isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE);
}

Solver::~Solver() { isl_ctx_free(context_); }

void Solver::begin() {
  // A text of hard questions has less for each: what many of them take together is bounded too.
  constexpr int many = 20;
  constexpr unsigned long less = 50;
  if (isl_ctx_last_error(context_) == isl_error_quota) ++exhausted_;
  isl_ctx_reset_error(context_);
  isl_ctx_reset_operations(context_);
  isl_ctx_set_max_operations(context_, exhausted_ < many ? most_operations_ : std::max(1ul, most_operations_ / less));
}

void Solver::begin_function(std::int64_t left, std::int64_t statements) {
  constexpr std::int64_t least_share = 8;
  steps_ = std::min(steps_, most_until_);  // the question that was refused has taken none
  const std::int64_t own = steps_per_statement * statements;
  most_until_ = steps_ + own + (shared_ + own_ - steps_) / std::clamp<std::int64_t>(left, 1, least_share);
  own_ += own;
}

// A text is hard where functions have taken half of what they share.
void Solver::check_time() const {
  if (deadline_ != nullptr) deadline_->check(steps_ - own_ > shared_ / 2);
}

namespace {

std::int64_t size_of(const System& system) {
  const std::int64_t columns = system.columns;
  return columns * columns * static_cast<std::int64_t>(system.rows.size());
}

}  // namespace

// Whether there is time left for a question about the system, in steps that were measured: a text has about a second.
bool Solver::affords(const System& system, std::int64_t least_steps) {
  check_time();
  steps_ += size_of(system) + least_steps;
  return !is_spent();
}

// The same for a question that makes text of sets.
bool Solver::affords_sets(const std::vector<System>& systems, const std::vector<System>& others) {
  constexpr std::int64_t least_steps = 7500, steps_per_part = 3400;
  check_time();
  steps_ += least_steps;
  for (const std::vector<System>* list : {&systems, &others}) {
    for (const System& system : *list) steps_ += size_of(system) + steps_per_part;
  }
  return !is_spent();
}

Answer Solver::has_points(const System& system) {
  constexpr std::size_t most_known = 50'000;
  count_system();
  const std::string key = key_of(system);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (known_.size() >= most_known) known_.clear();
  const Answer answer = ask(system);
  if (answer != Answer::unknown || !is_spent()) known_[key] = answer;  // another function may have time for it
  return answer;
}

Answer Solver::ask(const System& system) {
  if (is_plain_contradiction(system)) return Answer::no;
  if (!affords(system, 3400)) return Answer::unknown;
  begin();
  const std::unique_ptr<isl_basic_set, Free> set(basic_set_of(context_, system));
  if (set == nullptr) return isl_ctx_last_error(context_) == isl_error_none ? Answer::no : Answer::unknown;
  const isl_bool empty = isl_basic_set_is_empty(set.get());
  return empty == isl_bool_error ? Answer::unknown : empty ? Answer::no : Answer::yes;
}

std::optional<std::vector<std::int64_t>> Solver::point(const System& system) {
  if (!affords(system, 2300)) return std::nullopt;
  begin();
  isl_basic_set* set = basic_set_of(context_, system);
  if (set == nullptr) return std::nullopt;
  isl_point* found = isl_basic_set_sample_point(set);
  if (found == nullptr || isl_point_is_void(found) != isl_bool_false) {
    isl_point_free(found);
    return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (int c = 0; c < system.columns; ++c) {
    isl_val* v = isl_point_get_coordinate_val(found, isl_dim_set, c);
    values.push_back(isl_val_get_num_si(v));
    isl_val_free(v);
  }
  isl_point_free(found);
  return values;
}

Answer Solver::is_covered(const System& a, const std::vector<System>& others, int kept) {
  constexpr std::int64_t steps_per_other = 1300, steps_per_pair = 30;
  const auto parts = static_cast<std::int64_t>(others.size());
  steps_ += steps_per_pair * parts * parts;
  for (const System& other : others) steps_ += size_of(other) + steps_per_other;
  if (!affords(a, 2300)) return Answer::unknown;
  begin();
  const Set left(union_of(context_, {a}, kept));
  const Set right(union_of(context_, others, kept));
  const isl_bool inside = isl_set_is_subset(left.get(), right.get());
  return inside == isl_bool_error ? Answer::unknown : inside ? Answer::yes : Answer::no;
}

namespace {

isl_set* named(isl_set* set, int kept, const std::vector<std::string>& names) {
  set = isl_set_move_dims(set, isl_dim_param, 0, isl_dim_set, 0, static_cast<unsigned>(kept));
  for (int i = 0; i < kept; ++i) {
    set =
        isl_set_set_dim_name(set, isl_dim_param, static_cast<unsigned>(i), names[static_cast<std::size_t>(i)].c_str());
  }
  return set;
}

std::optional<std::string> text_of(isl_ast_expr* expression) {
  char* text = expression == nullptr ? nullptr : isl_ast_expr_to_C_str(expression);
  std::optional<std::string> found;
  if (text != nullptr) found = text;
  std::free(text);
  isl_ast_expr_free(expression);
  return found;
}

}  // namespace

namespace {

// The set where it is another one, a single polyhedron, without the points of one equation: "16 * np >= ns && sym !=
// 1". Takes nothing.
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

// Where `runs` holds and `bad` does not. Takes both.
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
  begin();
  isl_set* bad = isl_set_params(named(union_of(context_, systems, kept), kept, names));
  return condition(bad, isl_set_params(named(union_of(context_, {context}, kept), kept, names)));
}

std::optional<std::string> Solver::condition_for_covered(const std::vector<System>& wanted,
                                                         const std::vector<System>& given, int columns,
                                                         const System& context, int kept,
                                                         const std::vector<std::string>& names) {
  if (!affords_sets(wanted, given)) return std::nullopt;
  begin();
  isl_set* all = union_of(context_, wanted, columns);
  isl_set* open = isl_set_subtract(isl_set_copy(all), union_of(context_, given, columns));
  isl_set* bad = isl_set_params(named(open, kept, names));
  isl_set* runs = isl_set_params(named(union_of(context_, {context}, kept), kept, names));
  // Where nothing is wanted, nothing is missing, so the condition may say anything there.
  return condition(bad, isl_set_intersect(runs, isl_set_params(named(all, kept, names))));
}

std::pair<std::string, std::string> Solver::range(const std::vector<System>& systems, int kept,
                                                  const std::vector<std::string>& names) {
  std::string key;  // what is read is often written too
  for (const System& system : systems) key += key_of(system) + '\x84';
  for (int i = 0; i < kept; ++i) key += names[static_cast<std::size_t>(i)] + ',';
  if (const auto known = ranges_.find(key); known != ranges_.end()) return known->second;
  if (!affords_sets(systems)) return {};
  std::pair<std::string, std::string>& found = ranges_[key];
  begin();
  isl_options_set_ast_build_detect_min_max(context_, 1);
  const Set all(isl_set_coalesce(named(union_of(context_, systems, kept + 1), kept, names)));
  const Set runs(isl_set_params(isl_set_copy(all.get())));
  isl_ast_build* build = isl_ast_build_from_context(isl_set_copy(runs.get()));
  for (const bool is_largest : {false, true}) {
    if (is_largest) begin();
    isl_set* set = isl_set_copy(all.get());
    isl_pw_aff* end = is_largest ? isl_set_dim_max(set, 0) : isl_set_dim_min(set, 0);
    end = isl_pw_aff_coalesce(isl_pw_aff_gist(end, isl_set_copy(runs.get())));
    const auto text = text_of(end == nullptr ? nullptr : isl_ast_build_expr_from_pw_aff(build, end));
    if (text) (is_largest ? found.second : found.first) = *text;
  }
  isl_ast_build_free(build);
  isl_options_set_ast_build_detect_min_max(context_, 0);
  return found;
}

// Takes the set.
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
  begin();
  return notation(isl_set_subtract(union_of(context_, first, columns), union_of(context_, second, columns)), kept,
                  names);
}

std::optional<std::string> Solver::rest_text(const std::vector<System>& all, const std::vector<System>& first,
                                             const std::vector<System>& second, int columns, int kept,
                                             const std::vector<std::string>& names) {
  if (!affords_sets(all, first)) return std::nullopt;
  begin();
  isl_set* left = isl_set_subtract(union_of(context_, first, columns), union_of(context_, second, columns));
  return notation(isl_set_subtract(union_of(context_, all, columns), left), kept, names);
}

}  // namespace papilio::loops
