// A tridiagonal solver, A = L U: the diagonal of U is a fractional function of the one before, the rest linear ones.
void tridiagonal(int n, const double *restrict a, const double *restrict b, const double *restrict c,
                 const double *restrict d, double *restrict u, double *restrict y, double *restrict x) {
  u[0] = b[0];
  y[0] = d[0];
  for (int i = 1; i < n; i++) {
    const double beta = a[i] / u[i - 1];
    u[i] = b[i] - beta * c[i - 1];
    y[i] = d[i] - beta * y[i - 1];
  }
  x[n - 1] = y[n - 1] / u[n - 1];
  for (int i = n - 2; i >= 0; i--) x[i] = (y[i] - c[i] * x[i + 1]) / u[i];
}
