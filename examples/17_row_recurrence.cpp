// A recurrence along rows, by transposition: in the transposed matrix, neighbouring rows are neighbours in memory, so
// the loop over rows, which is parallel, can be the inner one. On a GPU (17_row_recurrence.cu) neighbouring threads
// then read neighbouring memory (--time shows the gain). A CPU reads a row line by line in either case: it gains vector
// instructions at most, and may become slower. Interchanging the two loops without a transposition does not help: the
// problem is the layout, not the order. With --time: both, timed.

#include <papilio/primitives.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "support/row_recurrence.h"

namespace {

using Matrix = papilio::MatrixView<float>;

std::vector<float> by_rows(std::vector<float> a, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float* const row = a.data() + i * columns;
    float b = 0;
    for (std::int64_t j = 0; j < columns; ++j) row[j] = b = b * b + row[j] * row[j];
  }
  return a;
}

// Some rows at a time, so that the transposed part stays in the cache.
std::vector<float> by_transposition(std::vector<float> a, std::int64_t rows) {
  constexpr std::int64_t most = 128;
  std::vector<float> turned(most * columns);
  for (std::int64_t first = 0; first < rows; first += most) {
    const std::int64_t together = std::min(most, rows - first);
    const Matrix as_given(a.data() + first * columns, together, columns), as_turned(turned.data(), columns, together);
    papilio::transpose<float>(as_given, as_turned, {.threads = 1});
    std::array<float, most> b = {};
    for (std::int64_t j = 0; j < columns; ++j) {
      float* const column = turned.data() + j * together;
      for (std::size_t i = 0; i < static_cast<std::size_t>(together); ++i)
        column[i] = b[i] = b[i] * b[i] + column[i] * column[i];
    }
    papilio::transpose<float>(as_turned, as_given, {.threads = 1});
  }
  return a;
}

// The best of five runs.
template <class Way>
double milliseconds(Way way, const std::vector<float>& a, std::int64_t rows) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    std::vector<float> b = a;
    const auto begin = std::chrono::steady_clock::now();
    b = way(std::move(b), rows);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (run == 0 || time.count() < best) best = time.count();
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  print_comparison(by_rows, by_transposition);
  if (count > 1 && std::strcmp(arguments[1], "--time") == 0) {
    constexpr std::int64_t rows = 1 << 18;
    const std::vector<float> a = matrix(rows);
    std::printf("%lld rows: by rows %.1f ms, by transposition %.1f ms\n", static_cast<long long>(rows),
                milliseconds(by_rows, a, rows), milliseconds(by_transposition, a, rows));
  }
}
