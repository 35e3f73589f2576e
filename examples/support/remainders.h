#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

// The two loops of the examples of constant memory: A[i, j] %= C[i], and the same of the transposed matrix by C[j].

inline constexpr int rows = 1024, columns = 1024;

inline std::vector<std::int32_t> divisors() {
  std::vector<std::int32_t> c(rows);
  for (int i = 0; i < rows; ++i) c[static_cast<std::size_t>(i)] = 2 + i * 37 % 1021;
  return c;
}

inline std::int32_t entry(int i, int j) { return static_cast<std::int32_t>((i * 40'503u ^ j * 30'011u) % 1'000'003u); }

// The matrix A, or its transposed.
inline std::vector<std::int32_t> matrix(bool transposed) {
  std::vector<std::int32_t> a;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) a.push_back(transposed ? entry(j, i) : entry(i, j));
  return a;
}

// Compares the results of A % C[i] and of its transposed % C[j], and both with the definition.
inline void print_comparison(const std::vector<std::int32_t>& by_row, const std::vector<std::int32_t>& by_column) {
  const std::vector<std::int32_t> c = divisors();
  int right = 0, same = 0;
  std::int64_t sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const std::int32_t x = by_row[static_cast<std::size_t>(i * columns + j)];
      right += x == entry(i, j) % c[static_cast<std::size_t>(i)];
      same += x == by_column[static_cast<std::size_t>(j * columns + i)];
      sum += x;
    }
  std::printf("A %% C[i]: %d of %d right, sum %lld\nA^T %% C[j]: %d of %d the same\n", right, rows * columns,
              static_cast<long long>(sum), same, rows * columns);
}
