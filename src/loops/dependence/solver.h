#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loops/dependence/deadline.h"

struct isl_ctx;
struct isl_set;

namespace papilio::loops {

// A linear constraint on integer columns: sum of coefficients + constant is 0, or at least 0.
struct Row {
  std::vector<std::pair<int, std::int64_t>> terms;  // columns and coefficients; a column may occur twice
  std::int64_t constant = 0;
  bool is_equality = false;
};

struct System {
  int columns = 0;
  std::vector<Row> rows;
};

// a / b, rounded down; b is positive.
constexpr std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

enum class Answer { no, yes, unknown };

// Questions about the integer points of systems, answered by isl within a bound on its operations.
class Solver {
 public:
  // `statements`: those of the text. `deadline`: if it is not null, questions throw Error when its time is up.
  explicit Solver(unsigned long most_operations, std::int64_t statements = 0, const Deadline* deadline = nullptr);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // The next questions are about the first of the `left` functions that remain of a text. It gets steps for each of its
  // own statements, twice what loops take on average, and its share, or an eighth, of what functions before it have
  // left. So a hard function leaves time for later ones, and a function has what it needs in a text of any length.
  void begin_function(std::int64_t left, std::int64_t statements = 0);

  // Whether questions have used up the function's time; then no more are answered.
  bool is_spent() const { return steps_ > most_until_; }

  // Counts a system that was made: that takes time, whether or not a question about it follows.
  void count_system() {
    steps_ += steps_per_system;
    if (++systems_ % 64 == 0) check_time();
  }

  Answer has_points(const System& system);
  std::optional<std::vector<std::int64_t>> point(const System& system);

  // Whether all points of `a`, projected on its first `kept` columns, lie in the union of the others' projections.
  Answer is_covered(const System& a, const std::vector<System>& others, int kept);

  // When no point of the systems has these first `kept` columns, as a condition in C with these names. Nothing
  // if the condition holds nowhere within `context`, a system of those columns, or is not found in time.
  std::optional<std::string> condition_for_none(const std::vector<System>& systems, const System& context, int kept,
                                                const std::vector<std::string>& names);

  // When the points of `wanted`, projected on their first `columns`, are all in `given`, likewise as a condition.
  std::optional<std::string> condition_for_covered(const std::vector<System>& wanted, const std::vector<System>& given,
                                                   int columns, const System& context, int kept,
                                                   const std::vector<std::string>& names);

  // The least and the largest value of column `kept` in the union of the systems, in C, in terms
  // of the names of the columns before it; empty if there is none, or if it is not found in time.
  std::pair<std::string, std::string> range(const std::vector<System>& systems, int kept,
                                            const std::vector<std::string>& names);
  // Only the largest.
  std::string largest(const std::vector<System>& systems, int kept, const std::vector<std::string>& names);

  // first - second, projected on the columns from `kept` to `columns`, in isl's notation with the
  // names of the columns before those. Empty for the empty set; nothing if it is not found in time.
  std::optional<std::string> difference_text(const std::vector<System>& first, const std::vector<System>& second,
                                             int columns, int kept, const std::vector<std::string>& names);
  // all - (first - second), in the same form.
  std::optional<std::string> rest_text(const std::vector<System>& all, const std::vector<System>& first,
                                       const std::vector<System>& second, int columns, int kept,
                                       const std::vector<std::string>& names);

 private:
  void begin();
  void check_time() const;
  Answer ask(const System& system);
  bool is_at_known_point(const System& system);
  void keep_point(const System& system, std::vector<std::int64_t> point);
  bool affords(const System& system, std::int64_t least_steps);
  bool affords_sets(const std::vector<System>& systems, const std::vector<System>& others = {});
  using Text = std::optional<std::string>;
  Text ask_once(const std::string& key, const std::function<Text()>& ask);
  std::optional<std::string> notation(isl_set* set, int kept, const std::vector<std::string>& names);
  std::optional<std::string> condition(isl_set* bad, isl_set* runs);
  std::string end_of(isl_set* all, bool is_largest);

  isl_ctx* context_;
  // Many questions are asked again, so answers are kept: those of has_points and is_covered, and texts.
  std::unordered_map<std::string, Answer> known_, covered_;
  std::unordered_map<std::string, std::optional<std::string>> texts_;
  std::unordered_map<int, std::vector<std::vector<std::int64_t>>> points_;  // points of systems, by number of columns
  std::unordered_map<std::string, std::pair<std::string, std::string>> ranges_;
  unsigned long most_operations_;
  static constexpr std::int64_t steps_per_system = 120;
  const Deadline* const deadline_;
  const std::int64_t shared_;  // steps that belong to no single function
  std::int64_t own_ = 0;       // steps that belong to the functions begun so far
  std::int64_t steps_ = 0;     // steps of all questions so far
  std::int64_t most_until_;    // the most steps, of all questions, until the function ends
  std::int64_t systems_ = 0;
  int exhausted_ = 0;  // questions that had no answer within the bound
};

}  // namespace papilio::loops
