// The sequential twins of sampling's loops: a draw for each row of weights, and the alias of a transposition.
#include <stdint.h>

// rows x categories weights; the first category whose prefix sum exceeds u * total.
void sample_rows(int64_t rows, int64_t categories, const float *restrict weights, const float *restrict u,
                 int32_t *restrict drawn) {
  for (int64_t r = 0; r < rows; r++) {
    float total = 0;
    for (int64_t k = 0; k < categories; k++) total += weights[r * categories + k];
    float sum = 0;
    int32_t before = 0;
    for (int64_t k = 0; k < categories; k++) {
      sum += weights[r * categories + k];
      if (sum <= u[r] * total) before += 1;
    }
    drawn[r] = before;
  }
}

// The same with the prefix sums in memory that all rows share.
void sample_rows_shared(int64_t rows, int64_t categories, const float *restrict weights, const float *restrict u,
                        float *restrict sums, int32_t *restrict drawn) {
  for (int64_t r = 0; r < rows; r++) {
    float sum = 0;
    for (int64_t k = 0; k < categories; k++) {
      sum += weights[r * categories + k];
      sums[k] = sum;
    }
    int32_t before = 0;
    for (int64_t k = 0; k < categories; k++) before += sums[k] <= u[r] * sum;
    drawn[r] = before;
  }
}

void transpose(int64_t rows, int64_t columns, const float *restrict from, float *restrict to) {
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c];
}
