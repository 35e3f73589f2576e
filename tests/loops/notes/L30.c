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

// Without divisions: the determinants q_{i+1} = b_i q_i - a_i c_{i-1} q_{i-1}, of which u_i = q_{i+1} / q_i.
void determinants(int n, const double *restrict a, const double *restrict b, const double *restrict c,
                  double *restrict q) {
  for (int i = 1; i < n; i++) q[i + 1] = b[i] * q[i] - a[i] * c[i - 1] * q[i - 1];
}
