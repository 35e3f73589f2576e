#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

// What the tests of floor warp share: hostile values, and the lanes of a warp as an array.

namespace papilio::warp {

// Each width that there is, and the widest in registers of 16 bytes.
using SimdWarps = testing::Types<SimdWarp<4, register_bytes>, SimdWarp<8, register_bytes>, SimdWarp<16, register_bytes>,
                                 SimdWarp<32, register_bytes>, SimdWarp<32, 16>>;

// Calls f.operator()<T>() for the types that lanes have.
template <class F>
void for_all_types(F f) {
  f.template operator()<float>();
  f.template operator()<double>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::uint32_t>();
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
struct Hostile {
  static constexpr T values[] = {0, 1, std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
};
template <std::floating_point T>
struct Hostile<T> {
  using L = std::numeric_limits<T>;
  static constexpr T values[] = {0,
                                 -T{0},
                                 1,
                                 -1,
                                 L::infinity(),
                                 -L::infinity(),
                                 L::quiet_NaN(),
                                 -L::quiet_NaN(),
                                 L::denorm_min(),
                                 -L::denorm_min(),
                                 L::min(),
                                 L::min() - L::denorm_min(),
                                 L::max(),
                                 L::lowest(),
                                 1 + L::epsilon(),
                                 1 - L::epsilon() / 2};
};

// Hostile values, arbitrary bits (quiet NaNs only), and ordinary numbers, a third each.
template <class T>
T value(std::mt19937_64& bits) {
  const std::uint64_t random = bits();
  switch (random % 3) {
    case 0:
      return Hostile<T>::values[random / 3 % std::size(Hostile<T>::values)];
    case 1: {
      T x;
      const auto pattern = static_cast<BitsOf<T>>(bits());
      std::memcpy(&x, &pattern, sizeof x);
      return x == x ? x : std::numeric_limits<T>::quiet_NaN();
    }
    default:
      return static_cast<T>(static_cast<std::int32_t>(random >> 40) % 1000) / static_cast<T>(8);
  }
}

template <class W, class T>
using ArrayOf = std::array<T, static_cast<std::size_t>(W::width)>;

template <class W, class T>
ArrayOf<W, T> values(std::mt19937_64& bits) {
  ArrayOf<W, T> all;
  for (T& x : all) x = value<T>(bits);
  return all;
}

template <class W, class T>
ArrayOf<W, T> stored(Lanes<W, T> lanes) {
  ArrayOf<W, T> all;
  W::store(all.data(), lanes);
  return all;
}

// Quads in memory order.
template <class W, class T>
std::array<T, static_cast<std::size_t>(4 * W::width)> stored_quads(const Quads<W, T>& quads) {
  std::array<T, static_cast<std::size_t>(4 * W::width)> all;
  static_assert(sizeof all == sizeof quads);
  std::memcpy(all.data(), &quads, sizeof all);
  return all;
}

// The same bits; results of arithmetic that are NaN count as the same NaN, whose
// sign and payload IEEE 754 leaves open.
template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
bool same_number(T a, T b) {
  return same_bits(a, b) || (a != a && b != b);
}

}  // namespace papilio::warp
