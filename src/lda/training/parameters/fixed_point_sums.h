#pragma once

#include <bit>
#include <cstdint>

// Sums of gamma draws over words, in integers, so that their order does not matter. A topic's sum is
// taken in a unit that follows from N + V beta, the largest mean that a topic's sum can have. A topic
// whose sum has few units is summed again, in a unit that follows from its greatest draw.

namespace papilio::lda {

// The exponent of a positive normal number.
constexpr int exponent_of_two(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023; }
// 2^exponent, within the normal numbers.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

class FixedPointSums {
 public:
  // tokens: N; prior_mass: V beta.
  constexpr FixedPointSums(std::int64_t tokens, std::int64_t words, double prior_mass)
      : units_(static_cast<float>(
            power_of_two(61 - exponent_of_two(16 * (static_cast<double>(tokens) + prior_mass + 64))))),
        least_(words << 16),
        top_(61 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(words)))) {}

  // A draw in units is g * units(), rounded to the nearest integer, ties to even. A sum stays below
  // 2^62: no gamma draw is both more than 16 times its mean and more than 1024.
  constexpr float units() const { return units_; }

  // Whether a sum has enough units: rounding has changed it by less than 2^-17 of its value.
  constexpr bool is_fine(std::int64_t sum) const { return sum >= least_; }
  constexpr double total(std::int64_t sum) const { return static_cast<double>(sum) / static_cast<double>(units_); }

  // Otherwise, if the greatest of a topic's draws is `greatest` > 0, each draw is multiplied by
  // 2^exponent, in double, and rounded in the same way.
  constexpr int exponent(float greatest) const { return top_ - exponent_of_two(static_cast<double>(greatest)); }

 private:
  float units_;
  std::int64_t least_;
  int top_;
};

}  // namespace papilio::lda
