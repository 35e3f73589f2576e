#include "loops/access/polynomial.h"

#include <algorithm>

namespace papilio::loops {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;
constexpr std::size_t most_terms = 24, highest_degree = 3;

}  // namespace

Polynomial Polynomial::constant(std::int64_t value) {
  Polynomial p;
  p.set({}, value);
  return p;
}

Polynomial Polynomial::symbol(int symbol) {
  Polynomial p;
  p.set({symbol}, 1);
  return p;
}

std::int64_t Polynomial::coefficient(const Monomial& m) const {
  const auto found = terms_.find(m);
  return found == terms_.end() ? 0 : found->second;
}

std::optional<std::int64_t> Polynomial::as_constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

bool Polynomial::contains(int symbol) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) {
    return std::find(term.first.begin(), term.first.end(), symbol) != term.first.end();
  });
}

void Polynomial::set(const Monomial& m, std::int64_t coefficient) {
  if (coefficient == 0) {
    terms_.erase(m);
  } else {
    terms_[m] = coefficient;
  }
}

bool Polynomial::is_small() const {
  return terms_.size() <= most_terms && std::all_of(terms_.begin(), terms_.end(), [](const auto& term) {
           return term.first.size() <= highest_degree && term.second <= largest && term.second >= -largest;
         });
}

std::optional<Polynomial> Polynomial::sum(const Polynomial& a, const Polynomial& b, std::int64_t times) {
  Polynomial p = a;
  for (const auto& [m, c] : b.terms_) {
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(c, times, &scaled) || scaled > largest || scaled < -largest) return std::nullopt;
    p.set(m, p.coefficient(m) + scaled);
  }
  return p.is_small() ? std::optional(p) : std::nullopt;
}

std::optional<Polynomial> Polynomial::product(const Polynomial& a, const Polynomial& b) {
  Polynomial p;
  for (const auto& [m, c] : a.terms_) {
    for (const auto& [n, d] : b.terms_) {
      std::int64_t scaled = 0;
      if (__builtin_mul_overflow(c, d, &scaled) || scaled > largest || scaled < -largest) return std::nullopt;
      Monomial joined = m;
      joined.insert(joined.end(), n.begin(), n.end());
      std::sort(joined.begin(), joined.end());
      p.set(joined, p.coefficient(joined) + scaled);
    }
  }
  return p.is_small() ? std::optional(p) : std::nullopt;
}

}  // namespace papilio::loops
