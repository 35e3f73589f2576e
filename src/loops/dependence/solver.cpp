#include "loops/dependence/solver.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "loops/dependence/contradiction.h"
#include "loops/dependence/search.h"
#include "loops/dependence/sets.h"

namespace papilio::loops {
namespace {

std::vector<std::int64_t> values_of(isl_point* point, int columns) {
  std::vector<std::int64_t> values;
  for (int c = 0; c < columns; ++c) {
    isl_val* v = isl_point_get_coordinate_val(point, isl_dim_set, c);
    values.push_back(isl_val_get_num_si(v));
    isl_val_free(v);
  }
  return values;
}

constexpr std::size_t most_known = 50'000;  // answers that are kept

// A second's worth for a short text; for others, what each statement has of its own and a shared part.
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
  // If many questions of a text are hard, each gets less: their total is bounded too.
  constexpr int many = 20;
  constexpr unsigned long less = 50;
  if (isl_ctx_last_error(context_) == isl_error_quota) ++exhausted_;
  isl_ctx_reset_error(context_);
  isl_ctx_reset_operations(context_);
  isl_ctx_set_max_operations(context_, exhausted_ < many ? most_operations_ : std::max(1ul, most_operations_ / less));
}

void Solver::begin_function(std::int64_t left, std::int64_t statements) {
  constexpr std::int64_t least_share = 8;
  steps_ = std::min(steps_, most_until_);  // the question that was refused took none
  const std::int64_t own = steps_per_statement * statements;
  most_until_ = steps_ + own + (shared_ + own_ - steps_) / std::clamp<std::int64_t>(left, 1, least_share);
  own_ += own;
}

// A text is hard if its functions have taken half of the steps that they share.
void Solver::check_time() const {
  if (deadline_ != nullptr) deadline_->check(steps_ - own_ > shared_ / 2);
}

namespace {

std::int64_t size_of(const System& system) {
  const std::int64_t columns = system.columns;
  return columns * columns * static_cast<std::int64_t>(system.rows.size());
}

}  // namespace

// Whether there is time left for a question about the system, in measured steps: a text has about a second.
bool Solver::affords(const System& system, std::int64_t least_steps) {
  check_time();
  steps_ += size_of(system) + least_steps;
  return !is_spent();
}

// The same for a question that turns sets into text.
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
  count_system();
  const std::string key = key_of(system);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (known_.size() >= most_known) known_.clear();
  const Answer answer = ask(system);
  if (answer != Answer::unknown || !is_spent()) known_[key] = answer;  // else another function may have time
  return answer;
}

Answer Solver::ask(const System& system) {
  if (is_plain_contradiction(system)) return Answer::no;
  if (!affords(system, 3400)) return Answer::unknown;
  if (is_at_known_point(system)) return Answer::yes;
  const auto& known = points_[system.columns];
  if (auto point = search_point(system, known.empty() ? nullptr : &known.front())) {
    keep_point(system, std::move(*point));
    return Answer::yes;
  }
  begin();
  isl_basic_set* set = basic_set_of(context_, system);
  if (set == nullptr) return isl_ctx_last_error(context_) == isl_error_none ? Answer::no : Answer::unknown;
  const std::unique_ptr<isl_point, Free> found(isl_basic_set_sample_point(set));
  const isl_bool empty = isl_point_is_void(found.get());
  if (empty == isl_bool_false) keep_point(system, values_of(found.get(), system.columns));
  return empty == isl_bool_error ? Answer::unknown : empty ? Answer::no : Answer::yes;
}

// Many questions differ little, so a point of one is often a point of the next. The last one that was comes first.
bool Solver::is_at_known_point(const System& system) {
  std::vector<std::vector<std::int64_t>>& points = points_[system.columns];
  const auto at = std::find_if(points.begin(), points.end(), [&](const auto& p) { return contains(system, p); });
  if (at == points.end()) return false;
  std::rotate(points.begin(), at, at + 1);
  return true;
}

void Solver::keep_point(const System& system, std::vector<std::int64_t> point) {
  constexpr std::size_t most_points = 24;
  if (!contains(system, point)) return;  // it has a value of more than 64 bits
  std::vector<std::vector<std::int64_t>>& points = points_[system.columns];
  if (points.size() >= most_points) points.pop_back();
  points.insert(points.begin(), std::move(point));
}

std::optional<std::vector<std::int64_t>> Solver::point(const System& system) {
  if (!affords(system, 2300)) return std::nullopt;
  begin();
  isl_basic_set* set = basic_set_of(context_, system);
  if (set == nullptr) return std::nullopt;
  const std::unique_ptr<isl_point, Free> found(isl_basic_set_sample_point(set));
  if (isl_point_is_void(found.get()) != isl_bool_false) return std::nullopt;
  return values_of(found.get(), system.columns);
}

Answer Solver::is_covered(const System& a, const std::vector<System>& others, int kept) {
  constexpr std::int64_t steps_per_other = 1300, steps_per_pair = 30;
  const auto parts = static_cast<std::int64_t>(others.size());
  steps_ += steps_per_pair * parts * parts;
  for (const System& other : others) steps_ += size_of(other) + steps_per_other;
  if (!affords(a, 2300)) return Answer::unknown;
  const std::string key = key_of(a) + key_of(others) + std::to_string(kept);
  if (const auto found = covered_.find(key); found != covered_.end()) return found->second;
  begin();
  const Set left(union_of(context_, {a}, kept));
  const Set right(union_of(context_, others, kept));
  const isl_bool inside = isl_set_is_subset(left.get(), right.get());
  if (inside == isl_bool_error) return Answer::unknown;
  if (covered_.size() >= most_known) covered_.clear();
  return covered_[key] = inside ? Answer::yes : Answer::no;
}

}  // namespace papilio::loops
