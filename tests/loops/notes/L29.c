// The loops of a tridiagonal solver, with the factor of each row in an array.
void solve(int n, double *restrict a, double *restrict b, double *restrict c, double *restrict d, double *restrict u,
           double *restrict y, double *restrict x, double *restrict beta) {
  u[0] = b[0];
  y[0] = d[0];
  for (int i = 1; i < n; i++) {
    beta[i] = a[i] / u[i - 1];
    u[i] = b[i] - beta[i] * c[i - 1];
    y[i] = d[i] - beta[i] * y[i - 1];
  }
  x[n - 1] = y[n - 1] / u[n - 1];
  for (int i = n - 2; i >= 0; i--) x[i] = (y[i] - c[i] * x[i + 1]) / u[i];
}

void factor_in_a_scalar(int n, double *restrict a, double *restrict b, double *restrict c, double *restrict d,
                        double *restrict u, double *restrict y) {
  double beta;
  for (int i = 1; i < n; i++) {
    beta = a[i] / u[i - 1];
    u[i] = b[i] - beta * c[i - 1];
    y[i] = d[i] - beta * y[i - 1];
  }
}
