// A matrix product in tiles, on the CPU: loops strip-mined by T and the strips moved outwards, so that a tile of each
// matrix stays in the cache. At the edges tiles are padded with zeros, so there is one loop nest for every shape.
// 14_matrix_product.cu is the same on a GPU. With --time: its speed, beside the plain loops.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "support/matrix_product.h"

namespace {

constexpr int T = 32;
using Tile = float[T][T];

// The tile of m that begins at (row, column).
void load(const Matrix& m, int row, int column, Tile& tile) {
  std::memset(tile, 0, sizeof tile);
  const int rows = std::min(T, m.rows - row), columns = std::min(T, m.columns - column);
  for (int i = 0; i < rows; ++i) std::copy_n(m.row(row + i) + column, columns, tile[i]);
}

// The loops over ii and jj are parallel; kk carries the sums.
Matrix tiled_product(const Matrix& a, const Matrix& b) {
  Matrix c = {a.rows, b.columns};
  static Tile a_tile, b_tile, c_tile;
  for (int ii = 0; ii < c.rows; ii += T)
    for (int jj = 0; jj < c.columns; jj += T) {
      std::memset(c_tile, 0, sizeof c_tile);
      for (int kk = 0; kk < a.columns; kk += T) {
        load(a, ii, kk, a_tile);
        load(b, kk, jj, b_tile);
        for (int i = 0; i < T; ++i)
          for (int k = 0; k < T; ++k)
            for (int j = 0; j < T; ++j) c_tile[i][j] += a_tile[i][k] * b_tile[k][j];
      }
      for (int i = 0; i < std::min(T, c.rows - ii); ++i)
        std::copy_n(c_tile[i], std::min(T, c.columns - jj), c.row(ii + i) + jj);
    }
  return c;
}

template <class Product>
double measured(int n, Product product) {
  const Matrix a = whole_numbers(n, n, 1), b = whole_numbers(n, n, 2);
  const auto begin = std::chrono::steady_clock::now();
  const Matrix c = product(a, b);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return c.values[0] < 1e30f ? gflops(n, n, n, time.count()) : 0;
}

}  // namespace

int main(int count, char** arguments) {
  print_small_product(tiled_product);
  check_all_shapes(T, T, tiled_product);
  print_measure();
  if (count > 1 && std::strcmp(arguments[1], "--time") == 0) {
    std::printf("%6s %12s %12s   GFlop/s, one thread\n", "n", "plain", "tiled");
    for (const int n : {256, 512, 1024, 2048})
      std::printf("%6d %12.2f %12.2f\n", n, measured(n, plain_product), measured(n, tiled_product));
  }
}
