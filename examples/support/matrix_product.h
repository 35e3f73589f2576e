#pragma once

#include <cstdio>
#include <vector>

// What the matrix products of the examples share: matrices of whole numbers, whose products are exact in float in any
// order of summation, and what is printed of them.

struct Matrix {
  int rows, columns;
  std::vector<float> values = std::vector<float>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));

  float* row(int i) { return values.data() + static_cast<std::ptrdiff_t>(i) * columns; }
  const float* row(int i) const { return values.data() + static_cast<std::ptrdiff_t>(i) * columns; }
};

inline Matrix whole_numbers(int rows, int columns, int seed) {
  Matrix m = {rows, columns};
  unsigned x = static_cast<unsigned>(seed);
  for (float& value : m.values) value = static_cast<float>((x = x * 1664525u + 1013904223u) >> 28) - 8;
  return m;
}

inline Matrix plain_product(const Matrix& a, const Matrix& b) {
  Matrix c = {a.rows, b.columns};
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k)
      for (int j = 0; j < b.columns; ++j) c.row(i)[j] += a.row(i)[k] * b.row(k)[j];
  return c;
}

// Every remainder of rows, columns and depth that a tile of side T treats differently: 0, 1 and T - 1, of one tile and
// of two. The second tile's side is that of the depth.
template <class Product>
void check_all_shapes(int T, int depth_T, Product product) {
  int right = 0, shapes = 0;
  const auto sizes = [](int t) { return std::vector<int>{t - 1, t, t + 1, 2 * t - 1, 2 * t, 2 * t + 1}; };
  for (const int M : sizes(T))
    for (const int N : sizes(T))
      for (const int U : sizes(depth_T)) {
        const Matrix a = whole_numbers(M, U, M), b = whole_numbers(U, N, N + 1);
        right += product(a, b).values == plain_product(a, b).values;
        ++shapes;
      }
  std::printf("%d of %d shapes around multiples of the tile: right\n", right, shapes);
}

template <class Product>
void print_small_product(Product product) {
  const Matrix a = {2, 3, {1, 2, 3, 3, 4, 5}}, b = {3, 2, {1, 2, 3, 4, 5, 6}};
  const Matrix c = product(a, b);
  std::printf("(1 2 3; 3 4 5) (1 2; 3 4; 5 6) = (%g %g; %g %g)\n", c.row(0)[0], c.row(0)[1], c.row(1)[0], c.row(1)[1]);
}

// Operations of a product per second, in 1e9: M N U multiplications and as many additions. The time ends when the
// result is there.
inline double gflops(double M, double N, double U, double microseconds) { return 2 * M * N * U / microseconds * 1e-3; }

inline void print_measure() { std::printf("1024^3 in 1000 us: %.2f GFlop/s\n", gflops(1024, 1024, 1024, 1000)); }
