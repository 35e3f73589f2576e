#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace papilio::testing {

// A sum of floats written for tests, with nothing of the library in it: digits of 32 bits from 2^-1152 up, each in an
// int64 that takes carries only when the sum is read.
class ExactReference {
 public:
  void add(double value, int times = 1) {
    if (value == 0) return;
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    add_integer(mantissa, exponent - 53, times);
  }

  void add_power_of_two(int exponent, int times = 1) { add_integer(1, exponent, times); }

  // -1, 0 or 1.
  int sign() const {
    std::vector<std::int64_t> digits = digits_;
    std::int64_t carry = 0;
    bool zero = true;
    for (std::int64_t& digit : digits) {
      digit += carry;
      carry = digit >> 32;
      digit &= 0xffffffff;
      zero = zero && digit == 0;
    }
    return carry < 0 ? -1 : zero && carry == 0 ? 0 : 1;
  }

  // Whether a finite or infinite number is the sum, rounded to nearest, ties to even; 0 must be +0.
  template <class T>
  bool rounds_to(T candidate) const {
    if (std::isnan(candidate)) return false;
    if (candidate == 0 && std::signbit(candidate)) return false;
    const bool even =
        (std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(candidate) & 1) == 0;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const int above = twice_minus(candidate, std::nextafter(candidate, infinity));
    const int below = twice_minus(candidate, std::nextafter(candidate, -infinity));
    const bool not_too_low = candidate == infinity || above < 0 || (above == 0 && even);
    const bool not_too_high = candidate == -infinity || below > 0 || (below == 0 && even);
    return not_too_low && not_too_high;
  }

 private:
  static constexpr int lowest = -1152;

  // The sign of 2 sum - a - b; an infinity stands for the power of two after the largest number.
  template <class T>
  int twice_minus(T a, T b) const {
    ExactReference twice = *this;
    for (std::int64_t& digit : twice.digits_) digit *= 2;
    for (const T x : {a, b}) {
      if (std::isinf(x)) {
        twice.add_power_of_two(std::numeric_limits<T>::max_exponent, x > 0 ? -1 : 1);
      } else {
        twice.add(static_cast<double>(x), -1);
      }
    }
    return twice.sign();
  }

  void add_integer(std::int64_t mantissa, int exponent, int times) {
    const int place = exponent - lowest;
    const bool negative = (mantissa < 0) != (times < 0);
    const auto magnitude = static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
    const std::uint64_t low = (magnitude & 0xffffffff) << (place % 32), high = (magnitude >> 32) << (place % 32);
    const std::int64_t parts[3] = {static_cast<std::int64_t>(low & 0xffffffff),
                                   static_cast<std::int64_t>((low >> 32) + (high & 0xffffffff)),
                                   static_cast<std::int64_t>(high >> 32)};
    for (int i = 0; i < 3; ++i) digits_[static_cast<std::size_t>(place / 32 + i)] += negative ? -parts[i] : parts[i];
  }

  std::vector<std::int64_t> digits_ = std::vector<std::int64_t>(76);
};

// How sizes of values are spread: over so many binades around 2^middle.
struct Spread {
  int middle;
  int binades;
};

// From all alike to the whole range, subnormal numbers alone, and sums that overflow.
template <class T>
std::vector<Spread> spreads() {
  if constexpr (sizeof(T) == sizeof(float)) return {{0, 1}, {3, 24}, {0, 60}, {-10, 230}, {-140, 8}, {124, 8}};
  return {{0, 1}, {3, 24}, {0, 60}, {0, 300}, {-20, 2000}, {-1068, 8}, {1018, 8}};
}

template <class T>
T random_value(const Spread& spread, std::mt19937_64& generator) {
  const auto mantissa = static_cast<double>(static_cast<std::int64_t>(generator()) >> 10) * 0x1p-53;
  const int exponent =
      spread.middle + static_cast<int>(generator() % static_cast<std::uint64_t>(spread.binades)) - spread.binades / 2;
  const auto value = static_cast<T>(std::ldexp(mantissa, exponent));
  return generator() % 16 == 0 ? (generator() % 2 == 0 ? T{0} : -T{0}) : std::isfinite(value) ? value : T{1};
}

}  // namespace papilio::testing
