#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace papilio::loops {

// A product of symbols, sorted; an empty one is 1.
using Monomial = std::vector<int>;

// A polynomial in symbols with integer coefficients, none of which is zero. An operation returns nothing
// if the result would be large: coefficients above 2^40, degrees above 3, or more than 24 terms.
class Polynomial {
 public:
  Polynomial() = default;
  static Polynomial constant(std::int64_t value);
  static Polynomial symbol(int symbol);

  const std::map<Monomial, std::int64_t>& terms() const { return terms_; }
  std::int64_t coefficient(const Monomial& m) const;
  std::optional<std::int64_t> as_constant() const;
  bool contains(int symbol) const;

  static std::optional<Polynomial> sum(const Polynomial& a, const Polynomial& b, std::int64_t times = 1);
  static std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b);
  void set(const Monomial& m, std::int64_t coefficient);

  friend bool operator==(const Polynomial&, const Polynomial&) = default;
  friend bool operator<(const Polynomial& a, const Polynomial& b) { return a.terms_ < b.terms_; }

 private:
  bool is_small() const;

  std::map<Monomial, std::int64_t> terms_;
};

}  // namespace papilio::loops
