#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

// The recurrence of the examples: in each row, B[0] = A[0]^2 and B[j] = B[j - 1]^2 + A[j]^2. Rows are independent,
// columns are not. |A| <= 1/2, or B would overflow.

inline constexpr std::int64_t columns = 64;

inline std::vector<float> matrix(std::int64_t rows) {
  std::vector<float> a(static_cast<std::size_t>(rows * columns));
  std::uint32_t x = 1;
  for (float& value : a) value = static_cast<float>((x = x * 1664525u + 1013904223u) >> 8) * 0x1p-24f - 0.5f;
  if (rows > 0) {
    a[0] = 0.5f;
    a[1] = 0.25f;
    a[2] = 0.1f;
  }
  return a;
}

// The first three entries of B, and whether both ways gave the same bits for every number of rows.
template <class ByRows, class ByTransposition>
void print_comparison(ByRows by_rows, ByTransposition by_transposition) {
  int same = 0, sizes = 0;
  float difference = 0;
  for (const std::int64_t rows : {1, 31, 32, 33, 1000, 4096}) {
    const std::vector<float> a = matrix(rows), b = by_rows(a, rows);
    if (rows == 1)
      std::printf("%g, %g, %g -> %g, %g, %g\n", a[0], a[1], a[2], static_cast<double>(b[0]), static_cast<double>(b[1]),
                  static_cast<double>(b[2]));
    for (std::size_t row = 0; row < b.size(); row += columns) {
      double exact = 0;
      for (std::size_t j = row; j < row + columns; ++j) exact = exact * exact + double{a[j]} * double{a[j]};
      difference = std::fmax(difference, static_cast<float>(std::fabs(exact - double{b[row + columns - 1]})));
    }
    same += b == by_transposition(a, rows);
    ++sizes;
  }
  std::printf("%d of %d matrices: the same bits by rows and by transposition\nfurthest from double: %s 2^-22\n", same,
              sizes, difference < 0x1p-22f ? "below" : "above");
}
