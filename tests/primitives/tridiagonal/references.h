#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "primitives/tridiagonal/problems.h"

// Solutions to compare with, in long double: 11 bits more than double, 40 more than float.

namespace papilio::testing {

using Exact = std::vector<long double>;

// Elimination from the first row to the last (Thomas), of one system.
template <class T>
Exact thomas(const Diagonals<T>& all, std::int64_t s) {
  const Layout& at = all.layout;
  const auto n = static_cast<std::size_t>(at.rows);
  Exact u(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t here = at.at(s, static_cast<std::int64_t>(i));
    u[i] = all.b[here], x[i] = all.d[here];
    if (i == 0) continue;
    const std::size_t before = at.at(s, static_cast<std::int64_t>(i) - 1);
    const long double w = static_cast<long double>(all.a[here]) / u[i - 1];
    u[i] -= w * static_cast<long double>(all.c[before]);
    x[i] -= w * x[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t here = at.at(s, static_cast<std::int64_t>(i));
    if (i + 1 < n) x[i] -= static_cast<long double>(all.c[here]) * x[i + 1];
    x[i] /= u[i];
  }
  return x;
}

// The same for a random walk (steps in c, weights in b, h in d), without a subtraction.
template <class T>
Exact thomas_of_walk(const Diagonals<T>& all, std::int64_t s) {
  const Layout& at = all.layout;
  const auto n = static_cast<std::size_t>(at.rows);
  Exact v(n), x(n);
  const auto step = [&](std::size_t i) {
    return static_cast<long double>(all.c[at.at(s, static_cast<std::int64_t>(i))]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t here = at.at(s, static_cast<std::int64_t>(i));
    v[i] = all.b[here], x[i] = all.d[here];
    if (i == 0) continue;
    const long double part = step(i - 1) / (step(i - 1) + v[i - 1]);
    v[i] += part * v[i - 1], x[i] += part * x[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) {
    const long double p = i + 1 < n ? step(i) : 0;
    x[i] = (x[i] + (i + 1 < n ? p * x[i + 1] : 0)) / (v[i] + p);
  }
  return x;
}

// The largest error of system s, relative to the largest |x|.
template <class T>
double error_of(const std::vector<T>& x, const Layout& layout, std::int64_t s, const Exact& exact) {
  long double worst = 0, largest = 0;
  for (std::int64_t i = 0; i < layout.rows; ++i) {
    const long double right = exact[static_cast<std::size_t>(i)];
    const long double error = std::abs(static_cast<long double>(x[layout.at(s, i)]) - right);
    worst = error <= worst ? worst : error;  // NaN counts
    largest = std::max(largest, std::abs(right));
  }
  return static_cast<double>(worst / largest);
}

template <class T>
std::vector<T> solved(const Diagonals<T>& all, const TridiagonalOptions& options = {}) {
  std::vector<T> x(static_cast<std::size_t>(all.layout.size), T{-7});
  const Layout& at = all.layout;
  solve_tridiagonal<T>(at.view(all.a.data()), at.view(all.b.data()), at.view(all.c.data()), at.view(all.d.data()),
                       at.view(x.data()), options);
  return x;
}

template <class T>
std::vector<T> walked(const Diagonals<T>& all, const TridiagonalOptions& options = {}) {
  std::vector<T> x(static_cast<std::size_t>(all.layout.size), T{-7});
  const Layout& at = all.layout;
  solve_random_walk<T>(at.view(all.c.data()), at.view(all.b.data()), at.view(all.d.data()), at.view(x.data()), options);
  return x;
}

}  // namespace papilio::testing
