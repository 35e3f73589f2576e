#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "papilio/tridiagonal.h"

// Tridiagonal systems of tests, in any layout.

namespace papilio::testing {

// How a matrix of systems x unknowns lies in memory.
struct Layout {
  std::int64_t systems = 0, rows = 0;
  std::int64_t system_stride = 0, row_stride = 1;
  std::int64_t offset = 0;  // of entry (0, 0)
  std::int64_t size = 0;    // of the memory

  std::size_t at(std::int64_t s, std::int64_t i) const {
    return static_cast<std::size_t>(offset + s * system_stride + i * row_stride);
  }
  template <class T>
  MatrixView<T> view(T* data, Device device = Device::cpu(), std::int64_t columns = -1) const {
    return {data + offset, systems, columns < 0 ? rows : columns, system_stride, row_stride, device};
  }
};

inline Layout contiguous(std::int64_t systems, std::int64_t rows) {
  return {systems, rows, rows, 1, 0, systems * rows};
}
inline Layout interleaved(std::int64_t systems, std::int64_t rows) {
  return {systems, rows, 1, systems, 0, systems * rows};
}
// With gaps, and the systems from last to first.
inline Layout gappy(std::int64_t systems, std::int64_t rows) {
  return {systems, rows, -(2 * rows + 3), 2, (systems - 1) * (2 * rows + 3), systems * (2 * rows + 3)};
}

// Diagonals and right-hand sides, all in one layout. Unread entries are NaN.
template <class T>
struct Diagonals {
  Layout layout;
  std::vector<T> a, b, c, d;
};

// Random diagonals whose rows are dominant, by little: |b| = (|a| + |c|) (1 + margin) + tiny; signs at random.
template <class T>
Diagonals<T> dominant(const Layout& layout, std::uint32_t seed, double margin = 0.05) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto size = static_cast<std::size_t>(layout.size);
  Diagonals<T> all = {layout, std::vector<T>(size, std::nanf("")), std::vector<T>(size, std::nanf("")),
                      std::vector<T>(size, std::nanf("")), std::vector<T>(size, std::nanf(""))};
  for (std::int64_t s = 0; s < layout.systems; ++s) {
    for (std::int64_t i = 0; i < layout.rows; ++i) {
      const std::size_t at = layout.at(s, i);
      const double a = number(bits), c = number(bits), sign = number(bits) < 0 ? -1 : 1;
      if (i > 0) all.a[at] = static_cast<T>(a);
      if (i + 1 < layout.rows) all.c[at] = static_cast<T>(c);
      all.b[at] = static_cast<T>(sign * ((std::abs(a) + std::abs(c)) * (1 + margin) + 0.01));
      all.d[at] = static_cast<T>(number(bits));
    }
  }
  return all;
}

// A random walk that is observed now and then: steps in c, weights in b, h in d. The first unknown is always observed.
template <class T>
Diagonals<T> random_walk(const Layout& layout, std::uint32_t seed, double observed = 0.3) {
  Diagonals<T> all = dominant<T>(layout, seed);
  std::mt19937 bits(seed + 1);
  std::uniform_real_distribution<double> number(0, 1);
  for (std::int64_t s = 0; s < layout.systems; ++s) {
    for (std::int64_t i = 0; i < layout.rows; ++i) {
      const std::size_t at = layout.at(s, i);
      if (i + 1 < layout.rows) all.c[at] = static_cast<T>(20 * number(bits));
      all.b[at] = i == 0 || number(bits) < observed ? static_cast<T>(number(bits) + 0.01) : T{0};
      all.d[at] = static_cast<T>(static_cast<double>(all.b[at]) * (4 * number(bits) - 2));
    }
  }
  return all;
}

// Random symmetric positive definite matrices: off-diagonals in c, and in a one later.
template <class T>
Diagonals<T> positive_definite(const Layout& layout, std::uint32_t seed) {
  Diagonals<T> all = dominant<T>(layout, seed);
  for (std::int64_t s = 0; s < layout.systems; ++s) {
    for (std::int64_t i = 0; i < layout.rows; ++i) {
      const std::size_t at = layout.at(s, i);
      const T before = i > 0 ? all.c[layout.at(s, i - 1)] : T{0};
      if (i > 0) all.a[at] = before;
      const T after = i + 1 < layout.rows ? all.c[at] : T{0};
      all.b[at] = (std::abs(before) + std::abs(after)) * T(1.0625) + T(0.015625);
    }
  }
  return all;
}

}  // namespace papilio::testing
