// c = a * b, row by row.
void matrix_product(int n, int m, int u, double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i * m + j] = 0;
      for (int k = 0; k < u; k++) c[i * m + j] += a[i * u + k] * b[k * m + j];
    }
}
