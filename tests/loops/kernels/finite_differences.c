// Explicit finite differences: a step needs the one before, the points of a step only those.
void explicit_steps(int steps, int n, double f[1000][500], double alpha, double beta, double gamma) {
  for (int t = 0; t + 1 < steps; t++)
    for (int x = 1; x < n - 1; x++) f[t + 1][x] = alpha * f[t][x - 1] + beta * f[t][x] + gamma * f[t][x + 1];
}

// Implicit: a tridiagonal system for each of m problems; the rows of one are a recurrence.
void implicit_step(int m, int n, double *restrict u, double *restrict y, const double *restrict a,
                   const double *restrict b, const double *restrict c, const double *restrict d) {
  for (int p = 0; p < m; p++) {
    u[p * n] = b[p * n];
    y[p * n] = d[p * n];
    for (int i = 1; i < n; i++) {
      double beta = a[p * n + i] / u[p * n + i - 1];
      u[p * n + i] = b[p * n + i] - beta * c[p * n + i - 1];
      y[p * n + i] = d[p * n + i] - beta * y[p * n + i - 1];
    }
  }
}
