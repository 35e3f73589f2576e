// Solutions of tridiagonal systems: exact ones, errors, and the same bits for any layout, split and threads. Run once
// for each instruction-set target.

#include "papilio/tridiagonal.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "papilio/scan_with.h"
#include "primitives/tridiagonal/references.h"

namespace papilio::testing {
namespace {

constexpr std::int64_t lengths[] = {1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 47, 100, 255, 256, 257, 500, 1000, 4095, 4097};

template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

template <class T>
std::vector<T> contiguous_values(const std::vector<T>& x, const Layout& layout) {
  std::vector<T> values;
  for (std::int64_t s = 0; s < layout.systems; ++s)
    for (std::int64_t i = 0; i < layout.rows; ++i) values.push_back(x[layout.at(s, i)]);
  return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// The worked example of the lecture notes: A = L U has pivots 2, 3/2, 4/3, 5/4.
TEST(Tridiagonal, SmokeSolvesTheWorkedExample) {
  const Layout layout = contiguous(1, 4);
  const Diagonals<double> all = {layout, {9, 1, 1, 1}, {2, 2, 2, 2}, {1, 1, 1, 9}, {1, 2, 3, 4}};
  const std::vector<double> x = solved(all), expected = {0, 1, 0, 2};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], expected[i], 4e-16) << i;
  const std::vector<float> halves =
      solved(Diagonals<float>{layout, {9, 1, 1, 1}, {2, 2, 2, 2}, {1, 1, 1, 9}, {1, 2, 3, 4}});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(halves[i], expected[i], 3e-7) << i;
}

// A system by three scans, as the lecture notes have it: pivots by 2 x 2 matrices, of which only ratios count, so that
// each product is divided by its largest entry; then both substitutions by affine maps.
struct ByScans {
  std::vector<double> pivots, x;

  struct Matrix {
    double p, q, r, s;
  };
  struct Affine {
    double a, b;  // x -> a + b x
  };
  static Matrix after(Matrix f, Matrix g) {
    const Matrix h = {g.p * f.p + g.q * f.r, g.p * f.q + g.q * f.s, g.r * f.p + g.s * f.r, g.r * f.q + g.s * f.s};
    const double most = std::max({std::abs(h.p), std::abs(h.q), std::abs(h.r), std::abs(h.s)});
    return {h.p / most, h.q / most, h.r / most, h.s / most};
  }
  // maps[i] takes entry i - 1 to entry i.
  static std::vector<double> recurrence(std::vector<Affine> maps) {
    scan_with<Affine>(maps, maps, [](Affine f, Affine g) { return Affine{g.a + g.b * f.a, f.b * g.b}; }, {0, 1});
    std::vector<double> entries;
    for (const Affine& map : maps) entries.push_back(map.a);
    return entries;
  }

  explicit ByScans(const Diagonals<double>& all) {
    const std::size_t n = all.b.size();
    std::vector<Matrix> products = {{1, 0, 0, 1}};
    for (std::size_t i = 1; i < n; ++i) products.push_back({all.b[i], -all.a[i] * all.c[i - 1], 1, 0});
    scan_with<Matrix>(products, products, after, {1, 0, 0, 1});
    for (const Matrix& m : products) pivots.push_back((m.p * all.b[0] + m.q) / (m.r * all.b[0] + m.s));
    pivots[0] = all.b[0];
    std::vector<Affine> down = {{all.d[0], 0}}, up;
    for (std::size_t i = 1; i < n; ++i) down.push_back({all.d[i], -all.a[i] / pivots[i - 1]});
    const std::vector<double> y = recurrence(down);
    for (std::size_t i = n; i-- > 0;) up.push_back({y[i] / pivots[i], i + 1 < n ? -all.c[i] / pivots[i] : 0});
    x = recurrence(up);
    std::reverse(x.begin(), x.end());
  }
};

TEST(Tridiagonal, ScansOfTheNotesGiveTheSame) {
  const ByScans four({contiguous(1, 4), {9, 1, 1, 1}, {2, 2, 2, 2}, {1, 1, 1, 9}, {1, 2, 3, 4}});
  const double pivots[] = {2, 3.0 / 2, 4.0 / 3, 5.0 / 4}, x[] = {0, 1, 0, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(four.pivots[i], pivots[i], 4e-16) << i;
    EXPECT_NEAR(four.x[i], x[i], 1e-15) << i;
  }
  for (const std::int64_t n : {16, 700, 4100}) {  // without the division, products overflow from about 512 on
    const Diagonals<double> all = dominant<double>(contiguous(1, n), 3);
    const Exact exact = thomas(all, 0);
    const std::vector<double> ours = solved(all), scanned = ByScans(all).x;
    double most = 0, scan_error = 0, error = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      most = std::max(most, static_cast<double>(std::abs(exact[i])));
      scan_error = std::max(scan_error, static_cast<double>(std::abs(exact[i] - static_cast<long double>(scanned[i]))));
      error = std::max(error, static_cast<double>(std::abs(exact[i] - static_cast<long double>(ours[i]))));
    }
    EXPECT_LT(scan_error, 2e-15 * most) << n;
    EXPECT_LT(error, 1e-15 * most) << n;
  }
}

// Pivots are 1 and everything is a small whole number: within a chunk nothing is ever rounded.
TEST(Tridiagonal, IsExactWhereArithmeticIs) {
  for (std::int64_t n = 1; n <= 16; ++n) {
    const Layout layout = contiguous(3, n);
    const auto size = static_cast<std::size_t>(3 * n);
    // L U, where L has 1 on and below the diagonal, U on and above.
    Diagonals<float> all = {layout, std::vector<float>(size, 1), std::vector<float>(size, 2),
                            std::vector<float>(size, 1), std::vector<float>(size)};
    std::vector<float> x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<float>(i * 7 % 11) - 5.5f;
    for (std::int64_t s = 0; s < 3; ++s) {
      all.b[layout.at(s, 0)] = 1;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::size_t at = layout.at(s, i);
        all.d[at] = all.b[at] * x[at] + (i > 0 ? x[at - 1] : 0) + (i + 1 < n ? x[at + 1] : 0);
      }
    }
    EXPECT_EQ(solved(all), x) << n << " rows";
  }
}

// Whole solutions of dominant whole matrices are found to within the bound that dominance gives: |error| <= 8 eps times
// the growth (|b| + |a| + |c|) / (|b| - |a| - |c|) = 7 of the largest |x|.
template <class T>
void expect_whole_solutions() {
  for (const std::int64_t n : lengths) {
    const Layout layout = interleaved(5, n);
    const auto size = static_cast<std::size_t>(5 * n);
    Diagonals<T> all = {layout, std::vector<T>(size), std::vector<T>(size), std::vector<T>(size), std::vector<T>(size)};
    Exact x(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = static_cast<long double>(i * 29 % 101) - 50;
      all.a[i] = static_cast<T>(static_cast<int>(i * 5 % 7) - 3),
      all.c[i] = static_cast<T>(static_cast<int>(i * 3 % 5) - 2);
      all.b[i] = static_cast<T>((i % 3 == 0 ? -1 : 1) * (static_cast<int>(i % 4) + 7));
    }
    for (std::int64_t s = 0; s < 5; ++s) {
      Exact of_system;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::size_t at = layout.at(s, i);
        long double d = static_cast<long double>(all.b[at]) * x[at];  // whole numbers below 2^24: exact
        if (i > 0) d += static_cast<long double>(all.a[at]) * x[layout.at(s, i - 1)];
        if (i + 1 < n) d += static_cast<long double>(all.c[at]) * x[layout.at(s, i + 1)];
        all.d[at] = static_cast<T>(d);
        of_system.push_back(x[at]);
      }
      EXPECT_LT(error_of(solved(all), layout, s, of_system), 8 * 7 * epsilon<T>) << n << " rows, system " << s;
      if (n > 300) break;
    }
  }
}
TEST(Tridiagonal, FindsWholeSolutions) {
  expect_whole_solutions<float>();
  expect_whole_solutions<double>();
}

// The residual is that of backward stable elimination: |A x - d| <= 16 eps (|A| |x| + |d|), taken over each system.
template <class T>
void expect_small_residuals(const Diagonals<T>& all, const char* what) {
  const std::vector<T> x = solved(all);
  const Layout& at = all.layout;
  for (std::int64_t s = 0; s < at.systems; ++s) {
    long double worst = 0, size = 0;
    for (std::int64_t i = 0; i < at.rows; ++i) {
      const std::size_t here = at.at(s, i);
      long double terms[4] = {static_cast<long double>(all.b[here]) * x[here], -static_cast<long double>(all.d[here]),
                              0, 0};
      if (i > 0) terms[2] = static_cast<long double>(all.a[here]) * x[at.at(s, i - 1)];
      if (i + 1 < at.rows) terms[3] = static_cast<long double>(all.c[here]) * x[at.at(s, i + 1)];
      const long double residual = std::abs(terms[0] + terms[1] + terms[2] + terms[3]);
      worst = residual <= worst ? worst : residual;
      size = std::max(size, std::abs(terms[0]) + std::abs(terms[1]) + std::abs(terms[2]) + std::abs(terms[3]));
    }
    EXPECT_LE(static_cast<double>(worst / size), 16 * epsilon<T>) << what << ", " << at.rows << " rows, system " << s;
  }
}
TEST(Tridiagonal, LeavesSmallResiduals) {
  for (const std::int64_t n : lengths) {
    expect_small_residuals(dominant<float>(contiguous(7, n), 1), "dominant");
    expect_small_residuals(dominant<double>(interleaved(40, n), 2), "dominant");
    expect_small_residuals(dominant<float>(gappy(3, n), 3, 0), "barely dominant");
    expect_small_residuals(positive_definite<double>(contiguous(7, n), 4), "positive definite");
  }
}

// x of the same systems in every layout, split and number of threads.
template <class T>
void expect_one_set_of_bits(std::int64_t systems, std::int64_t n) {
  const Diagonals<T> row_by_row = dominant<T>(contiguous(systems, n), 5);
  const std::vector<T> expected = contiguous_values(solved(row_by_row, {.threads = 1}), row_by_row.layout);
  for (const Layout& layout : {contiguous(systems, n), interleaved(systems, n), gappy(systems, n)}) {
    const Diagonals<T> all = dominant<T>(layout, 5);  // the same numbers
    for (const int threads : {1, 2, 7})
      EXPECT_TRUE(same_bits(contiguous_values(solved(all, {.threads = threads}), layout), expected))
          << systems << " x " << n << ", strides " << layout.system_stride << ", " << layout.row_stride;
  }
  // One system alone, in place.
  std::vector<T> d = row_by_row.d;
  const std::int64_t s = systems / 2;
  const auto one = [&](const auto& values) { return MatrixView<const T>(values.data() + s * n, 1, n); };
  solve_tridiagonal<T>(one(row_by_row.a), one(row_by_row.b), one(row_by_row.c), one(d), {d.data() + s * n, 1, n});
  EXPECT_EQ(std::memcmp(d.data() + s * n, expected.data() + s * n, static_cast<std::size_t>(n) * sizeof(T)), 0);
}
TEST(Tridiagonal, GivesOneSetOfBits) {
  for (const std::int64_t n : {1, 5, 16, 17, 40, 256, 300, 1030}) {
    expect_one_set_of_bits<float>(70, n);
    expect_one_set_of_bits<double>(33, n);
  }
  expect_one_set_of_bits<float>(2, 70'000);  // shared by threads
  expect_one_set_of_bits<double>(1000, 130);
}

std::uint64_t hash_of(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const float x : values) hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 0x100000001b3;
  return hash;
}
// Diagonals by whole arithmetic, the same on every machine.
Diagonals<float> plain_numbers(std::int64_t systems, std::int64_t n) {
  Diagonals<float> all = {contiguous(systems, n), {}, {}, {}, {}};
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(systems * n); ++i) {
    const auto number = [&](std::uint32_t k) { return static_cast<float>((i * k ^ i >> 3) % 1024) / 512 - 1; };
    all.a.push_back(number(2654435761u)), all.c.push_back(number(40503u)), all.d.push_back(number(69069u));
    all.b.push_back(2.25f + number(1664525u) * 0.125f);
  }
  return all;
}
// What was computed when the solver was written: a change of these is a change of results.
TEST(Tridiagonal, KnownBits) {
  EXPECT_EQ(hash_of(solved(plain_numbers(20, 300))), 0xea30b2c3f53199ceu);
  Diagonals<float> walk = plain_numbers(20, 300);
  for (float& c : walk.c) c += 1;
  GaussianOptions options;
  options.seed = 3, options.stream = 4;
  std::vector<float> x(walk.d.size());
  const Layout& at = walk.layout;
  draw_random_walk<float>(at.view<const float>(walk.c.data()), at.view<const float>(walk.b.data()),
                          at.view<const float>(walk.d.data()), at.view(x.data()), options);
  EXPECT_EQ(hash_of(x), 0x76adeb37583796dfu);
}

TEST(Tridiagonal, RepeatsNumbersOfStrideZero) {
  constexpr std::int64_t systems = 40, n = 50;
  const float a = -1, b = 4, c = 0.5f;
  std::vector<float> d(systems * n), x(d.size());
  std::iota(d.begin(), d.end(), 0.0f);
  solve_tridiagonal<float>({&a, systems, n, 0, 0}, {&b, systems, n, 0, 0}, {&c, systems, n, 0, 0},
                           {d.data(), systems, n}, {x.data(), systems, n});
  const Diagonals<float> all = {contiguous(systems, n), std::vector<float>(d.size(), a),
                                std::vector<float>(d.size(), b), std::vector<float>(d.size(), c), d};
  EXPECT_TRUE(same_bits(x, solved(all)));
}

TEST(Tridiagonal, LeavesOtherMemoryAlone) {
  const Layout layout = gappy(5, 33);
  const Diagonals<double> all = dominant<double>(layout, 1);
  std::vector<double> x = solved(all);
  for (std::int64_t s = 0; s < 5; ++s)
    for (std::int64_t i = 0; i < 33; ++i) x[layout.at(s, i)] = -7;
  EXPECT_EQ(x, std::vector<double>(x.size(), -7));
}

// Statuses: each system has its own, wherever the fault is.
TEST(Tridiagonal, FindsFaults) {
  for (const std::int64_t n : {2, 16, 17, 40, 300, 5000}) {
    for (const Layout& layout : {contiguous(8, n), interleaved(40, n)}) {
      Diagonals<double> all = positive_definite<double>(layout, 3);
      const auto place = [&](std::int64_t s) { return layout.at(s, s * (n - 1) / 7 % n); };
      all.b[place(1)] = 0, all.b[layout.at(1, 0)] = 0;             // singular, in the first row
      all.b[place(2)] = std::numeric_limits<double>::quiet_NaN();  // singular
      all.d[place(3)] = std::numeric_limits<double>::infinity();   // not a fault of the matrix
      all.b[place(4)] = -all.b[place(4)];                          // dominant
      all.b[place(5)] *= 0.25, all.a[layout.at(5, 1)] += 0.5;      // neither dominant nor symmetric
      std::vector<TridiagonalStatus> status(static_cast<std::size_t>(layout.systems));
      for (const int threads : {1, 2}) {
        solved(all, {.status = status, .threads = threads});
        using enum TridiagonalStatus;
        const std::vector<TridiagonalStatus> first(status.begin(), status.begin() + 8);
        EXPECT_EQ(first, (std::vector{ok, singular, singular, ok, ok, not_dominant, ok, ok})) << n << " rows";
      }
    }
  }
}

// Pivots 1, 0.64, ... in both, but one of the matrices is symmetric; the pair of rows lies in a chunk, and across two.
TEST(Tridiagonal, TellsSymmetricMatricesFromOthers) {
  for (const std::int64_t n : {3, 40}) {
    for (const std::int64_t row : {std::int64_t{0}, n / 2 - 5, std::int64_t{15}}) {
      if (row < 0 || row + 2 >= n) continue;
      const Layout layout = contiguous(2, n);
      const auto size = static_cast<std::size_t>(2 * n);
      Diagonals<float> all = {layout, std::vector<float>(size), std::vector<float>(size, 1), std::vector<float>(size),
                              std::vector<float>(size)};
      for (const std::int64_t s : {0, 1})  // rows row, row + 1 and row + 2; the middle one is not dominant
        for (const std::int64_t i : {row, row + 1})
          all.a[layout.at(s, i + 1)] = s == 0 ? 0.6f : 0.9f, all.c[layout.at(s, i)] = s == 0 ? 0.6f : 0.4f;
      std::vector<TridiagonalStatus> status(2);
      solved(all, {.status = status});
      EXPECT_EQ(status, (std::vector{TridiagonalStatus::ok, TridiagonalStatus::not_dominant})) << n << ", row " << row;
    }
  }
}

}  // namespace
}  // namespace papilio::testing
