#include "loops/dependence/search.h"

#include <algorithm>
#include <cstdlib>

namespace papilio::loops {
namespace {

__extension__ using Wide = __int128;

constexpr int most_columns = 64;
constexpr std::size_t most_rows = 256;
constexpr int most_moves = 64;

// For coefficients, and for values and constants: no sum of products overflows.
constexpr std::int64_t largest_coefficient = 1 << 20, largest_value = std::int64_t{1} << 36;

// The sum of coefficients * columns + constant; the constant is the last entry.
using Sum = std::vector<std::int64_t>;

bool is_small(const Sum& sum) {
  return std::all_of(sum.begin(), sum.end() - 1, [](std::int64_t c) { return std::abs(c) <= largest_coefficient; }) &&
         std::abs(sum.back()) <= largest_value;
}

class Search {
 public:
  explicit Search(const System& system) : columns_(static_cast<std::size_t>(system.columns)) {
    can_ = system.columns <= most_columns && system.rows.size() <= most_rows;
    if (!can_) return;
    std::vector<Sum> equalities;
    for (std::size_t r = 0; r < system.rows.size() && can_; ++r) {
      Sum sum(columns_ + 1);
      for (const auto& [column, c] : system.rows[r].terms) {
        can_ = can_ && std::abs(c) <= largest_coefficient;
        sum[static_cast<std::size_t>(column)] += c;
      }
      sum.back() = system.rows[r].constant;
      can_ = can_ && is_small(sum);
      (system.rows[r].is_equality ? equalities : sums_).push_back(std::move(sum));
    }
    whole_.assign(columns_, Sum(columns_ + 1));
    for (std::size_t c = 0; c < columns_; ++c) whole_[c][c] = 1;
    while (!equalities.empty() && can_) eliminate(equalities);
  }

  std::optional<std::vector<std::int64_t>> run(const std::vector<std::int64_t>* start) {
    if (!can_) return std::nullopt;
    point_.assign(columns_, 0);
    if (start != nullptr && !is_mixed_) point_ = *start;
    for (std::int64_t& x : point_) x = std::clamp(x, -largest_value, largest_value);
    for (const Sum& sum : sums_) values_.push_back(value_of(sum));
    for (int move = 0; move < most_moves; ++move) {
      const auto violated = std::find_if(values_.begin(), values_.end(), [](std::int64_t v) { return v < 0; });
      if (violated == values_.end()) return whole_point();
      if (!repair(static_cast<std::size_t>(violated - values_.begin()))) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // Takes the last equality, and removes a column, whose value it gives, from all sums. If the column's
  // coefficient in it is not 1 or -1, columns are mixed until there is one that is: Euclid's algorithm.
  void eliminate(std::vector<Sum>& equalities) {
    while (can_) {
      const Sum& by = equalities.back();
      std::size_t least = columns_;
      for (std::size_t c = 0; c < columns_; ++c) {
        if (by[c] != 0 && (least == columns_ || std::abs(by[c]) < std::abs(by[least]))) least = c;
      }
      if (least == columns_) {
        can_ = by.back() == 0;
        break;
      }
      const bool is_alone = std::count(by.begin(), by.end() - 1, 0) + 1 == static_cast<std::ptrdiff_t>(columns_);
      can_ = !is_alone || by.back() % by[least] == 0;
      if (is_alone || std::abs(by[least]) == 1) {
        give(least, equalities);
        break;
      }
      mix(least, equalities);
    }
    equalities.pop_back();
  }

  void give(std::size_t column, std::vector<Sum>& equalities) {
    Sum by = equalities.back();  // the column has coefficient -1 in it
    const std::int64_t factor = -by[column];
    for (std::int64_t& c : by) c /= factor;
    for (std::vector<Sum>* list : {&equalities, &sums_, &whole_}) {
      for (Sum& sum : *list) substitute(sum, column, by);
    }
  }

  void substitute(Sum& sum, std::size_t column, const Sum& by) {
    const std::int64_t factor = sum[column];
    if (factor == 0 || !can_) return;
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += factor * by[c];
    can_ = is_small(sum);
  }

  // Lets a column stand for itself plus multiples of the others, whose coefficients in the last equality then shrink.
  void mix(std::size_t column, std::vector<Sum>& equalities) {
    Sum times = equalities.back();
    const std::int64_t least = times[column], size = std::abs(least);
    for (std::int64_t& c : times) c = (least < 0 ? 1 : -1) * floor_of(2 * c + size, 2 * size);
    times[column] = times.back() = 0;
    is_mixed_ = true;
    for (std::vector<Sum>* list : {&equalities, &sums_, &whole_}) {
      for (Sum& sum : *list) {
        const std::int64_t factor = sum[column];
        for (std::size_t c = 0; c < columns_ && factor != 0; ++c) sum[c] += factor * times[c];
        can_ = can_ && is_small(sum);
        if (!can_) return;
      }
    }
  }

  std::int64_t value_of(const Sum& sum) const {
    std::int64_t value = sum.back();
    for (std::size_t c = 0; c < columns_; ++c) value += sum[c] * point_[c];
    return value;
  }

  // Moves one column so that a row holds; false if none can do it.
  bool repair(std::size_t row) {
    std::size_t best = columns_;
    std::int64_t best_move = 0;
    Wide best_left = 0;
    for (std::size_t c = 0; c < columns_; ++c) {
      const std::int64_t coefficient = sums_[row][c];
      if (coefficient == 0) continue;
      const std::int64_t size = std::abs(coefficient), steps = (size - 1 - values_[row]) / size;
      const std::int64_t move = coefficient > 0 ? steps : -steps;
      if (std::abs(point_[c] + move) > largest_value) continue;
      const Wide left = violated_after(c, move);
      if (best < columns_ && left >= best_left) continue;
      best = c, best_move = move, best_left = left;
    }
    if (best == columns_) return false;
    point_[best] += best_move;
    for (std::size_t r = 0; r < sums_.size(); ++r) values_[r] += sums_[r][best] * best_move;
    return true;
  }

  Wide violated_after(std::size_t column, std::int64_t move) const {
    Wide left = 0;
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      const std::int64_t value = values_[r] + sums_[r][column] * move;
      if (value < 0) left -= value;
    }
    return left;
  }

  std::vector<std::int64_t> whole_point() const {
    std::vector<std::int64_t> point;
    for (const Sum& sum : whole_) point.push_back(value_of(sum));
    return point;
  }

  const std::size_t columns_;
  bool can_ = true;
  bool is_mixed_ = false;
  std::vector<Sum> sums_;   // those that must not be negative
  std::vector<Sum> whole_;  // the system's columns, in terms of those that no equality determines
  std::vector<std::int64_t> point_, values_;
};

}  // namespace

bool contains(const System& system, const std::vector<std::int64_t>& point) {
  return std::all_of(system.rows.begin(), system.rows.end(), [&](const Row& row) {
    Wide sum = row.constant;
    bool fits = true;
    for (const auto& [column, c] : row.terms) {
      const Wide product = static_cast<Wide>(c) * point[static_cast<std::size_t>(column)];
      fits = fits && !__builtin_add_overflow(sum, product, &sum);
    }
    return fits && (row.is_equality ? sum == 0 : sum >= 0);
  });
}

std::optional<std::vector<std::int64_t>> search_point(const System& system, const std::vector<std::int64_t>* start) {
  auto found = Search(system).run(start);
  if (found && !contains(system, *found)) found.reset();
  return found;
}

}  // namespace papilio::loops
