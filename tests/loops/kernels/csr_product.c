// A sparse matrix in rows times a vector; its transpose times a vector; and each value times a factor of its row.
void csr_product(int n, const int *restrict row, const int *restrict column, const double *restrict value,
                 const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void transposed_product(int n, const int *restrict row, const int *restrict column, const double *restrict value,
                        const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++) y[column[k]] += value[k] * x[i];
}

void scale_rows(int n, const int *restrict row, double *restrict value, const double *restrict factor) {
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++) value[k] *= factor[i];
}
