#include "loops/dependence/contradiction.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace papilio::loops {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;  // for coefficients and constants, so that nothing overflows

// low <= sum of terms <= high.
struct Range {
  std::vector<std::pair<int, std::int64_t>> terms;
  std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
};

class Ranges {
 public:
  explicit Ranges(const System& system) : same_(static_cast<std::size_t>(system.columns)) {
    std::iota(same_.begin(), same_.end(), 0);
    for (const Row& row : system.rows) join(row);
    for (const Row& row : system.rows) add(row);
  }

  bool is_contradiction() const { return is_contradiction_; }

 private:
  int root(int column) const {
    while (same_[static_cast<std::size_t>(column)] != column) column = same_[static_cast<std::size_t>(column)];
    return column;
  }

  // x - y = 0
  void join(const Row& row) {
    if (!row.is_equality || row.constant != 0 || row.terms.size() != 2) return;
    const auto& [x, a] = row.terms[0];
    const auto& [y, b] = row.terms[1];
    if (a == -b && a != 0) same_[static_cast<std::size_t>(std::max(root(x), root(y)))] = std::min(root(x), root(y));
  }

  void add(const Row& row) {
    std::vector<std::pair<int, std::int64_t>> terms;
    if (std::abs(row.constant) > largest) return;
    for (const auto& [column, c] : row.terms) {
      if (std::abs(c) > largest) return;
      const int x = root(column);
      const auto at = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == x; });
      if (at == terms.end()) {
        terms.emplace_back(x, c);
      } else {
        at->second += c;
      }
    }
    std::erase_if(terms, [](const auto& t) { return t.second == 0; });
    if (terms.empty()) {
      is_contradiction_ = is_contradiction_ || (row.is_equality ? row.constant != 0 : row.constant < 0);
      return;
    }
    std::sort(terms.begin(), terms.end());
    std::int64_t divisor = 0;
    for (const auto& [x, c] : terms) divisor = std::gcd(divisor, c);
    const bool is_negative = terms[0].second < 0;
    for (auto& [x, c] : terms) c /= is_negative ? -divisor : divisor;
    // sum * sign * divisor + constant >= 0, or = 0
    auto at = std::find_if(all_.begin(), all_.end(), [&](const Range& r) { return r.terms == terms; });
    if (at == all_.end()) at = all_.insert(all_.end(), Range{std::move(terms)});
    if (row.is_equality && row.constant % divisor != 0) is_contradiction_ = true;
    const std::int64_t bound = floor_of(row.constant, divisor);
    if (!is_negative || row.is_equality) at->low = std::max(at->low, is_negative ? bound : -bound);
    if (is_negative || row.is_equality) at->high = std::min(at->high, is_negative ? bound : -bound);
    is_contradiction_ = is_contradiction_ || at->low > at->high;
  }

  std::vector<int> same_;
  std::vector<Range> all_;
  bool is_contradiction_ = false;
};

}  // namespace

bool is_plain_contradiction(const System& system) { return Ranges(system).is_contradiction(); }

}  // namespace papilio::loops
