#pragma once

#include <cstdint>

#include "primitives/exact_sums_kernel.h"
#include "primitives/fixed_grid.h"

// Floats in fixed point, block by block, in loops that compilers turn into vector instructions.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

template <class T>
primitives::Magnitudes magnitudes(const T* values, std::int64_t count) {
  using Key = std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int64_t>;
  constexpr auto infinite = static_cast<Key>(FloatFormat<T>::infinity);
  constexpr Key fractions = (Key{1} << FloatFormat<T>::fraction_bits) - 1;
  Key largest = 0, last = infinite, most = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto magnitude = static_cast<Key>(primitives::magnitude_bits(values[i]));
    const Key finite = magnitude < infinite ? magnitude : 0;
    // What the last bit set is worth: the value minus the value without
    // that bit or, if the first bit is the only one, the value itself.
    const T without = std::bit_cast<T>(static_cast<Key>(finite & (finite - 1)));
    const Key of_last = std::bit_cast<Key>(std::bit_cast<T>(finite) - without);
    const Key bit = (finite & fractions) != 0 ? of_last : finite != 0 ? finite : infinite;
    largest = finite > largest ? finite : largest;
    last = bit < last ? bit : last;
    most = magnitude > most ? magnitude : most;
  }
  return {largest, primitives::last_place_of_bits<T>(static_cast<primitives::BitsOf<T>>(last)), most >= infinite};
}

// Scaling by a power of two is exact here: the results are whole numbers.
template <class T>
void fixed_64(const T* values, int count, int place, std::int64_t* fixed) {
  const int exponent = -(place + FloatFormat<T>::least);
  if (exponent < -1022 || exponent > 1023) {
    for (int i = 0; i < count; ++i) {
      fixed[i] = primitives::is_finite(values[i]) ? primitives::to_grid<T, std::int64_t>(values[i], place) : 0;
    }
    return;
  }
  const double scale = power_of_two(exponent);
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    fixed[i] = static_cast<std::int64_t>(__builtin_fabs(value) < infinity ? value * scale : 0.0);
  }
}

template <class T>
void fixed_128(const T* values, int count, int place, std::uint64_t* low, std::int64_t* high) {
  const std::int64_t from = place + FloatFormat<T>::least - FloatFormat<double>::least;  // as a place of double
  const auto within = [](std::int64_t shift) { return shift < 0 ? 0 : shift > 63 ? 63 : shift; };
  for (int i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(values[i]));
    const std::int64_t exponent = (bits >> 52) & 0x7ff, fraction = bits & 0xfffffffffffff;
    const std::int64_t hidden = exponent != 0 ? std::int64_t{1} << 52 : 0;
    const std::int64_t significand = exponent != 0x7ff ? fraction | hidden : 0;
    const std::int64_t shift = (exponent != 0 ? exponent - 1 : 0) - from;
    // A significand has 53 bits: shifted right by 63, it is 0.
    const auto units = static_cast<std::uint64_t>(significand);
    const std::uint64_t left = shift < 64 ? units << within(shift) : 0, right = units >> within(-shift);
    const std::uint64_t lower = shift >= 0 ? left : right;
    const std::uint64_t upper = shift >= 64 ? units << within(shift - 64) : units >> within(64 - shift);
    const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 63);  // all bits set if it is negative
    low[i] = (lower ^ sign) - sign;
    high[i] = static_cast<std::int64_t>((upper ^ sign) + (lower == 0 ? sign & 1 : 0));
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
