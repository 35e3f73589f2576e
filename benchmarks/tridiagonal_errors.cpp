// Errors of tridiagonal solvers in float: prints a table in Markdown. An error is the largest one of a solution over
// the largest number of it, the worst of ten systems; the exact solution is that of information form in long double.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "papilio/tridiagonal.h"
#include "papilio/version.h"

namespace {

// A system in both forms; one that is not a random walk has no steps.
struct System {
  std::vector<float> steps, weights, a, b, c, d;

  std::size_t size() const { return b.size(); }
};
using Exact = std::vector<long double>;

constexpr float p = 100;  // the precision of a step, 1 / 0.01

System random_system(std::size_t n, std::mt19937& bits) {
  std::uniform_real_distribution<float> number(-1, 1);
  System s;
  for (std::size_t i = 0; i < n; ++i) {
    s.a.push_back(number(bits)), s.c.push_back(number(bits)), s.d.push_back(number(bits));
    s.b.push_back((std::fabs(s.a[i]) + std::fabs(s.c[i])) * 1.05f + 0.01f);
  }
  return s;
}

// The first unknown is observed, the others with some probability.
System walk(std::size_t n, double observed, std::mt19937& bits) {
  std::uniform_real_distribution<float> number(0, 1);
  System s;
  for (std::size_t i = 0; i < n; ++i) {
    const bool seen = i == 0 || static_cast<double>(number(bits)) < observed;
    s.weights.push_back(seen ? number(bits) * 2 + 0.01f : 0.0f);
    s.d.push_back(seen ? s.weights[i] * (number(bits) * 4 - 2) : 0.0f);
    s.steps.push_back(p);
    s.a.push_back(-p), s.c.push_back(-p);
    s.b.push_back(s.weights[i] + (i == 0 || i + 1 == n ? p : 2 * p));
  }
  return s;
}

Exact exactly(const System& s) {
  const std::size_t n = s.size();
  Exact u(n), x(n);
  const bool walks = !s.steps.empty();
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = walks ? s.weights[i] : s.b[i], x[i] = s.d[i];
    if (i == 0) continue;
    if (walks) {
      const long double part = p / (p + u[i - 1]);
      u[i] += part * u[i - 1], x[i] += part * x[i - 1];
    } else {
      const long double w = static_cast<long double>(s.a[i]) / u[i - 1];
      u[i] -= w * static_cast<long double>(s.c[i - 1]), x[i] -= w * x[i - 1];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    const bool last = i + 1 == n;
    const auto c = last ? 0 : static_cast<long double>(s.c[i]);
    x[i] = (x[i] - (last ? 0 : c * x[i + 1])) / (walks ? u[i] + (last ? 0 : p) : u[i]);
  }
  return x;
}

using Solution = std::vector<float>;

Solution by_thomas(const System& s) {
  const std::size_t n = s.size();
  Solution u(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float w = i == 0 ? 0 : s.a[i] / u[i - 1];
    u[i] = s.b[i] - (i == 0 ? 0 : w * s.c[i - 1]), x[i] = s.d[i] - (i == 0 ? 0 : w * x[i - 1]);
  }
  for (std::size_t i = n; i-- > 0;) x[i] = (x[i] - (i + 1 == n ? 0 : s.c[i] * x[i + 1])) / u[i];
  return x;
}

// The textbook's scan: pivots are ratios of entries of a product of 2 x 2 matrices, each divided by its largest entry;
// then two scans of linear functions.
Solution by_scans(const System& s) {
  const std::size_t n = s.size();
  Solution x(n), u(n);
  float m[4] = {1, 0, 0, 1};
  for (std::size_t i = 0; i < n; ++i) {
    const float off = i == 0 ? 0 : s.a[i] * s.c[i - 1];
    const float next[4] = {s.b[i] * m[0] - off * m[2], s.b[i] * m[1] - off * m[3], m[0], m[1]};
    const float largest = std::max({std::fabs(next[0]), std::fabs(next[1]), std::fabs(next[2]), std::fabs(next[3])});
    for (int k = 0; k < 4; ++k) m[k] = next[k] / largest;
    u[i] = m[0] / m[2];
  }
  float add = 0;
  for (std::size_t i = 0; i < n; ++i) add = s.d[i] - (i == 0 ? 0 : s.a[i] / u[i - 1] * add), x[i] = add;
  for (std::size_t i = n; i-- > 0;) x[i] = (x[i] - (i + 1 == n ? 0 : s.c[i] * x[i + 1])) / u[i];
  return x;
}

template <class V>
papilio::MatrixView<const float> row(const V& v) {
  return {v.data(), 1, static_cast<std::int64_t>(v.size())};
}
Solution by_solve_tridiagonal(const System& s) {
  Solution x(s.size());
  papilio::solve_tridiagonal<float>(row(s.a), row(s.b), row(s.c), row(s.d), {x.data(), 1, row(x).columns});
  return x;
}
Solution by_solve_random_walk(const System& s) {
  Solution x(s.size());
  papilio::solve_random_walk<float>(row(s.steps), row(s.weights), row(s.d), {x.data(), 1, row(x).columns});
  return x;
}

double error_of(const Solution& x, const Exact& exact) {
  long double worst = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double error = std::fabs(static_cast<long double>(x[i]) - exact[i]);
    worst = error <= worst ? worst : error, largest = std::max(largest, std::fabs(exact[i]));
  }
  return static_cast<double>(worst / largest);
}

}  // namespace

int main() {
  std::printf("papilio %s; largest error over largest |x|, float, the worst of ten systems\n\n", papilio::version());
  std::printf("| system | n | Thomas | 2 x 2 scan | solve_tridiagonal | solve_random_walk |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: |\n");
  struct Case {
    const char* name;
    std::size_t n;
    double observed;  // below 0: no walk
  };
  for (const Case& which : {Case{"dominant, random", 2048, -1}, Case{"all slices observed", 2048, 1},
                            Case{"10 % of slices observed", 2048, 0.1}, Case{"all empty but the first", 256, 0},
                            Case{"all empty but the first", 2048, 0}, Case{"all empty but the first", 65'536, 0}}) {
    double errors[4] = {};
    std::mt19937 bits(1);
    for (int repetition = 0; repetition < 10; ++repetition) {
      const System s = which.observed < 0 ? random_system(which.n, bits) : walk(which.n, which.observed, bits);
      const Exact exact = exactly(s);
      const Solution found[] = {by_thomas(s), by_scans(s), by_solve_tridiagonal(s),
                                s.steps.empty() ? Solution() : by_solve_random_walk(s)};
      for (int k = 0; k < 4; ++k)
        if (!found[k].empty()) errors[k] = std::max(errors[k], error_of(found[k], exact));
    }
    std::printf("| %s | %zu | %.1e | %.1e | %.1e | ", which.name, which.n, errors[0], errors[1], errors[2]);
    std::printf(which.observed < 0 ? "|\n" : "%.1e |\n", errors[3]);
  }
}
