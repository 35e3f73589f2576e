// u_i = b_i - a_i c_{i-1} / u_{i-1} by 2 x 2 matrices, in one statement and in two.
void diagonal(int n, const double *restrict a, const double *restrict b, const double *restrict c,
              double *restrict u) {
  for (int i = 1; i < n; i++) u[i] = b[i] - a[i] * c[i - 1] / u[i - 1];
}

void with_factor(int n, const double *restrict a, const double *restrict b, const double *restrict c,
                 double *restrict u) {
  for (int i = 1; i < n; i++) {
    const double beta = a[i] / u[i - 1];
    u[i] = b[i] - beta * c[i - 1];
  }
}

// A square is no such function.
void squared(int n, const double *restrict a, double *restrict u) {
  for (int i = 1; i < n; i++) u[i] = a[i] - u[i - 1] * u[i - 1];
}
