// A[i, j] %= C[i] and, for the transposed matrix, A[j, i] %= C[i]: the same results. On a CPU both take the same time;
// on a GPU with C in constant memory they do not (16_constant_memory.cu).

#include "support/remainders.h"

int main() {
  const std::vector<std::int32_t> c = divisors();
  std::vector<std::int32_t> by_row = matrix(false), by_column = matrix(true);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      by_row[i * columns + j] %= c[i];
      by_column[i * columns + j] %= c[j];
    }
  print_comparison(by_row, by_column);
}
